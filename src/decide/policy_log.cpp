#include "data/terms/term_columns.hpp"
#include "decide/policy_rows.hpp"
#include "decide/row_decider.hpp"
#include "otss/decide/policy_value.hpp"

namespace otss {

using namespace internal;

PolicyLog read_policy_log(const TableReader& reader, const Fitted& fitted,
                          const PolicyColumns& columns, const FeasibleSet& feasible,
                          const EncodeOptions& options) {
  check_centering(fitted, feasible);
  fitted.encoder().require_columns(reader);
  PolicyRows rows(reader, fitted, columns.propensity, policy_group(fitted, reader, columns.group),
                  feasible);
  const RowDecider decider(reader, fitted, columns.decision, feasible, columns.units);
  const std::size_t num_decider = decider.requests().size();
  std::vector<ColumnRequest> requests = decider.requests();
  requests.insert(requests.end(), rows.requests().begin(), rows.requests().end());
  PolicyLog log;
  std::vector<std::size_t> chosen;
  std::vector<std::uint8_t> seen(feasible.size(), 0);  // 1 if a decision was logged in some row
  std::vector<double> x;
  read_with_terms(reader, requests, [&](const TableChunk& chunk) {
    x.resize(chunk.num_rows * fitted.num_contexts());
    fitted.encoder().encode(chunk, x, options);
    const DecidedRows decided = decider.decide(columns_of(chunk, 0, num_decider), x);
    rows.add(columns_of(chunk, num_decider, rows.requests().size()), x, decided, log);
    for (const std::size_t decision : decided.logged) seen[decision] = 1;
    for (const Decision& best : decided.best) chosen.push_back(best.index);
  });
  if (!feasible.is_shared()) return log;
  for (const std::size_t decision : chosen) log.chosen_was_logged.push_back(seen[decision]);
  return log;
}

PolicyLog read_policy_log(const std::string& path, const Fitted& fitted,
                          const PolicyColumns& columns, const FeasibleSet& feasible,
                          const EncodeOptions& options) {
  return read_policy_log(TableReader(fitted.encoder().as_trained({.path = path})), fitted, columns,
                         feasible, options);
}

}  // namespace otss
