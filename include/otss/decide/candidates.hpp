// Decisions listed per context: each row of the table belongs to the context its context-id column
// names.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "otss/data/table.hpp"
#include "otss/decide/library.hpp"

namespace otss {

class Candidates {
 public:
  // `context_ids` names the context of each row of `rows`; a context's rows need not be neighbours.
  // `source` is the table's name, for messages.
  Candidates(std::string source, std::span<const std::string> context_ids, Library rows);

  const Library& rows() const {
    return rows_;
  }  // as they stood in the table; Decision::index counts in these

  // The candidate set of each context, for decide(). Contexts may share a set. One without
  // candidates is an error naming it. May be called for one chunk of contexts after the other.
  std::vector<std::size_t> link(std::span<const std::string> context_ids);

  std::size_t num_sets() const { return first_.size() - 1; }

  // A set's rows, in table order.
  std::span<const std::size_t> set(std::size_t index) const {
    return std::span(members_).subspan(first_[index], first_[index + 1] - first_[index]);
  }

  std::size_t num_unlinked_rows()
      const;  // rows of contexts that no link() has asked for: they are ignored

 private:
  std::string source_;
  Library rows_;
  std::unordered_map<std::string, std::size_t> set_of_;
  std::vector<std::size_t> first_;    // first_[s] … first_[s+1]: where set s stands in members_
  std::vector<std::size_t> members_;  // rows, set after set
  std::vector<bool> linked_;
};

// Errors as read_library's; an id may be repeated for another context, and a row without context id
// is an error.
Candidates read_candidates(const TableReader& reader, const std::string& context_id_column,
                           const std::string& id_column, const std::vector<std::string>& factors);

}  // namespace otss
