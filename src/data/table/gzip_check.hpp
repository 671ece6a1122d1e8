// This header makes gzip files, and checks that a gzip file is complete.
#pragma once

#include <string>

namespace otss::internal {

// Throws an Error if a gzip file is truncated or damaged. The message calls the file `name`. DuckDB
// reads a truncated gzip file without an error, and the last row may even have all its fields. So
// this function decompresses the whole file once and verifies its length and checksum.
void check_gzip_is_whole(const std::string& file, const std::string& name);

// Returns the text as the bytes of a gzip file. The file has no time, so that equal texts give equal
// files.
std::string gzip_file_of(const std::string& text);

}  // namespace otss::internal
