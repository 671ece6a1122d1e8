#include "learn/options/option_check.hpp"

#include <fmt/core.h>

#include <concepts>
#include <cstdint>

#include "otss/base/error.hpp"

namespace otss::internal {
namespace {

struct Checker {
  template <Worded Enum>
  void operator()(const OptionText&, Enum, const Choices&) const {}  // every enum value is valid
  void operator()(const OptionText&, bool) const {}
  void operator()(const OptionText&, const std::string&, const FreeText&) const {}
  void operator()(const OptionText& text, const AutoCount& count, const Range& range) const {
    if (!count.is_auto()) (*this)(text, static_cast<double>(count.value), range);
  }
  void operator()(const OptionText& text, double value, const Range& range) const {
    if (value >= range.lo && value <= range.hi) return;
    throw Error(ErrorCode::kUsage, fmt::format("--{} {}: use a number from {} to {}", text.name,
                                               value, range.lo, range.hi));
  }
};

struct Recorder {
  NamedValues& out;
  void operator()(const OptionText& text, bool flag) const { out[text.name] = flag; }
  template <Worded Enum>
  void operator()(const OptionText& text, Enum value, const Choices&) const {
    if (text.recorded == Recorded::kYes) out[text.name] = word(value);
  }
  void operator()(const OptionText& text, const AutoCount& count, const Range&) const {
    if (count.is_auto()) {
      out[text.name] = "auto";
    } else {
      out[text.name] = count.value;
    }
  }
  void operator()(const OptionText& text, const std::string& value, const FreeText&) const {
    if (!value.empty()) out[text.name] = value;
  }
  void operator()(const OptionText& text, double value, const Range&) const {
    if (text.recorded == Recorded::kYes) out[text.name] = value;
  }
  template <std::integral Number>
  void operator()(const OptionText& text, Number value, const Range&) const {
    if (text.recorded == Recorded::kYes) out[text.name] = static_cast<std::int64_t>(value);
  }
};

}  // namespace

void check_options(const FitOptions& options) { describe_fit_options(options, Checker{}); }

NamedValues recorded_options(const FitOptions& options) {
  NamedValues out;
  describe_fit_options(options, Recorder{out});
  return out;
}

bool is_paper_recipe(const FitOptions& options) {
  return options.estimator == Estimator::kPaper || options.estimator == Estimator::kPaperWide;
}

}  // namespace otss::internal
