#include "base/row_blocks.hpp"

#include <algorithm>

#include "base/threads.hpp"

namespace otss::internal {

void for_row_blocks(std::size_t num_rows,
                    const std::function<void(std::size_t begin, std::size_t end)>& body) {
  // So many rows take longer than it takes to hand them to another thread.
  constexpr std::size_t kBlockRows = 4096;
  parallel_for((num_rows + kBlockRows - 1) / kBlockRows, threads_of_this_loop(),
               [&](std::size_t block) {
                 body(block * kBlockRows, std::min(num_rows, (block + 1) * kBlockRows));
               });
}

}  // namespace otss::internal
