#include "otss/data/term.hpp"

#include <cmath>
#include <limits>

#include "data/table/trimmed.hpp"

namespace otss::internal {
namespace {

constexpr std::string_view kSquareEnd = "^2", kLogStart = "log(", kOnePlus = "1+";

// Returns the term of these columns. Returns nothing if the columns of a term cannot have these
// names.
std::optional<Term> make_term(TermKind kind, const std::vector<std::string_view>& columns) {
  Term term{kind, {}};
  for (const std::string_view column : columns) {
    const std::string_view name = trimmed(column);
    if (name.empty() || name.find_first_of("*^") != std::string_view::npos) return std::nullopt;
    term.columns.emplace_back(name);
  }
  if (kind == TermKind::kProduct && term.columns[0] == term.columns[1]) return std::nullopt;
  return term;
}

}  // namespace
}  // namespace otss::internal

namespace otss {

using namespace internal;

std::string Term::name() const {
  switch (kind) {
    case TermKind::kSquare: return columns[0] + "^2";
    case TermKind::kProduct: return columns[0] + "*" + columns[1];
    case TermKind::kLog: return "log(" + columns[0] + ")";
    case TermKind::kLogOnePlus: return "log(1+" + columns[0] + ")";
  }
  return {};
}

double Term::value(double a, double b) const {
  constexpr double kUndefined = std::numeric_limits<double>::quiet_NaN();
  switch (kind) {
    case TermKind::kSquare: return a * a;
    case TermKind::kProduct: return a * b;
    case TermKind::kLog: return a > 0 ? std::log(a) : kUndefined;
    case TermKind::kLogOnePlus: return a > -1 ? std::log1p(a) : kUndefined;
  }
  return kUndefined;
}

std::optional<Term> parse_term(std::string_view name) {
  const std::string_view text = trimmed(name);
  if (text.starts_with(kLogStart) && text.ends_with(')')) {
    const std::string_view inside =
        trimmed(text.substr(kLogStart.size(), text.size() - kLogStart.size() - 1));
    if (inside.starts_with(kOnePlus))
      return make_term(TermKind::kLogOnePlus, {inside.substr(kOnePlus.size())});
    return make_term(TermKind::kLog, {inside});
  }
  if (text.ends_with(kSquareEnd))
    return make_term(TermKind::kSquare, {text.substr(0, text.size() - kSquareEnd.size())});
  const auto star = text.find('*');
  if (star == std::string_view::npos) return std::nullopt;
  return make_term(TermKind::kProduct, {text.substr(0, star), text.substr(star + 1)});
}

}  // namespace otss
