#include "optim/lbfgs.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <numeric>

#include "base/interrupt.hpp"
#include "optim/line_search.hpp"

namespace otss {
namespace {

using Vector = std::vector<double>;

double dot(std::span<const double> a, std::span<const double> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

double infinity_norm(std::span<const double> v) {
  double norm = 0;
  for (const double value : v)
    norm = std::isfinite(value) ? std::max(norm, std::abs(value)) : INFINITY;
  return norm;
}

// The inverse Hessian as the preconditioner and the last curvature pairs tell it.
class InverseHessian {
 public:
  explicit InverseHessian(const LbfgsOptions& options) : options_(options) {
    for (const CurvaturePair& pair : options.pairs) update(pair);
  }

  void update(CurvaturePair pair) {
    const double curvature = dot(pair.step, pair.gradient_change);
    const double size = dot(pair.gradient_change, pair.gradient_change);
    // Pairs without positive curvature would make the matrix indefinite.
    if (!(curvature > 1e-12 * std::sqrt(size * dot(pair.step, pair.step)))) return;
    scale_ = curvature / size;
    pairs_.push_back(std::move(pair));
    inverse_curvatures_.push_back(1 / curvature);
    if (static_cast<int>(pairs_.size()) > options_.memory) {
      pairs_.pop_front();
      inverse_curvatures_.pop_front();
    }
  }

  void clear() {
    pairs_.clear();
    inverse_curvatures_.clear();
  }
  bool empty() const { return pairs_.empty(); }
  std::vector<CurvaturePair> pairs() const { return {pairs_.begin(), pairs_.end()}; }

  Vector times(std::span<const double> gradient) const {
    Vector v(gradient.begin(), gradient.end());
    Vector alpha(pairs_.size());
    for (std::size_t i = pairs_.size(); i-- > 0;) {
      alpha[i] = inverse_curvatures_[i] * dot(pairs_[i].step, v);
      add(-alpha[i], pairs_[i].gradient_change, v);
    }
    if (options_.precondition) {
      options_.precondition(v);
    } else {
      for (double& value : v) value *= scale_;
    }
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
      add(alpha[i] - inverse_curvatures_[i] * dot(pairs_[i].gradient_change, v), pairs_[i].step, v);
    }
    return v;
  }

 private:
  static void add(double factor, const Vector& from, Vector& to) {
    for (std::size_t i = 0; i < to.size(); ++i) to[i] += factor * from[i];
  }

  const LbfgsOptions& options_;
  std::deque<CurvaturePair> pairs_;
  std::deque<double> inverse_curvatures_;
  double scale_ = 1;
};

class Lbfgs {
 public:
  Lbfgs(Objective& objective, std::span<const double> start, const LbfgsOptions& options)
      : objective_(objective), options_(options), inverse_hessian_(options) {
    best_.x.assign(start.begin(), start.end());
    best_.gradient.resize(start.size());
    trial_x_.resize(start.size());
    trial_gradient_.resize(start.size());
  }

  Minimum run() {
    best_.value = objective_.evaluate(best_.x, best_.gradient);
    best_.evaluations = 1;
    record();
    if (!std::isfinite(best_.value)) {
      best_.reason = StopReason::kNotFinite;
      best_.message = fmt::format("the objective is {} at the start", best_.value);
      return std::move(best_);
    }
    while (!finished()) {
      check_interrupt();
      if (!advance()) break;
    }
    best_.pairs = inverse_hessian_.pairs();
    return std::move(best_);
  }

 private:
  void record() {
    best_.trace.push_back({best_.evaluations, best_.value, infinity_norm(best_.gradient)});
  }

  bool finished() {
    const double norm = infinity_norm(best_.gradient);
    const double limit = options_.gradient_tolerance * std::max(1.0, std::abs(best_.value));
    if (norm <= limit) {
      best_.reason = StopReason::kGradient;
      best_.message =
          fmt::format("converged: largest gradient entry {:.2g} <= {:.2g}", norm, limit);
      return true;
    }
    if (best_.evaluations >= options_.max_evaluations) {
      best_.reason = StopReason::kEvaluations;
      best_.message = fmt::format("stopped after {} evaluations with largest gradient entry {:.2g}",
                                  best_.evaluations, norm);
      return true;
    }
    direction_ = inverse_hessian_.times(best_.gradient);
    for (double& value : direction_) value = -value;
    slope_ = dot(direction_, best_.gradient);
    if (!(slope_ < 0)) {  // rounding has spoiled the pairs: start them over
      inverse_hessian_.clear();
      direction_ = inverse_hessian_.times(best_.gradient);
      for (double& value : direction_) value = -value;
      slope_ = dot(direction_, best_.gradient);
    }
    return gains_too_little();
  }

  bool gains_too_little() {
    const bool trusted = options_.precondition || !inverse_hessian_.empty();
    const double gain = -slope_ / 2;
    small_gains_ =
        trusted && gain <= options_.value_tolerance * std::abs(best_.value) ? small_gains_ + 1 : 0;
    if (small_gains_ < 2) return false;
    best_.reason = StopReason::kValue;
    best_.message =
        fmt::format("converged: at most {:.2g} of the objective is left to gain, {:.2g} asked",
                    gain / std::abs(best_.value), options_.value_tolerance);
    return true;
  }

  bool advance() {
    const bool scaled = options_.precondition || !inverse_hessian_.empty();
    const double first_step = scaled ? 1.0 : std::min(1.0, 1 / std::sqrt(-slope_));
    LineSearchOptions line_options;
    line_options.max_evaluations = std::clamp(options_.max_evaluations - best_.evaluations, 1, 20);
    const LinePoint origin{0, best_.value, slope_};
    const LineSearchResult found = line_search([this](double step) { return try_step(step); },
                                               origin, first_step, line_options);
    if (!found.success) {
      if (!inverse_hessian_.empty()) {  // one more try along the (preconditioned) gradient
        inverse_hessian_.clear();
        return true;
      }
      best_.reason = StopReason::kLineSearch;
      best_.message = fmt::format(
          "no further decrease can be seen in this arithmetic (largest gradient entry {:.2g})",
          infinity_norm(best_.gradient));
      return false;
    }
    if (found.point.step != trial_step_) try_step(found.point.step);
    accept(found.point.value);
    return true;
  }

  LinePoint try_step(double step) {
    for (std::size_t i = 0; i < trial_x_.size(); ++i)
      trial_x_[i] = best_.x[i] + step * direction_[i];
    const double value = objective_.evaluate(trial_x_, trial_gradient_);
    ++best_.evaluations;
    trial_step_ = step;
    return {step, value, dot(trial_gradient_, direction_)};
  }

  void accept(double value) {
    CurvaturePair pair{Vector(trial_x_.size()), Vector(trial_x_.size())};
    for (std::size_t i = 0; i < trial_x_.size(); ++i) {
      pair.step[i] = trial_x_[i] - best_.x[i];
      pair.gradient_change[i] = trial_gradient_[i] - best_.gradient[i];
    }
    inverse_hessian_.update(std::move(pair));
    std::swap(best_.x, trial_x_);
    std::swap(best_.gradient, trial_gradient_);
    best_.value = value;
    record();
  }

  Objective& objective_;
  LbfgsOptions options_;
  InverseHessian inverse_hessian_;
  Minimum best_;
  Vector direction_, trial_x_, trial_gradient_;
  double slope_ = 0;
  double trial_step_ = 0;
  int small_gains_ = 0;
};

}  // namespace

Minimum minimize(Objective& objective, std::span<const double> start, const LbfgsOptions& options) {
  return Lbfgs(objective, start, options).run();
}

}  // namespace otss
