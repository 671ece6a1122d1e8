#include "learn/options/option_check.hpp"

#include <fmt/format.h>

#include "otss/base/error.hpp"

namespace otss {
namespace {

struct Checker {
  template <Worded Enum>
  void operator()(const OptionText&, Enum, const Choices&) const {}  // a closed set: always valid
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
  template <Worded Enum>
  void operator()(const OptionText& text, Enum value, const Choices&) const {
    out[text.name] = word(value);
  }
  void operator()(const OptionText& text, const AutoCount& count, const Range&) const {
    out[text.name] = count.is_auto() ? Json("auto") : Json(count.value);
  }
  void operator()(const OptionText& text, const std::string& value, const FreeText&) const {
    if (!value.empty()) out[text.name] = value;
  }
  template <class Number>
  void operator()(const OptionText& text, const Number& value, const Range&) const {
    if (text.recorded == Recorded::kYes) out[text.name] = value;
  }
};

}  // namespace

void check_options(const FitOptions& options) { describe_fit_options(options, Checker{}); }

Json options_to_json(const FitOptions& options) {
  Json out = Json::object();
  describe_fit_options(options, Writer{out});
  return out;
}

bool is_paper_recipe(const FitOptions& options) {
  return options.estimator == Estimator::kPaper || options.estimator == Estimator::kPaperWide;
}

}  // namespace otss
