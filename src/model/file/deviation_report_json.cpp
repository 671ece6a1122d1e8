#include "model/file/deviation_report_json.hpp"

#include <fmt/core.h>

#include <cmath>

namespace otss::internal {
namespace {

Json losses_to_json(const DeviationLosses& losses) {
  return {{"log_loss", losses.with}, {"log_loss_without", losses.without}};
}

DeviationLosses losses_from_json(JsonFields fields) {
  const DeviationLosses losses{fields.number("log_loss"), fields.number("log_loss_without")};
  fields.finish();
  return losses;
}

VariationShares variation_from_json(JsonFields fields) {
  const VariationShares shares{fields.number("decision"), fields.number("context"),
                               fields.number("unit"), fields.number("rest")};
  fields.finish();
  return shares;
}

DeviationForm form_from_json(JsonFields& fields, const std::string& name) {
  const auto form = parse_word<DeviationForm>(fields.text(name));
  if (!form)
    fields.fail(name,
                "has a value that this version of otss does not know; install a newer version, or "
                "fit the model again");
  return *form;
}

std::size_t whole_number(JsonFields& fields, const std::string& name, double most) {
  const double value = fields.number(name);
  if (!(value >= 0 && value <= most && value == std::floor(value)))
    fields.fail(name, "is not a count (0, 1, 2, …); fit the model again");
  return static_cast<std::size_t>(value);
}

}  // namespace

Json deviation_report_to_json(const DeviationReport& report) {
  const GainVerdict verdict = judge_gain(report.gain);
  Json json = {{"units", report.units},
               {"chosen_on_rows", report.chosen_on_rows},
               {"tried", Json::array()},
               {"chosen", word(report.chosen)},
               {"supported", report.supported},
               {"gain", report.gain.mean},
               {"standard_error", report.gain.standard_error},
               {"lo", verdict.lo},
               {"hi", verdict.hi},
               {"known_units", losses_to_json(report.known_units)}};
  for (const TriedDeviations& one : report.tried) {
    json["tried"].push_back(
        {{"form", word(one.form)}, {"rank", one.rank}, {"log_loss", one.log_loss}});
  }
  if (report.new_units) json["new_units"] = losses_to_json(*report.new_units);
  if (report.variation) {
    json["variation"] = {{"decision", report.variation->decision},
                         {"context", report.variation->context},
                         {"unit", report.variation->unit},
                         {"rest", report.variation->rest}};
  }
  return json;
}

DeviationReport deviation_report_from_json(JsonFields& fields, int) {
  constexpr double kMostRows = 9e15;
  constexpr double kMostRank = 1e6;
  DeviationReport report;
  report.units = whole_number(fields, "units", kMostRows);
  report.chosen_on_rows = whole_number(fields, "chosen_on_rows", kMostRows);
  for (const Json& json : fields.array("tried")) {
    JsonFields one(json, fmt::format("{}.tried[{}]", fields.where(), report.tried.size()));
    report.tried.push_back({form_from_json(one, "form"),
                            static_cast<int>(whole_number(one, "rank", kMostRank)),
                            one.number("log_loss")});
    one.finish();
  }
  report.chosen = form_from_json(fields, "chosen");
  report.supported = fields.flag("supported");
  report.gain = {fields.number("gain"), fields.number("standard_error")};
  fields.number("lo");
  fields.number("hi");
  report.known_units = losses_from_json(fields.object("known_units"));
  if (fields.has("new_units")) report.new_units = losses_from_json(fields.object("new_units"));
  if (fields.has("variation")) report.variation = variation_from_json(fields.object("variation"));
  return report;
}

}  // namespace otss::internal
