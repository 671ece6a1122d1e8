#include "otss/model/output_family.hpp"

#include <numbers>

#include "model/family_formulas.hpp"

namespace otss {

using namespace internal;

std::string OutputFamily::name() const { return word(*this); }

OutcomeKind OutputFamily::outcome_kind() const {
  switch (kind_) {
    case kGaussian: return OutcomeKind::kReal;
    case kPoisson: return OutcomeKind::kCount;
    case kBernoulli: break;
  }
  return OutcomeKind::kBinary;
}

bool OutputFamily::allows(double outcome) const {
  switch (kind_) {
    case kGaussian: return std::isfinite(outcome);
    case kPoisson: return std::isfinite(outcome) && outcome >= 0 && outcome == std::floor(outcome);
    case kBernoulli: break;
  }
  return outcome == 0 || outcome == 1;
}

const char* OutputFamily::allowed() const {
  switch (kind_) {
    case kGaussian: return "a finite number";
    case kPoisson: return "a count (0, 1, 2, …)";
    case kBernoulli: break;
  }
  return "0 or 1";
}

double OutputFamily::loss(double eta, double outcome) const {
  return with_formulas(*this, [&](auto f) { return f.at(eta, outcome).loss; });
}

double OutputFamily::slope(double eta, double outcome) const {
  return with_formulas(*this, [&](auto f) { return f.at(eta, outcome).slope; });
}

double OutputFamily::curvature(double eta) const {
  return with_formulas(*this, [&](auto f) { return f.curvature(eta); });
}

double OutputFamily::mean(double eta) const {
  switch (kind_) {
    case kGaussian: return eta;
    case kPoisson: return PoissonFormulas::mean(eta);
    case kBernoulli: break;
  }
  return 1 / (1 + std::exp(-eta));
}

double OutputFamily::link(double mean) const {
  switch (kind_) {
    case kGaussian: return mean;
    case kPoisson: return std::log(mean);
    case kBernoulli: break;
  }
  return std::log(mean / (1 - mean));
}

double OutputFamily::log_loss(double eta, double outcome, double noise) const {
  switch (kind_) {
    case kGaussian:
      return loss(eta / noise, outcome / noise) + std::log(noise) +
             0.5 * std::log(2 * std::numbers::pi);
    case kPoisson: {
      const double best =
          outcome > 0 ? outcome - outcome * std::log(outcome) + std::lgamma(outcome + 1) : 0;
      return loss(eta, outcome) + best;
    }
    case kBernoulli: break;
  }
  return loss(eta, outcome);
}

}  // namespace otss
