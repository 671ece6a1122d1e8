// An OnnxGraph is a list of operators that compute named tensors, in the format of ONNX
// (https://github.com/onnx/onnx/blob/main/docs/IR.md). It is built operator by operator and then
// written as a file.
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "model/onnx/proto_message.hpp"

namespace otss::internal {

// The types of the elements of tensors, by their numbers in ONNX.
enum class OnnxType : std::int8_t { kFloat = 1, kInteger = 7, kText = 8, kDouble = 11 };

// A name and a value of an operator's attribute.
struct OnnxAttribute {
  using Value =
      std::variant<std::int64_t, std::string, std::vector<std::int64_t>, std::vector<std::string>>;
  std::string name;
  Value value;
};

// The operators of ONNX are those of version 15 (opset), which onnxruntime reads since version 1.10.
// LabelEncoder is an operator of the set ai.onnx.ml, version 2.
class OnnxGraph {
 public:
  using Tensor = std::string;  // a tensor is known by its name

  // Adds an input with one column. No other tensor gets its name, so inputs must be added first.
  Tensor input(const std::string& name, OnnxType type);
  // Adds an operator with one output, and returns the output.
  Tensor apply(std::string_view op, const std::vector<Tensor>& inputs,
               const std::vector<OnnxAttribute>& attributes = {});
  // Converts the elements of a tensor.
  Tensor cast(const Tensor& values, OnnxType type);
  // Adds a constant with the given sizes, row after row. No sizes mean a single number.
  Tensor constant(std::span<const double> values, const std::vector<std::int64_t>& sizes);
  Tensor constant(double value) { return constant(std::span(&value, 1), {}); }
  Tensor constant(std::span<const std::int64_t> values, const std::vector<std::int64_t>& sizes);
  Tensor constant(std::int64_t value) { return constant(std::span(&value, 1), {}); }
  // Makes `values`, a matrix of float32 with this many columns, the output called `name`. The name
  // gets a "_" at its end if an input has it.
  void output(const std::string& name, const Tensor& values, std::size_t columns);

  // Adds a text that describes the model.
  void describe(const std::string& key, const std::string& value);
  std::string file(const std::string& producer_version) const;  // returns the bytes of the file

 private:
  Tensor free_name(std::string wanted);
  Tensor constant(OnnxType type, std::string_view bytes, const std::vector<std::int64_t>& sizes);
  void apply_to(std::string_view op, const std::vector<Tensor>& inputs, const Tensor& output,
                const std::vector<OnnxAttribute>& attributes);

  std::set<std::string> names_;
  ProtoMessage graph_;
  std::vector<std::pair<std::string, std::string>> descriptions_;
};

}  // namespace otss::internal
