#include "python_table.hpp"

#include <pybind11/stl.h>

#include <cmath>
#include <cstring>
#include <limits>

namespace otss::python {
namespace {

// Values that are `stride` bytes apart.
template <class Number>
auto strided_reader(KeptObject owner, const char* first, py::ssize_t stride) {
  return [owner = std::move(owner), first, stride](std::size_t row, std::span<double> values) {
    const char* at = first + static_cast<py::ssize_t>(row) * stride;
    for (double& value : values) {
      Number number;
      std::memcpy(&number, at, sizeof number);
      value = static_cast<double>(number);
      at += stride;
    }
  };
}

bool is_missing(PyObject* object) {
  if (object == Py_None) return true;
  if (PyFloat_Check(object)) return std::isnan(PyFloat_AS_DOUBLE(object));
  return std::strcmp(Py_TYPE(object)->tp_name, "NAType") == 0 ||
         std::strcmp(Py_TYPE(object)->tp_name, "NaTType") == 0;
}

// Texts one after the other in one block of memory.
struct TextBlock {
  static constexpr std::size_t kMissing = std::numeric_limits<std::size_t>::max();
  std::string bytes;
  std::vector<std::size_t> ends;  // the end of each text in `bytes`; kMissing for a missing text
  std::vector<std::size_t> begins;

  void append(std::string_view text) {
    begins.push_back(bytes.size());
    bytes.append(text);
    ends.push_back(bytes.size());
  }
  void append_missing() {
    begins.push_back(bytes.size());
    ends.push_back(kMissing);
  }
  std::string_view at(std::size_t row) const {
    if (ends[row] == kMissing) return {};
    return {bytes.data() + begins[row], ends[row] - begins[row]};
  }
};

[[noreturn]] void refuse_object(const std::string& column, std::size_t row, PyObject* object) {
  throw Error(ErrorCode::kInput,
              "column '" + column + "' has a value of type " + Py_TYPE(object)->tp_name +
                  " in row " + std::to_string(row + 1) +
                  "; make all values numbers, for example with astype(float), or all texts, with "
                  "astype(str)");
}

std::string_view text_of(PyObject* object, const std::string& column, std::size_t row) {
  if (!PyUnicode_Check(object)) refuse_object(column, row, object);
  Py_ssize_t size = 0;
  const char* text = PyUnicode_AsUTF8AndSize(object, &size);
  if (text == nullptr) throw py::error_already_set();
  return {text, static_cast<std::size_t>(size)};
}

}  // namespace

KeptObject keep(py::object object) {
  return {new py::object(std::move(object)), [](py::object* kept) {
            const py::gil_scoped_acquire gil;
            delete kept;
          }};
}

void PythonTable::add(MemoryColumn column, std::size_t num_rows) {
  if (!table_.columns.empty() && num_rows != table_.num_rows) {
    throw Error(ErrorCode::kInput, "column '" + column.name + "' has " + std::to_string(num_rows) +
                                       " rows, but column '" + table_.columns.front().name +
                                       "' has " + std::to_string(table_.num_rows) +
                                       " rows; give all columns the same number of rows");
  }
  table_.num_rows = num_rows;
  table_.columns.push_back(std::move(column));
  in_place_.push_back(nullptr);
}

void PythonTable::add_strided(const std::string& name, const KeptObject& owner,
                              const py::array& values, const char* first, py::ssize_t stride,
                              std::size_t num_rows) {
  MemoryColumn column{.name = name};
  if (values.dtype().is(py::dtype::of<float>())) {
    column.numbers = strided_reader<float>(owner, first, stride);
  } else {
    column.numbers = strided_reader<double>(owner, first, stride);
  }
  const bool is_double = values.dtype().is(py::dtype::of<double>());
  const bool is_aligned = reinterpret_cast<std::uintptr_t>(first) % alignof(double) == 0;
  add(std::move(column), num_rows);
  if (is_double && is_aligned && stride == sizeof(double))
    in_place_.back() = reinterpret_cast<const double*>(first);
}

void PythonTable::add_numbers(const std::string& name, const py::array& values) {
  add_strided(name, keep(values), values, static_cast<const char*>(values.data()),
              values.strides(0), static_cast<std::size_t>(values.shape(0)));
}

void PythonTable::add_matrix(const std::vector<std::string>& names, const py::array& values) {
  const KeptObject owner = keep(values);
  const char* first = static_cast<const char*>(values.data());
  for (std::size_t j = 0; j < names.size(); ++j) {
    add_strided(names[j], owner, values, first + static_cast<py::ssize_t>(j) * values.strides(1),
                values.strides(0), static_cast<std::size_t>(values.shape(0)));
  }
}

void PythonTable::add_codes(const std::string& name, const py::array_t<std::int64_t>& codes,
                            std::vector<std::string> categories) {
  MemoryColumn column{.name = name};
  column.texts = [owner = keep(codes), first = reinterpret_cast<const char*>(codes.data()),
                  stride = codes.strides(0), known = std::move(categories)](
                     std::size_t row, std::span<std::string_view> values) {
    const char* at = first + static_cast<py::ssize_t>(row) * stride;
    for (std::string_view& value : values) {
      std::int64_t code = -1;
      std::memcpy(&code, at, sizeof code);
      at += stride;
      const bool is_known = code >= 0 && static_cast<std::size_t>(code) < known.size();
      value =
          is_known ? std::string_view(known[static_cast<std::size_t>(code)]) : std::string_view();
    }
  };
  add(std::move(column), static_cast<std::size_t>(codes.shape(0)));
}

void PythonTable::add_texts(const std::string& name, const py::array& values) {
  const auto num_rows = static_cast<std::size_t>(values.shape(0));
  const auto block = std::make_shared<TextBlock>();
  block->ends.reserve(num_rows);
  block->begins.reserve(num_rows);
  const char* at = static_cast<const char*>(values.data());
  for (std::size_t row = 0; row < num_rows; ++row, at += values.strides(0)) {
    PyObject* object = nullptr;
    std::memcpy(static_cast<void*>(&object), at, sizeof(void*));
    if (is_missing(object)) {
      block->append_missing();
    } else {
      block->append(text_of(object, name, row));
    }
  }
  MemoryColumn column{.name = name};
  column.texts = [block](std::size_t row, std::span<std::string_view> texts) {
    for (std::string_view& text : texts) text = block->at(row++);
  };
  add(std::move(column), num_rows);
}

std::vector<std::string> PythonTable::names() const {
  std::vector<std::string> names;
  for (const MemoryColumn& column : table_.columns) names.push_back(column.name);
  return names;
}

TableSource PythonTable::source() const {
  return {.memory = std::make_shared<const MemoryTable>(table_)};
}

void bind_table(py::module_& module) {
  py::class_<PythonTable>(module, "Table")
      .def(py::init<std::string>(), py::arg("name"))
      .def("add_numbers", &PythonTable::add_numbers)
      .def("add_matrix", &PythonTable::add_matrix)
      .def("add_codes", &PythonTable::add_codes)
      .def("add_texts", &PythonTable::add_texts)
      .def_property_readonly("num_rows", &PythonTable::num_rows)
      .def_property_readonly("names", &PythonTable::names);
}

}  // namespace otss::python
