// Directions in the space of factors, said as a person would: "price - 0.98 discount".
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "otss/data/encoder.hpp"

namespace otss {

struct DirectionWords {
  std::string text;  // in the log's own units, the leading factor with coefficient 1
  std::vector<std::string> factors;  // those that matter in it
};

// `direction` is in standardised factors; what hardly counts in it is left out.
DirectionWords direction_words(const Eigen::VectorXd& direction, const Encoder& encoder);

// Other vectors of the same span (columns), each with as few entries as elimination gives: several
// collinearities then do not appear mixed.
Eigen::MatrixXd sparse_basis(Eigen::MatrixXd basis);

}  // namespace otss
