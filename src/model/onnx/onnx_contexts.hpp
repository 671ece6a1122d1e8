// The encoder of a model as ONNX operators: raw context columns in, encoded contexts x out.
#pragma once

#include "model/onnx/onnx_graph.hpp"
#include "otss/data/encoder.hpp"

namespace otss::internal {

// Adds the context columns as inputs, and returns the encoded contexts, rows × p, in double
// precision. A model whose columns were all constant in training has p = 0; then the result has one
// column of zeros.
OnnxGraph::Tensor encode_in(OnnxGraph& graph, const Encoder& encoder);

}  // namespace otss::internal
