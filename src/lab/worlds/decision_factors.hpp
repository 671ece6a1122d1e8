// The factors of decision d in context i: of a library for everybody, or listed context by context.
#pragma once

#include <cstddef>
#include <span>

namespace otss {

class DecisionFactors {
 public:
  // M × J, the same in every context.
  static DecisionFactors shared(std::span<const double> library, int num_factors) {
    return {library, library.size() / num_factors, num_factors, 0};
  }
  // rows × M × J.
  static DecisionFactors by_context(std::span<const double> factors, std::size_t num_rows,
                                    int num_factors) {
    return {factors, factors.size() / (num_rows * num_factors), num_factors,
            factors.size() / num_rows};
  }

  std::size_t num_decisions() const { return num_decisions_; }
  int num_factors() const { return num_factors_; }
  std::span<const double> all() const { return factors_; }  // every row of factors once

  std::span<const double> of(std::size_t context, std::size_t decision) const {
    return factors_.subspan(context * context_stride_ + decision * num_factors_, num_factors_);
  }

 private:
  DecisionFactors(std::span<const double> factors, std::size_t num_decisions, int num_factors,
                  std::size_t context_stride)
      : factors_(factors),
        num_decisions_(num_decisions),
        num_factors_(num_factors),
        context_stride_(context_stride) {}

  std::span<const double> factors_;
  std::size_t num_decisions_;
  int num_factors_;
  std::size_t context_stride_;  // 0: all contexts share
};

}  // namespace otss
