#include <fmt/core.h>

#include "arguments.hpp"
#include "command.hpp"
#include "json.hpp"
#include "otss/base/error.hpp"
#include "otss/model/model_file.hpp"
#include "otss/model/onnx.hpp"
#include "printing.hpp"

namespace otss::app {
namespace {

struct ModelExport {
  std::string model;
  Output onnx{.option = "--onnx"};
};

void run(const ModelExport& arguments) {
  arguments.onnx.check({arguments.model});
  const Fitted fitted = load_model(arguments.model);
  export_onnx(fitted, arguments.onnx.path);
  const auto contexts = fitted.encoder().contexts.size();
  const auto factors = static_cast<std::size_t>(fitted.num_factors());
  if (arguments.onnx.json) {
    fmt::print(
        "{}\n",
        Json{{"onnx", arguments.onnx.path}, {"inputs", contexts}, {"factors", factors}}.dump());
    return;
  }
  print_text("wrote {}: {} in, the weights of {} out\n", arguments.onnx.path,
             counted(contexts, "context column"), counted(factors, "factor"));
  if (fitted.deviations() != nullptr) {
    print_text(
        "The file has the weights of the population. What is known about units is not part of it; "
        "otss weights --units adds it.\n");
  }
}

}  // namespace

void add_export(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("export", "Write a model in a format that other programs evaluate");
  const auto arguments = std::make_shared<ModelExport>();
  command->add_option("MODEL", arguments->model, "a model file")->required();
  command
      ->add_option("--onnx", arguments->onnx.path,
                   "ONNX file to write: one input per context column, the weights as output")
      ->type_name("FILE")
      ->required();
  command->add_flag("--json", arguments->onnx.json, "print a summary as JSON");
  command->footer(
      "The inputs have the names of the context columns and the shape rows × 1: float32 for "
      "numbers "
      "(NaN means missing), text for text columns (an empty text means missing). The output "
      "'weights' has one column per factor, in the order of otss inspect.\n"
      "Example:\n"
      "  otss export model.json --onnx model.onnx");
  command->callback([arguments] { run(*arguments); });
}

}  // namespace otss::app
