#include <fmt/format.h>

#include <cstdio>

#include "command.hpp"
#include "describe_model.hpp"
#include "json.hpp"
#include "otss/base/error.hpp"
#include "otss/model/model_file.hpp"

namespace otss::app {
namespace {

void run(const std::string& path, bool json) {
  const Fitted fitted = load_model(path);
  if (json) {
    fmt::print("{}", model_to_text(fitted));
    return;
  }
  const Json provenance = Json::parse(fitted.provenance());
  fmt::print("{}: {} model, {} estimator, {} outcome '{}'\n", path, fitted.method(),
             fitted.estimator(), fitted.family(), fitted.roles().outcome);
  fmt::print("written by {}, seed {}, data {}, checksum {}\n",
             provenance.value("software", "another program"),
             provenance.at("options").at("seed").dump(),
             provenance.at("data").at("fingerprint").get<std::string>(),
             model_checksum(fitted).substr(0, 12));
  fmt::print("contexts: {}\n", fmt::join(fitted.encoder().encoded_names(), ", "));
  for (const char* constraint : {"sign", "bounds"}) {
    const std::string text = provenance.at("options").value(constraint, "");
    if (!text.empty()) fmt::print("constrained by --{} {}\n", constraint, text);
  }
  fmt::print("{}", describe_fit(fitted));
}

}  // namespace

void add_inspect(CLI::App& app) {
  CLI::App* command = app.add_subcommand("inspect", "What a model is: experts, provenance");
  const auto path = std::make_shared<std::string>();
  const auto json = std::make_shared<bool>(false);
  command->add_option("MODEL", *path, "a model file")->required();
  command->add_flag("--json", *json, "the whole model document as JSON");
  command->footer("Example:\n  otss inspect model.json");
  command->callback([path, json] {
    try {
      run(*path, *json);
    } catch (const Json::exception&) {  // a document someone else wrote may carry any provenance
      throw Error(ErrorCode::kInput,
                  fmt::format("{}: its provenance lacks what otss fit writes; use --json", *path));
    }
  });
}

}  // namespace otss::app
