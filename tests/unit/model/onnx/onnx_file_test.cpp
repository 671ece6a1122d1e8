// The files that export_onnx writes, judged by the library of the ONNX project. That onnxruntime
// computes our weights from them is tested in tests/integration/test_onnx.py.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <onnx/checker.h>
#include <onnx/onnx_pb.h>
#include <onnx/shape_inference/implementation.h>

#include <numeric>

#include "model/fitted_parts.hpp"
#include "otss/base/error.hpp"
#include "otss/model/model_file.hpp"
#include "otss/model/onnx.hpp"

namespace otss {
namespace {

using namespace internal;

using testing::ElementsAre;
using testing::HasSubstr;
using Vector = std::vector<double>;

// Two numbers, one with missing values, two text columns of two levels each, and two pairs of
// levels.
Encoder encoder_of_all_kinds() {
  Encoder encoder;
  encoder.contexts = {
      {.name = "age", .center = 40, .scale = 10, .has_missing = true, .missing_frequency = 0.1},
      {.name = "region",
       .kind = ColumnKind::kText,
       .levels = {"north", "south"},
       .level_frequencies = {0.5, 0.5}},
      {.name = "since", .center = 1.6e9, .scale = 1e7, .type = ValueType::kTime},
      {.name = "chain",
       .kind = ColumnKind::kText,
       .levels = {"A", "B"},
       .level_frequencies = {0.5, 0.4}}};
  encoder.level_pairs = {{1, 3, {{0, 1}, {1, 0}}, {0.2, 0.3}}};
  encoder.factors = {{"price", 1.5, 2}, {"health", 0.1, 0.3}};
  return encoder;
}

Vector numbers(std::size_t count) {
  Vector values(count);
  std::iota(values.begin(), values.end(), 0.25);
  return values;
}

Fitted model_with(const AnyScorer& scorer, Method method = Method::kOtss) {
  Fitted::Parts parts;
  parts.method = method;
  parts.encoder = encoder_of_all_kinds();
  parts.roles = {.contexts = {"age", "region", "since", "chain"},
                 .factors = {"price", "health"},
                 .outcome = "y"};
  parts.scorer = scorer;
  const Mixture* mixture = as_scorer(scorer).as_mixture();
  parts.baseline.slopes = Vector(static_cast<std::size_t>(parts.encoder.num_encoded()));
  parts.baseline.expert_intercepts =
      Vector(mixture != nullptr ? static_cast<std::size_t>(mixture->num_experts()) : 0);
  return Fitted(std::move(parts));
}

Fitted model_with_gate(Gate gate) {
  const auto experts = static_cast<std::size_t>(num_experts(gate));
  return model_with(std::make_shared<SoftMixture>(std::move(gate), 2, numbers(experts * 2)));
}

constexpr int kColumns = 9;  // the encoded columns of encoder_of_all_kinds()

LinearGate linear_gate(int columns = kColumns) {
  return {columns, numbers(static_cast<std::size_t>(columns) * 2), {0.5, -0.5}};
}

Network network_with(int outputs) {
  return {kColumns,
          outputs,
          numbers(3 * kColumns),
          numbers(3),
          numbers(3 * static_cast<std::size_t>(outputs)),
          numbers(outputs)};
}

onnx::ModelProto checked(const Fitted& fitted) {
  onnx::ModelProto model;
  EXPECT_TRUE(model.ParseFromString(onnx_model(fitted)));
  onnx::checker::check_model(model);
  const onnx::ShapeInferenceOptions strict{true, 1, true};
  onnx::shape_inference::InferShapes(model, onnx::OpSchemaRegistry::Instance(), strict);
  return model;
}

TEST(OnnxFile, IsValidForEveryKindOfWeightMap) {
  EXPECT_NO_THROW(checked(model_with_gate(linear_gate())));
  EXPECT_NO_THROW(checked(model_with_gate(QuadraticGate(kColumns, linear_gate(kColumns + 45)))));
  EXPECT_NO_THROW(checked(model_with_gate(NetworkGate(network_with(2)))));
  EXPECT_NO_THROW(checked(model_with_gate(OneHotGate(linear_gate()))));
  EXPECT_NO_THROW(checked(model_with_gate(CenterGate(kColumns, numbers(2 * kColumns), 2))));
  EXPECT_NO_THROW(
      checked(model_with_gate(AverageGate({{0.25, linear_gate()}, {0.75, linear_gate()}}))));
  EXPECT_NO_THROW(checked(
      model_with_gate(AverageGate({{0.25, linear_gate()},
                                   {0.25, OneHotGate(linear_gate())},
                                   {0.5, CenterGate(kColumns, numbers(2 * kColumns), 2)}}))));
  EXPECT_NO_THROW(checked(
      model_with(std::make_shared<LinearWeights>(kColumns, numbers(2 * kColumns), numbers(2)))));
  EXPECT_NO_THROW(checked(model_with(std::make_shared<NetworkWeights>(network_with(2)))));
}

TEST(OnnxFile, HasAnInputPerContextColumnAndTheWeightsAsOutput) {
  const onnx::ModelProto model = checked(model_with_gate(linear_gate()));
  const auto type_of = [](const onnx::ValueInfoProto& value) {
    return value.type().tensor_type().elem_type();
  };
  std::vector<std::pair<std::string, int>> inputs;
  for (const auto& input : model.graph().input()) inputs.emplace_back(input.name(), type_of(input));
  EXPECT_THAT(inputs, ElementsAre(std::pair("age", onnx::TensorProto::FLOAT),
                                  std::pair("region", onnx::TensorProto::STRING),
                                  std::pair("since", onnx::TensorProto::DOUBLE),
                                  std::pair("chain", onnx::TensorProto::STRING)));
  ASSERT_EQ(model.graph().output_size(), 1);
  const auto& output = model.graph().output(0);
  EXPECT_EQ(output.name(), "weights");
  EXPECT_EQ(type_of(output), onnx::TensorProto::FLOAT);
  EXPECT_EQ(output.type().tensor_type().shape().dim(1).dim_value(), 2);
}

TEST(OnnxFile, NamesTheFactorsAndTheModel) {
  const Fitted fitted = model_with_gate(linear_gate());
  const onnx::ModelProto model = checked(fitted);
  ASSERT_EQ(model.metadata_props_size(), 2);
  EXPECT_EQ(model.metadata_props(0).key(), "factors");
  EXPECT_EQ(model.metadata_props(0).value(), R"(["price","health"])");
  EXPECT_EQ(model.metadata_props(1).value(), model_checksum(fitted));
}

TEST(OnnxFile, IsRefusedForBoostedTrees) {
  const auto trees = std::make_shared<TreeScorer>(kColumns, 2, std::vector<Tree>{{TreeNode{}}});
  try {
    onnx_model(model_with(trees, Method::kGbm));
    FAIL() << "boosted trees have no weights";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("a gbm model has scores but no weights"));
  }
}

TEST(OnnxFile, IsRefusedForAModelWithoutContexts) {
  Fitted::Parts parts;
  parts.encoder.factors = {{"price", 1.5, 2}};
  parts.roles = {.factors = {"price"}, .outcome = "y"};
  parts.scorer = std::make_shared<SoftMixture>(LinearGate(0, {}, {0}), 1, Vector{2});
  parts.baseline.expert_intercepts = {0};
  try {
    onnx_model(Fitted(std::move(parts)));
    FAIL() << "an ONNX file without inputs cannot say how many rows it has";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("no context columns"));
  }
}

}  // namespace
}  // namespace otss
