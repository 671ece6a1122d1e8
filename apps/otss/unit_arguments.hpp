// UnitArguments has the options of the commands that use what is known about units, such as
// customers: --history, --units, --unit and --time.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "otss/data/table.hpp"
#include "otss/model/unit_states.hpp"

namespace otss::app {

class UnitArguments {
 public:
  // Adds the options. The help calls the command's table `table`.
  void add(CLI::App& command, const std::string& table);

  bool is_given() const { return !history_.empty() || !units_.empty(); }
  // Returns the files that the command reads because of these options.
  std::vector<std::string> inputs() const { return {history_, units_}; }

  // Reads the history or the units file. Must be called before columns(). `rules` are those by
  // which the command reads its tables. `centered_by` has the candidates of a model with centred
  // factors, or is null if the command does not take them.
  void load(const Fitted& fitted, const ReadingRules& rules, int threads,
            const FeasibleSet* centered_by = nullptr);
  // Returns true if the command cannot see whether the history has rows of the command's table.
  bool may_share_rows() const { return states_ && time_.empty() && states_->keep_rows() == 0; }
  // Returns the columns with the units of the command's table, and what is known about them.
  UnitColumns columns() const;

 private:
  void check_usage() const;

  std::string history_, units_, unit_, time_;
  std::optional<UnitStates> states_;
};

}  // namespace otss::app
