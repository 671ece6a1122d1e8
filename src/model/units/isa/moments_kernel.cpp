#include "model/units/isa/moments_kernel.hpp"

#include <cmath>

#include "model/units/isa/tilted_moments.hpp"

namespace otss::internal {
namespace {

// The posterior has converged when a visit moves the mean and the log variance of every s by less
// than this, where the mean is measured in standard deviations of s.
constexpr double kConvergedMove = 1e-4;
constexpr int kMostSweeps = 30;

// An array of a task, seen from the first unit of a vector.
class Input {
 public:
  Input(const double* values, std::size_t first_unit) : values_(values + first_unit) {}
  Vector operator[](std::size_t i) const { return load(values_ + i * kUnitsOfTask); }
  Input from(std::size_t i) const { return {values_, i * kUnitsOfTask}; }

 private:
  const double* values_;
};

class Output {
 public:
  Output(double* values, std::size_t first_unit) : values_(values + first_unit) {}
  operator Input() const { return {values_, 0}; }
  Vector operator[](std::size_t i) const { return load(values_ + i * kUnitsOfTask); }
  void set(std::size_t i, Vector value) const { store(value, values_ + i * kUnitsOfTask); }
  Output from(std::size_t i) const { return {values_, i * kUnitsOfTask}; }

 private:
  double* values_;
};

inline std::size_t begin_of_row(std::size_t i) { return i * (i + 1) / 2; }

// Replaces a symmetric matrix by its Cholesky factor. Returns the logarithm of its determinant.
inline Vector factorise(std::size_t rank, Output matrix) {
  Vector log_determinant = {};
  for (std::size_t i = 0; i < rank; ++i) {
    const Output row = matrix.from(begin_of_row(i));
    for (std::size_t j = 0; j < i; ++j) {
      const Output other = matrix.from(begin_of_row(j));
      Vector sum = row[j];
      for (std::size_t k = 0; k < j; ++k) sum -= row[k] * other[k];
      row.set(j, sum / other[j]);
    }
    Vector sum = row[i];
    for (std::size_t k = 0; k < i; ++k) sum -= row[k] * row[k];
    row.set(i, root(sum));
    log_determinant += log_of_positive(sum);
  }
  return log_determinant;
}

// Computes the inverse of factor × factor'. `inverse` is scratch: the inverse M of the factor. The
// result is M'M.
inline void invert(std::size_t rank, Input factor, Output inverse, Output result) {
  for (std::size_t i = 0; i < rank; ++i) {
    const Input row = factor.from(begin_of_row(i));
    const Output to = inverse.from(begin_of_row(i));
    const Vector scale = 1 / row[i];
    to.set(i, scale);
    for (std::size_t j = 0; j < i; ++j) {
      Vector sum = {};
      for (std::size_t k = j; k < i; ++k) sum += row[k] * inverse[begin_of_row(k) + j];
      to.set(j, -scale * sum);
    }
  }
  for (std::size_t i = 0; i < rank; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      Vector sum = {};
      for (std::size_t k = i; k < rank; ++k)
        sum += inverse[begin_of_row(k) + i] * inverse[begin_of_row(k) + j];
      result.set(begin_of_row(i) + j, sum);
    }
  }
}

// Sets `result` to a symmetric matrix times a vector.
inline void multiply(std::size_t rank, Input matrix, Input vector, Output result) {
  for (std::size_t i = 0; i < rank; ++i) {
    const Input row = matrix.from(begin_of_row(i));
    const Vector own = vector[i];
    Vector sum = row[i] * own;
    for (std::size_t j = 0; j < i; ++j) {
      const Vector entry = row[j];
      sum += entry * vector[j];
      result.set(j, result[j] + entry * own);
    }
    result.set(i, sum);
  }
}

inline Vector dot(std::size_t rank, Input a, Input b) {
  Vector sum = {};
  for (std::size_t i = 0; i < rank; ++i) sum += a[i] * b[i];
  return sum;
}

// The units of one vector.
template <class Family>
class UnitVector {
 public:
  UnitVector(const MomentsTask& task, std::size_t first_unit)
      : rank_(task.rank),
        num_rows_(task.num_rows),
        directions_(task.directions, first_unit),
        offsets_(task.offsets, first_unit),
        outcomes_(task.outcomes, first_unit),
        weights_(task.weights, first_unit),
        prior_precision_(task.prior_precision, first_unit),
        prior_information_(task.prior_information, first_unit),
        precisions_(task.site_precisions, first_unit),
        informations_(task.site_informations, first_unit),
        means_(task.means, first_unit),
        covariances_(task.covariances, first_unit),
        factors_(task.factors, first_unit),
        mean_outcomes_(task.mean_outcomes, first_unit),
        log_masses_(task.log_masses, first_unit),
        log_evidence_(task.log_evidence, first_unit),
        converged_(task.converged, first_unit),
        triangle_(task.scratch, first_unit),
        product_(triangle_.from(begin_of_row(rank_))),
        with_evidence_(task.with_evidence) {
    for (int lane = 0; lane < kLanes; ++lane)
      present_[lane] = first_unit + lane < task.num_units ? ~std::uint64_t{0} : 0;
  }

