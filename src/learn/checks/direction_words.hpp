// Writes directions in the space of factors as readable text, such as "price - 0.98 discount".
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "otss/data/encoder.hpp"

namespace otss::internal {

struct DirectionWords {
  std::string text;                  // in the log's units; the leading factor has coefficient 1
  std::vector<std::string> factors;  // the factors whose entries are not negligible
};

// Describes `direction`, a vector in standardised units, and leaves out negligible entries.
DirectionWords direction_words(const Eigen::VectorXd& direction, const Encoder& encoder);

// Returns another basis of the space that the columns of `basis` span. The new basis is made sparse
// by elimination, so that several collinearities are reported separately and not as mixtures of
// each other.
Eigen::MatrixXd sparse_basis(Eigen::MatrixXd basis);

}  // namespace otss::internal
