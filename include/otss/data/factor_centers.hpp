// Factors counted from the middle of what was feasible. Where factors depend on the context, their
// mean level over a context's feasible set often moves the outcome by itself, and weights fitted to
// raw factors absorb it. Subtracting that mean changes no decision (every candidate of a context
// shifts alike) and repairs most of the harm.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "otss/data/table.hpp"

namespace otss {

class FactorCenters {
 public:
  // One feasible set for everybody.
  static FactorCenters of_library(const TableReader& library,
                                  const std::vector<std::string>& factors);

  // Candidates listed per context, which `context_id` names in both tables.
  static FactorCenters of_candidates(const TableReader& candidates, const std::string& context_id,
                                     const std::vector<std::string>& factors);

  const std::string& context_id() const { return context_id_; }  // empty: the same for everybody

  // Mean factors of a context's feasible set. One without candidates is an Error(kInput) naming it.
  std::span<const double> of(std::string_view context) const;

 private:
  std::string table_, context_id_;
  std::size_t num_factors_ = 0;
  std::unordered_map<std::string, std::size_t> set_of_;
  std::vector<double> means_;  // sets × factors
};

}  // namespace otss