  void compute() {
    start();
    Words moving = present_;
    Words broken = {};
    for (int sweep = 0; sweep < kMostSweeps && any(moving); ++sweep) {
      Vector moved = {};
      for (std::size_t row = 0; row < num_rows_; ++row) {
        const Vector move = visit(row, moving);
        broken |= ~Words(move < INFINITY);
        moved = larger(move, moved);
      }
      moving &= ~Words(moved < kConvergedMove);
    }
    converged_.set(0, moving ? Vector{} : broadcast(1));
    // The posterior is computed afresh, without the rounding errors of the updates.
    const Vector log_determinant = start();
    if (with_evidence_) log_evidence_.set(0, evidence(log_determinant));
    factors_.set(0, broken ? broadcast(NAN) : factors_[0]);
  }

 private:
  Input direction(std::size_t row) const { return directions_.from(row * rank_); }

  Vector evidence(Vector log_determinant) const {
    Vector sum = -0.5 * log_determinant;
    for (std::size_t i = 0; i < rank_; ++i) sum += 0.5 * means_[i] * product_[i];
    for (std::size_t row = 0; row < num_rows_; ++row)
      sum += weights_[row] > 0 ? log_masses_[row] : Vector{};
    return sum;
  }

  // Sets the mean, the covariance and the factor to those of the prior times the sites, and
  // product_ to the information. Returns the logarithm of the determinant of the precision.
  Vector start() {
    const std::size_t size = begin_of_row(rank_);
    for (std::size_t i = 0; i < size; ++i) factors_.set(i, prior_precision_[i]);
    for (std::size_t i = 0; i < rank_; ++i) product_.set(i, prior_information_[i]);
    for (std::size_t r = 0; r < num_rows_; ++r) {
      const Input along = direction(r);
      const Vector precision = precisions_[r];
      const Vector information = informations_[r];
      for (std::size_t i = 0; i < rank_; ++i) {
        product_.set(i, product_[i] + information * along[i]);
        const Output row = factors_.from(begin_of_row(i));
        const Vector scaled = precision * along[i];
        for (std::size_t j = 0; j <= i; ++j) row.set(j, row[j] + scaled * along[j]);
      }
    }
    const Vector log_determinant = factorise(rank_, factors_);
    invert(rank_, factors_, triangle_, covariances_);
    multiply(rank_, covariances_, product_, means_);
    return log_determinant;
  }

