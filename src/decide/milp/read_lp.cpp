// This file reads the linear part of CPLEX's LP format: objective, constraints, bounds, generals
// and binaries.
#include <fmt/core.h>

#include <cmath>
#include <map>

#include "data/table/letter_case.hpp"
#include "decide/milp/lp_tokens.hpp"
#include "decide/milp/plan_builder.hpp"
#include "decide/milp/plan_number.hpp"

namespace otss::internal {
namespace {

using Kind = LpToken::Kind;

class LpReader {
 public:
  LpReader(const std::string& source, std::string_view text)
      : plan_(source), tokens_(lp_tokens(text)) {}

  MilpPlan read() {
    if (!is_section("maximize") && !is_section("minimize")) {
      throw error("an LP file begins with Maximize or Minimize; write one of these words first");
    }
    plan_.maximises = next().text == "maximize";
    read_objective();
    while (!is_section("end")) {
      if (peek().kind == Kind::kEnd) {
        throw error(
            "the file ends without End, so a part may be missing; export the plan again, or write "
            "End in the last line");
      }
      read_section();
    }
    return std::move(plan_).finish();
  }

 private:
  struct Expression {
    // Maps the index of a variable to its coefficient. Coefficients of the same variable are
    // summed.
    std::map<std::size_t, double> terms;
    double constant = 0;
  };

  const LpToken& peek(std::size_t ahead = 0) const {
    return tokens_[std::min(at_ + ahead, tokens_.size() - 1)];
  }
  const LpToken& next() { return tokens_[at_ + 1 < tokens_.size() ? at_++ : at_]; }
  bool is(Kind kind) const { return peek().kind == kind; }
  bool is_section(std::string_view name) const { return is(Kind::kSection) && peek().text == name; }
  bool at_section() const { return is(Kind::kSection) || is(Kind::kEnd); }
  Error error(const std::string& what) const { return plan_.error(peek().line, what); }

  void read_objective() {
    take_label();
    const Expression objective = expression();
    if (!at_section()) {
      throw error(
          fmt::format("unexpected '{}'; write the objective as a sum of terms such as 3 x "
                      "or -0.5 y",
                      peek().text));
    }
    for (const auto& [j, value] : objective.terms) plan_.objective[j] = value;
    plan_.constant = objective.constant;
  }

  void read_section() {
    const std::string name = next().text;
    const auto each = [this](auto read_one) {
      while (!at_section()) read_one();
    };
    if (name == "subject to") {
      each([this] { read_constraint(); });
    } else if (name == "bounds") {
      each([this] { read_bound(); });
    } else if (name == "generals") {
      each([this] { plan_.integer[known_variable()] = 1; });
    } else if (name == "binaries") {
      each([this] {
        const std::size_t j = known_variable();
        plan_.integer[j] = 1;
        plan_.lower[j] = 0;
        plan_.upper[j] = 1;
      });
    } else {
      throw plan_.error(
          tokens_[at_ - 1].line,
          fmt::format("section '{}' is not supported here; after the objective, use only Subject "
                      "To, Bounds, Generals, Binaries and End",
                      name));
    }
  }

  // Reads a label "name:" and returns the name. If the next tokens are not a label, reads nothing
  // and returns "".
  std::string take_label() {
    if (!is(Kind::kName) || peek(1).kind != Kind::kColon) return "";
    std::string label = next().text;
    next();
    return label;
  }

  double take_signs() {
    double sign = 1;
    while (is(Kind::kSign)) sign *= next().text == "-" ? -1 : 1;
    return sign;
  }

  // Reads a sum of signed numbers and variables, up to the first token that cannot belong to the
  // sum.
  Expression expression() {
    Expression sum;
    bool first = true;
    while (is(Kind::kSign) || is(Kind::kNumber) || is(Kind::kName)) {
      // Every term after the first term needs a sign. A name without a sign is the label of the
      // next constraint, or an error that the caller reports.
      if (!first && !is(Kind::kSign)) break;
      double coefficient = take_signs();
      first = false;
      const bool has_number = is(Kind::kNumber);
      if (has_number) coefficient *= next().value;
      if (has_number && is(Kind::kTimes)) next();
      if (is(Kind::kName) && peek(1).kind != Kind::kColon) {
        sum.terms[plan_.variable(next().text)] += coefficient;
      } else if (has_number) {
        sum.constant += coefficient;
      } else {
        throw error(fmt::format("a number or a variable is missing before '{}'; write it there",
                                peek().text));
      }
    }
    return sum;
  }

