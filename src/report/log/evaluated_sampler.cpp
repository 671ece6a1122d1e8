#include "report/log/evaluated_sampler.hpp"

#include <unordered_map>

namespace otss::internal {

namespace {

constexpr std::uint64_t kEvaluatedStream = 18;  // the random numbers of this sample

// Returns the groups, numbered in the order in which they first appear.
std::vector<std::uint32_t> numbered(const std::vector<std::uint64_t>& hashes) {
  std::unordered_map<std::uint64_t, std::uint32_t> numbers;
  std::vector<std::uint32_t> result;
  result.reserve(hashes.size());
  for (const std::uint64_t hash : hashes) {
    const auto next = static_cast<std::uint32_t>(numbers.size());
    result.push_back(numbers.try_emplace(hash, next).first->second);
  }
  return result;
}

// Stores row i of `values`, if there are values.
template <class Value>
void put_row(std::vector<Value>& kept, std::size_t place, std::span<const Value> values,
             std::size_t i) {
  if (!values.empty()) put(kept, place, values[i]);
}

}  // namespace

EvaluatedSampler::EvaluatedSampler(std::size_t most, std::uint64_t seed)
    : sampler_(most, seed, kEvaluatedStream) {}

void EvaluatedSampler::add(std::size_t num_rows, const Rows& rows) {
  const EvaluatedRows& evaluated = rows.evaluated;
  const PolicyLog& policy = rows.policy;
  for (std::size_t i = 0; i < num_rows; ++i) {
    const auto place = sampler_.place_of_next();
    if (!place) continue;
    put_row<double>(evaluated_.eta, *place, evaluated.eta, i);
    put_row<double>(evaluated_.outcomes, *place, evaluated.outcomes, i);
    put_row<double>(evaluated_.row_weights, *place, evaluated.row_weights, i);
    put_row<double>(evaluated_.log_losses, *place, evaluated.log_losses, i);
    put_row<std::uint64_t>(groups_, *place, rows.groups, i);
    if (policy.outcomes.empty()) continue;
    put_row<double>(policy_.outcomes, *place, policy.outcomes, i);
    put_row<double>(policy_.propensities, *place, policy.propensities, i);
    put_row<std::uint8_t>(policy_.agrees, *place, policy.agrees, i);
    put_row<double>(policy_.predicted_logged, *place, policy.predicted_logged, i);
    put_row<double>(policy_.predicted_chosen, *place, policy.predicted_chosen, i);
    put_row<double>(policy_.weights, *place, policy.weights, i);
    put(chosen_, *place, static_cast<std::uint32_t>(rows.best[i].index));
  }
}

EvaluatedSample EvaluatedSampler::evaluated() const {
  EvaluatedSample sample = evaluated_;
  sample.groups = numbered(groups_);
  return sample;
}

PolicyLog EvaluatedSampler::policy_log(std::span<const std::uint8_t> was_logged) const {
  PolicyLog log = policy_;
  log.groups = numbered(groups_);
  if (was_logged.empty()) return log;
  for (const std::uint32_t decision : chosen_)
    log.chosen_was_logged.push_back(was_logged[decision]);
  return log;
}

}  // namespace otss::internal
