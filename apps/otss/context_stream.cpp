#include "context_stream.hpp"

#include <fmt/core.h>

#include "otss/base/error.hpp"

namespace otss::app {

ContextStream::ContextStream(const ContextArguments& arguments, const Encoder& encoder,
                             const std::string& output, std::vector<std::string> extra,
                             UnitColumns units)
    : encoder_(encoder),
      reader_(encoder.as_trained(arguments.table())),
      new_values_(arguments.new_values),
      keeps_types_(has_types(output)),
      kept_(split_names(arguments.keep)),
      extra_(std::move(extra)),
      units_(std::move(units)),
      threads_(arguments.threads),
      ranks_(arguments.ranks) {
  encoder.require_columns(reader_);
  for (const std::string& name : kept_) reader_.column(name, "--keep");
  if (ranks_ != nullptr) reader_.share(*ranks_);
  if (units_.states == nullptr) return;
  reader_.column(units_.unit, "--unit");
  if (!units_.time.empty()) reader_.column(units_.time, "--time");
  require_new_rows(units_, arguments.table());
}

std::vector<ColumnInfo> output_columns(const TableReader& reader, bool keeps_types,
                                       const std::vector<std::string>& kept,
                                       const std::vector<ColumnInfo>& own) {
  std::vector<ColumnInfo> columns;
  for (const std::string& name : kept) {
    for (const ColumnInfo& other : columns) {
      if (other.name == name)
        throw Error(ErrorCode::kUsage, fmt::format("--keep names '{}' twice; name it once", name));
    }
    for (const ColumnInfo& other : own) {
      if (other.name == name) {
        throw Error(ErrorCode::kUsage,
                    fmt::format("--keep {0}: the output already has a column "
                                "'{0}'; rename the kept column, for example with --query \"SELECT "
                                "*, {0} AS my_{0} FROM t\" --keep my_{0}",
                                name));
      }
    }
    columns.push_back({name, ColumnKind::kText});
    if (!keeps_types) continue;
    columns.back().type = reader.column(name, "--keep").type;
    columns.back().stored_as = reader.column(name, "--keep").stored_as;
  }
  columns.insert(columns.end(), own.begin(), own.end());
  return columns;
}

std::vector<ColumnRequest> ContextStream::requests() const {
  std::vector<ColumnRequest> requests = encoder_.context_requests();
  for (const std::string& name : kept_) requests.push_back({name, true, kept_form(keeps_types_)});
  for (const std::string& name : extra_) requests.push_back({name, true});
  if (units_.states != nullptr) requests.push_back({units_.unit, true});
  if (!units_.time.empty()) requests.push_back({units_.time});
  return requests;
}

// Encodes the contexts of a chunk and looks up their units. The result points into `encoded`.
ContextChunk ContextStream::encode(const TableChunk& chunk, EncodedChunk& encoded) const {
  std::vector<double>& x = encoded.x;
  x.resize(chunk.num_rows * encoder_.num_encoded());
  encoder_.encode(chunk, x,
                  {new_values_.unknown_policy(), reader_.name(), &encoded.unknown,
                   new_values_.outside_policy()});
  const std::size_t num_contexts = encoder_.contexts.size();
  const std::span<const ColumnChunk> columns(chunk.columns);
  const std::size_t unit = num_contexts + kept_.size() + extra_.size();
  if (units_.states != nullptr) {
    encoded.beliefs = {*units_.states,
                       columns[unit].texts,
                       units_.time.empty() ? std::span<const double>() : columns[unit + 1].numbers,
                       reader_.name(),
                       chunk.first_row,
                       threads_};
  }
  return {chunk.first_row,
          chunk.num_rows,
          x,
          columns.subspan(num_contexts, kept_.size()),
          columns.subspan(num_contexts + kept_.size(), extra_.size()),
          encoded.beliefs.of_rows()};
}

void ContextStream::read(const std::function<void(const ContextChunk&)>& consume) {
  reader_.read(requests(), [&](const TableChunk& chunk) {
    EncodedChunk encoded;
    consume(encode(chunk, encoded));
    unknown_.add(encoded.unknown);
    num_known_ += encoded.beliefs.num_known();
    num_rows_ += chunk.num_rows;
  });
  add_other_ranks();
}

void ContextStream::read_in_parallel(
    const std::function<std::function<void()>(const ContextChunk&)>& work) {
  reader_.read_in_parallel(requests(), [&](const TableChunk& chunk) -> std::function<void()> {
    EncodedChunk encoded;
    const ContextChunk contexts = encode(chunk, encoded);
    return [this, use = work(contexts), num_rows = chunk.num_rows, unknown = encoded.unknown,
            num_known = encoded.beliefs.num_known()] {
      if (use) use();
      unknown_.add(unknown);
      num_known_ += num_known;
      num_rows_ += num_rows;
    };
  });
  add_other_ranks();
}

// Makes the counts those of all ranks together.
void ContextStream::add_other_ranks() {
  if (ranks_ == nullptr) return;
  std::vector<std::size_t>& far = unknown_.far_values;
  far.resize(encoder_.contexts.size());
  std::vector<std::uint64_t> counts{num_rows_, num_known_, unknown_.unknown_levels,
                                    unknown_.unexpected_missing};
  const std::size_t num_others = counts.size();
  counts.insert(counts.end(), far.begin(), far.end());
  counts = summed_counts(*ranks_, std::move(counts));
  num_rows_ = counts[0];
  num_known_ = counts[1];
  unknown_.unknown_levels = counts[2];
  unknown_.unexpected_missing = counts[3];
  for (std::size_t i = 0; i < far.size(); ++i) far[i] = counts[num_others + i];
}

}  // namespace otss::app
