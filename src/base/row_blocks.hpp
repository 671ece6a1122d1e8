// A parallel loop over the rows of a table.
#pragma once

#include <cstddef>
#include <functional>

namespace otss::internal {

// Calls body(begin, end) for consecutive blocks of rows, on as many threads as the calling body may
// use (threads_of_this_loop). For work in which no row depends on another, so that the blocks do not
// change the result.
void for_row_blocks(std::size_t num_rows,
                    const std::function<void(std::size_t begin, std::size_t end)>& body);

}  // namespace otss::internal
