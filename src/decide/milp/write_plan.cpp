// This file writes the program of one context as MPS or LP text for other solvers.
#include <fmt/core.h>

#include <cctype>
#include <cmath>
#include <filesystem>
#include <unordered_set>

#include "base/atomic_file.hpp"
#include "data/table/letter_case.hpp"
#include "data/table/number_text.hpp"
#include "decide/milp/lp_tokens.hpp"
#include "otss/base/error.hpp"
#include "otss/decide/milp.hpp"

namespace otss::internal {
namespace {

std::string number(double value) {
  std::string text;
  append_number(text, value);
  return text;
}

Error bad_name(const MilpPlan& plan, const std::string& name, const char* why) {
  return Error(ErrorCode::kInput,
               fmt::format("{}: '{}' cannot be written: {}", plan.source, name, why));
}

template <class Check>
void check_names(const MilpPlan& plan, const Check& is_fine, const char* why) {
  for (const auto* names : {&plan.variables, &plan.constraints}) {
    for (const std::string& name : *names) {
      if (!is_fine(name)) throw bad_name(plan, name, why);
    }
  }
}

class MpsText {
 public:
  explicit MpsText(const MilpProblem& problem) : problem_(problem), plan_(*problem.plan) {}

  std::string write() {
    const auto has_no_blank = [](const std::string& name) {
      return !name.empty() && name.find_first_of(" \t\r\n") == std::string::npos;
    };
    check_names(plan_, has_no_blank,
                "a name in an MPS file must not contain blanks; change this name in the plan");
    objective_ = "OBJ";
    const std::unordered_set<std::string> taken(plan_.constraints.begin(), plan_.constraints.end());
    while (taken.contains(objective_)) objective_ += '_';
    text_ = "* minimise: this is the weighted objective times -1\nNAME otss FREE\nROWS\n";
    rows();
    columns();
    right_sides();
    bounds();
    return text_ + "ENDATA\n";
  }

 private:
  void line(const std::string& a, const std::string& b, double value) {
    text_ += fmt::format("    {} {} {}\n", a, b, number(value));
  }

  char type(std::size_t i) const {
    const double lower = problem_.row_lower[i], upper = problem_.row_upper[i];
    if (lower == upper) return 'E';
    if (std::isfinite(upper)) return 'L';
    return std::isfinite(lower) ? 'G' : 'N';
  }

  // Throws an Error if the lower limit of a constraint is above its upper limit. An MPS file stores
  // the distance between the two limits without a sign, so the file cannot say which limit is
  // larger.
  void check_order(std::size_t i) const {
    const double lower = problem_.row_lower[i], upper = problem_.row_upper[i];
    if (lower <= upper) return;
    throw Error(ErrorCode::kInput,
                fmt::format("{}: constraint '{}' has the lower limit {} above the upper limit {}, "
                            "which the MPS format cannot express; write an LP file with -o FILE.lp",
                            plan_.source, plan_.constraints[i], lower, upper));
  }

  void rows() {
    text_ += fmt::format(" N {}\n", objective_);
    for (std::size_t i = 0; i < plan_.num_constraints(); ++i) {
      text_ += fmt::format(" {} {}\n", type(i), plan_.constraints[i]);
    }
  }

  void columns() {
    text_ += "COLUMNS\n";
    bool in_integers = false;
    for (std::size_t j = 0; j < plan_.num_variables(); ++j) {
      const bool integer = plan_.integer[j] != 0;
      if (integer != in_integers) {
        text_ += fmt::format("    MARKER 'MARKER' '{}'\n", integer ? "INTORG" : "INTEND");
        in_integers = integer;
      }
      line(plan_.variables[j], objective_, 0 - problem_.objective[j]);
      for (std::size_t at = plan_.first[j]; at < plan_.first[j + 1]; ++at) {
        line(plan_.variables[j], plan_.constraints[plan_.row[at]], plan_.value[at]);
      }
    }
    if (in_integers) text_ += "    MARKER 'MARKER' 'INTEND'\n";
  }

  void right_sides() {
    text_ += "RHS\n";
    // The program maximises objective + constant, so the file minimises (-objective) - constant.
    // MPS subtracts the right-hand side of the objective row, so this right-hand side is +constant.
    if (problem_.constant != 0) line("RHS", objective_, problem_.constant);
    std::string ranges;
    for (std::size_t i = 0; i < plan_.num_constraints(); ++i) {
      const double lower = problem_.row_lower[i], upper = problem_.row_upper[i];
      if (type(i) == 'N') continue;
      check_order(i);
      line("RHS", plan_.constraints[i], type(i) == 'G' ? lower : upper);
      if (type(i) == 'L' && std::isfinite(lower)) {
        ranges += fmt::format("    RNG {} {}\n", plan_.constraints[i], number(upper - lower));
      }
    }
    if (!ranges.empty()) text_ += "RANGES\n" + ranges;
  }

  // Writes every bound, even a default bound, because solvers have different defaults.
  void bounds() {
    text_ += "BOUNDS\n";
    for (std::size_t j = 0; j < plan_.num_variables(); ++j) {
      const std::string& name = plan_.variables[j];
      const double lower = problem_.lower[j], upper = problem_.upper[j];
      text_ += std::isinf(lower) ? fmt::format(" MI BND {}\n", name)
                                 : fmt::format(" LO BND {} {}\n", name, number(lower));
      text_ += std::isinf(upper) ? fmt::format(" PL BND {}\n", name)
                                 : fmt::format(" UP BND {} {}\n", name, number(upper));
    }
  }

