#include "learn/checks/direction_words.hpp"

#include <fmt/core.h>

#include <cmath>

namespace otss::internal {
namespace {

using Eigen::Index;

// kCounts and kLeads are thresholds for the absolute value of an entry, as a share of the largest
// absolute value in the direction. Entries below kCounts are left out of the text. The first entry
// above kLeads becomes the leading factor of the text. If the largest entry led instead, rounding
// could decide between entries of almost equal size.
constexpr double kCounts = 0.05;
constexpr double kLeads = 0.9;
constexpr std::size_t kMostNamedTerms = 6;

std::string term(double coefficient, const std::string& name, bool leads) {
  if (leads) return name;
  const std::string size = fmt::format("{:.3g}", std::abs(coefficient));
  return fmt::format(" {} {}{}", coefficient < 0 ? "-" : "+", size == "1" ? "" : size + " ", name);
}

}  // namespace

DirectionWords direction_words(const Eigen::VectorXd& direction, const Encoder& encoder) {
  const double largest = direction.cwiseAbs().maxCoeff();
  Index lead = 0;
  while (std::abs(direction[lead]) < kLeads * largest) ++lead;
  const double unit = direction[lead] / encoder.factors[lead].scale;
  DirectionWords words;
  const auto add = [&](Index j) {
    const FactorColumn& factor = encoder.factors[j];
    if (words.factors.size() < kMostNamedTerms)
      words.text += term(direction[j] / factor.scale / unit, factor.name, j == lead);
    else if (words.factors.size() == kMostNamedTerms)
      words.text += " + …";
    words.factors.push_back(factor.name);
  };
  add(lead);
  for (Index j = 0; j < direction.size(); ++j) {
    if (j != lead && std::abs(direction[j]) >= kCounts * largest) add(j);
  }
  return words;
}

Eigen::MatrixXd sparse_basis(Eigen::MatrixXd basis) {
  for (Index column = 0; column < basis.cols(); ++column) {
    Index pivot = 0;
    basis.col(column).cwiseAbs().maxCoeff(&pivot);
    basis.col(column) /= basis(pivot, column);
    for (Index other = 0; other < basis.cols(); ++other) {
      if (other != column) basis.col(other) -= basis(pivot, other) * basis.col(column);
    }
  }
  return basis.colwise().normalized();
}

}  // namespace otss::internal
