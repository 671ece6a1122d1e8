// A FeasibleSet holds the feasible decisions of each context. It is either a library, which all
// contexts share, or a list of candidates for each context.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "otss/data/table.hpp"

namespace otss {

class ContextDecisions;

// The decisions are stored as a table. A FeasibleSet is immutable. Copying it is cheap, because
// copies share the table.
class FeasibleSet {
 public:
  FeasibleSet();  // makes a library without decisions

  // Makes a library: one set of decisions for all contexts. `ids` has one entry per decision, or is
  // empty if the decisions need no names. `factors` has decisions × J entries, in the log's units.
  // `table` is the name of the library in messages. Sizes that do not match are an Error(kInput).
  static FeasibleSet of_library(std::vector<std::string> ids, int num_factors,
                                std::vector<double> factors, std::string table = "the library");

  // Makes a set of candidates. `contexts` has one entry per decision: the id of the context in
  // which this decision is feasible. The decisions of a context need not be consecutive.
  // `context_id` is the name of the column of a log that holds the context id. The other arguments
  // have the same meaning as in of_library.
  static FeasibleSet of_candidates(std::span<const std::string> contexts,
                                   std::vector<std::string> ids, int num_factors,
                                   std::vector<double> factors,
                                   std::string table = "the candidates",
                                   std::string context_id = {});

  bool is_shared() const { return parts_->is_shared; }        // returns true for a library
  const std::string& table() const { return parts_->table; }  // the table's name in messages
  // Returns the name of the column with the context id. The name is empty for a library.
  const std::string& context_id() const { return parts_->context_id; }

  // The table has one row per decision, in the order in which the decisions were given.
  // Decision::index is a row number of this table.
  std::size_t size() const { return parts_->members.size(); }
  int num_factors() const { return parts_->num_factors; }
  // Returns the id of a decision, or an empty text if the set has no ids.
  const std::string& id(std::size_t row) const;
  // The factors of all decisions, size() × J.
  std::span<const double> factors() const { return parts_->factors; }
  std::span<const double> factors_of(std::size_t row) const {
    return factors().subspan(row * parts_->num_factors, parts_->num_factors);
  }

  // Returns the feasible decisions of the context with this id. A library returns all decisions. If
  // the context has no candidates, throws an Error(kInput) that names the context.
  ContextDecisions of(std::string_view context) const;

  // Returns the feasible decisions of the context with this number. Contexts are numbered from 0 in
  // the order of their first row in the table. A library ignores the number.
  ContextDecisions at(std::size_t context) const;

  // Returns the number of different contexts in the table, which is 1 for a library.
  std::size_t num_contexts() const { return parts_->first.size() - 1; }
  // Converts the id of a context to the number of the context, which at() needs. Returns
  // std::nullopt if the context has no candidates.
  std::optional<std::size_t> number_of(std::string_view context) const;

 private:
  friend class ContextDecisions;

  struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>{}(text);
    }
  };
  struct Parts {
    bool is_shared = true;
    std::string table, context_id;
    std::vector<std::string> ids;
    int num_factors = 0;
    std::vector<double> factors;
    // The key is the id of a context, and the value is the number of that context.
    std::unordered_map<std::string, std::size_t, TextHash, std::equal_to<>> numbers;
    // The rows of context c are members[first[c]] … members[first[c+1]-1].
    std::vector<std::size_t> first = {0, 0};
    // Row numbers in the table: first all rows of context 0, then all rows of context 1, and so on.
    // The row numbers of one context increase.
    std::vector<std::size_t> members;
    std::vector<double> means;  // contexts × J: the mean factors of each context's decisions
  };
  explicit FeasibleSet(Parts parts);

  std::shared_ptr<const Parts> parts_;
};

// The feasible decisions of one context, in the order of the table. This object is a view: it is
// valid as long as its FeasibleSet, or a copy of that set, exists.
class ContextDecisions {
 public:
  std::size_t size() const { return rows_.size(); }
  int num_factors() const { return parts_->num_factors; }

  // Returns one row number per decision: the row of the decision in the table of the FeasibleSet.
  // The row numbers increase.
  std::span<const std::size_t> rows() const { return rows_; }

  // These two functions return the id and the J factors of the decision at a position from 0 to
  // size()-1. The id is empty if the set has no ids.
  const std::string& id(std::size_t position) const;
  std::span<const double> factors(std::size_t position) const {
    return std::span(parts_->factors)
        .subspan(rows_[position] * parts_->num_factors, parts_->num_factors);
  }

  // Returns the mean of each factor over these decisions. If factors depend on the context, this
  // mean is often correlated with the outcome. Weights fitted to the raw factors would then include
  // the effect of the mean. Centring removes this effect by subtracting the mean from the factors.
  // Centring does not change which decision is best, since all decisions of a context are shifted
  // equally.
  std::span<const double> mean_factors() const { return mean_; }

 private:
  friend class FeasibleSet;
  ContextDecisions(const FeasibleSet::Parts& parts, std::size_t context);

  const FeasibleSet::Parts* parts_;
  std::span<const std::size_t> rows_;
  std::span<const double> mean_;
};

// Counts unused candidates. A candidate is unused if its context was never given to add().
class CandidateUse {
 public:
  explicit CandidateUse(FeasibleSet feasible);
  // Records that the contexts with these ids occurred.
  void add(std::span<const std::string> contexts);
  // Adds the contexts that occurred on other ranks. All ranks must call this function.
  void add_ranks(Ranks& ranks);
  // Returns the number of unused candidates, which is 0 for a library.
  std::size_t num_unused_rows() const;

 private:
  FeasibleSet feasible_;
  std::vector<bool> used_;  // one entry per context: true if the context was added
};

// Reads a library. The table has one decision per row. Throws an Error that names the file, row and
// column if the table has no rows, a column is unknown, an id is missing or repeated, or a factor
// is missing or infinite. If `id_column` is empty, the decisions have no ids. (read_centered_log
// does not need ids.)
FeasibleSet read_library(const TableReader& reader, const std::string& id_column,
                         const std::vector<std::string>& factors);
FeasibleSet read_library(const std::string& path, const std::string& id_column,
                         const std::vector<std::string>& factors);

// Reads candidates, that is, decisions listed per context. The table has one decision per row.
// Throws an Error in the same cases as read_library, and if a row has no context id. One id may
// occur in several contexts, but only once in each context.
FeasibleSet read_candidates(const TableReader& reader, const std::string& context_id_column,
                            const std::string& id_column, const std::vector<std::string>& factors);
FeasibleSet read_candidates(const std::string& path, const std::string& context_id_column,
                            const std::string& id_column, const std::vector<std::string>& factors);

}  // namespace otss
