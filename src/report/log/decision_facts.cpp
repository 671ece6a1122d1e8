#include "report/log/decision_facts.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>

#include "otss/decide/certify.hpp"
#include "otss/decide/decider.hpp"
#include "otss/model/uncertainty.hpp"
#include "report/sections/column_facts.hpp"

namespace otss::internal {
namespace {

// The confidence levels at which the share of certified decisions is shown.
constexpr double kCurveLevels[] = {0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99};

// How often the decisions with one id were chosen and logged.
struct CountsOfId {
  std::size_t chosen = 0, logged = 0;
};

// Candidates of several contexts may have the same id, so counts are added up by id.
std::map<std::string, CountsOfId> by_id(const DecisionCounts& counts, const FeasibleSet& feasible) {
  std::map<std::string, CountsOfId> result;
  for (std::size_t row = 0; row < feasible.size(); ++row) {
    CountsOfId& own = result[feasible.id(row)];
    own.chosen += counts.chosen[row];
    if (!counts.logged.empty()) own.logged += counts.logged[row];
  }
  return result;
}

// Adds which decisions are chosen and logged, the most chosen first; among equals the most logged.
void add_shares(const DecisionCounts& counts, const FeasibleSet& feasible, DecisionsFacts& facts) {
  const auto rows = static_cast<double>(facts.rows);
  std::vector<std::pair<std::string, CountsOfId>> all;
  for (auto& [id, own] : by_id(counts, feasible)) all.emplace_back(id, own);
  std::ranges::stable_sort(all, std::greater{}, [](const auto& one) {
    return std::pair(one.second.chosen, one.second.logged);
  });
  const auto share = [&](const std::string& id, const CountsOfId& own) {
    DecisionShareFacts fact{.id = id, .chosen = static_cast<double>(own.chosen) / rows};
    if (facts.logged_known) fact.logged = static_cast<double>(own.logged) / rows;
    return fact;
  };
  CountsOfId others;
  for (const auto& [id, own] : all) {
    (own.chosen > 0 ? facts.chosen_distinct : facts.never_chosen) += 1;
    if (own.chosen == 0 && facts.never_chosen_ids.size() < DecisionsFacts::kMostNeverChosen)
      facts.never_chosen_ids.push_back(id);
    if (facts.list.size() < DecisionsFacts::kMostListed) {
      facts.list.push_back(share(id, own));
    } else {
      others.chosen += own.chosen;
      others.logged += own.logged;
    }
  }
  facts.distinct = all.size();
  if (all.size() > facts.list.size()) facts.others = share("", others);
}

// At most `most` contexts of the sample, evenly spaced.
struct SomeContexts {
  std::vector<double> x;
  std::vector<std::string> ids;

  SomeContexts(const LogPass& pass, std::size_t most, std::size_t p) {
    const std::size_t count = std::min(most, pass.summary.sample.num_rows);
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t row = i * pass.summary.sample.num_rows / count;
      const auto first = pass.summary.sample.x.begin() + static_cast<std::ptrdiff_t>(row * p);
      x.insert(x.end(), first, first + static_cast<std::ptrdiff_t>(p));
      if (!pass.context_ids.empty()) ids.push_back(pass.context_ids[row]);
    }
    rows_ = count;
  }
  Contexts contexts() const { return {rows_, x, ids}; }

 private:
  std::size_t rows_ = 0;
};

// Returns how many contexts are certified. A certificate scores every decision under every draw of the
// weights, so that fewer contexts are certified if there are thousands of decisions.
std::size_t num_certified(const Fitted& fitted, const FeasibleSet& feasible) {
  constexpr double kMostProducts = 1e10;  // some seconds of one core
  constexpr std::size_t kFewest = 100;
  const double decisions =
      static_cast<double>(feasible.size()) / static_cast<double>(feasible.num_contexts());
  const double products = decisions * fitted.num_factors() * fitted.uncertainty().num_draws();
  return std::clamp(static_cast<std::size_t>(kMostProducts / products), kFewest,
                    kMostCertifiedRows);
}

// Adds how sure the decisions of some contexts of the log are.
void add_certificates(const Fitted& fitted, const LogPass& pass, const FeasibleSet& feasible,
                      int threads, DecisionsFacts& facts) {
  const SomeContexts some(pass, num_certified(fitted, feasible), fitted.num_contexts());
  const Contexts contexts = some.contexts();
  const std::vector<Decision> decisions =
      decide(fitted.scorer(), contexts, feasible, {.num_threads = threads});
  const std::vector<Certificate> certificates = certify(
      fitted, contexts, decisions, feasible, {.level = facts.level, .num_threads = threads});
  const auto count = static_cast<double>(certificates.size());
  facts.rows_certified = certificates.size();
  facts.expected_regret = facts.regret_bound = 0;
  for (const Certificate& one : certificates) {
    facts.expected_regret += one.expected_regret / count;
    facts.regret_bound += one.regret_bound / count;
  }
  for (const double level : kCurveLevels) {
    const auto certified = std::ranges::count_if(
        certificates, [&](const Certificate& one) { return one.confidence > level; });
    facts.curve.push_back({level, static_cast<double>(certified) / count});
  }
}

}  // namespace

std::optional<DecisionsFacts> decision_facts(const Fitted& fitted, const LogPass& pass,
                                             const FeasibleSet* feasible, int threads) {
  if (feasible == nullptr || !pass.decisions) return std::nullopt;
  DecisionsFacts facts{.rows = pass.summary.rows,
                       .per_context = !feasible->is_shared(),
                       .logged_known = !pass.decisions->logged.empty()};
  add_shares(*pass.decisions, *feasible, facts);
  if (facts.logged_known)
    facts.agreement =
        static_cast<double>(pass.decisions->agreements) / static_cast<double>(facts.rows);
  if (pass.known_units) return facts;
  const SomeContexts all(pass, pass.summary.sample.num_rows, fitted.num_contexts());
  std::vector<double> margins;
  for (const Decision& one :
       decide(fitted.scorer(), all.contexts(), *feasible, {.num_threads = threads}))
    margins.push_back(one.margin);
  margins = sorted_values(margins);
  for (const double p : kQuantileProbabilities) {
    if (!margins.empty()) facts.margin_quantiles.push_back(sorted_quantile(margins, p));
  }
  if (fitted.has_uncertainty()) add_certificates(fitted, pass, *feasible, threads, facts);
  return facts;
}

}  // namespace otss::internal
