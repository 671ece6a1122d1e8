#include "optim/lbfgs.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <numeric>

#include "base/interrupt.hpp"
#include "optim/line_search.hpp"

namespace otss::internal {
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

// Approximates the inverse Hessian by the preconditioner and the latest curvature pairs.
class InverseHessian {
 public:
  explicit InverseHessian(const LbfgsOptions& options) : options_(options) {
    for (const CurvaturePair& pair : options.pairs) update(pair);
  }

  void update(CurvaturePair pair) {
    const double curvature = dot(pair.step, pair.gradient_change);
    const double size = dot(pair.gradient_change, pair.gradient_change);
    // A pair without positive curvature is skipped, because it would make the matrix indefinite.
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

  // Returns the approximation for the free entries only. Pairs without positive curvature in these
  // entries are dropped.
  InverseHessian on(const std::vector<bool>& free) const {
    InverseHessian part(options_, free);
    part.scale_ = scale_;
    for (CurvaturePair pair : pairs_) {
      part.keep_free(pair.step);
      part.keep_free(pair.gradient_change);
      part.update(std::move(pair));
    }
    return part;
  }

  Vector times(std::span<const double> gradient) const {
    Vector v(gradient.begin(), gradient.end());
    keep_free(v);
    Vector alpha(pairs_.size());
    for (std::size_t i = pairs_.size(); i-- > 0;) {
      alpha[i] = inverse_curvatures_[i] * dot(pairs_[i].step, v);
      add(-alpha[i], pairs_[i].gradient_change, v);
    }
    if (options_.precondition) {
      options_.precondition(v);
      keep_free(v);  // on the free entries, the preconditioner is still positive definite
    } else {
      for (double& value : v) value *= scale_;
    }
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
      add(alpha[i] - inverse_curvatures_[i] * dot(pairs_[i].gradient_change, v), pairs_[i].step, v);
    }
    return v;
  }

 private:
  InverseHessian(const LbfgsOptions& options, const std::vector<bool>& free)
      : options_(options), free_(free) {}

  void keep_free(Vector& v) const {
    for (std::size_t i = 0; i < free_.size(); ++i) {
      if (!free_[i]) v[i] = 0;
    }
  }

  static void add(double factor, const Vector& from, Vector& to) {
    for (std::size_t i = 0; i < to.size(); ++i) to[i] += factor * from[i];
  }

  const LbfgsOptions& options_;
  std::deque<CurvaturePair> pairs_;
  std::deque<double> inverse_curvatures_;
  double scale_ = 1;
  std::vector<bool> free_;  // true for free entries; empty if all entries are free
};

class Lbfgs {
 public:
  Lbfgs(Objective& objective, std::span<const double> start, const LbfgsOptions& options)
      : objective_(objective), options_(options), inverse_hessian_(options) {
    best_.x.assign(start.begin(), start.end());
    options_.box.project(best_.x);
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
    if (const int active = options_.box.num_active(best_.x); active > 0)
      best_.message += fmt::format("; {} {} active", active, active == 1 ? "bound" : "bounds");
    return std::move(best_);
  }

 private:
  void record() {
    gradient_norm_ = infinity_norm(options_.box.projected_gradient(best_.x, best_.gradient));
    best_.trace.push_back({best_.evaluations, best_.value, gradient_norm_});
  }

  bool finished() {
    const double limit = options_.gradient_tolerance * std::max(1.0, std::abs(best_.value));
    if (gradient_norm_ <= limit) {
      best_.reason = StopReason::kGradient;
      best_.message =
          fmt::format("converged: the largest gradient entry is {:.2g}, not above the limit {:.2g}",
                      gradient_norm_, limit);
      return true;
    }
    if (best_.evaluations >= options_.max_evaluations) {
      best_.reason = StopReason::kEvaluations;
      best_.message =
          fmt::format("stopped after {} evaluations; the largest gradient entry is still {:.2g}",
                      best_.evaluations, gradient_norm_);
      return true;
    }
    find_direction();
    if (!(slope_ < 0)) {  // rounding errors have made the curvature pairs useless
      inverse_hessian_.clear();
      find_direction();
    }
    return gains_too_little();
  }

  void find_direction() {
    if (options_.box.empty()) {
      direction_ = inverse_hessian_.times(best_.gradient);
      for (double& value : direction_) value = -value;
    } else {
      find_direction_in_box();
    }
    slope_ = dot(direction_, best_.gradient);
  }