  const MilpProblem& problem_;
  const MilpPlan& plan_;
  std::string objective_, text_;
};

bool is_lp_name(const std::string& name) {
  constexpr std::string_view kAllowed = "!\"#$%&(),.;?@_'`{}~";
  if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0])) != 0 || name[0] == '.' ||
      is_lp_keyword(name)) {
    return false;
  }
  for (const char c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && kAllowed.find(c) == std::string::npos) {
      return false;
    }
  }
  // A solver could read a name such as "e5" as the exponent of the number before the name.
  return !((name[0] == 'e' || name[0] == 'E') && name.size() > 1 &&
           std::isdigit(static_cast<unsigned char>(name[1])) != 0);
}

class LpText {
 public:
  explicit LpText(const MilpProblem& problem) : problem_(problem), plan_(*problem.plan) {}

  std::string write() {
    check_names(plan_, is_lp_name,
                "the LP format does not allow this name; write an MPS file with -o FILE.mps");
    text_ = "Maximize\n obj:";
    for (std::size_t j = 0; j < plan_.num_variables(); ++j) term(problem_.objective[j], j);
    if (problem_.constant != 0) text_ += signed_number(problem_.constant);
    text_ += "\nSubject To\n";
    constraints();
    bounds();
    integers();
    return text_ + "End\n";
  }

 private:
  static std::string signed_number(double value) {
    return fmt::format(" {} {}", std::signbit(value) ? '-' : '+', number(std::abs(value)));
  }

  // Writes one term on a line of its own, because some solvers limit the length of a line.
  void term(double coefficient, std::size_t j) {
    text_ += fmt::format("{} {}\n", signed_number(coefficient), plan_.variables[j]);
  }

  void constraints() {
    std::vector<std::vector<std::pair<std::size_t, double>>> rows(plan_.num_constraints());
    for (std::size_t j = 0; j < plan_.num_variables(); ++j) {
      for (std::size_t at = plan_.first[j]; at < plan_.first[j + 1]; ++at) {
        rows[plan_.row[at]].emplace_back(j, plan_.value[at]);
      }
    }
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (rows[i].empty()) rows[i].emplace_back(0, 0.0);  // an LP row needs at least one variable
      const double lower = problem_.row_lower[i], upper = problem_.row_upper[i];
      const std::string& name = plan_.constraints[i];
      const bool two_sided = std::isfinite(lower) && std::isfinite(upper) && lower != upper;
      if (lower == upper) {
        constraint(name, rows[i], "=", upper);
      } else {
        if (std::isfinite(upper)) constraint(name, rows[i], "<=", upper);
        if (std::isfinite(lower))
          constraint(two_sided ? lower_name(name) : name, rows[i], ">=", lower);
      }
    }
  }

  // Some solvers do not accept a constraint with both a lower and an upper limit in an LP file. So
  // such a constraint is written as two constraints. This function returns a name for the
  // constraint with the lower limit.
  std::string lower_name(const std::string& name) const {
    std::string other = name + "_lower";
    const auto& taken = plan_.constraints;
    while (std::find(taken.begin(), taken.end(), other) != taken.end()) other += '_';
    return other;
  }

  void constraint(const std::string& name, const std::vector<std::pair<std::size_t, double>>& row,
                  const char* relation, double side) {
    text_ += fmt::format(" {}:", name);
    for (const auto& [j, value] : row) term(value, j);
    text_ += fmt::format(" {} {}\n", relation, number(side));
  }

  void bounds() {
    const auto bound = [](double value) {
      return std::isinf(value) ? std::string(value < 0 ? "-inf" : "inf") : number(value);
    };
    text_ += "Bounds\n";
    for (std::size_t j = 0; j < plan_.num_variables(); ++j) {
      text_ += fmt::format(" {} <= {} <= {}\n", bound(problem_.lower[j]), plan_.variables[j],
                           bound(problem_.upper[j]));
    }
  }

  void integers() {
    text_ += "Generals\n";
    for (std::size_t j = 0; j < plan_.num_variables(); ++j) {
      if (plan_.integer[j] != 0) text_ += fmt::format(" {}\n", plan_.variables[j]);
    }
  }

  const MilpProblem& problem_;
  const MilpPlan& plan_;
  std::string text_;
};

bool has_ending(const std::string& path, std::string_view ending) {
  return lower_case(std::filesystem::path(path).extension().string()) == ending;
}

}  // namespace
}  // namespace otss::internal

namespace otss {

using namespace internal;

std::string mps_text(const MilpProblem& problem) { return MpsText(problem).write(); }

std::string lp_text(const MilpProblem& problem) { return LpText(problem).write(); }

bool is_plan_path(const std::string& path) {
  return has_ending(path, ".mps") || has_ending(path, ".lp");
}

void write_plan(const MilpProblem& problem, const std::string& path) {
  AtomicFile file(path);
  file.write(has_ending(path, ".mps") ? mps_text(problem) : lp_text(problem));
  file.commit();
}

std::string solution_text(const MilpPlan& plan, std::span<const double> values) {
  constexpr double kZero = 1e-9;  // a solver may return a number up to this size instead of 0
  std::string text;
  for (std::size_t j = 0; j < values.size(); ++j) {
    if (std::abs(values[j]) <= kZero) continue;
    text += fmt::format("{}{}=", text.empty() ? "" : ";", plan.variables[j]);
    append_number(text, values[j]);
  }
  return text;
}

}  // namespace otss
