#include "learn/units/unit_visitor.hpp"

#include <algorithm>

#include "base/interrupt.hpp"

namespace otss::internal {

using Eigen::Index;

void UnitReader::direction(std::size_t row, std::span<double> out) const {
  const Index rank = spread_.rank();
  for (Index k = 0; k < rank; ++k) out[k] = spread_.basis(0, k);
  for (int j = 0; j < problem_.num_factors(); ++j) {
    const double z = problem_.features->at(row, problem_.num_contexts + j);
    if (spread_.is_diagonal()) {
      out[j + 1] = z * spread_.basis(j + 1, j + 1);
    } else {
      for (Index k = 0; k < rank; ++k) out[k] += z * spread_.basis(j + 1, k);
    }
  }
}

void UnitReader::read(std::size_t unit) {
  indices_.clear();
  offsets_.clear();
  outcomes_.clear();
  weights_.clear();
  for (const std::size_t row : index_.rows(unit)) {
    if (problem_.weight(row) == 0) continue;
    indices_.push_back(row);
    offsets_.push_back(etas_[row]);
    outcomes_.push_back(problem_.outcome(row));
    weights_.push_back(problem_.weight(row));
  }
  const std::size_t rank = spread_.rank();
  directions_.resize(indices_.size() * rank);
  for (std::size_t r = 0; r < indices_.size(); ++r)
    direction(indices_[r], std::span(directions_).subspan(r * rank, rank));
}

void UnitVisitor::visit(std::vector<std::size_t> units, std::span<const Site> sites,
                        const std::function<void(const VisitedUnit&)>& use) {
  // Units that are computed together should have about the same number of rows.
  std::ranges::stable_sort(units, {}, [&](std::size_t unit) { return index_.rows(unit).size(); });
  std::size_t visited = 0;
  for (const std::size_t unit : units) {
    if (visited++ % 1024 == 0) check_interrupt();
    add(unit, sites);
    if (units_.size() == UnitMoments::kMostUnits) finish(use);
  }
  finish(use);
}

void UnitVisitor::add(std::size_t unit, std::span<const Site> sites) {
  reader_.read(unit);
  const auto rows = reader_.indices();
  sites_.clear();
  for (const std::size_t row : rows) sites_.push_back(sites[row]);
  moments_.add(reader_.rows(), sites_);
  rows_.resize(UnitMoments::kMostUnits);
  rows_[units_.size()].assign(rows.begin(), rows.end());
  units_.push_back(unit);
}

void UnitVisitor::finish(const std::function<void(const VisitedUnit&)>& use) {
  moments_.compute();
  for (std::size_t slot = 0; slot < units_.size(); ++slot) {
    moments_.copy_mean(slot, {mean_.data(), static_cast<std::size_t>(mean_.size())});
    moments_.copy_covariance(slot,
                             {covariance_.data(), static_cast<std::size_t>(covariance_.size())});
    use({units_[slot], rows_[slot], moments_, slot, mean_, covariance_});
  }
  moments_.clear();
  units_.clear();
}

}  // namespace otss::internal
