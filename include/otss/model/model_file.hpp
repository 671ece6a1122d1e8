// This header writes and reads model files. A model file is a readable JSON document with a
// checksum (docs/reference/model-file.md).
#pragma once

#include <string>
#include <string_view>

#include "otss/model/fitted.hpp"

namespace otss {

// Writes the model to a file. A file that cannot be written is an Error.
void save_model(const Fitted& fitted, const std::string& path);

// Reads a model file. The weights of the result are bitwise identical to the weights of the saved
// model. Throws Error(kInput) if the file is missing, was altered, was written by a newer version,
// or has an unknown or wrong field.
Fitted load_model(const std::string& path);

// These two functions convert a model to the text of a model file and back. Error messages use
// `name` as the name of the file.
std::string model_to_text(const Fitted& fitted);
Fitted model_from_text(std::string_view text, const std::string& name);

// Returns a hash that identifies a model. The hash is the SHA-256 of the model's JSON document,
// written without white space and with sorted keys.
std::string model_checksum(const Fitted& fitted);

}  // namespace otss
