#include "learn/options/log_requirements.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <span>

#include "base/threads.hpp"
#include "model/maps/mixture_layout.hpp"
#include "otss/base/error.hpp"

namespace otss::internal {

void require_rows(std::size_t num_rows, const Encoder& encoder, int experts) {
  const std::size_t needed =
      MixtureLayout{encoder.num_encoded(), static_cast<int>(encoder.factors.size()), experts}
          .size();
  if (num_rows >= needed) return;
  throw Error(
      ErrorCode::kInput,
      fmt::format("the log has {} row{}, fewer than the {} parameters of a model with {} {}; "
                  "add rows, name fewer columns in --context and --factors, or use a smaller "
                  "number in --experts",
                  num_rows, num_rows == 1 ? "" : "s", needed, experts,
                  experts == 1 ? "expert" : "experts"));
}

void require_outcomes(const LoggedData& log, OutputFamily family) {
  constexpr std::size_t kBlockRows = 65'536;
  const std::span<const float> outcomes = log.outcomes();
  const std::size_t num_blocks = (outcomes.size() + kBlockRows - 1) / kBlockRows;
  const auto find_bad = [&](std::size_t block) {
    const auto rows = outcomes.subspan(block * kBlockRows)
                          .first(std::min(kBlockRows, outcomes.size() - block * kBlockRows));
    const auto bad = std::ranges::find_if_not(rows, [&](float y) { return family.allows(y); });
    return bad == rows.end() ? outcomes.size() : static_cast<std::size_t>(&*bad - outcomes.data());
  };
  const std::size_t block = parallel_find(num_blocks, threads_of_this_loop(), [&](std::size_t b) {
    return find_bad(b) < outcomes.size();
  });
  if (block == num_blocks) return;
  const std::size_t row = find_bad(block);
  throw Error(
      ErrorCode::kInput,
      fmt::format("outcome '{}' is {} in row {}, but --family {} needs {}; correct this "
                  "outcome, or choose another --family",
                  log.roles().outcome, outcomes[row], row + 1, family.name(), family.allowed()));
}

}  // namespace otss::internal
