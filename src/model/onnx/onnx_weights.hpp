// The weight maps of models as ONNX operators: encoded contexts x in, weights w(x) out.
#pragma once

#include "model/maps/any_scorer.hpp"
#include "model/onnx/onnx_graph.hpp"

namespace otss::internal {

// Returns the weights, rows × J, of the encoded contexts x, rows × p, both in double precision.
// Precondition: the scorer has weights.
OnnxGraph::Tensor weights_in(OnnxGraph& graph, const AnyScorer& scorer, const OnnxGraph::Tensor& x);

}  // namespace otss::internal