  // An entry is held if descent moves it towards a bound that is at most `near` away. A held entry
  // steps exactly onto this bound; otherwise a bound nearby could shorten every step. The other
  // entries are free and take the quasi-Newton step. `near` shrinks as the search approaches a
  // stationary point (Bertsekas 1982, eq. 32).
  void find_direction_in_box() {
    const Box& box = options_.box;
    const double near = std::min(1e-3, gradient_norm_);
    std::vector<bool> free(best_.x.size(), true);
    Vector to_bound(best_.x.size(), 0.0);
    for (std::size_t i = 0; i < free.size(); ++i) {
      if (best_.gradient[i] == 0) continue;
      const double bound = best_.gradient[i] > 0 ? box.lower[i] : box.upper[i];
      free[i] = !(std::abs(best_.x[i] - bound) <= near);
      if (!free[i]) to_bound[i] = bound - best_.x[i];
    }
    direction_ = inverse_hessian_.on(free).times(best_.gradient);
    for (std::size_t i = 0; i < free.size(); ++i)
      direction_[i] = free[i] ? -direction_[i] : to_bound[i];
  }

  bool gains_too_little() {
    const bool trusted = options_.precondition || !inverse_hessian_.empty();
    const double gain = -slope_ / 2;
    if (is_hidden(gain) && gain > least_gain_ / 2) {
      stop_at_noise();
      return true;
    }
    least_gain_ = std::min(least_gain_, gain);
    small_gains_ =
        trusted && gain <= options_.value_tolerance * std::abs(best_.value) ? small_gains_ + 1 : 0;
    if (small_gains_ < 2) return false;
    best_.reason = StopReason::kValue;
    best_.message = fmt::format(
        "converged: the estimated remaining decrease is {:.2g} times the objective's value, not "
        "above the limit {:.2g}",
        gain / std::abs(best_.value), options_.value_tolerance);
    return true;
  }

  bool is_hidden(double gain) const {
    return options_.value_noise > kNoiseOfDouble &&
           gain <= options_.value_noise * std::abs(best_.value);
  }

  void stop_at_noise() {
    best_.reason = StopReason::kLineSearch;
    best_.message = fmt::format(
        "stopped: rounding errors hide any further decrease; the largest gradient entry is {:.2g}",
        gradient_norm_);
  }

  bool advance() {
    const bool scaled = options_.precondition || !inverse_hessian_.empty();
    const double first_step = scaled ? 1.0 : std::min(1.0, 1 / std::sqrt(-slope_));
    LineSearchOptions line_options;
    line_options.value_noise = options_.value_noise;
    line_options.max_evaluations = std::clamp(options_.max_evaluations - best_.evaluations, 1, 20);
    const LinePoint origin{0, best_.value, slope_};
    const LineSearchResult found = line_search([this](double step) { return try_step(step); },
                                               origin, first_step, line_options);
    if (!found.success) {
      if (!inverse_hessian_.empty() &&
          !is_hidden(-slope_ / 2)) {  // the next step follows the (preconditioned) gradient
        inverse_hessian_.clear();
        return true;
      }
      stop_at_noise();
      return false;
    }
    if (found.point.step != trial_step_) try_step(found.point.step);
    accept(found.point.value);
    return true;
  }

  LinePoint try_step(double step) {
    for (std::size_t i = 0; i < trial_x_.size(); ++i)
      trial_x_[i] = best_.x[i] + step * direction_[i];
    options_.box.project(trial_x_);
    const double value = objective_.evaluate(trial_x_, trial_gradient_);
    ++best_.evaluations;
    trial_step_ = step;
    return {step, value, slope_at_trial()};
  }

  // Returns the derivative of the objective along the projected path. On this path, an entry that
  // has reached its bound no longer moves.
  double slope_at_trial() const {
    if (options_.box.empty()) return dot(trial_gradient_, direction_);
    double slope = 0;
    for (std::size_t i = 0; i < direction_.size(); ++i) {
      const bool stopped = direction_[i] > 0 ? trial_x_[i] >= options_.box.upper[i]
                                             : trial_x_[i] <= options_.box.lower[i];
      if (!stopped) slope += trial_gradient_[i] * direction_[i];
    }
    return slope;
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
  double gradient_norm_ = 0;  // infinity norm of the projected gradient
  double trial_step_ = 0;
  int small_gains_ = 0;
  double least_gain_ = INFINITY;
};

}  // namespace

Minimum minimize(Objective& objective, std::span<const double> start, const LbfgsOptions& options) {
  return Lbfgs(objective, start, options).run();
}

}  // namespace otss::internal
