// Contexts streamed through a model's encoder, chunk by chunk.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "arguments.hpp"
#include "otss/data/encoder.hpp"
#include "otss/data/table.hpp"

namespace otss::app {

struct ContextChunk {
  std::size_t first_row = 0;
  std::size_t num_rows = 0;
  std::span<const double> x;           // rows × p, encoded
  std::span<const ColumnChunk> kept;   // --keep columns, as text
  std::span<const ColumnChunk> extra;  // whatever else was asked for, as text
};

class ContextStream {
 public:
  ContextStream(const ContextArguments& arguments, const Encoder& encoder,
                std::vector<std::string> extra = {});

  const std::vector<std::string>& kept_names() const { return kept_; }
  const std::string& name() const { return reader_.name(); }

  // The output's columns: those kept, then `own`. A kept column that has the name of one of them is
  // an error.
  std::vector<ColumnInfo> output_columns(const std::vector<ColumnInfo>& own) const;

  void read(const std::function<void(const ContextChunk&)>& consume);

  std::size_t num_rows() const { return num_rows_; }
  const UnknownCounts& unknown() const { return unknown_; }

 private:
  const Encoder& encoder_;
  TableReader reader_;
  UnknownPolicy policy_;
  std::vector<std::string> kept_, extra_;
  UnknownCounts unknown_;
  std::size_t num_rows_ = 0;
};

}  // namespace otss::app
