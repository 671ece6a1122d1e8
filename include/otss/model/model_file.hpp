// The model file: one readable JSON document with a checksum (docs/reference/model-file.md).
#pragma once

#include <string>
#include <string_view>

#include "otss/model/fitted.hpp"

namespace otss {

// Writes the model to a file. A file that cannot be written is an Error.
void save_model(const Fitted& fitted, const std::string& path);

// Reads a model file. The weights of the result equal those of the saved model to the bit. A file
// that is missing, altered, written by a newer version, or has an unknown or wrong field is an
// Error(kInput).
Fitted load_model(const std::string& path);

// Convert a model to the text of a model file and back. `name` stands for the file name in error
// messages.
std::string model_to_text(const Fitted& fitted);
Fitted model_from_text(std::string_view text, const std::string& name);

// Returns a hash that identifies a model: the SHA-256 of its document without white space and with
// sorted keys.
std::string model_checksum(const Fitted& fitted);

}  // namespace otss