  // Updates the site of one row, and the posterior with it, for the units of `moving`. Returns how
  // far the posterior of s moved; NaN if numbers overflowed.
  Vector visit(std::size_t row, Words moving) {
    const Input along = direction(row);
    multiply(rank_, covariances_, along, product_);
    const Vector own_variance = dot(rank_, along, product_);
    const Vector weight = weights_[row];
    // A row whose direction is 0 says nothing about the coordinates.
    const Words known = Words(weight > 0) & Words(own_variance > 0);
    const Words flat = Words(weight > 0) & ~known;
    const Vector variance = known ? own_variance : broadcast(1);
    const Vector mean = dot(rank_, along, means_);
    const Vector precision = known ? precisions_[row] : Vector{};
    const Vector information = known ? informations_[row] : Vector{};
    // The cavity is the posterior of s without this row.
    const Vector rest = 1 / (1 - precision * variance);
    const Vector cavity_variance = variance * rest;
    const Vector cavity_mean = (mean - variance * information) * rest;
    const TiltedMoments moments = tilted_moments(
        Family{}, {offsets_[row], outcomes_[row], weight, cavity_mean, cavity_variance, mean});
    const Words moves = known & moving;
    const Vector cavity_precision = 1 / cavity_variance;
    const Vector tilted_precision = 1 / moments.variance;
    // This is NaN if the argument is NaN.
    const Vector next_precision = larger(Vector{}, tilted_precision - cavity_precision);
    const Vector next_information =
        moments.mean * tilted_precision - cavity_mean * cavity_precision;
    const Vector more_precision = moves ? next_precision - precision : Vector{};
    const Vector more_information = moves ? next_information - information : Vector{};
    const Vector scale = 1 / (1 + more_precision * variance);
    const Vector shift = scale * (more_information - more_precision * mean);
    update_posterior(more_precision * scale, shift);
    precisions_.set(row, moves ? next_precision : precision);
    informations_.set(row, moves ? next_information : information);
    mean_outcomes_.set(row, moves ? moments.mean_outcome : mean_outcomes_[row]);
    if (with_evidence_) {
      // The site times this factor has the same mean over the cavity as the likelihood of the row.
      const Vector total_precision = cavity_precision + next_precision;
      const Vector total_information = cavity_mean * cavity_precision + next_information;
      const Vector mass = moments.log_unit +
                          log_of_positive(moments.mass * root(total_precision * cavity_variance)) -
                          0.5 * (total_information * total_information / total_precision -
                                 cavity_mean * cavity_mean * cavity_precision);
      log_masses_.set(row, moves ? mass : log_masses_[row]);
    }
    if (any(flat)) visit_flat(row, flat);
    return larger(absolute(scale - 1), absolute(shift) * root(variance));
  }

  void update_posterior(Vector gain, Vector shift) {
    for (std::size_t i = 0; i < rank_; ++i) {
      means_.set(i, means_[i] + shift * product_[i]);
      const Output row = covariances_.from(begin_of_row(i));
      const Vector factor = gain * product_[i];
      for (std::size_t j = 0; j <= i; ++j) row.set(j, row[j] - factor * product_[j]);
    }
  }

  void visit_flat(std::size_t row, Words flat) {
    const Vector eta = offsets_[row];
    mean_outcomes_.set(row, flat ? Family::mean(eta) : mean_outcomes_[row]);
    const Vector mass = -weights_[row] * Family::loss(eta, outcomes_[row]);
    log_masses_.set(row, flat ? mass : log_masses_[row]);
  }

  std::size_t rank_, num_rows_;
  Words present_;  // the lanes that have a unit
  Input directions_, offsets_, outcomes_, weights_, prior_precision_, prior_information_;
  Output precisions_, informations_, means_, covariances_, factors_, mean_outcomes_, log_masses_;
  Output log_evidence_, converged_, triangle_, product_;
  bool with_evidence_;
};

template <class Family>
void compute(const MomentsTask& task) {
  for (std::size_t unit = 0; unit < task.num_units; unit += kLanes)
    UnitVector<Family>(task, unit).compute();
}

}  // namespace

namespace OTSS_ISA_NAMESPACE {
extern const MomentsKernel kMomentsKernel = {&compute<BernoulliLanes>, &compute<GaussianLanes>,
                                             &compute<PoissonLanes>};
}

}  // namespace otss::internal
