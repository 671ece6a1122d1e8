#include "command.hpp"

namespace otss::app {

void add_commands(CLI::App& app) {
  add_check(app);
  add_fit(app);
  add_weights(app);
  add_predict(app);
  add_decide(app);
  add_export_objective(app);
  add_export(app);
  add_evaluate(app);
  add_compare(app);
  add_inspect(app);
  add_report(app);
  add_units(app);
  add_simulate(app);
  add_study(app);
  add_version(app);
}

}  // namespace otss::app
