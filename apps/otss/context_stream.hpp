// A ContextStream reads a table of contexts chunk by chunk, and encodes each chunk with the model's
// encoder.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "arguments.hpp"
#include "otss/data/encoder.hpp"
#include "otss/data/table.hpp"
#include "otss/model/unit_states.hpp"

namespace otss::app {

struct ContextChunk {
  std::size_t first_row = 0;  // the row number of the chunk's first row, counted from 0
  std::size_t num_rows = 0;
  std::span<const double> x;           // the encoded contexts, rows × p
  std::span<const ColumnChunk> kept;   // the --keep columns, as text
  std::span<const ColumnChunk> extra;  // the `extra` columns of the stream, as text
  UnitBeliefs units;                   // what is known about the unit of each row
};

// Returns the columns of an output table: first the --keep columns, then `own`. `own` has the
// columns that the command computes. Throws an Error if a --keep column is named twice, or has the
// same name as a column of `own`. `keeps_types` is true if the output has types (has_types); then
// the --keep columns have the types that they have in the table of `reader`.
std::vector<ColumnInfo> output_columns(const TableReader& reader, bool keeps_types,
                                       const std::vector<std::string>& kept,
                                       const std::vector<ColumnInfo>& own);

// Returns the form in which the --keep columns are read.
inline TextForm kept_form(bool keeps_types) {
  return keeps_types ? TextForm::kValue : TextForm::kVerbatim;
}

class ContextStream {
 public:
  // `output` is the file that the --keep columns are copied to. `extra` names further columns of
  // the table, which are read as text. `units` says which units the rows belong to.
  ContextStream(const ContextArguments& arguments, const Encoder& encoder,
                const std::string& output, std::vector<std::string> extra = {},
                UnitColumns units = {});

  const std::vector<std::string>& kept_names() const { return kept_; }
  const std::string& name() const { return reader_.name(); }

  // Returns the columns of the output: first the --keep columns, then `own`.
  std::vector<ColumnInfo> output_columns(const std::vector<ColumnInfo>& own) const {
    return app::output_columns(reader_, keeps_types_, kept_, own);
  }

  // Calls `consume` for each chunk, in the order of the table.
  void read(const std::function<void(const ContextChunk&)>& consume);

  // Calls `work` for several chunks at the same time, in any order. `work` may return a function.
  // These functions are called one at a time, in the order of the table.
  void read_in_parallel(const std::function<std::function<void()>(const ContextChunk&)>& work);

  // If several processes share the table, the counts below are those of all processes, once all rows
  // have been read.
  std::size_t num_rows() const { return num_rows_; }  // the number of rows read so far
  // The number of rows read so far whose unit has a history.
  std::size_t num_known() const { return num_known_; }
  const UnknownCounts& unknown() const {
    return unknown_;
  }  // values that did not occur in training

 private:
  std::vector<ColumnRequest> requests() const;
  void add_other_ranks();
  // The memory to which a ContextChunk points.
  struct EncodedChunk {
    std::vector<double> x;
    BeliefsOfRows beliefs;
    UnknownCounts unknown;
  };
  ContextChunk encode(const TableChunk& chunk, EncodedChunk& encoded) const;

  const Encoder& encoder_;
  TableReader reader_;
  NewValueArguments new_values_;
  bool keeps_types_;  // true if the output has types
  std::vector<std::string> kept_, extra_;
  UnitColumns units_;
  int threads_;
  Ranks* ranks_;  // null if one process reads the table
  std::size_t num_known_ = 0;
  UnknownCounts unknown_;
  std::size_t num_rows_ = 0;
};

}  // namespace otss::app
