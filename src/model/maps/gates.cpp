#include "model/maps/gates.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

#include "model/maps/quadratic.hpp"

namespace otss::internal {
namespace {

int experts_of(const MemberGate& gate) {
  return std::visit([](const auto& one) { return one.num_experts(); }, gate);
}

void all_to(std::size_t expert, std::span<double> alpha) {
  std::ranges::fill(alpha, 0.0);
  alpha[expert] = 1;
}

void softmax(std::span<double> scores) {
  const double largest = *std::ranges::max_element(scores);
  double total = 0;
  for (double& s : scores) total += s = std::exp(s - largest);
  for (double& s : scores) s /= total;
}

}  // namespace

QuadraticGate::QuadraticGate(int num_contexts, LinearGate on_columns)
    : num_contexts_(num_contexts), on_columns_(std::move(on_columns)) {
  assert(num_quadratic_columns(num_contexts) ==
         static_cast<std::size_t>(on_columns_.num_contexts()));
}

void QuadraticGate::shares(std::span<const double> x, std::span<double> alpha) const {
  thread_local std::vector<double> columns;  // memory is allocated only once per thread
  columns.resize(on_columns_.num_contexts());
  quadratic_columns(x, columns);
  on_columns_.shares(columns, alpha);
}

void NetworkGate::shares(std::span<const double> x, std::span<double> alpha) const {
  network_.evaluate(x, alpha);
  softmax(alpha);
}

void OneHotGate::shares(std::span<const double> x, std::span<double> alpha) const {
  const auto slopes = scores_.slopes();
  std::size_t best = 0;
  double best_score = -std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < alpha.size(); ++k) {
    double score = scores_.intercepts()[k];
    for (std::size_t j = 0; j < x.size(); ++j) score += slopes[k * x.size() + j] * x[j];
    if (score > best_score) {
      best = k;
      best_score = score;
    }
  }
  all_to(best, alpha);
}

CenterGate::CenterGate(int num_contexts, std::vector<double> centers, int num_experts)
    : num_contexts_(num_contexts), num_experts_(num_experts), centers_(std::move(centers)) {
  assert(num_experts >= 1 &&
         centers_.size() == static_cast<std::size_t>(num_experts) * num_contexts);
}

void CenterGate::shares(std::span<const double> x, std::span<double> alpha) const {
  std::size_t nearest = 0;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < alpha.size(); ++k) {
    double distance = 0;
    for (std::size_t j = 0; j < x.size(); ++j) {
      const double difference = x[j] - centers_[k * x.size() + j];
      distance += difference * difference;
    }
    if (distance < least) {
      nearest = k;
      least = distance;
    }
  }
  all_to(nearest, alpha);
}

AverageGate::AverageGate(std::vector<Member> members) : members_(std::move(members)) {
  assert(!members_.empty());
  for (const Member& member : members_) num_experts_ += experts_of(member.gate);
}

int AverageGate::num_contexts() const {
  return std::visit([](const auto& gate) { return gate.num_contexts(); }, members_.front().gate);
}

bool AverageGate::is_linear() const {
  return std::ranges::all_of(members_, [](const Member& member) {
    return std::holds_alternative<LinearGate>(member.gate);
  });
}

void AverageGate::shares(std::span<const double> x, std::span<double> alpha) const {
  std::size_t first = 0;
  for (const Member& member : members_) {
    const auto own = alpha.subspan(first, experts_of(member.gate));
    std::visit([&](const auto& gate) { gate.shares(x, own); }, member.gate);
    for (double& share : own) share *= member.weight;
    first += own.size();
  }
}

GateKind kind_of(const Gate& gate) {
  return std::visit([](const auto& one) { return one.kKind; }, gate);
}

int num_contexts(const Gate& gate) {
  return std::visit([](const auto& one) { return one.num_contexts(); }, gate);
}

int num_experts(const Gate& gate) {
  return std::visit([](const auto& one) { return one.num_experts(); }, gate);
}

void shares(const Gate& gate, std::size_t rows, std::span<const double> x,
            std::span<double> alpha) {
  if (const auto* linear = std::get_if<LinearGate>(&gate)) return linear->shares(rows, x, alpha);
  std::visit(
      [&](const auto& one) {
        const std::size_t p = one.num_contexts();
        const std::size_t num_shares = one.num_experts();
        for (std::size_t row = 0; row < rows; ++row)
          one.shares(x.subspan(row * p, p), alpha.subspan(row * num_shares, num_shares));
      },
      gate);
}

}  // namespace otss::internal
