// This file reads MPS files in fixed or free format. Fields are separated by blanks. Fixed MPS
// allows names with blanks, but such a name changes the number of fields of its line. So a name
// with blanks is an error here.
#include <fmt/core.h>

#include <cmath>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "data/table/letter_case.hpp"
#include "decide/milp/plan_builder.hpp"
#include "decide/milp/plan_number.hpp"

namespace otss::internal {
namespace {

using Fields = std::vector<std::string_view>;

Fields fields_of(std::string_view line) {
  constexpr std::string_view kBlanks = " \t\r";
  Fields fields;
  for (std::size_t at = line.find_first_not_of(kBlanks); at != std::string_view::npos;) {
    const std::size_t end = std::min(line.find_first_of(kBlanks, at), line.size());
    fields.push_back(line.substr(at, end - at));
    at = line.find_first_not_of(kBlanks, end);
  }
  return fields;
}

class MpsReader {
 public:
  explicit MpsReader(const std::string& source) : plan_(source) {}

  MilpPlan read(std::string_view text) {
    while (!text.empty() && section_ != "ENDATA") {
      const std::size_t end = std::min(text.find('\n'), text.size());
      ++line_;
      take_line(text.substr(0, end));
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    if (section_ != "ENDATA") {
      throw error("the file ends without ENDATA, so it is incomplete; write the file again");
    }
    apply_ranges();
    for (const std::size_t j : from_marker_) {
      if (!bounded_.contains(j)) plan_.upper[j] = 1;
    }
    return std::move(plan_).finish();
  }

 private:
  Error error(const std::string& what) const { return plan_.error(line_, what); }

  void take_line(std::string_view line) {
    const Fields fields = fields_of(line);
    if (fields.empty() || line.front() == '*') return;
    const bool is_header = line.front() != ' ' && line.front() != '\t';
    if (section_ == "OBJSENSE" && !sense_known_ && (!is_header || is_sense(fields[0]))) {
      take_sense(fields[0]);
    } else if (is_header) {
      take_header(fields);
    } else {
      take_data(fields);
    }
  }

  static bool is_sense(std::string_view word) {
    const std::string sense = lower_case(word);
    return sense.starts_with("max") || sense.starts_with("min");
  }

  void take_sense(std::string_view word) {
    if (!is_sense(word)) {
      throw error(fmt::format("OBJSENSE '{}' is unknown; use MAX or MIN", word));
    }
    plan_.maximises = lower_case(word).starts_with("max");
    sense_known_ = true;
  }

  void take_header(const Fields& fields) {
    static const std::unordered_set<std::string_view> kSections{
        "NAME", "OBJSENSE", "ROWS", "COLUMNS", "RHS", "RANGES", "BOUNDS", "ENDATA"};
    if (!kSections.contains(fields[0])) {
      throw error(fmt::format(
          "section {} is not supported; use only the sections ROWS, COLUMNS, RHS, RANGES and "
          "BOUNDS",
          fields[0]));
    }
    section_ = fields[0];
    set_name_.reset();
    if (section_ == "OBJSENSE" && fields.size() > 1) take_sense(fields[1]);
  }

  void take_data(const Fields& fields) {
    if (section_ == "ROWS") {
      take_row(fields);
    } else if (section_ == "COLUMNS") {
      take_column(fields);
    } else if (section_ == "RHS") {
      take_values(fields, [this](std::size_t row, double value) { set_rhs(row, value); });
    } else if (section_ == "RANGES") {
      take_values(fields, [this](std::size_t row, double value) { ranges_[row] = value; });
    } else if (section_ == "BOUNDS") {
      take_bound(fields);
    } else {
      throw error(
          fmt::format("'{}' is not in a section; put a line with a section name, such "
                      "as ROWS, before it",
                      fields[0]));
    }
  }

  void take_row(const Fields& fields) {
    const std::string type(fields[0]);
    if (fields.size() != 2 || type.size() != 1 || std::string("NLGE").find(type) > 3) {
      throw error(
          "this line of ROWS is not valid; write a type (N, L, G or E) and a name without "
          "blanks");
    }
    if (type == "N") {
      if (objective_.empty()) {
        objective_ = fields[1];
      } else {
        ignored_rows_.insert(std::string(fields[1]));
      }
      return;
    }
    if (!plan_.add_constraint(fields[1], type == "L" ? -kInfinity : 0,
                              type == "G" ? kInfinity : 0)) {
      throw error(fmt::format("there are two rows '{}'; rename one of them", fields[1]));
    }
    types_.push_back(type[0]);
  }

  void take_column(const Fields& fields) {
    if (fields.size() == 3 && fields[1] == "'MARKER'") {
      if (fields[2] != "'INTORG'" && fields[2] != "'INTEND'") {
        throw error(
            fmt::format("marker {} is not supported; use only INTORG and INTEND", fields[2]));
      }
      in_integers_ = fields[2] == "'INTORG'";
      return;
    }
    if (fields.size() != 3 && fields.size() != 5) {
      throw error(
          "this line of COLUMNS is not valid; write COLUMN ROW VALUE or COLUMN ROW VALUE ROW "
          "VALUE, with names without blanks");
    }
    const bool is_new = !plan_.variables().find(fields[0]);
    const std::size_t j = plan_.variable(fields[0]);
    if (!is_new && j + 1 != plan_.variables().size()) {
      throw error(fmt::format("the lines of column '{}' are not consecutive; move them together",
                              fields[0]));
    }
    if (is_new && in_integers_) {
      plan_.integer[j] = 1;
      from_marker_.push_back(j);
    }
    for (std::size_t i = 1; i < fields.size(); i += 2)
      take_coefficient(j, fields[i], fields[i + 1]);
  }

  void take_coefficient(std::size_t j, std::string_view row, std::string_view text) {
    const double value = number(text);
    if (ignored_rows_.contains(std::string(row))) return;
    const bool is_objective = row == objective_;
    const std::size_t i = is_objective ? 0 : row_index(row) + 1;
    last_column_.resize(plan_.constraints().size() + 1);
    if (std::exchange(last_column_[i], j + 1) == j + 1) {
      throw error(fmt::format("column '{}' has two values in row '{}'; keep one of them",
                              plan_.variables().names()[j], row));
    }
    if (is_objective) {
      plan_.objective[j] = value;
    } else {
      plan_.add_coefficient(i - 1, j, value);
    }
  }

  // Reads a line of the form "[set] row value [row value]". A set is a named group of values in
  // MPS; a section may have only one set.
  template <class Take>
  void take_values(const Fields& fields, const Take& take) {
    const std::size_t start = fields.size() % 2;
    if (fields.size() < 2 || fields.size() > 5) {
      throw error(fmt::format(
          "this line of {} is not valid; write ROW VALUE or SET ROW VALUE, with names without "
          "blanks",
          section_));
    }
    check_set(start == 1 ? fields[0] : "");
    for (std::size_t i = start; i < fields.size(); i += 2) {
      const double value = number(fields[i + 1]);
      if (fields[i] == objective_ && section_ == "RHS") {
        plan_.constant = -value;  // MPS subtracts the right-hand side of the objective row
      } else if (!ignored_rows_.contains(std::string(fields[i]))) {
        take(row_index(fields[i]), value);
      }
    }
  }

  void set_rhs(std::size_t row, double value) {
    if (types_[row] != 'L') plan_.row_lower[row] = value;
    if (types_[row] != 'G') plan_.row_upper[row] = value;
  }

  void apply_ranges() {
    for (const auto& [row, range] : ranges_) {
      const bool opens_down = types_[row] == 'L' || (types_[row] == 'E' && range < 0);
      if (opens_down) {
        plan_.row_lower[row] = plan_.row_upper[row] - std::abs(range);
      } else {
        plan_.row_upper[row] = plan_.row_lower[row] + std::abs(range);
      }
    }
  }

  void take_bound(const Fields& fields) {
    static const std::unordered_map<std::string_view, bool> kTakesValue{
        {"UP", true},  {"LO", true},  {"FX", true},  {"LI", true}, {"UI", true},
        {"FR", false}, {"MI", false}, {"PL", false}, {"BV", false}};
    const auto kind = kTakesValue.find(fields[0]);
    if (kind == kTakesValue.end()) {
      throw error(fmt::format(
          "bound type {} is not supported; use UP, LO, FX, FR, MI, PL, BV, LI or UI", fields[0]));
    }
    const std::size_t without_set = kind->second ? 3 : 2;
    // Some programs write a value for a bound of type BV, FR, MI or PL, although these types need
    // none. Such a line has four fields: type, set, column and value.
    const bool extra = !kind->second && fields.size() == 4;
    if (fields.size() != without_set && fields.size() != without_set + 1 && !extra) {
      throw error(
          "this line of BOUNDS is not valid; write TYPE COLUMN VALUE or TYPE SET COLUMN "
          "VALUE, with names without blanks (the types FR, MI, PL and BV need no value)");
    }
    const bool has_set = fields.size() > without_set;
    check_set(has_set ? fields[1] : "");
    const std::string_view name = fields[has_set ? 2 : 1];
    const auto column = plan_.variables().find(name);
    if (!column) {
      throw error(
          fmt::format("there is no column '{}'; {}", name, plan_.variables().way_out(name)));
    }
    set_bound(fields[0], *column, kind->second ? bound(fields.back()) : 0);
  }

  void set_bound(std::string_view type, std::size_t j, double value) {
    double& lower = plan_.lower[j];
    double& upper = plan_.upper[j];
    const bool first = bounded_.insert(j).second;
    if (type == "UP" || type == "UI") {
      upper = value;
      // If a variable has a negative upper bound and no lower bound, then by convention its lower
      // bound is -infinity instead of 0.
      if (value < 0 && first) lower = -kInfinity;
    }
    if (type == "LO" || type == "LI") lower = value;
    if (type == "FX") lower = upper = value;
    if (type == "FR" || type == "MI") lower = -kInfinity;
    if (type == "FR" || type == "PL") upper = kInfinity;
    if (type == "BV") lower = 0, upper = 1;
    if (type == "BV" || type == "LI" || type == "UI") plan_.integer[j] = 1;
  }

  void check_set(std::string_view name) {
    if (!set_name_) set_name_ = std::string(name);
    if (*set_name_ != name) {
      throw error(fmt::format("{} has a second set, '{}' after '{}'; keep only one set", section_,
                              name, *set_name_));
    }
  }

  std::size_t row_index(std::string_view name) const {
    if (const auto row = plan_.constraints().find(name)) return *row;
    throw error(fmt::format("there is no row '{}'; {}", name, plan_.constraints().way_out(name)));
  }

  double number(std::string_view text) const {
    if (const auto value = plan_number(text)) return *value;
    throw error(fmt::format("'{}' is not a finite number; give a finite number", text));
  }

  double bound(std::string_view text) const {
    if (const auto value = plan_bound(text)) return *value;
    throw error(fmt::format("'{}' is not a number; give a number, inf or -inf", text));
  }

  PlanBuilder plan_;
  std::size_t line_ = 0;
  std::string section_, objective_;
  bool sense_known_ = false, in_integers_ = false;
  std::vector<char> types_;  // the type of each constraint: L, G or E
  // Names of all rows of type N except the objective.
  std::unordered_set<std::string> ignored_rows_;
  // Used to find a column with two values in one row. The first entry belongs to the objective, and
  // each further entry to a constraint. An entry is 1 plus the index of the last column that has a
  // value in this row, or 0 if there is no such column.
  std::vector<std::size_t> last_column_;
  std::unordered_set<std::size_t> bounded_;
  std::vector<std::size_t> from_marker_;
  std::unordered_map<std::size_t, double> ranges_;
  std::optional<std::string> set_name_;
};

}  // namespace

MilpPlan read_mps(const std::string& source, std::string_view text) {
  return MpsReader(source).read(text);
}

}  // namespace otss::internal
