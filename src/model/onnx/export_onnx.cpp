#include <fmt/core.h>

#include "base/atomic_file.hpp"
#include "base/json.hpp"
#include "model/fitted_parts.hpp"
#include "model/onnx/onnx_contexts.hpp"
#include "model/onnx/onnx_weights.hpp"
#include "otss/base/error.hpp"
#include "otss/base/process.hpp"
#include "otss/model/model_file.hpp"
#include "otss/model/onnx.hpp"

namespace otss {

using namespace internal;

std::string onnx_model(const Fitted& fitted) {
  fitted.weight_map();  // throws an Error if the model has no weights
  if (fitted.encoder().contexts.empty()) {
    throw Error(ErrorCode::kInput,
                "the model has no context columns, so its weights are the same everywhere, and an "
                "ONNX file would have no input; otss inspect shows the weights");
  }
  OnnxGraph graph;
  const OnnxGraph::Tensor x = encode_in(graph, fitted.encoder());
  const OnnxGraph::Tensor w = weights_in(graph, fitted.parts().scorer, x);
  graph.output("weights", graph.cast(w, OnnxType::kFloat),
               static_cast<std::size_t>(fitted.num_factors()));
  graph.describe("factors", Json(fitted.factor_names()).dump());
  graph.describe("otss_model", model_checksum(fitted));
  return graph.file(std::string(version()));
}

void export_onnx(const Fitted& fitted, const std::string& path) {
  const std::string bytes = onnx_model(fitted);
  AtomicFile file(path);
  file.write(bytes);
  file.commit();
}

}  // namespace otss
