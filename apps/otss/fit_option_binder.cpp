#include "fit_option_binder.hpp"

#include "number_range.hpp"

namespace otss::app {

std::string dashed(const OptionText& text) { return std::string("--") + text.name; }

namespace {

template <class Number>
void bind(CLI::App& command, const OptionText& text, Number& value, const Range& range) {
  command.add_option(dashed(text), value, text.help)
      ->check(number_range(range.lo, range.hi))
      ->capture_default_str();
}

}  // namespace

void FitOptionBinder::operator()(const OptionText& text, std::string& value,
                                 const FreeText& free) const {
  command.add_option(dashed(text), value, text.help)->type_name(free.form);
}

void FitOptionBinder::operator()(const OptionText& text, bool& flag) const {
  command.add_flag(dashed(text), flag, text.help);
}

void FitOptionBinder::operator()(const OptionText& text, AutoCount& value,
                                 const Range& range) const {
  const auto parse = [&value, range](const std::string& given) {
    if (given == "auto") {
      value = {};
      return true;
    }
    return CLI::detail::lexical_cast(given, value.value) && value.value >= range.lo &&
           value.value <= range.hi;
  };
  command
      .add_option_function<std::string>(
          dashed(text),
          [parse, text, range](const std::string& given) {
            if (parse(given)) return;
            throw CLI::ValidationError(dashed(text),
                                       given + " is neither auto nor a whole number from " +
                                           std::to_string(static_cast<int>(range.lo)) + " to " +
                                           std::to_string(static_cast<int>(range.hi)));
          },
          text.help)
      ->type_name("auto|N")
      ->default_str("auto");
}

void FitOptionBinder::operator()(const OptionText& text, int& value, const Range& range) const {
  bind(command, text, value, range);
}
void FitOptionBinder::operator()(const OptionText& text, std::uint64_t& value,
                                 const Range& range) const {
  bind(command, text, value, range);
}
void FitOptionBinder::operator()(const OptionText& text, double& value, const Range& range) const {
  bind(command, text, value, range);
}

}  // namespace otss::app
