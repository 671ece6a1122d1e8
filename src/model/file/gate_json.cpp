#include "model/file/gate_json.hpp"

#include <fmt/core.h>

#include <cmath>
#include <numeric>
#include <optional>
#include <stdexcept>

#include "model/maps/quadratic.hpp"

namespace otss::internal {
namespace {

std::vector<double> copy(std::span<const double> values) { return {values.begin(), values.end()}; }

Json fields_of(const LinearGate& gate) {
  return {{"slopes", matrix_to_json(gate.slopes(), gate.num_contexts())},
          {"intercepts", copy(gate.intercepts())}};
}

Json fields_of(const QuadraticGate& gate) { return fields_of(gate.on_columns()); }
Json fields_of(const OneHotGate& gate) { return fields_of(gate.scores()); }

Json fields_of(const CenterGate& gate) {
  return {{"centers", matrix_to_json(gate.centers(), gate.num_contexts())}};
}

Json fields_of(const NetworkGate& gate) {
  Json json = network_to_json(gate.network());
  json["experts"] = gate.num_experts();
  return json;
}

Json fields_of(const AverageGate& gate) {
  Json json;
  for (const AverageGate::Member& member : gate.members()) {
    json["weights"].push_back(member.weight);
    Json fields = std::visit([](const auto& one) { return fields_of(one); }, member.gate);
    const GateKind kind = std::visit([](const auto& one) { return one.kKind; }, member.gate);
    if (kind != GateKind::kLinear) fields["kind"] = word(kind);
    json["gates"].push_back(std::move(fields));
  }
  return json;
}

LinearGate linear_from_json(JsonFields& fields, int num_columns) {
  std::vector<double> intercepts = fields.numbers("intercepts");
  if (intercepts.empty()) fields.fail("intercepts", "is empty");
  std::vector<double> slopes = matrix_from_json(fields, "slopes", intercepts.size(), num_columns);
  return {num_columns, std::move(slopes), std::move(intercepts)};
}

CenterGate centers_from_json(JsonFields& fields, int num_contexts) {
  const std::size_t rows = fields.array("centers").size();
  if (rows == 0) fields.fail("centers", "is empty");
  return {num_contexts, matrix_from_json(fields, "centers", rows, num_contexts),
          static_cast<int>(rows)};
}

NetworkGate network_gate_from_json(JsonFields& fields, int num_contexts) {
  const double experts = fields.number("experts");
  constexpr double kMostExperts = 1e4;
  if (!(experts >= 1 && experts <= kMostExperts && experts == std::floor(experts)))
    fields.fail("experts", "is not a whole number from 1 to 10000");
  return NetworkGate(network_from_json(fields, num_contexts, static_cast<int>(experts)));
}

GateKind kind_from_json(JsonFields& fields) {
  const std::optional<GateKind> kind = parse_word<GateKind>(fields.text("kind"));
  if (!kind)
    fields.fail("kind",
                "has a value that this version of otss does not know; install a newer version, or "
                "fit the model again");
  return *kind;
}

// Reads the gate of a member of an average. A member without a kind has a linear gate.
MemberGate member_from_json(JsonFields& fields, int num_contexts) {
  switch (fields.has("kind") ? kind_from_json(fields) : GateKind::kLinear) {
    case GateKind::kLinear: return linear_from_json(fields, num_contexts);
    case GateKind::kNetwork: return network_gate_from_json(fields, num_contexts);
    case GateKind::kOneHot: return OneHotGate(linear_from_json(fields, num_contexts));
    case GateKind::kCenters: return centers_from_json(fields, num_contexts);
    case GateKind::kQuadratic:
    case GateKind::kAverage: break;
  }
  fields.fail("kind", "is a kind of gate that a member of an average cannot have");
}

AverageGate average_from_json(JsonFields& fields, int num_contexts) {
  const std::vector<double> weights = fields.numbers("weights");
  const Json& gates = fields.array("gates");
  if (weights.empty() || gates.size() != weights.size())
    fields.fail("gates", "does not have one entry per weight");
  std::vector<AverageGate::Member> members;
  constexpr double kRounding = 1e-6;
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  if (!(std::abs(total - 1) <= kRounding)) fields.fail("weights", "does not sum to 1");
  for (std::size_t m = 0; m < weights.size(); ++m) {
    if (weights[m] < 0 || weights[m] > 1) fields.fail("weights", "has an entry outside 0 to 1");
    JsonFields member(gates[m], fmt::format("{}.gates[{}]", fields.where(), m));
    members.push_back({weights[m], member_from_json(member, num_contexts)});
    member.finish();
  }
  return AverageGate(std::move(members));
}

Gate read_gate(JsonFields& fields, int num_contexts) {
  switch (kind_from_json(fields)) {
    case GateKind::kLinear: return linear_from_json(fields, num_contexts);
    case GateKind::kQuadratic: {
      const auto columns = static_cast<int>(num_quadratic_columns(num_contexts));
      return QuadraticGate(num_contexts, linear_from_json(fields, columns));
    }
    case GateKind::kNetwork: return network_gate_from_json(fields, num_contexts);
    case GateKind::kOneHot: return OneHotGate(linear_from_json(fields, num_contexts));
    case GateKind::kCenters: return centers_from_json(fields, num_contexts);
    case GateKind::kAverage: return average_from_json(fields, num_contexts);
  }
  throw std::logic_error("gate_from_json has no code for this kind of gate");
}

}  // namespace

// Writes a matrix as a list of rows. A matrix without columns, such as the slopes of a gate without
// context columns, is written as an empty list.
Json matrix_to_json(std::span<const double> values, std::size_t num_columns) {
  Json rows = Json::array();
  for (std::size_t i = 0; num_columns > 0 && i < values.size(); i += num_columns) {
    rows.push_back(copy(values.subspan(i, num_columns)));
  }
  return rows;
}

std::vector<double> matrix_from_json(JsonFields& fields, const std::string& name,
                                     std::size_t num_rows, std::size_t num_columns) {
  const Json& rows = fields.array(name);
  if (num_columns > 0 && rows.size() != num_rows)
    fields.fail(name, fmt::format("does not have {} rows", num_rows));
  std::vector<double> values;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Json row = {{"row", rows[i]}};
    const std::vector<double> entries =
        JsonFields(row, fmt::format("{}.{}[{}]", fields.where(), name, i)).numbers("row");
    if (entries.size() != num_columns)
      fields.fail(name, fmt::format("has a row that does not have {} numbers", num_columns));
    values.insert(values.end(), entries.begin(), entries.end());
  }
  return values;
}

