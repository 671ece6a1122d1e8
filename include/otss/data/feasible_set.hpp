// The feasible decisions of a context: a library that all contexts share, or candidates listed per
// context.
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

// Immutable; copies share the table, so they are cheap.
class FeasibleSet {
 public:
  FeasibleSet();  // a library without decisions

  // A library: one set for all contexts. `ids` has one entry per decision, or is empty if decisions
  // need no names; `factors` is decisions × J, in the log's units; `table` is its name in messages.
  // Sizes that do not match are an Error(kInput).
  static FeasibleSet of_library(std::vector<std::string> ids, int num_factors,
                                std::vector<double> factors, std::string table = "the library");

  // Candidates: `contexts` has one entry per decision, the id of the context that may choose it.
  // The decisions of a context need not be consecutive. `context_id` is the name of the column that
  // holds the context id in a log. The rest is as for a library.
  static FeasibleSet of_candidates(std::span<const std::string> contexts,
                                   std::vector<std::string> ids, int num_factors,
                                   std::vector<double> factors,
                                   std::string table = "the candidates",
                                   std::string context_id = {});

  bool is_shared() const { return parts_->is_shared; }                  // true for a library
  const std::string& table() const { return parts_->table; }            // for messages
  const std::string& context_id() const { return parts_->context_id; }  // empty for a library

  // The table: one row per decision, in the order given. Decision::index counts in these rows.
  std::size_t size() const { return parts_->members.size(); }
  int num_factors() const { return parts_->num_factors; }
  const std::string& id(std::size_t row) const;  // empty if the set has no ids
  std::span<const double> factors() const { return parts_->factors; }  // size() × J
  std::span<const double> factors_of(std::size_t row) const {
    return factors().subspan(row * parts_->num_factors, parts_->num_factors);
  }

  // The feasible decisions of the context with this id; for a library, all decisions. A context
  // without candidates is an Error(kInput) that names it.
  ContextDecisions of(std::string_view context) const;

  // The same by number: contexts are numbered from 0 in the order of their first row in the table.
  // A library ignores the number.
  ContextDecisions at(std::size_t context) const;

  // The number of different contexts in the table; 1 for a library.
  std::size_t num_contexts() const { return parts_->first.size() - 1; }
  // The number of the context with this id, for at(); empty if it has no candidates.
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
    std::unordered_map<std::string, std::size_t, TextHash, std::equal_to<>> numbers;  // of contexts
    std::vector<std::size_t> first = {0, 0};  // context c has members first[c] … first[c+1]-1
    std::vector<std::size_t> members;         // rows, context after context, rising in each
    std::vector<double> means;                // contexts × J
  };
  explicit FeasibleSet(Parts parts);

  std::shared_ptr<const Parts> parts_;
};

// The feasible decisions of one context, in the order of the table. A view: valid while its
// FeasibleSet, or a copy of it, exists.
class ContextDecisions {
 public:
  std::size_t size() const { return rows_.size(); }
  int num_factors() const { return parts_->num_factors; }

  // Their row numbers in the table, increasing.
  std::span<const std::size_t> rows() const { return rows_; }

  // Id and factors of the decision at a position from 0 to size()-1. The id is empty if the set has
  // no ids; the factors are J values.
  const std::string& id(std::size_t position) const;
  std::span<const double> factors(std::size_t position) const {
    return std::span(parts_->factors)
        .subspan(rows_[position] * parts_->num_factors, parts_->num_factors);
  }

  // Mean of each factor over these decisions. If factors depend on the context, this mean is often
  // correlated with the outcome, and weights fitted to the raw factors would absorb that effect.
  // Centring (z minus this mean) removes it. It does not change which decision is best, since all
  // candidates of a context are shifted by the same amount.
  std::span<const double> mean_factors() const { return mean_; }

 private:
  friend class FeasibleSet;
  ContextDecisions(const FeasibleSet::Parts& parts, std::size_t context);

  const FeasibleSet::Parts* parts_;
  std::span<const std::size_t> rows_;
  std::span<const double> mean_;
};

// Counts the candidates that belong to contexts which never occurred.
class CandidateUse {
 public:
  explicit CandidateUse(FeasibleSet feasible);
  void add(std::span<const std::string> contexts);  // ids of contexts that occurred
  std::size_t num_unused_rows() const;              // candidates of no context added; library: 0

 private:
  FeasibleSet feasible_;
  std::vector<bool> used_;  // per context
};

// Reads a library, one decision per row of the table. A table without rows, an unknown column, a
// missing or repeated id, and a factor that is missing or not finite are an Error that names the
// file, row and column. With an empty `id_column` the decisions have no ids, which is enough for
// read_centered_log.
FeasibleSet read_library(const TableReader& reader, const std::string& id_column,
                         const std::vector<std::string>& factors);
FeasibleSet read_library(const std::string& path, const std::string& id_column,
                         const std::vector<std::string>& factors);

// The same for decisions listed per context. The same id may occur in several contexts, but only
// once in each; a row without context id is an Error.
FeasibleSet read_candidates(const TableReader& reader, const std::string& context_id_column,
                            const std::string& id_column, const std::vector<std::string>& factors);
FeasibleSet read_candidates(const std::string& path, const std::string& context_id_column,
                            const std::string& id_column, const std::vector<std::string>& factors);

}  // namespace otss
