#include "engine/half/corrected_engine.hpp"

#include <algorithm>
#include <utility>

#include "data/log/tile_matrix.hpp"

namespace otss::internal {
namespace {

class CorrectedEngine final : public Engine {
 public:
  CorrectedEngine(std::unique_ptr<Engine> stored, std::unique_ptr<Engine> original,
                  std::unique_ptr<Engine> rounded)
      : stored_(std::move(stored)),
        original_(std::move(original)),
        rounded_(std::move(rounded)),
        ratio_(original_->total_weight() > 0 ? stored_->total_weight() / original_->total_weight()
                                             : 0) {}

  const MixtureLayout& layout() const override { return stored_->layout(); }
  double total_weight() const override { return stored_->total_weight(); }

  double evaluate(std::span<const double> theta, std::span<double> gradient,
                  Precision precision) const override {
    const double loss = stored_->evaluate(theta, gradient, precision);
    return loss + ratio_ * (add(*original_, theta, ratio_, gradient, precision) -
                            add(*rounded_, theta, -ratio_, gradient, precision));
  }

 private:
  // Adds factor × the engine's gradient to `gradient`, and returns the engine's loss.
  static double add(const Engine& engine, std::span<const double> theta, double factor,
                    std::span<double> gradient, Precision precision) {
    std::vector<double> own(gradient.size());
    const double loss = engine.evaluate(theta, own, precision);
    for (std::size_t j = 0; j < own.size(); ++j) gradient[j] += factor * own[j];
    return loss;
  }

  std::unique_ptr<Engine> stored_, original_, rounded_;
  double ratio_;
};

}  // namespace

std::vector<std::size_t> sampled_rows(std::size_t num_rows) {
  std::vector<std::size_t> rows;
  for (std::size_t first = 0; first < num_rows; first += kTilesPerSampledTile * kTileRows) {
    for (std::size_t row = first; row < std::min(first + kTileRows, num_rows); ++row)
      rows.push_back(row);
  }
  return rows;
}

std::unique_ptr<Engine> make_corrected_engine(std::unique_ptr<Engine> stored,
                                              std::unique_ptr<Engine> original,
                                              std::unique_ptr<Engine> rounded) {
  return std::make_unique<CorrectedEngine>(std::move(stored), std::move(original),
                                           std::move(rounded));
}

}  // namespace otss::internal
