// Reads tables of other libraries through the Arrow C data interface
// (https://arrow.apache.org/docs/format/CDataInterface.html). No Arrow library is needed.
#pragma once

#include <pybind11/pybind11.h>

#include <string>
#include <utility>
#include <vector>

#include "python_table.hpp"

namespace otss::python {

struct ArrowBatches;  // arrow.cpp

// A table that another library exported.
class ArrowTable {
 public:
  // `capsule` is what __arrow_c_stream__() returns. It is used up.
  explicit ArrowTable(const py::capsule& capsule);

  std::size_t num_rows() const;
  // Returns the name and the kind of each column: "number", "text", "time", or the Arrow format of a
  // type that cannot be read.
  std::vector<std::pair<std::string, std::string>> columns() const;
  // Returns the values of a column: an array of numbers, or a list of texts and None.
  py::object values(const std::string& column) const;
  // Adds a column to `table`, without copying it. Dates and times become seconds since 1970-01-01.
  void add_to(PythonTable& table, const std::string& column) const;

 private:
  std::shared_ptr<const ArrowBatches> batches_;
};

void bind_arrow(py::module_& module);

}  // namespace otss::python
