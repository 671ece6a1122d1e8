// Decisions as rows of decide's output table, with what was asked for about each.
#pragma once

#include <deque>
#include <vector>

#include "context_stream.hpp"
#include "otss/data/table.hpp"
#include "otss/decide/certify.hpp"
#include "otss/decide/decider.hpp"
#include "otss/model/fitted.hpp"

namespace otss::app {

struct DecisionColumns {
  int top = 1;
  double certify = 0;  // 0: no certificates
  bool certify_margin = false;
  bool explain = false;

  // A margin is explained by the two best, even where one is asked for.
  int top_to_find() const { return explain && top < 2 ? 2 : top; }
};

// Of the best decisions, one per context.
struct CertifiedTotals {
  std::size_t decisions = 0, certified = 0;
  double expected_regret = 0, regret_bound = 0;  // sums
};

class DecisionTable {
 public:
  DecisionTable(const Fitted& fitted, const ContextStream& stream, const DecisionColumns& columns,
                const std::string& path);

  // `found` are the top_to_find() best of each context, `certificates` those of
  // decisions_of(found), or none.
  void write(const ContextChunk& chunk, const std::vector<Decision>& found,
             const FeasibleSet& feasible, const std::vector<Certificate>& certificates);

  // Those that are shown.
  std::vector<Decision> decisions_of(const std::vector<Decision>& found) const;

  void commit() { writer_.commit(); }
  std::size_t num_rows() const { return num_rows_; }
  const CertifiedTotals& totals() const { return totals_; }

 private:
  class Chunk;
  void add_certificates(const std::vector<Decision>& shown,
                        const std::vector<Certificate>& certificates, Chunk& out);
  void add_explanation(const ContextChunk& chunk, const std::vector<Decision>& found,
                       const std::vector<Decision>& shown, const FeasibleSet& feasible,
                       Chunk& out) const;

  const Fitted& fitted_;
  DecisionColumns columns_;
  TableWriter writer_;
  std::size_t num_rows_ = 0;
  CertifiedTotals totals_;
};

}  // namespace otss::app
