#include "learn/options/option_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "otss/base/error.hpp"

namespace otss {
namespace {

struct Checker {
  void operator()(const OptionText& text, const std::string& value, const Choices& choices) const {
    if (std::find(choices.begin(), choices.end(), value) != choices.end()) return;
    throw Error(ErrorCode::kUsage,
                fmt::format("--{} {}: expected {}", text.name, value, fmt::join(choices, ", ")));
  }
  void operator()(const OptionText&, bool) const {}
  void operator()(const OptionText&, const std::string&, const FreeText&) const {}
  void operator()(const OptionText& text, const AutoCount& count, const Range& range) const {
    if (!count.is_auto()) (*this)(text, static_cast<double>(count.value), range);
  }
  void operator()(const OptionText& text, double value, const Range& range) const {
    if (value >= range.lo && value <= range.hi) return;
    throw Error(ErrorCode::kUsage, fmt::format("--{} {}: expected a number from {} to {}",
                                               text.name, value, range.lo, range.hi));
  }
};

struct Writer {
  Json& out;
  void operator()(const OptionText& text, bool flag) const { out[text.name] = flag; }
  void operator()(const OptionText& text, const AutoCount& count, const Range&) const {
    out[text.name] = count.is_auto() ? Json("auto") : Json(count.value);
  }
  void operator()(const OptionText& text, const std::string& value, const FreeText&) const {
    if (!value.empty()) out[text.name] = value;
  }
  template <class T, class Limits>
  void operator()(const OptionText& text, const T& value, const Limits&) const {
    if (std::string_view(text.name) != "threads") out[text.name] = value;
  }
};

}  // namespace

void check_options(const FitOptions& options) { describe_fit_options(options, Checker{}); }

Json options_to_json(const FitOptions& options) {
  Json out = Json::object();
  describe_fit_options(options, Writer{out});
  return out;
}

bool is_paper_recipe(const FitOptions& options) { return options.estimator.starts_with("paper"); }

}  // namespace otss
