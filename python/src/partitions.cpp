// Partitions of a log in the workers of a cluster (otss.dask).
#include <otss/otss.hpp>

#include "fit_options.hpp"
#include "log.hpp"
#include "long_task.hpp"
#include "model.hpp"

namespace otss::python {
namespace {

std::string bytes_from(const py::handle& given) {
  if (!py::isinstance<py::bytes>(given)) throw py::type_error("bytes are needed");
  return given.cast<std::string>();
}

py::list to_list(const std::vector<std::string>& all) {
  py::list result;
  for (const std::string& one : all) result.append(py::bytes(one));
  return result;
}

std::vector<std::string> from_list(const py::handle& given) {
  std::vector<std::string> all;
  for (const py::handle one : given) all.push_back(bytes_from(one));
  return all;
}

// Calls `work` without the GIL and returns its result as bytes.
template <class Work>
py::bytes released(const Work& work) {
  std::string result;
  {
    const py::gil_scoped_release release;
    result = work();
  }
  return result;
}

py::bytes summarize(const TableSource& table, const py::dict& roles) {
  const Roles named = roles_from(roles);
  return released([&] { return summarize_partition(table, named); });
}

py::bytes plan(const py::list& summaries, const std::string& family) {
  const OutcomeKind outcome = word_value<OutputFamily>("family", family).outcome_kind();
  return plan_partitions(from_list(summaries), outcome);
}

// `ask` gets a list of bytes and returns one, as AskPartitions does.
Fitted fit_model(const py::bytes& plan, const py::function& ask, const py::dict& options,
                 const py::object& progress) {
  const FitOptions chosen = fit_options_from(options);
  const auto asked = [&](const std::vector<std::string>& requests) {
    const py::gil_scoped_acquire acquire;
    return from_list(ask(to_list(requests)));
  };
  const auto bytes = plan.cast<std::string>();
  return long_task(progress, [&](const Progress& report) {
    return fit_partitions(bytes, asked, chosen, report);
  });
}

}  // namespace

void bind_partitions(py::module_& module) {
  py::class_<LogPartition>(module, "LogPartition")
      .def(py::init([](const TableSource& table, const py::bytes& plan, std::size_t index) {
             const auto bytes = plan.cast<std::string>();
             const py::gil_scoped_release release;
             return LogPartition(table, bytes, index);
           }),
           py::arg("table"), py::arg("plan"), py::arg("index"))
      .def_property_readonly("num_rows", &LogPartition::num_rows)
      .def("answer",
           [](const LogPartition& partition, const py::bytes& request) {
             const auto bytes = request.cast<std::string>();
             return released([&] { return partition.answer(bytes); });
           })
      .def(py::pickle(
          [](const LogPartition& partition) { return released([&] { return partition.saved(); }); },
          [](const py::bytes& saved) { return LogPartition(saved.cast<std::string>()); }));
  module.def("summarize_partition", &summarize, py::arg("table"), py::arg("roles"));
  module.def("plan_partitions", &plan, py::arg("summaries"), py::arg("family"));
  module.def("fit_partitions", &fit_model, py::arg("plan"), py::arg("ask"), py::arg("options"),
             py::arg("progress"));
}

}  // namespace otss::python
