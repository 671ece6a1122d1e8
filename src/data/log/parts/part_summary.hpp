// A PartSummary has what an Encoder must know about the rows of one part of a log. Summaries of all
// parts, added in their order, give the Encoder of the whole log.
#pragma once

#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/log/log_layout.hpp"
#include "otss/data/encoder.hpp"
#include "otss/data/roles.hpp"
#include "otss/data/table.hpp"

namespace otss::internal {

// The moments of a number column. Sums are those of Chan, Golub & LeVeque (1983): means and sums of
// squared deviations of two parts are combined without cancellation.
struct NumberSummary {
  double num_present = 0;     // the number of rows with a value
  double present_weight = 0;  // their summed weight
  double mean = 0;            // the weighted mean
  double squares = 0;         // the weighted sum of squared deviations from the mean
  double lo = std::numeric_limits<double>::infinity();
  double hi = -std::numeric_limits<double>::infinity();
  bool has_fraction = false;  // true if some value is not whole

  void add(double value, double weight);
  void add(const NumberSummary& other);
};

// The levels of a text column.
struct TextSummary {
  std::map<std::string, double, std::less<>> weights;  // the summed weight of each text
  double missing_weight = 0;
  bool has_missing = false;

  void add(const TextSummary& other);
};

struct PartSummary {
  Roles roles;                             // contexts are listed by name
  std::vector<ValueType> types;            // the types of the contexts
  std::vector<std::optional<Term>> terms;  // one entry per factor; empty if the factor is a column
  std::vector<bool> is_text = {};          // one entry per context
  std::size_t num_rows = 0;
  double total_weight = 0;
  std::vector<NumberSummary> numbers = {};  // contexts, then factors; entries of texts are not used
  std::vector<TextSummary> texts = {};  // one entry per context; entries of numbers are not used

  // Adds the rows of the next part. Throws an Error if a column has another kind there.
  void add(const PartSummary& other);
  Encoder encoder() const;  // returns the encoder of the rows; throws if a factor is constant

  std::string bytes() const;
  static PartSummary from_bytes(std::string_view bytes);
};

// Returns the layout of one part of a log.
LogLayout lay_out_part(const TableReader& reader, const Roles& roles);

// Reads one part of a log. Values that read_log refuses are refused here too.
PartSummary summarize_part(const TableReader& reader, const Roles& roles);

}  // namespace otss::internal
