// This header reads the table that a model is evaluated on, in one pass.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "data/log/text_codes.hpp"
#include "data/table/chunk_cells.hpp"
#include "model/factor_cells.hpp"
#include "model/units/unit_cells.hpp"
#include "otss/data/encoder.hpp"
#include "otss/data/table.hpp"
#include "otss/decide/evaluate.hpp"
#include "otss/model/diagnostics.hpp"
#include "otss/model/fitted.hpp"
#include "otss/model/output_family.hpp"

namespace otss::internal {

struct EvaluatedRows {
  // The linear predictor, the outcome and the weight of each row of the table. These vectors are
  // empty if no outcomes were read.
  std::vector<double> eta, outcomes, row_weights;
  // -log P(y) of each row; empty if it follows from eta (PredictedFamily::log_losses).
  std::vector<double> log_losses;
  // The group of each row, numbered from 0 without gaps; empty if all rows are independent.
  std::vector<std::uint32_t> groups;
  std::vector<std::string> group_names;  // by the number of the group
  bool keeps_weights = true;
  std::vector<double>
      weights;  // the factor weights of each row, rows × J, if keeps_weights is true
  bool keeps_shares = false;
  std::vector<double> shares;  // the shares of each row, rows × K, if keeps_shares is true
  GateUseCounter gate;
  bool keeps_largest = true;
  // For each row, the expert with the largest share, and this share, if keeps_largest is true.
  std::vector<std::size_t> largest_shares;
  std::vector<float> top_shares;
  UnknownCounts unknown;
  std::size_t known_units = 0;  // the number of rows whose unit has a history
  std::size_t rows = 0;
};

// Evaluates the model on the rows of a table, chunk by chunk.
class RowEvaluator {
 public:
  // `with_outcomes` is true if the table has the factors and the outcome. `group` is the column with
  // the groups; it is empty if all rows are independent. Of the options, only centered_by, units,
  // unknown and outside are used. All arguments must outlive this object.
  RowEvaluator(const Fitted& fitted, const TableReader& reader, bool with_outcomes,
               const std::string& group, const EvaluateOptions& options);

  // The columns that every chunk must have. The model's context columns come first.
  const std::vector<ColumnRequest>& requests() const { return requests_; }

  // Encodes the contexts of a chunk, and counts values that did not occur in training.
  std::vector<double> encode(const TableChunk& chunk, UnknownCounts& unknown) const;

  // The names of the groups of all rows that were added, by their numbers.
  const std::vector<std::string>& group_names() const { return group_codes_.texts(); }

  // Adds the rows of a chunk to `out`. `x` has the encoded contexts of the chunk.
  void add(const TableChunk& chunk, std::span<const double> x, EvaluatedRows& out);

 private:
  void add_gate(std::span<const double> context, EvaluatedRows& out);
  void add_outcome(const TableChunk& chunk, std::size_t row, std::span<const double> context,
                   const UnitBelief* unit, EvaluatedRows& out);

  const Fitted& fitted_;
  OutputFamily family_;
  const TableReader& reader_;
  UnknownPolicy unknown_;
  OutsidePolicy outside_;
  std::vector<ColumnRequest> requests_;
  UnitCells units_;
  ChunkCells cells_;
  std::size_t group_ = 0;  // the position of the group column in requests_, if grouped_
  bool grouped_ = false;
  TextCodes group_codes_;
  std::optional<FactorCells> factors_;  // absent if no outcomes are read
  std::size_t outcome_ = 0;             // the position of the outcome column in requests_
  bool weighted_ = false;  // true: the column of row weights follows the outcome in requests_
  std::vector<double> alpha_, z_;
};

// Reads the table and evaluates the model on each row. The arguments are those of RowEvaluator.
EvaluatedRows read_evaluated_rows(const Fitted& fitted, const TableReader& reader,
                                  bool with_outcomes, const std::string& group,
                                  const EvaluateOptions& options);

// Returns true if the table has every factor and the outcome. If a column is missing, returns false
// if `optional` is true, and otherwise throws an Error that names the column.
bool has_outcomes(const Fitted& fitted, const TableReader& reader, bool optional);

}  // namespace otss::internal
