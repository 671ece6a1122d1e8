// This header writes a model as an ONNX file, which other programs evaluate without otss
// (docs/reference/onnx.md).
#pragma once

#include <string>

#include "otss/model/fitted.hpp"

namespace otss {

// Returns the bytes of an ONNX model that computes the weights w(x) of the population. It has one
// input per context column, with the column's name: float32 for numbers (NaN means missing), double
// for dates, text for text columns (an empty text means missing). Its output "weights" is float32
// with one column per factor. All computations between are in double precision. Throws
// Error(kInput) if the model has no weights or no context columns.
std::string onnx_model(const Fitted& fitted);

// Writes onnx_model(fitted) to a file. A file that cannot be written is an Error.
void export_onnx(const Fitted& fitted, const std::string& path);

}  // namespace otss
