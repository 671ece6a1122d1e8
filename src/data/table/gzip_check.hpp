// Checks that a gzip file is complete.
#pragma once

#include <string>

namespace otss::internal {

// DuckDB reads a truncated gzip file without an error. If the file was truncated inside the last
// field of a row, no field is missing either. So this function decompresses the whole file once and
// verifies its length and checksum. If the file is truncated or damaged, throws an Error in which
// the file is called `name`.
void check_gzip_is_whole(const std::string& file, const std::string& name);

}  // namespace otss::internal
