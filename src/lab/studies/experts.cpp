#include <fmt/core.h>

#include "lab/studies/catalogue.hpp"
#include "lab/studies/contest_setting.hpp"
#include "lab/studies/methods.hpp"
#include "lab/studies/output/present.hpp"

namespace otss::internal {
namespace {

constexpr int kTooMany = 8;

struct Case {
  std::string name, title;
  ExpertsSpec spec;
};

std::vector<Case> cases() {
  return {{"K=2", "two experts", {.experts = 2}},
          {"K=3", "three experts", {.experts = 3}},
          {"K=5", "five experts", {.experts = 5}},
          {"K=3-n=2500", "three experts, 2,500 rows", {.n = 2500}},
          {"K=3-top=0.55", "three experts that overlap more (top share 0.55)", {.top = 0.55}},
          {"K=3-top=0.85", "three experts that overlap less (top share 0.85)", {.top = 0.85}}};
}

std::vector<Entrant> entrants(bool refit, int experts) {
  std::vector<std::string> once = {"pooled"};
  for (const std::string& name : paper_rows(refit)) once.push_back(name);
  std::vector<Entrant> result =
      study_entrants(both_treatments(once, {"low-rank", "cluster", "em", "otss", "auto"}), experts);
  result.push_back({"otss-8", {.method = Method::kOtss, .experts = kTooMany}});
  result.push_back(
      {"otss-paper-8",
       {.method = Method::kOtss, .estimator = Estimator::kPaper, .experts = kTooMany}});
  return result;
}

// Returns a text that says how many experts are effectively used by a fit with eight experts, and
// by the truth.
std::string use_of_experts(const Study& study, const std::vector<Contest>& contests) {
  std::string text;
  for (std::size_t s = 0; s < contests.size(); ++s) {
    const Contest& contest = contests[s];
    const auto mean = [&](const char* method, double Scorecard::*field) {
      return contest.mean(contest.index(method), field);
    };
    text += fmt::format(
        "- {}: OTSS with eight experts has {:.2f} effective experts (the mean of exp H(α)), the "
        "paper's recipe with eight {:.2f}; the truth has {:.2f}. The regret with eight experts "
        "minus "
        "the regret with the true number is {:+.4f} for OTSS and {:+.4f} for the paper's recipe.\n",
        study.settings[s].title, mean("otss-8", &Scorecard::effective_experts),
        mean("otss-paper-8", &Scorecard::effective_experts),
        mean(kOracleGate, &Scorecard::effective_experts),
        mean("otss-8", &Scorecard::regret) - mean("otss", &Scorecard::regret),
        mean("otss-paper-8", &Scorecard::regret) - mean("otss-paper", &Scorecard::regret));
  }
  return text;
}

StudyPage present(const Study& study, const std::vector<Contest>& contests) {
  StudyPage page = present_methods(study, contests);
  page.table = fmt::format(
      "## Too many experts\n\n{}\nThe paper reports about 3 effective experts when 8 are fitted "
      "and "
      "2 are true. When 3 or 5 are true, it reports at most about 0.01 more regret.\n\n{}",
      use_of_experts(study, contests), page.table);
  return page;
}

}  // namespace

Study experts_study(bool refit) {
  Study study{.name = "experts",
              .title = "Fits with many experts, and with more experts than the truth has"};
  study.about =
      "The logs are those of `otss simulate experts`: each expert has three nonzero weights, and "
      "each score of the linear gate depends on three context columns. There are ten context "
      "columns, eight factors, fifty decisions and 10,000 rows; the largest share is 0.70 on "
      "average, unless a heading says otherwise. OTSS, EM and the paper's recipe are told the true "
      "number of experts; OTSS and the recipe are also fitted with eight. " +
      std::string(kAboutTreatments);
  study.specification = {{"simulate", "experts"}, {"methods", to_json(entrants(refit, 0))}};
  for (const Case& one : cases()) {
    const ExpertsSpec spec = one.spec;
    study.settings.push_back(contest_setting(
        one.name, one.title,
        [spec](std::uint64_t seed) {
          ExpertsSpec own = spec;
          own.seed = seed;
          return simulate_experts(own);
        },
        entrants(refit, spec.experts), refit));
  }
  study.present = present;
  return study;
}

}  // namespace otss::internal
