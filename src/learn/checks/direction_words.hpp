// Directions in the space of factors as readable text, such as "price - 0.98 discount".
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "otss/data/encoder.hpp"

namespace otss {

struct DirectionWords {
  std::string text;                  // in the log's units; the leading factor has coefficient 1
  std::vector<std::string> factors;  // the factors whose entries are not negligible
};

// `direction` is in standardised factors; negligible entries are omitted.
DirectionWords direction_words(const Eigen::VectorXd& direction, const Encoder& encoder);

// Another basis of the same column space, made sparse by elimination, so that several
// collinearities are reported separately and not as mixtures of each other.
Eigen::MatrixXd sparse_basis(Eigen::MatrixXd basis);

}  // namespace otss
