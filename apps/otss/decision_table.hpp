// A DecisionTable is the output table of otss decide. It has one row per decision, and the columns
// that the user asked for.
#pragma once

#include <deque>
#include <functional>
#include <vector>

#include "context_stream.hpp"
#include "otss/data/table.hpp"
#include "otss/decide/certify.hpp"
#include "otss/decide/decider.hpp"
#include "otss/model/fitted.hpp"

namespace otss::app {

struct DecisionColumns {
  int top = 1;                  // the number of decisions shown per context
  double certify = 0;           // confidence level of certificates; 0 means no certificates
  bool certify_margin = false;  // true: add the columns margin_certified and score_error
  bool explain = false;         // true: add the columns c_…, d_…, alpha_… and e_…
  bool explain_unit = false;  // with `explain`: add the part of the score that comes from the unit

  // Returns how many decisions to find per context. To explain a margin, the two best decisions are
  // needed.
  int top_to_find() const { return explain && top < 2 ? 2 : top; }
};

// Totals over all contexts. Only the best decision of each context is counted.
struct CertifiedTotals {
  std::size_t decisions = 0, certified = 0;
  double expected_regret = 0, regret_bound = 0;  // sums over the best decisions of all contexts

  // Adds the certificates of the best decisions of further contexts.
  void add(const std::vector<Certificate>& of_best);
};

class DecisionTable {
 public:
  // `threads` and `ranks` are those of TableWriter.
  DecisionTable(const Fitted& fitted, const ContextStream& stream, const DecisionColumns& columns,
                const Output& output, int threads, Ranks* ranks);

  // Returns a function that writes the decisions of one chunk of contexts. `found` has the
  // top_to_find() best decisions of each context. `certificates` has one entry per decision of
  // decisions_of(found), or is empty. Several threads may prepare chunks at the same time. The
  // returned functions must be called one at a time, in the order of the contexts.
  std::function<void()> prepare(const ContextChunk& chunk, const std::vector<Decision>& found,
                                const FeasibleSet& feasible,
                                const std::vector<Certificate>& certificates);

  // Returns the decisions of `found` that the table shows. These are the decisions with ranks up to
  // `top`.
  std::vector<Decision> decisions_of(const std::vector<Decision>& found) const;

  // Completes the table and the totals. All ranks must call this function.
  void commit();
  std::size_t num_rows() const { return num_rows_; }
  const CertifiedTotals& totals() const { return totals_; }

 private:
  class Chunk;
  void add_certificates(const std::vector<Decision>& shown,
                        const std::vector<Certificate>& certificates, Chunk& out) const;
  void add_explanation(const ContextChunk& chunk, const std::vector<Decision>& found,
                       const std::vector<Decision>& shown, const FeasibleSet& feasible,
                       Chunk& out) const;

  const Fitted& fitted_;
  DecisionColumns columns_;
  TableWriter writer_;
  Ranks* ranks_;
  std::size_t num_rows_ = 0;
  CertifiedTotals totals_;
  // The certificates of this rank. They are added to the totals only when all rows have been read,
  // so that the sums have the bits of one process. Empty if there is one process.
  std::vector<Certificate> of_rank_;
};

}  // namespace otss::app
