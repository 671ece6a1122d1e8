#include "confidence.hpp"

#include <fmt/core.h>

#include "messages.hpp"
#include "otss/base/error.hpp"
#include "otss/model/uncertainty.hpp"

namespace otss::app {

void add_level(CLI::App& command, const std::string& name, double& level, const std::string& help) {
  const auto check = [](const std::string& text) -> std::string {
    double value = 0;
    if (CLI::detail::lexical_cast(text, value) && is_confidence(value)) return "";
    return fmt::format("{} is not a confidence level above 0 and at most {}, such as 0.9", text,
                       kHighestConfidence);
  };
  command.add_option(name, level, help)->check(CLI::Validator(check, ""))->type_name("LEVEL");
}

void require_uncertainty(const Fitted& fitted, const std::string& option) {
  if (fitted.has_uncertainty()) return;
  try {
    fitted.weight_map();
    fitted.uncertainty();
  } catch (const Error& error) {
    throw Error(ErrorCode::kUsage, fmt::format("{}: {}", option, error.what()));
  }
}

void note_failed_checks(const Fitted& fitted) {
  if (!fitted.report().weight_checks) return;
  for (const std::string& sentence : failed_checks(*fitted.report().weight_checks))
    note("{}", sentence);
}

}  // namespace otss::app
