#include "describe_model.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "describe_segments.hpp"
#include "describe_units.hpp"
#include "printing.hpp"
#include "text_table.hpp"

namespace otss::app {
namespace {

std::string signed_number(double value) { return fmt::format("{:+.4g}", value); }

std::string gate_penalty(const TriedMixture& tried) {
  if (tried.same_shares) return "same shares";
  return tried.learns_relevance ? "per column" : fmt::format("{:.3g}", tried.gate_penalty);
}

// Returns a table with one row per number of experts K: the penalties of the best setting with this
// K, and the total weight of all settings with this K.
std::string describe_tried(const AveragedSettings& settings, const HeldOutLosses& held_out,
                           bool mixed) {
  struct OfCount {
    TriedMixture best;
    double weight = 0;
    int count = 0;
  };
  // A setting with linear weights is not a mixture. All such settings share the row with key 0,
  // which is the first row. The rows of mixtures of probabilities come last.
  std::map<std::pair<bool, int>, OfCount> rows;
  for (const TriedMixture& tried : settings.tried) {
    OfCount& row = rows[{tried.mixes_probabilities, tried.linear_weights ? 0 : tried.experts}];
    if (row.count == 0 || tried.log_loss < row.best.log_loss) row.best = tried;
    row.weight += tried.weight;
    ++row.count;
  }
  TextTable table({"experts", "settings", "weight", "best held-out log-loss", "gate penalty",
                   "expert penalty"});
  for (const auto& [key, row] : rows) {
    const auto& [probabilities, experts] = key;
    const bool mixture = experts > 1;
    table.add({experts == 0 ? "linear weights"
                            : fmt::format("{}{}", experts, probabilities ? ", probabilities" : ""),
               std::to_string(row.count), fmt::format("{:.2f}", row.weight),
               fmt::format("{:.5f}", row.best.log_loss), mixture ? gate_penalty(row.best) : "",
               mixture ? fmt::format("{:.3g}", row.best.expert_penalty) : ""});
  }
  table.add({mixed ? "deployed" : "average", std::to_string(settings.tried.size()), "1.00",
             fmt::format("{:.5f}", held_out.model)});
  return table.str();
}

// Returns a setting as text, for example "clusters 3, penalty 1" for {clusters: 3, penalty: 1}.
std::string setting_in_words(const NamedValues& setting) {
  std::string words;
  for (const auto& [name, value] : setting)
    words += fmt::format("{}{} {}", words.empty() ? "" : ", ", name, in_words(value));
  return words;
}

// Returns a table of the settings that a comparison method tried. The setting with the lowest
// held-out log-loss comes first.
std::string describe_settings(const ComparedSettings& settings) {
  constexpr std::size_t kMostShown = 8;
  std::vector<ComparedSettings::Tried> tried = settings.tried;
  std::ranges::stable_sort(tried, {}, &ComparedSettings::Tried::log_loss);
  const bool averaged = !tried.empty() && tried.front().weight.has_value();
  TextTable table(averaged ? std::vector<std::string>{"setting", "held-out log-loss", "weight"}
                           : std::vector<std::string>{"setting", "held-out log-loss"});
  const auto add = [&](std::string setting, std::string loss, std::optional<double> weight) {
    std::vector<std::string> row{std::move(setting), std::move(loss)};
    if (averaged) row.push_back(weight ? fmt::format("{:.2f}", *weight) : "");
    table.add(std::move(row));
  };
  for (std::size_t i = 0; i < std::min(kMostShown, tried.size()); ++i)
    add(setting_in_words(tried[i].setting), fmt::format("{:.5f}", tried[i].log_loss),
        tried[i].weight);
  if (tried.size() > kMostShown) add(fmt::format("and {} more", tried.size() - kMostShown), "", {});
  if (settings.pooled_weight) add("one trade-off for everybody", "", settings.pooled_weight);
  return table.str();
}

std::string describe_gain(const MeanAndError& gain) {
  const GainVerdict verdict = judge_gain(gain);
  return fmt::format(
      "Different trade-offs for different contexts {} by this log: the gain over one trade-off for "
      "everybody is {:+.4f} log-loss per row, 95 % interval [{:+.4f}, {:+.4f}].\n",
      verdict.supported ? "are supported" : "are not supported", gain.mean, verdict.lo, verdict.hi);
}

// Returns two sentences on a model that mixes probabilities: whether the contexts matter, and how
// much the model gains if rows with the same context follow different experts.
std::string describe_gains(const FitReport& report) {
  const MeanAndError& contexts = report.context_gain.value();
  const MeanAndError& gain = report.gain.value();
  const GainVerdict verdict = judge_contexts(report);
  const GainVerdict whole = judge_gain(gain);
  return fmt::format(
      "Different trade-offs for different contexts {} by this log: shares that depend on the "
      "context gain {:+.4f} log-loss per row over the same shares in every context, 95 % interval "
      "[{:+.4f}, {:+.4f}].\n"
      "Rows with the same context have different trade-offs: the model says that each row follows "
      "one of the experts, with the shares as probabilities, and averages the probabilities of the "
      "outcome. Its gain over one trade-off for everybody is {:+.4f} log-loss per row, 95 % "
      "interval [{:+.4f}, {:+.4f}]. Weights and decisions use the average of the experts' "
      "weights.\n",
      verdict.supported ? "are supported" : "are not supported", contexts.mean, verdict.lo,
      verdict.hi, gain.mean, whole.lo, whole.hi);
}

// Returns the number of rows that would prove a gain of this size: a log like this one with so many
// rows would support the gain with a probability of about 80 %.
double rows_to_prove(std::size_t rows, const MeanAndError& gain) {
  constexpr double kErrors = 1.96 + 0.84;
  const double errors = gain.mean / gain.standard_error;
  return static_cast<double>(rows) * (kErrors / errors) * (kErrors / errors);
}

// Returns an empty text if the gain is supported. Otherwise returns sentences that say what was
// deployed, why, and what the user can do to get a supported gain.
std::string describe_unproven(const FitReport& report, int experts) {
  const MeanAndError& gain = report.gain.value();
  if (judge_gain(gain).supported) return "";
  if (gain.mean <= 0) {
    const std::string model =
        experts == 1 ? "The gain is not proven. The model has one trade-off for everybody, because "
                       "nothing predicted held-out rows better."
                     : fmt::format(
                           "The gain is not proven, and it is not positive on held-out "
                           "rows, so the {} experts below need not be real.",
                           experts);
    return fmt::format(
        "{} Give other context columns, which may tell more about what people want than these "
        "columns do.\n",
        model);
  }
  const double needed = rows_to_prove(report.data.value().rows, gain);
  return fmt::format(
      "The gain is not proven, but it is positive on held-out rows. So the model is an average "
      "that is shrunk towards one trade-off for everybody; the {} experts below need not be real. "
      "To prove the gain, use about {:.2g} times as many rows, or context columns that tell more "
      "about what people want.\n",
      experts, needed / static_cast<double>(report.data.value().rows));
}

// Returns an empty text if the chains of all posteriors have mixed. Otherwise returns one line: the
// warning of the posterior whose chains agree least, and the number of other posteriors with a
// warning.
std::string describe_warnings(const FitReport& report) {
  const ChainsReport* worst = nullptr;
  std::size_t others = 0;
  for (const ChainsReport& chains : report.chains) {
    if (chains.warning.empty()) continue;
    if (worst != nullptr) ++others;
    if (worst == nullptr || chains.weights.r_hat > worst->weights.r_hat) worst = &chains;
  }
  if (worst == nullptr) return "";
  const std::string too =
      others == 0 ? "" : fmt::format(" (nor have those of {})", counted(others, "other posterior"));
  return fmt::format("Warning: {}{}.\n\n", worst->warning, too);
}

// Returns a line for each check of the weights that failed.
std::string describe_checks(const FitReport& report) {
  if (!report.weight_checks) return "";
  std::string out;
  for (const std::string& sentence : failed_checks(*report.weight_checks))
    out += fmt::format("Caution: {}.\n", sentence);
  return out;
}

std::string describe_experts(const Mixture& mixture, const Fitted& fitted) {
  const ShownExperts shown = shown_experts(fitted);
  std::vector<std::string> header{"weight of"};
  for (std::size_t i = 0; i < shown.experts.size(); ++i) {
    const std::string share =
        shown.shares.empty() ? "" : fmt::format(" ({:.0f} %)", 100 * shown.shares[i]);
    header.push_back(mixture.num_experts() == 1
                         ? "everybody"
                         : fmt::format("expert {}{}", shown.experts[i] + 1, share));
  }
  TextTable table(header);
  for (int j = 0; j < fitted.num_factors(); ++j) {
    std::vector<std::string> row{fitted.encoder().factors[j].name};
    for (const int k : shown.experts) row.push_back(signed_number(mixture.expert(k)[j]));
    table.add(std::move(row));
  }
  std::string out = table.str();
  if (shown.num_left_out > 0) {
    out += fmt::format(
        "  {} left out: the contexts give {} too small a share to show (mean below {:g} %)\n",
        counted(shown.num_left_out, "expert"), shown.num_left_out == 1 ? "it" : "them",
        100 * kLeastShownShare);
  }
  return out;
}

}  // namespace

std::string describe_weights(const Fitted& fitted) {
  constexpr int kMostColumns = 12;
  const Mixture* mixture = fitted.mixture();
  const int experts = mixture != nullptr ? mixture->num_experts() : 0;
  if (!fitted.has_weights()) return "This kind of model has scores but no weights.\n";
  if (experts > 0 && experts <= kMostColumns) return describe_experts(*mixture, fitted);
  std::vector<double> w(fitted.num_factors());
  fitted.weights(std::vector<double>(fitted.num_contexts(), 0.0), w);
  TextTable table({"weight of", "in the average context"});
  for (int j = 0; j < fitted.num_factors(); ++j)
    table.add({fitted.encoder().factors[j].name, signed_number(w[j])});
  return table.str();
}

std::string in_words(const ReportValue& value) {
  if (const auto* number = std::get_if<double>(&value)) return fmt::format("{:.3g}", *number);
  return std::visit([](const auto& plain) { return fmt::format("{}", plain); }, value);
}

std::string describe_fit(const Fitted& fitted) {
  const FitReport& report = fitted.report();
  const ChoiceReport& choice = report.choice.value();
  std::string out = fmt::format("{} rows, {} ({} encoded), {}\n\n", report.data.value().rows,
                                counted(fitted.encoder().contexts.size(), "context column"),
                                fitted.num_contexts(), counted(fitted.num_factors(), "factor"));
  const auto* averaged = std::get_if<AveragedSettings>(&choice.settings);
  out += averaged != nullptr
             ? describe_tried(*averaged, report.held_out.value(), fitted.mixes_probabilities())
             : describe_settings(std::get<ComparedSettings>(choice.settings));
  out += fmt::format("  held out: {}\n  chosen: {}\n", choice.split, choice.why);
  if (choice.sample_rows) {
    out += fmt::format("  sample: chosen on {} of {} rows\n", *choice.sample_rows,
                       report.data.value().rows);
  }
  if (averaged != nullptr && averaged->seed_changes) {
    out += fmt::format(
        "  seed: two divisions of the rows into folds disagree on {:.1f} % of the decisions; the "
        "model averages over all divisions\n",
        100 * *averaged->seed_changes);
  }
  out += "\n";
  if (fitted.method() != Method::kPooled) {
    const Mixture* mixture = fitted.mixture();
    out += report.context_gain ? describe_gains(report) : describe_gain(report.gain.value());
    if (mixture != nullptr && !report.context_gain)
      out += describe_unproven(report, mixture->num_experts());
    out += "\n";
  }
  out += describe_warnings(report) + describe_weights(fitted);
  for (const std::string& words : {describe_segments(fitted), describe_movements(fitted),
                                   describe_units(fitted), describe_checks(report)})
    if (!words.empty()) out += "\n" + words;
  return out;
}

}  // namespace otss::app
