// Is a gzip file whole?
#pragma once

#include <string>

namespace otss {

// DuckDB takes the end of a cut file for the end of the data, and a cut inside the last field
// leaves no ragged row to notice. So the file is unpacked once beforehand, up to its own length and
// checksum. Throws an Error that calls the file `name`.
void check_gzip_is_whole(const std::string& file, const std::string& name);

}  // namespace otss