  // Reads a constraint, with or without a label. A constraint has one of the forms terms <= hi,
  // terms >= lo, terms = v, lo <= terms, or lo <= terms <= hi.
  void read_constraint() {
    const std::size_t line = peek().line;
    std::string label = take_label();
    if (label.empty()) label = fmt::format("c{}", plan_.constraints().size() + 1);
    Expression left = expression();
    double lower = -kInfinity, upper = kInfinity;
    if (left.terms.empty()) {
      const double side = left.constant;
      const std::string relation = take_relation();
      left = expression();
      narrow(flipped(relation), difference(side, left.constant, line), lower, upper);
      if (is(Kind::kRelation)) read_right_side(left.constant, lower, upper);
    } else {
      read_right_side(left.constant, lower, upper);
    }
    if (left.terms.empty())
      throw plan_.error(
          line, "this constraint has no variable; add a variable, or remove the constraint");
    if (!plan_.add_constraint(label, lower, upper)) {
      throw plan_.error(line,
                        fmt::format("there are two constraints '{}'; rename one of them", label));
    }
    for (const auto& [j, value] : left.terms) {
      plan_.add_coefficient(plan_.constraints().size() - 1, j, value);
    }
  }

  // Reads a relation and exactly one number. This function must not read a whole expression, since
  // the next constraint may begin with a sign.
  void read_right_side(double constant, double& lower, double& upper) {
    const std::string relation = take_relation();
    const double sign = take_signs();
    const bool is_number = is(Kind::kNumber);
    const LpToken& side = next();
    const bool variable_follows = is(Kind::kName) && peek(1).kind != Kind::kColon;
    if (!is_number || (variable_follows && peek().line == side.line)) {
      throw plan_.error(side.line, fmt::format("there must be exactly one number to the right of "
                                               "{}; move all variables to the left side",
                                               relation));
    }
    narrow(relation, difference(sign * side.value, constant, side.line), lower, upper);
  }

  // Returns the right side of a constraint after the constant term of the left side was moved
  // there.
  double difference(double side, double constant, std::size_t line) const {
    if (std::isfinite(side - constant)) return side - constant;
    throw plan_.error(
        line, fmt::format(
                  "{} minus {} is too large to be stored; write smaller numbers in this constraint",
                  side, constant));
  }

  std::string take_relation() {
    if (!is(Kind::kRelation)) {
      throw error(
          fmt::format("<=, >= or = is missing before '{}'; write one of them there", peek().text));
    }
    std::string relation = next().text;
    const bool number_follows = is(Kind::kNumber) || is(Kind::kSign) || is(Kind::kName);
    if (!number_follows)
      throw error(fmt::format("a number is missing after {}; write it there", relation));
    return relation;
  }

  static std::string flipped(const std::string& relation) {
    if (relation == "=") return relation;
    return relation == "<=" ? ">=" : "<=";
  }

  static void narrow(const std::string& relation, double value, double& lower, double& upper) {
    if (relation != "<=") lower = value;
    if (relation != ">=") upper = value;
  }

  // Reads a bound, which has one of the forms lo <= x <= hi, lo <= x, x <= hi, x >= lo, x = v, or
  // x free.
  void read_bound() {
    if (is(Kind::kName) && !is_infinity()) {
      const std::size_t j = known_variable();
      if (is(Kind::kName) && lower_case(peek().text) == "free") {
        next();
        plan_.lower[j] = -kInfinity;
        plan_.upper[j] = kInfinity;
        return;
      }
      const std::string relation = take_relation();
      narrow(relation, bound_value(), plan_.lower[j], plan_.upper[j]);
      return;
    }
    const double left = bound_value();
    const std::string first = take_relation();
    const std::size_t j = known_variable();
    narrow(flipped(first), left, plan_.lower[j], plan_.upper[j]);
    if (!is(Kind::kRelation)) return;
    const std::string second = take_relation();
    narrow(second, bound_value(), plan_.lower[j], plan_.upper[j]);
  }

  bool is_infinity() const {
    const std::string word = lower_case(peek().text);
    return is(Kind::kName) && (word == "inf" || word == "infinity");
  }

  double bound_value() {
    const double sign = take_signs();
    if (is_infinity()) return next(), sign * kInfinity;
    if (!is(Kind::kNumber)) {
      throw error(
          fmt::format("the bound '{}' is not a number; give a number, inf or -inf", peek().text));
    }
    return sign * plan_bound(next().value);
  }

  std::size_t known_variable() {
    const std::string name = peek().text;
    const auto found = plan_.variables().find(name);
    if (!is(Kind::kName) || !found) {
      throw error(fmt::format("'{}' is not a variable of the objective or of a constraint; {}",
                              name, plan_.variables().way_out(name)));
    }
    next();
    return *found;
  }

  PlanBuilder plan_;
  std::vector<LpToken> tokens_;
  std::size_t at_ = 0;
};

}  // namespace

MilpPlan read_lp(const std::string& source, std::string_view text) {
  return LpReader(source, text).read();
}

}  // namespace otss::internal
