// PolicyRows reads the rows of a log from which the value of a policy is estimated, chunk by chunk.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "data/log/text_codes.hpp"
#include "data/table/chunk_cells.hpp"
#include "decide/row_decider.hpp"
#include "otss/decide/evaluate.hpp"
#include "otss/decide/policy_value.hpp"
#include "otss/model/output_family.hpp"

namespace otss::internal {

// Throws an Error if the model has centred factors and cannot be used with this feasible set.
// Predictions of such a model need the mean factors of each context's candidates. So `feasible`
// must have candidates, with the context id column that the model was fitted with. The model must
// also have weights, because a model without weights cannot choose among centred factors.
void check_centering(const Fitted& fitted, const FeasibleSet& feasible);

// Throws an Error if the model was fitted on the rows of the table, unless `is_allowed`: its decisions
// look better on these rows than on new rows.
void require_out_of_sample(const TableReader& reader, bool in_sample, bool is_allowed);

// Returns the column with the groups of rows that may depend on each other: `group`, or if it is
// empty the group column that the model was fitted with, if the table has it. Empty if there is no
// such column.
std::string policy_group(const Fitted& fitted, const TableReader& reader, const std::string& group);

// Returns sentences that say why the value of the policy should not be trusted.
std::vector<std::string> policy_warnings(const EvaluatedPolicy& policy, const Fitted& fitted,
                                         const TableReader& reader, const PolicyColumns& columns);

class PolicyRows {
 public:
  // `group` is the column with the groups; empty means that no groups are read. The other arguments
  // must outlive this object.
  PolicyRows(const TableReader& reader, const Fitted& fitted, const std::string& propensity,
             const std::string& group, const FeasibleSet& feasible);
  PolicyRows(const PolicyRows&) = delete;
  PolicyRows& operator=(const PolicyRows&) = delete;

  // The columns that every chunk must have.
  const std::vector<ColumnRequest>& requests() const { return requests_; }

  // Adds the rows of a chunk to `log`. `x` has the encoded contexts of the chunk, and `decided` the
  // decisions. PolicyLog::chosen_was_logged is left alone.
  void add(const TableChunk& chunk, std::span<const double> x, const DecidedRows& decided,
           PolicyLog& log);

 private:
  std::size_t request(const std::string& name, const char* role, bool as_text = false);
  void add_labels(const TableChunk& chunk, std::size_t row, PolicyLog& log);
  double predict(std::size_t row_of_table, std::size_t row, std::span<const double> x,
                 const DecidedRows& decided, std::size_t decision);

  const TableReader& reader_;
  const Fitted& fitted_;
  OutputFamily family_;
  const FeasibleSet& feasible_;
  bool is_centered_;  // true if the model's factors are centred
  std::vector<ColumnRequest> requests_;
  ChunkCells cells_;
  std::size_t outcome_ = 0, propensity_ = 0;
  std::optional<std::size_t> weight_, group_;
  TextCodes groups_;
  std::vector<double> z_;
};

}  // namespace otss::internal
