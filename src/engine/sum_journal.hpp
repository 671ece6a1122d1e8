// A journal of sums lets a fit continue after its process has ended. A fit asks for the same sums in
// the same order whenever it runs, so the answers of an earlier run give the same model to the bit.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "engine/rows.hpp"

namespace otss::internal {

class JournalledRows : public Rows {
 public:
  virtual std::size_t num_known() const = 0;  // the number of sums that are known by now
};

// Returns rows that write each sum to the file `path`, every few sums, and answer from this file what an
// earlier run has computed already. The file is replaced atomically. It is an Error(kInput) if the file
// is damaged, or was written for other rows or by a fit with other options. `rows` must live longer.
std::unique_ptr<JournalledRows> with_journal(Rows& rows, const std::string& path);

}  // namespace otss::internal
