// The decisions open to a context: a library that all contexts share, or candidates listed per
// context. Centring, checks, deciding, certifying and valuing all take it.
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

  // One set for all contexts. `ids` has one entry per decision, or none where no decision is ever
  // named; `factors` is decisions × J, in the log's units; `table` names it in messages. Sizes that
  // do not match are an Error.
  static FeasibleSet of_library(std::vector<std::string> ids, int num_factors,
                                std::vector<double> factors, std::string table = "the library");

  // The same with `contexts`, one per decision: whom it is open to. A context's decisions need not
  // be neighbours. `context_id` is the column that names the context of a log's row.
  static FeasibleSet of_candidates(std::span<const std::string> contexts,
                                   std::vector<std::string> ids, int num_factors,
                                   std::vector<double> factors,
                                   std::string table = "the candidates",
                                   std::string context_id = {});

  bool is_shared() const { return parts_->is_shared; }                  // a library
  const std::string& table() const { return parts_->table; }            // for messages
  const std::string& context_id() const { return parts_->context_id; }  // empty for a library

  // The table: one row per decision, in the order given. Decision::index counts in these rows.
  std::size_t size() const { return parts_->members.size(); }
  int num_factors() const { return parts_->num_factors; }
  const std::string& id(std::size_t row) const;  // empty where the set has no ids
  std::span<const double> factors() const { return parts_->factors; }  // size() × J
  std::span<const double> factors_of(std::size_t row) const {
    return factors().subspan(row * parts_->num_factors, parts_->num_factors);
  }

  // The decisions open to this context; a library's are everybody's. A context without candidates
  // is an Error(kInput) naming it.
  ContextDecisions of(std::string_view context) const;

  // The same by number: contexts are counted from 0 in the order in which the table first names
  // them. A library's are the same for every number.
  ContextDecisions at(std::size_t context) const;

  // How many contexts the table names, 1 for a library; and the number of one of them, nothing where
  // it has no candidates.
  std::size_t num_contexts() const { return parts_->first.size() - 1; }
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

// The decisions of one context, in the order of their table. Valid while its FeasibleSet, or a copy
// of it, lives.
class ContextDecisions {
 public:
  std::size_t size() const { return rows_.size(); }
  int num_factors() const { return parts_->num_factors; }

  // Where they stand in the table, rising.
  std::span<const std::size_t> rows() const { return rows_; }

  // Of the decision at a position from 0 to size()-1.
  const std::string& id(std::size_t position) const;  // empty where the set has no ids
  std::span<const double> factors(std::size_t position) const {
    return std::span(parts_->factors)
        .subspan(rows_[position] * parts_->num_factors, parts_->num_factors);
  }

  // Mean of each factor over these decisions. Where factors depend on the context, this mean often
  // moves the outcome by itself, and weights fitted to raw factors absorb it; factors counted from
  // it leave every decision as it is, since all candidates of a context shift alike.
  std::span<const double> mean_factors() const { return mean_; }

 private:
  friend class FeasibleSet;
  ContextDecisions(const FeasibleSet::Parts& parts, std::size_t context);

  const FeasibleSet::Parts* parts_;
  std::span<const std::size_t> rows_;
  std::span<const double> mean_;
};

// Which candidates were asked for; the others belong to contexts that never occurred.
class CandidateUse {
 public:
  explicit CandidateUse(FeasibleSet feasible);
  void add(std::span<const std::string> contexts);
  std::size_t num_unused_rows() const;  // 0 for a library

 private:
  FeasibleSet feasible_;
  std::vector<bool> used_;  // per context
};

// The named columns of a table, in its row order. No rows, an unknown column, a missing or repeated
// id, and a factor that is missing or not finite are errors naming the file, row and column. An
// empty `id_column` reads decisions without ids, which is enough for read_centered_log.
FeasibleSet read_library(const TableReader& reader, const std::string& id_column,
                         const std::vector<std::string>& factors);
FeasibleSet read_library(const std::string& path, const std::string& id_column,
                         const std::vector<std::string>& factors);

// The same for decisions listed per context. An id may be repeated for another context; a row
// without context id is an error.
FeasibleSet read_candidates(const TableReader& reader, const std::string& context_id_column,
                            const std::string& id_column, const std::vector<std::string>& factors);
FeasibleSet read_candidates(const std::string& path, const std::string& context_id_column,
                            const std::string& id_column, const std::vector<std::string>& factors);

}  // namespace otss
