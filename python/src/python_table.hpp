// A PythonTable holds columns of Python objects (numpy arrays, pandas columns, Arrow streams) as a
// MemoryTable, which the library reads in place.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <memory>
#include <otss/otss.hpp>
#include <string>
#include <vector>

namespace otss::python {

namespace py = pybind11;

// Keeps a Python object alive. The object is released with the GIL held, whichever thread destroys
// the last copy.
using KeptObject = std::shared_ptr<py::object>;
KeptObject keep(py::object object);

class PythonTable {
 public:
  explicit PythonTable(std::string name) : table_{.name = std::move(name)} {}

  // Adds a column of numbers: a one-dimensional array of float64 or float32, with any stride. The
  // array is not copied.
  void add_numbers(const std::string& name, const py::array& values);
  // Adds one column per column of a two-dimensional array of float64 or float32. The array is not
  // copied.
  void add_matrix(const std::vector<std::string>& names, const py::array& values);
  // Adds a column of texts that is given as codes: `categories[code]` is the text, and a negative
  // code means that it is missing.
  void add_codes(const std::string& name, const py::array_t<std::int64_t>& codes,
                 std::vector<std::string> categories);
  // Adds a column of texts from a one-dimensional array of Python objects. None, NaN and pandas.NA
  // are missing. Any other object that is not a str is an InputError that names the row. The texts
  // are copied.
  void add_texts(const std::string& name, const py::array& values);
  void add(MemoryColumn column, std::size_t num_rows);

  std::size_t num_rows() const { return table_.num_rows; }
  const std::string& name() const { return table_.name; }
  const MemoryTable& memory() const { return table_; }
  // Returns the numbers of a column if they lie one after the other in memory, in double precision;
  // else null. `column` is counted from 0.
  const double* in_place(std::size_t column) const { return in_place_[column]; }
  std::vector<std::string> names() const;

  // Returns a source that reads the columns that are in the table now.
  TableSource source() const;

 private:
  void add_strided(const std::string& name, const KeptObject& owner, const py::array& values,
                   const char* first, py::ssize_t stride, std::size_t num_rows);

  MemoryTable table_;
  std::vector<const double*> in_place_;  // one entry per column
};

void bind_table(py::module_& module);

}  // namespace otss::python
