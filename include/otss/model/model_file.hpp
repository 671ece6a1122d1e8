// The model file: one JSON document a person can read, checksummed and read strictly
// (docs/reference/model-file.md).
#pragma once

#include <string>
#include <string_view>

#include "otss/model/fitted.hpp"

namespace otss {

// Weights computed from a loaded model equal those of the saved one to the bit.
void save_model(const Fitted& fitted, const std::string& path);
Fitted load_model(const std::string& path);

std::string model_to_text(const Fitted& fitted);
Fitted model_from_text(std::string_view text, const std::string& name /* for messages */);

// SHA-256 of the document's canonical form: what identifies a model.
std::string model_checksum(const Fitted& fitted);

}  // namespace otss
