// This header converts gates to JSON objects and back. The field `kind` of an object says which
// kind of gate it is.
#pragma once

#include "base/json.hpp"
#include "model/maps/gates.hpp"

namespace otss::internal {

Json matrix_to_json(std::span<const double> values, std::size_t num_columns);

// Reads a matrix given as a list of `num_rows` rows with `num_columns` numbers each.
std::vector<double> matrix_from_json(JsonFields& fields, const std::string& name,
                                     std::size_t num_rows, std::size_t num_columns);

Json network_to_json(const Network& network);
Network network_from_json(JsonFields& fields, int num_inputs, int num_outputs);

Json gate_to_json(const Gate& gate);
Gate gate_from_json(JsonFields fields, int num_contexts);

}  // namespace otss::internal
