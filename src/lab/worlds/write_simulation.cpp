#include <fmt/core.h>

#include <cassert>
#include <filesystem>

#include "base/atomic_file.hpp"
#include "lab/worlds/simulation.hpp"
#include "otss/base/error.hpp"
#include "otss/data/table.hpp"

namespace otss::internal {
namespace {

// Holds columns of equal length that are written to one file.
class Frame {
 public:
  void add(const std::string& name, std::vector<double> values) {
    info_.push_back({name, ColumnKind::kNumber});
    numbers_.push_back(std::move(values));
    texts_.emplace_back();
  }
  void add(const std::string& name, const std::vector<std::string>& values) {
    info_.push_back({name, ColumnKind::kText});
    numbers_.emplace_back();
    texts_.emplace_back(values.begin(), values.end());
  }
  // Adds the columns of a row-major matrix.
  void add(const std::vector<std::string>& names, std::span<const double> matrix) {
    for (std::size_t j = 0; j < names.size(); ++j) {
      std::vector<double> column;
      for (std::size_t i = j; i < matrix.size(); i += names.size()) column.push_back(matrix[i]);
      add(names[j], std::move(column));
    }
  }

  void write(const std::filesystem::path& path) const {
    TableWriter writer(path.string(), info_);
    TableChunk chunk;
    chunk.num_rows = std::max(numbers_.front().size(), texts_.front().size());
    for (std::size_t c = 0; c < info_.size(); ++c)
      chunk.columns.push_back({info_[c].kind, numbers_[c], texts_[c]});
    writer.write(chunk);
    writer.commit();
  }

 private:
  std::vector<ColumnInfo> info_;
  std::vector<std::vector<double>> numbers_;
  std::vector<std::vector<std::string_view>> texts_;
};

std::vector<std::string> decision_ids(const FeasibleSet& library) {
  std::vector<std::string> ids;
  for (std::size_t d = 0; d < library.size(); ++d) ids.push_back(library.id(d));
  return ids;
}

std::vector<std::string> unit_names(const SimulatedRows& rows) {
  std::vector<std::string> names;
  for (const std::size_t unit : rows.units) names.push_back(fmt::format("u{}", unit + 1));
  return names;
}

// Adds the column `unit` to a table, if the world has units. `names` must live longer than the
// frame, which does not copy texts.
void add_units(const std::vector<std::string>& names, Frame& frame) {
  if (!names.empty()) frame.add("unit", names);
}

std::vector<double> logged_factors(const Simulation& s, const SimulatedRows& rows) {
  std::vector<double> z;
  for (std::size_t i = 0; i < rows.num_rows; ++i) {
    const std::span<const double> row = s.logged_factors(rows, i);
    z.insert(z.end(), row.begin(), row.end());
  }
  return z;
}

void write_log(const Simulation& s, const SimulatedRows& rows, const std::filesystem::path& path) {
  std::vector<std::string> decisions;
  for (const std::size_t d : rows.decisions) decisions.push_back(s.library.id(d));
  const std::vector<std::string> units = unit_names(rows);
  Frame frame;
  add_units(units, frame);
  if (!rows.times.empty()) frame.add("time", rows.times);
  frame.add(s.context_names(), rows.contexts);
  frame.add(s.factor_names(), logged_factors(s, rows));
  frame.add("y", rows.outcomes);
  frame.add("decision", decisions);
  frame.add("propensity", rows.propensities);
  frame.write(path);
}

std::vector<std::vector<double>> columns(const std::vector<double>& matrix, int width) {
  std::vector<std::vector<double>> result(width);
  for (std::size_t i = 0; i < matrix.size(); ++i) result[i % width].push_back(matrix[i]);
  return result;
}

LoggedData training_log(const Simulation& s, const LogExtras& extras) {
  const auto x = columns(s.train.contexts, s.num_contexts);
  const auto z = columns(logged_factors(s, s.train), s.num_factors);
  std::vector<NamedColumn> contexts;
  std::vector<NamedColumn> factors;
  for (int j = 0; j < s.num_contexts; ++j)
    contexts.push_back({.name = s.context_names()[j], .numbers = x[j]});
  for (int j = 0; j < s.num_factors; ++j)
    factors.push_back({.name = s.factor_names()[j], .numbers = z[j]});
  return make_log(contexts, factors, s.train.outcomes, extras);
}

}  // namespace

LoggedData training_log(const Simulation& s) {
  LogExtras extras;
  extras.group.numbers = s.train.groups;
  return training_log(s, extras);
}

LoggedData training_log_of_units(const Simulation& s) {
  const std::vector<std::string> names = unit_names(s.train);
  const std::vector<std::string_view> units(names.begin(), names.end());
  LogExtras extras;
  extras.unit.texts = units;
  return training_log(s, extras);
}

SimulatedTables write_simulation(const Simulation& s, const std::string& folder) {
  assert(s.library.size() > 0);
  const std::filesystem::path dir(folder);
  std::error_code error;
  std::filesystem::create_directories(dir, error);
  if (error || !std::filesystem::is_directory(dir)) {
    throw Error(ErrorCode::kIo,
                fmt::format("-o {}: cannot create this folder ({}); choose another folder", folder,
                            error.message()));
  }
  write_log(s, s.train, dir / "log.csv");
  write_log(s, s.test, dir / "test.csv");
  const std::vector<std::string> units = unit_names(s.test);
  Frame contexts;
  add_units(units, contexts);
  if (!s.test.times.empty()) contexts.add("time", s.test.times);
  contexts.add(s.context_names(), s.test.contexts);
  contexts.write(dir / "contexts.csv");
  // `ids` must live longer than the frame `library`, which does not copy texts.
  const std::vector<std::string> ids = decision_ids(s.library);
  Frame library;
  library.add("id", ids);
  library.add(s.factor_names(), s.library.factors());
  library.write(dir / "library.csv");
  Frame truth;
  add_units(units, truth);
  std::vector<std::string> names;
  for (const std::string& factor : s.factor_names()) names.push_back("w_" + factor);
  truth.add(names, s.test.weights);
  truth.write(dir / "truth.csv");
  AtomicFile spec((dir / "spec.json").string());
  spec.write(s.spec.dump(2) + "\n");
  spec.commit();
  return {s.train.num_rows, s.test.num_rows, s.library.size(), s.spec.dump()};
}

}  // namespace otss::internal

namespace otss {

using namespace internal;

SimulatedTables write_simulation(const OverlapSpec& spec, const std::string& folder) {
  return write_simulation(simulate_overlap(spec), folder);
}
SimulatedTables write_simulation(const PooledSpec& spec, const std::string& folder) {
  return write_simulation(simulate_pooled(spec), folder);
}
SimulatedTables write_simulation(const MatchedSpec& spec, const std::string& folder) {
  return write_simulation(simulate_matched(spec), folder);
}
SimulatedTables write_simulation(const ExpertsSpec& spec, const std::string& folder) {
  return write_simulation(simulate_experts(spec), folder);
}
SimulatedTables write_simulation(const PanelSpec& spec, const std::string& folder) {
  return write_simulation(simulate_panel(spec), folder);
}

}  // namespace otss
