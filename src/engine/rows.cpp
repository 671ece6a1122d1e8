#include "engine/rows.hpp"

#include <algorithm>

#include "engine/row_chunks.hpp"

namespace otss::internal {
namespace {

class RowsEngine final : public Engine {
 public:
  RowsEngine(const Rows& rows, const MixtureLayout& layout) : rows_(rows), layout_(layout) {}

  const MixtureLayout& layout() const override { return layout_; }
  double total_weight() const override { return rows_.facts().total_weight; }

  double evaluate(std::span<const double> theta, std::span<double> gradient,
                  Precision precision) const override {
    if (const auto loss = loss_if_not_finite(theta, gradient)) return *loss;
    const std::vector<double> sums = rows_.sum({.what = RowSum::kLossAndGradient,
                                                .layout = layout_,
                                                .theta = {theta.begin(), theta.end()},
                                                .precision = precision});
    std::copy(sums.begin() + 1, sums.end(), gradient.begin());
    return sums.front();
  }

 private:
  const Rows& rows_;
  MixtureLayout layout_;
};

}  // namespace

std::unique_ptr<Engine> make_rows_engine(const Rows& rows, const MixtureLayout& layout) {
  return std::make_unique<RowsEngine>(rows, layout);
}

std::vector<std::size_t> counting_rows_of(const LoggedData& log,
                                          std::span<const std::size_t> positions) {
  std::vector<std::size_t> found(positions.begin(), positions.end());
  if (log.weights().empty()) return found;
  std::vector<std::size_t> counting;
  for (std::size_t i = 0; i < log.num_rows(); ++i) {
    if (log.weights()[i] > 0) counting.push_back(i);
  }
  for (std::size_t& row : found) row = counting[row];
  return found;
}

RowsFacts facts_of(const LoggedData& log) {
  return {.num_rows = log.num_rows(),
          .num_counting = num_counting_rows(log),
          .total_weight = log.weights().empty()
                              ? static_cast<double>(log.num_rows())
                              : signed_weights_of(log, OutputFamily::kGaussian).total(),
          .has_groups = !log.groups().empty(),
          .has_times = !log.times().empty(),
          .encoder = log.encoder(),
          .roles = log.roles(),
          .fingerprint = log.fingerprint()};
}

Eigen::MatrixXd gauss_newton(const Rows& rows, SumRequest at) {
  at.what = RowSum::kGaussNewton;
  const auto size = static_cast<Eigen::Index>(at.theta.size());
  const std::vector<double> sums = rows.sum(at);
  return Eigen::Map<const Eigen::MatrixXd>(sums.data(), size, size);
}

double pearson(const Rows& rows, SumRequest at) {
  at.what = RowSum::kPearson;
  return rows.sum(at).front();
}

}  // namespace otss::internal
