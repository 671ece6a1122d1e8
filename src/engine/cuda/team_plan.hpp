// Divides the columns of a log among the warps of a team (mixture_kernel.cuh).
#pragma once

#include <algorithm>
#include <array>
#include <optional>

#include "engine/cuda/mixture_kernel.cuh"
#include "model/maps/mixture_layout.hpp"

namespace otss::internal::cuda {

struct TeamPlan {
  int team = 1;  // the number of warps
  std::array<WarpColumns, kWarps> warps;
};

// Returns the columns of warp `member`: of all blocks of columns, contexts first, an equal part.
inline WarpColumns columns_of_warp(const MixtureLayout& layout, int member, int team) {
  const auto blocks_of = [](int columns) { return (columns + kBlockColumns - 1) / kBlockColumns; };
  const int context_blocks = blocks_of(layout.num_contexts);
  const int blocks = context_blocks + blocks_of(layout.num_factors);
  const int begin = blocks * member / team, end = blocks * (member + 1) / team;
  const auto context = [&](int block) {
    return std::min(std::min(block, context_blocks) * kBlockColumns, layout.num_contexts);
  };
  const auto factor = [&](int block) {
    return std::min(std::max(block - context_blocks, 0) * kBlockColumns, layout.num_factors);
  };
  return {.first_context = context(begin),
          .num_contexts = context(end) - context(begin),
          .first_factor = layout.num_contexts + factor(begin),
          .num_factors = factor(end) - factor(begin)};
}

// Returns the smallest team that can hold all columns, or nothing if none can.
template <int K>
std::optional<TeamPlan> plan_team(const MixtureLayout& layout) {
  for (int team = 1; team <= kWarps; team *= 2) {
    TeamPlan plan{.team = team, .warps = {}};
    bool fits = true;
    for (int member = 0; member < team; ++member) {
      plan.warps[member] = columns_of_warp(layout, member, team);
      fits = fits && plan.warps[member].blocks() <= kBlocks<K>;
    }
    if (fits) return plan;
  }
  return std::nullopt;
}

// Calls visit(block, column in the block, position of the column's first parameter in theta, step
// from one of the K functions to the next) for every column of a warp.
template <class Visit>
void visit_columns(const MixtureLayout& layout, const WarpColumns& columns, const Visit& visit) {
  for (int c = 0; c < columns.num_contexts; ++c)
    visit(c / kBlockColumns, c % kBlockColumns, layout.gate(0) + columns.first_context + c,
          layout.num_contexts + 1);
  for (int c = 0; c < columns.num_factors; ++c)
    visit(columns.context_blocks() + c / kBlockColumns, c % kBlockColumns,
          layout.expert(0) + (columns.first_factor - layout.num_contexts) + c,
          layout.num_factors + 1);
}

}  // namespace otss::internal::cuda
