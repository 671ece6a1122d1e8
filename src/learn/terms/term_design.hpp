// The regression in which terms are tested and chosen: the columns of a model that is linear in the
// factors, and the candidate terms.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <vector>

#include "learn/problem/problem.hpp"
#include "otss/data/term.hpp"
#include "otss/learn/terms.hpp"

namespace otss::internal {

// Blocks of columns; each block has one penalty strength (ridge.hpp).
enum class TermBlock : std::uint8_t { kIntercept, kContexts, kFactors, kProducts, kTerms };

struct TermDesign {
  Problem sample;                     // the rows of the log that are used
  std::vector<std::size_t> rows;      // their numbers in the log
  std::vector<std::uint32_t> groups;  // the group of each row, from 0 without gaps; empty if none
  // 1, the contexts x and the factors z. The products x_i z_j are apart: `products` has no columns
  // if there are too many of them for the rows.
  Eigen::MatrixXd linear, products;
  std::vector<TermBlock> linear_blocks;
  std::vector<Term> terms;     // the candidates
  Eigen::MatrixXd candidates;  // rows × terms; mean 0, standard deviation 1
};

// Makes the regression of a sample of at most `num_rows` rows. Constant terms are no candidates.
TermDesign make_term_design(const LoggedData& log, Terms kinds, std::size_t num_rows,
                            const TermOptions& options);

}  // namespace otss::internal
