// A TermDesign holds the columns of the regression in which terms are tested and chosen: the
// columns of a model that is linear in the factors, and one column for each candidate term.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <vector>

#include "learn/problem/problem.hpp"
#include "otss/data/term.hpp"
#include "otss/learn/terms.hpp"

namespace otss::internal {

// The columns of the regression are divided into these blocks. Each block has one penalty strength
// (ridge.hpp).
enum class TermBlock : std::uint8_t { kIntercept, kContexts, kFactors, kProducts, kTerms };

struct TermDesign {
  Problem sample;                     // the rows of the log that are used
  std::vector<std::size_t> rows;      // the indices of these rows in the log
  std::vector<std::uint32_t> groups;  // the group of each row, from 0 without gaps; empty if none
  // `linear` has the columns 1, x (contexts) and z (factors). `products` has the columns x_i z_j,
  // or no columns if these would be too many for the number of rows.
  Eigen::MatrixXd linear, products;
  std::vector<TermBlock> linear_blocks;  // the block of each column of `linear`
  std::vector<Term> terms;               // the candidate terms
  Eigen::MatrixXd candidates;  // one column per term, with mean 0 and standard deviation 1
};

// Makes the columns for a sample of at most `num_rows` rows of the log. A term that is constant in
// the sample is not a candidate.
TermDesign make_term_design(const LoggedData& log, Terms kinds, std::size_t num_rows,
                            const TermOptions& options);

}  // namespace otss::internal
