#include "learn/methods/contextual/network_pass.hpp"

#include <cmath>

#include "learn/problem/tile_products.hpp"

namespace otss::internal {
namespace {

// Standard deviation of the random weights from hidden units to outputs. It is small, so that no
// random hidden unit dominates the first steps of a fit.
constexpr double kOutputScale = 0.3;

using Eigen::MatrixXd;
using ConstRow = Eigen::Map<const Eigen::RowVectorXd>;
using Row = Eigen::Map<Eigen::RowVectorXd>;

}  // namespace

Network to_network(const NetworkLayout& layout, std::span<const double> theta) {
  const auto part = [&](std::size_t begin, std::size_t end) {
    return std::vector<double>(theta.begin() + begin, theta.begin() + end);
  };
  return {layout.num_inputs,
          layout.num_outputs,
          part(0, layout.hidden_intercepts()),
          part(layout.hidden_intercepts(), layout.output_slopes()),
          part(layout.output_slopes(), layout.output_intercepts()),
          part(layout.output_intercepts(), layout.size())};
}

std::vector<double> to_parameters(const Network& network) {
  std::vector<double> theta = network.hidden_slopes;
  for (const auto* part :
       {&network.hidden_intercepts, &network.output_slopes, &network.output_intercepts})
    theta.insert(theta.end(), part->begin(), part->end());
  return theta;
}

std::vector<double> random_network(const NetworkLayout& layout, Rng& rng) {
  std::vector<double> theta(layout.size(), 0.0);
  const double slope = 1 / std::sqrt(1.0 + layout.num_inputs);
  for (std::size_t i = 0; i < layout.output_slopes(); ++i) {
    const bool is_slope = i < layout.hidden_intercepts();
    theta[i] = (is_slope ? slope : 1.0) * rng.normal();
  }
  for (std::size_t i = layout.output_slopes(); i < layout.output_intercepts(); ++i)
    theta[i] = kOutputScale * rng.normal();
  return theta;
}

NetworkPass::NetworkPass(const NetworkLayout& layout, std::span<const double> theta,
                         const MatrixXd& inputs)
    : layout_(layout), theta_(theta), inputs_(inputs) {
  const std::size_t num_hidden = layout.num_hidden;
  const std::size_t num_outputs = layout.num_outputs;
  const std::size_t num_inputs = layout.num_inputs;
  active_ = linear_functions(inputs, {num_hidden, theta.data(), num_inputs, 1});
  active_.rowwise() += ConstRow(theta.data() + layout.hidden_intercepts(), layout.num_hidden);
  replace_by_tanh(active_);
  outputs_ = linear_functions(active_,
                              {num_outputs, theta.data() + layout.output_slopes(), num_hidden, 1});
  outputs_.rowwise() += ConstRow(theta.data() + layout.output_intercepts(), layout.num_outputs);
}

void NetworkPass::add_gradient(const MatrixXd& derivative, std::span<double> gradient) const {
  const std::size_t num_hidden = layout_.num_hidden;
  const double* const out = theta_.data() + layout_.output_slopes();
  add_products(derivative, active_, gradient.data() + layout_.output_slopes());
  Row(gradient.data() + layout_.output_intercepts(), layout_.num_outputs) +=
      derivative.colwise().sum();
  MatrixXd back = linear_functions(derivative, {num_hidden, out, 1, num_hidden});
  back.array() *= 1 - active_.array().square();
  add_products(back, inputs_, gradient.data());
  Row(gradient.data() + layout_.hidden_intercepts(), layout_.num_hidden) += back.colwise().sum();
}

}  // namespace otss::internal
