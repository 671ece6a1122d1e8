#include "model/onnx/onnx_graph.hpp"

#include <fmt/core.h>

#include <bit>

namespace otss::internal {
namespace {

// The field numbers below are those of onnx.proto. Numbers that are written as raw bytes are little
// endian in ONNX, as they are in memory.
static_assert(std::endian::native == std::endian::little);

constexpr int kIrVersion = 8;
constexpr int kOpset = 15, kMachineLearningOpset = 2;
constexpr std::string_view kMachineLearning = "ai.onnx.ml";

bool is_machine_learning(std::string_view op) { return op == "LabelEncoder"; }

void write_attribute_value(ProtoMessage& message, std::int64_t value) {
  message.integer(3, value);
  message.integer(20, 2);  // the type INT
}

void write_attribute_value(ProtoMessage& message, const std::string& value) {
  message.text(4, value);
  message.integer(20, 3);  // the type STRING
}

void write_attribute_value(ProtoMessage& message, const std::vector<std::int64_t>& values) {
  for (const std::int64_t value : values) message.integer(8, value);
  message.integer(20, 7);  // the type INTS
}

void write_attribute_value(ProtoMessage& message, const std::vector<std::string>& values) {
  for (const std::string& value : values) message.text(9, value);
  message.integer(20, 8);  // the type STRINGS
}

ProtoMessage attribute_message(const OnnxAttribute& attribute) {
  ProtoMessage message;
  message.text(1, attribute.name);
  std::visit([&](const auto& value) { write_attribute_value(message, value); }, attribute.value);
  return message;
}

// Describes an input or output with a row per context and the given number of columns.
ProtoMessage matrix_message(const std::string& name, OnnxType type, std::size_t columns) {
  ProtoMessage rows, width, shape, tensor, any, info;
  rows.text(2, "rows");
  width.integer(1, static_cast<std::int64_t>(columns));
  shape.message(1, rows);
  shape.message(1, width);
  tensor.integer(1, static_cast<int>(type));
  tensor.message(2, shape);
  any.message(1, tensor);
  info.text(1, name);
  info.message(2, any);
  return info;
}

ProtoMessage opset_message(std::string_view domain, int version) {
  ProtoMessage message;
  message.text(1, domain);
  message.integer(2, version);
  return message;
}

template <class Number>
std::string_view bytes_of(std::span<const Number> values) {
  return {reinterpret_cast<const char*>(values.data()), values.size_bytes()};
}

}  // namespace

OnnxGraph::Tensor OnnxGraph::free_name(std::string wanted) {
  while (!names_.insert(wanted).second) wanted += '_';
  return wanted;
}

OnnxGraph::Tensor OnnxGraph::input(const std::string& name, OnnxType type) {
  names_.insert(name);
  graph_.message(11, matrix_message(name, type, 1));
  return name;
}

void OnnxGraph::apply_to(std::string_view op, const std::vector<Tensor>& inputs,
                         const Tensor& output, const std::vector<OnnxAttribute>& attributes) {
  ProtoMessage node;
  for (const Tensor& one : inputs) node.text(1, one);
  node.text(2, output);
  node.text(3, output);
  node.text(4, op);
  for (const OnnxAttribute& one : attributes) node.message(5, attribute_message(one));
  if (is_machine_learning(op)) node.text(7, kMachineLearning);
  graph_.message(1, node);
}

OnnxGraph::Tensor OnnxGraph::apply(std::string_view op, const std::vector<Tensor>& inputs,
                                   const std::vector<OnnxAttribute>& attributes) {
  Tensor output = free_name(fmt::format("{}_{}", op, names_.size()));
  apply_to(op, inputs, output, attributes);
  return output;
}

OnnxGraph::Tensor OnnxGraph::cast(const Tensor& values, OnnxType type) {
  return apply("Cast", {values}, {{"to", static_cast<std::int64_t>(type)}});
}

OnnxGraph::Tensor OnnxGraph::constant(OnnxType type, std::string_view bytes,
                                      const std::vector<std::int64_t>& sizes) {
  Tensor name = free_name(fmt::format("constant_{}", names_.size()));
  ProtoMessage tensor;
  for (const std::int64_t size : sizes) tensor.integer(1, size);
  tensor.integer(2, static_cast<int>(type));
  tensor.text(8, name);
  tensor.text(9, bytes);
  graph_.message(5, tensor);
  return name;
}

OnnxGraph::Tensor OnnxGraph::constant(std::span<const double> values,
                                      const std::vector<std::int64_t>& sizes) {
  return constant(OnnxType::kDouble, bytes_of(values), sizes);
}

OnnxGraph::Tensor OnnxGraph::constant(std::span<const std::int64_t> values,
                                      const std::vector<std::int64_t>& sizes) {
  return constant(OnnxType::kInteger, bytes_of(values), sizes);
}

void OnnxGraph::output(const std::string& name, const Tensor& values, std::size_t columns) {
  const Tensor shown = free_name(name);
  apply_to("Identity", {values}, shown, {});
  graph_.message(12, matrix_message(shown, OnnxType::kFloat, columns));
}

void OnnxGraph::describe(const std::string& key, const std::string& value) {
  descriptions_.emplace_back(key, value);
}

std::string OnnxGraph::file(const std::string& producer_version) const {
  ProtoMessage graph = graph_, model;
  graph.text(2, "weights");
  model.integer(1, kIrVersion);
  model.text(2, "otss");
  model.text(3, producer_version);
  model.message(7, graph);
  model.message(8, opset_message("", kOpset));
  model.message(8, opset_message(kMachineLearning, kMachineLearningOpset));
  for (const auto& [key, value] : descriptions_) {
    ProtoMessage entry;
    entry.text(1, key);
    entry.text(2, value);
    model.message(14, entry);
  }
  return model.bytes();
}

}  // namespace otss::internal
