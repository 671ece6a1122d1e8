#include "describe_units.hpp"

#include <fmt/core.h>

#include "printing.hpp"
#include "text_table.hpp"

namespace otss::app {
namespace {

std::string describe_forms(const DeviationReport& report) {
  TextTable table({"differences between units", "directions", "held-out log-loss"});
  for (const TriedDeviations& one : report.tried)
    table.add({word(one.form), std::to_string(one.rank), fmt::format("{:.5f}", one.log_loss)});
  return table.str();
}

std::string percent(double share) { return fmt::format("{:.0f} %", 100 * share); }

std::string describe_variation(const VariationShares& shares) {
  return fmt::format(
      "Of the variation of the outcome, the decision explains {} (the same weights for everybody), "
      "the context {} more, and the unit {} more; {} is left.\n",
      percent(shares.decision), percent(shares.context), percent(shares.unit),
      percent(shares.rest));
}

Json losses(const DeviationLosses& losses) {
  return {{"log_loss", losses.with}, {"log_loss_without", losses.without}};
}

}  // namespace

std::string describe_units(const Fitted& fitted) {
  if (!fitted.report().deviations) return "";
  const DeviationReport& report = *fitted.report().deviations;
  const GainVerdict verdict = judge_gain(report.gain);
  std::string out = describe_forms(report);
  out += fmt::format("  held out: rows of {}, predicted from the other rows of the same unit\n",
                     counted(report.units, "unit"));
  if (report.chosen_on_rows < fitted.report().data.value().rows)
    out += fmt::format("  the form was chosen on {} rows of whole units\n", report.chosen_on_rows);
  out += fmt::format(
      "  chosen: {}, the simplest within one standard error of the best\n\n"
      "Personal deviations of the weights {} by this log: the gain from a unit's own rows is "
      "{:+.4f} log-loss per row, 95 % interval [{:+.4f}, {:+.4f}].\n",
      word(report.chosen), report.supported ? "are supported" : "are not supported",
      report.gain.mean, verdict.lo, verdict.hi);
  if (!report.supported) out += "The model has no deviations; it is the one without --unit.\n";
  out += fmt::format("A known unit has the log-loss {:.4f} ({:.4f} without deviations)",
                     report.known_units.with, report.known_units.without);
  out += report.new_units ? fmt::format(", a new unit {:.4f} ({:.4f} without).\n",
                                        report.new_units->with, report.new_units->without)
                          : ".\n";
  if (report.variation) out += describe_variation(*report.variation);
  return out;
}

Json units_summary(const FitReport& report) {
  if (!report.deviations) return {};
  const DeviationReport& found = *report.deviations;
  const GainVerdict verdict = judge_gain(found.gain);
  Json json = {{"units", found.units},
               {"form", word(found.chosen)},
               {"supported", found.supported},
               {"gain", found.gain.mean},
               {"lo", verdict.lo},
               {"hi", verdict.hi},
               {"known_units", losses(found.known_units)},
               {"new_units", found.new_units ? losses(*found.new_units) : Json()}};
  if (found.variation) {
    json["variation"] = {{"decision", found.variation->decision},
                         {"context", found.variation->context},
                         {"unit", found.variation->unit},
                         {"rest", found.variation->rest}};
  }
  return json;
}

}  // namespace otss::app
