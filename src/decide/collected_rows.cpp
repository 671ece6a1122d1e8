#include "decide/collected_rows.hpp"

#include <utility>

#include "base/ranks/message.hpp"
#include "data/log/fingerprint.hpp"

namespace otss::internal {
namespace {

// Calls visit(values) for each field of the rows that has one value, or several, per row. The numbers
// of groups are left out, because they differ between ranks.
template <class Rows, class Visit>
void for_each_field(Rows& rows, const Visit& visit) {
  visit(rows.eta);
  visit(rows.outcomes);
  visit(rows.row_weights);
  visit(rows.log_losses);
  visit(rows.weights);
  visit(rows.largest_shares);
  visit(rows.top_shares);
}

std::string message_of(const EvaluatedRows& rows) {
  MessageWriter writer;
  for_each_field(rows, [&](const auto& values) { writer.put(values); });
  writer.put(rows.groups);
  writer.put(rows.group_names);
  writer.put(rows.shares);
  writer.put(rows.unknown.unknown_levels);
  writer.put(rows.unknown.unexpected_missing);
  writer.put(rows.unknown.far_values);
  writer.put(rows.known_units);
  writer.put(rows.rows);
  return std::move(writer).take();
}

// Adds the groups of another rank. Groups are numbered in the order of their first rows.
void add_groups(const std::vector<std::uint32_t>& groups, const std::vector<std::string>& names,
                TextCodes& codes, EvaluatedRows& rows) {
  std::vector<std::uint32_t> numbers;
  for (const std::string& name : names) numbers.push_back(codes.code(name, hash_text(name)));
  for (const std::uint32_t group : groups) rows.groups.push_back(numbers[group]);
}

void add_message(const std::string& message, TextCodes& codes, EvaluatedRows& rows) {
  MessageReader reader(message);
  for_each_field(rows, [&]<class Values>(Values& values) {
    const auto more = reader.get<Values>();
    values.insert(values.end(), more.begin(), more.end());
  });
  const auto groups = reader.get<std::vector<std::uint32_t>>();
  add_groups(groups, reader.get<std::vector<std::string>>(), codes, rows);
  const auto shares = reader.get<std::vector<double>>();
  UnknownCounts unknown;
  reader.get(unknown.unknown_levels);
  reader.get(unknown.unexpected_missing);
  reader.get(unknown.far_values);
  rows.unknown.add(unknown);
  rows.known_units += reader.get<std::size_t>();
  const auto num_rows = reader.get<std::size_t>();
  rows.rows += num_rows;
  const std::size_t num_experts = num_rows == 0 ? 0 : shares.size() / num_rows;
  for (std::size_t i = 0; i < num_rows && num_experts > 0; ++i)
    rows.gate.add(std::span(shares).subspan(i * num_experts, num_experts));
}

}  // namespace

void collect_rows(Ranks& ranks, EvaluatedRows& rows) {
  bool is_sent = false;
  TextCodes codes;
  for (const std::string& name : rows.group_names) codes.code(name, hash_text(name));
  ranks.collect([&] { return std::exchange(is_sent, true) ? std::string() : message_of(rows); },
                [&](const std::string& message) { add_message(message, codes, rows); });
  rows.group_names = codes.texts();
}

}  // namespace otss::internal