Json network_to_json(const Network& network) {
  return {{"hidden_slopes", matrix_to_json(network.hidden_slopes, network.num_inputs)},
          {"hidden_intercepts", network.hidden_intercepts},
          {"output_slopes", matrix_to_json(network.output_slopes, network.num_hidden())},
          {"output_intercepts", network.output_intercepts}};
}

Network network_from_json(JsonFields& fields, int num_inputs, int num_outputs) {
  Network network{num_inputs, num_outputs, {}, {}, {}, {}};
  network.hidden_intercepts = fields.numbers("hidden_intercepts");
  network.output_intercepts = fields.numbers("output_intercepts");
  network.hidden_slopes =
      matrix_from_json(fields, "hidden_slopes", network.num_hidden(), num_inputs);
  network.output_slopes =
      matrix_from_json(fields, "output_slopes", num_outputs, network.num_hidden());
  if (!network.has_matching_sizes())
    fields.fail("output_intercepts", "does not match the network's size");
  return network;
}

Json gate_to_json(const Gate& gate) {
  Json json = std::visit([](const auto& one) { return fields_of(one); }, gate);
  json["kind"] = word(kind_of(gate));
  return json;
}

Gate gate_from_json(JsonFields fields, int num_contexts) {
  Gate gate = read_gate(fields, num_contexts);
  fields.finish();
  return gate;
}

}  // namespace otss::internal
