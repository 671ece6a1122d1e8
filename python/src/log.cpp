#include "log.hpp"

#include <pybind11/stl.h>

#include "fit_options.hpp"
#include "long_task.hpp"
#include "python_table.hpp"

namespace otss::python {
namespace {

using Names = std::vector<std::string>;

ReadingRules rules_from(const py::dict& given) {
  ReadingRules rules;
  if (given.contains("missing")) {
    for (const std::string& word : given["missing"].cast<Names>()) rules.add_missing(word);
  }
  if (given.contains("decimal")) {
    const auto sign = given["decimal"].cast<std::string>();
    if (sign != "." && sign != ",")
      throw Error(ErrorCode::kUsage, "decimal is '" + sign + "'; give '.' or ','");
    rules.decimal = sign.front();
  }
  if (given.contains("positive"))
    rules.positive = PositiveOutcome{.column = {}, .value = given["positive"].cast<std::string>()};
  if (given.contains("date_order"))
    rules.date_order = word_value<DateOrder>("date_order", given["date_order"].cast<std::string>());
  if (given.contains("dates")) {
    for (const auto& [column, parts] : given["dates"].cast<std::map<std::string, Names>>()) {
      DateColumn date{.column = column};
      for (const std::string& part : parts)
        date.parts.push_back(word_value<DatePart>("dates", part));
      rules.dates.push_back(date);
    }
  }
  if (given.contains("reference")) {
    for (const auto& [column, level] :
         given["reference"].cast<std::map<std::string, std::string>>())
      rules.text_factors.push_back({.column = column, .reference = level});
  }
  if (given.contains("ignore_case")) rules.ignores_case = given["ignore_case"].cast<bool>();
  return rules;
}

TableSource source_from(const std::variant<const PythonTable*, std::string>& table,
                        const std::string& query, const py::dict& rules, int threads) {
  TableSource source;
  if (const auto* path = std::get_if<std::string>(&table)) {
    source.path = *path;
  } else {
    source = std::get<const PythonTable*>(table)->source();
  }
  source.query = query;
  source.rules = rules_from(rules);
  source.threads = threads;
  return source;
}

// The decisions by whose mean the factors of a log are centred.
struct Centering {
  std::optional<TableSource> decisions;
  std::string context_id;  // empty: the decisions are a library
};

LoggedData read_centered(TableReader reader, const Roles& roles, const Centering& centering,
                         OutcomeKind outcome) {
  if (!centering.decisions) return read_log(std::move(reader), roles, outcome);
  const Roles planned = plan_log(reader, roles).roles;
  TableSource source = *centering.decisions;
  source.rules = reader.rules().settled();
  const TableReader decisions(source);
  const FeasibleSet feasible =
      centering.context_id.empty()
          ? read_library(decisions, "", planned.factors)
          : read_candidates(decisions, centering.context_id, "", planned.factors);
  return read_centered_log(std::move(reader), planned, feasible, outcome);
}

LoggedData read(const TableSource& source, const py::dict& given, const std::string& family,
                const std::string& terms, std::uint64_t seed,
                const std::optional<TableSource>& centered_by, const std::string& context_id,
                const py::object& progress) {
  Roles roles = roles_from(given);
  const auto chosen = word_value<Terms>("terms", terms);
  const TermOptions options{.family = word_value<OutputFamily>("family", family),
                            .seed = seed,
                            .threads = source.threads};
  return long_task(progress, [&](const Progress& report) {
    if (report) report(0, "reading");
    const OutcomeKind outcome = options.family.outcome_kind();
    if (chosen != Terms::kNone) {
      Roles uncentered = roles;
      if (!context_id.empty()) uncentered.exclude.push_back(context_id);
      add_terms(choose_terms(read_log(source, uncentered, outcome), chosen, options), roles);
    }
    return read_centered(TableReader(source), roles, {centered_by, context_id}, outcome);
  });
}

py::dict encoding(const LoggedData& log) {
  py::dict columns;
  for (const ContextColumn& column : log.encoder().contexts) {
    py::dict entry;
    entry["kind"] = column.kind == ColumnKind::kText ? "text" : "number";
    entry["encoded"] = column.num_encoded();
    entry["levels"] = column.levels;
    entry["missing"] = column.has_missing;
    columns[py::str(column.name)] = entry;
  }
  return columns;
}

LogCheck check(const TableSource& source, const py::dict& roles,
               const std::optional<TableSource>& decisions, const std::string& context_id,
               int threads, const py::object& progress) {
  const Roles named = roles_from(roles);
  return long_task(progress, [&](const Progress&) {
    CheckOptions options{.threads = threads};
    TableReader reader(source);
    if (decisions) {
      const Roles planned = plan_log(reader, named).roles;
      TableSource beside = *decisions;
      beside.rules = reader.rules().settled();
      const TableReader rows(beside);
      options.feasible = context_id.empty()
                             ? read_library(rows, "", planned.factors)
                             : read_candidates(rows, context_id, "", planned.factors);
    }
    return check_log(std::move(reader), named, options);
  });
}

py::dict check_to_dict(const LogCheck& check) {
  py::dict result;
  result["rows"] = check.rows;
  result["usable_rows"] = check.usable_rows;
  result["contexts"] = check.contexts;
  result["encoded_contexts"] = check.encoded_contexts;
  result["factors"] = check.factors;
  result["outcome_rate"] = check.outcome_rate;
  result["condition"] = check.condition;
  result["findings"] = findings_to_list(check.findings);
  result["identified"] = check.identified;
  return result;
}

}  // namespace

Roles roles_from(const py::dict& given) {
  const auto names = [&](const char* role) {
    return given.contains(role) ? given[role].cast<Names>() : Names();
  };
  const auto name = [&](const char* role) {
    return given.contains(role) ? given[role].cast<std::string>() : std::string();
  };
  return {.contexts = names("contexts"),
          .factors = names("factors"),
          .outcome = name("outcome"),
          .weight = name("weight"),
          .group = name("group"),
          .unit = name("unit"),
          .time = name("time"),
          .exclude = names("exclude")};
}

py::dict roles_to_dict(const Roles& roles) {
  py::dict result;
  result["contexts"] = roles.contexts;
  result["factors"] = roles.factors;
  result["outcome"] = roles.outcome;
  result["weight"] = roles.weight;
  result["group"] = roles.group;
  result["time"] = roles.time;
  result["unit"] = roles.unit;
  return result;
}

py::list findings_to_list(const Findings& findings) {
  py::list all;
  for (const Finding& finding : findings) {
    py::dict entry;
    entry["severity"] = word(finding.severity);
    entry["kind"] = finding.kind;
    entry["what"] = finding.what;
    entry["columns"] = finding.columns;
    all.append(entry);
  }
  return all;
}

void bind_log(py::module_& module) {
  py::class_<TableSource>(module, "Source")
      .def(py::init(&source_from), py::arg("table"), py::arg("query") = "",
           py::arg("rules") = py::dict(), py::arg("threads") = 0);
  py::class_<LoggedData>(module, "Log")
      .def_property_readonly("num_rows", &LoggedData::num_rows)
      .def_property_readonly("num_contexts", &LoggedData::num_contexts)
      .def_property_readonly("notes", &LoggedData::notes)
      .def_property_readonly("fingerprint", &LoggedData::fingerprint)
      .def_property_readonly("encoding", &encoding)
      .def_property_readonly("encoded_names",
                             [](const LoggedData& log) { return log.encoder().encoded_names(); })
      .def_property_readonly("roles",
                             [](const LoggedData& log) { return roles_to_dict(log.roles()); });
  module.def("read_log", &read, py::arg("source"), py::arg("roles"), py::arg("family"),
             py::arg("terms"), py::arg("seed"), py::arg("centered_by"), py::arg("context_id"),
             py::arg("progress"));
  module.def(
      "check",
      [](const TableSource& source, const py::dict& roles,
         const std::optional<TableSource>& decisions, const std::string& context_id, int threads,
         const py::object& progress) {
        return check_to_dict(check(source, roles, decisions, context_id, threads, progress));
      },
      py::arg("source"), py::arg("roles"), py::arg("decisions"), py::arg("context_id"),
      py::arg("threads"), py::arg("progress"));
}

}  // namespace otss::python
