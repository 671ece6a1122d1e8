// Compresses bytes in the format of Snappy
// (https://github.com/google/snappy/blob/main/format_description.txt), which all readers of Parquet know.
#pragma once

#include <string>
#include <string_view>

namespace otss::internal::parquet {

std::string compressed(std::string_view bytes);

}  // namespace otss::internal::parquet
