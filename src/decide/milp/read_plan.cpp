#include <fmt/core.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "data/table/letter_case.hpp"
#include "decide/milp/plan_builder.hpp"

namespace otss::internal {
namespace {

std::string whole_file(const std::string& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) {
    throw Error(ErrorCode::kInput,
                fmt::format("{}: this path is a folder; give an .mps or .lp file", path));
  }
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    throw Error(
        ErrorCode::kInput,
        fmt::format("{}: the file cannot be opened; check the path and the permissions", path));
  }
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

void check_not_empty(const MilpPlan& plan) {
  if (plan.num_variables() > 0) return;
  throw Error(ErrorCode::kInput,
              fmt::format("{}: the plan has no variables; give a plan with at least one variable",
                          plan.source));
}

}  // namespace
}  // namespace otss::internal

namespace otss {

using namespace internal;

MilpPlan read_milp_plan(const std::string& path) {
  const std::string name = lower_case(path);
  const bool is_mps = name.ends_with(".mps");
  if (!is_mps && !name.ends_with(".lp")) {
    throw Error(
        ErrorCode::kInput,
        fmt::format("{}: the suffix is unknown; give an .mps or .lp file that is not compressed",
                    path));
  }
  const std::string text = whole_file(path);
  MilpPlan plan = is_mps ? read_mps(path, text) : read_lp(path, text);
  check_not_empty(plan);
  return plan;
}

}  // namespace otss
