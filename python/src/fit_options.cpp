#include "fit_options.hpp"

#include <pybind11/stl.h>

#include <algorithm>
#include <concepts>
#include <set>

namespace otss::python {
namespace {

std::string python_name(const OptionText& text) {
  std::string name = text.name;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

[[noreturn]] void refuse_value(const std::string& name, const py::handle& value,
                               const std::string& allowed) {
  throw Error(ErrorCode::kUsage,
              name + " is " + std::string(py::repr(value)) + "; give " + allowed);
}

std::string range_text(const char* kind, const Range& range) {
  const py::str text("{} from {:.17g} to {:.17g}");
  return text.format(kind, range.lo, range.hi).cast<std::string>();
}

bool is_whole(const py::handle& value) {
  return PyIndex_Check(value.ptr()) != 0 && !PyBool_Check(value.ptr());
}

// Takes the values of the options from a dict.
struct OptionTaker {
  const py::dict& values;
  std::set<std::string>& known;

  void operator()(const OptionText& text, bool& field) const {
    take(text, [&](const std::string& name, const py::handle& value) {
      const int truth = PyObject_IsTrue(value.ptr());
      if (truth < 0) throw py::error_already_set();
      if (!PyBool_Check(value.ptr()) && !is_whole(value) &&
          std::string(Py_TYPE(value.ptr())->tp_name) != "numpy.bool_")
        refuse_value(name, value, "True or False");
      field = truth != 0;
    });
  }
  void operator()(const OptionText& text, std::string& field, const FreeText& limits) const {
    take(text, [&](const std::string& name, const py::handle& value) {
      if (!py::isinstance<py::str>(value))
        refuse_value(name, value, std::string("a text of the form '") + limits.form + "'");
      field = value.cast<std::string>();
    });
  }
  void operator()(const OptionText& text, double& field, const Range& range) const {
    take(text, [&](const std::string& name, const py::handle& value) {
      const double number = PyFloat_AsDouble(value.ptr());
      if (PyErr_Occurred() != nullptr) PyErr_Clear();
      const bool is_number = PyNumber_Check(value.ptr()) != 0 && !PyBool_Check(value.ptr());
      if (!is_number || !(number >= range.lo && number <= range.hi))
        refuse_value(name, value, range_text("a number", range));
      field = number;
    });
  }
  template <std::integral Number>
  requires(!std::same_as<Number, bool>) void operator()(const OptionText& text, Number& field,
                                                        const Range& range) const {
    take(text, [&](const std::string& name, const py::handle& value) {
      field = whole_number<Number>(name, value, range, "a whole number");
    });
  }
  void operator()(const OptionText& text, AutoCount& field, const Range& range) const {
    take(text, [&](const std::string& name, const py::handle& value) {
      if (py::isinstance<py::str>(value) && value.cast<std::string>() == "auto") {
        field = {};
      } else {
        field = whole_number<int>(name, value, range, "'auto' or a whole number");
      }
    });
  }
  template <Worded Enum>
  void operator()(const OptionText& text, Enum& field, const Choices&) const {
    take(text, [&](const std::string& name, const py::handle& value) {
      field = word_value<Enum>(name.c_str(), py::isinstance<py::str>(value)
                                                 ? value.cast<std::string>()
                                                 : std::string(py::repr(value)));
    });
  }

 private:
  template <class Set>
  void take(const OptionText& text, const Set& set) const {
    const std::string name = python_name(text);
    known.insert(name);
    if (values.contains(name.c_str())) set(name, values[name.c_str()]);
  }
  template <class Number>
  static Number whole_number(const std::string& name, const py::handle& value, const Range& range,
                             const char* kind) {
    double number = 0;
    if (is_whole(value))
      number = PyFloat_AsDouble(py::int_(py::reinterpret_borrow<py::object>(value)).ptr());
    if (PyErr_Occurred() != nullptr) throw py::error_already_set();
    if (!is_whole(value) || !(number >= range.lo && number <= range.hi))
      refuse_value(name, value, range_text(kind, range));
    return static_cast<Number>(number);
  }
};

// Describes each option as a dict: name, help, default, and what it allows.
struct OptionDescriber {
  py::list& all;

  void operator()(const OptionText& text, const bool& field) const {
    add(text, py::bool_(field))["allows"] = "True or False";
  }
  void operator()(const OptionText& text, const std::string& field, const FreeText& form) const {
    add(text, py::str(field))["allows"] = std::string("text such as '") + form.form + "'";
  }
  void operator()(const OptionText& text, const AutoCount&, const Range& range) const {
    add(text, py::str("auto"))["allows"] = range_text("'auto' or a whole number", range);
  }
  void operator()(const OptionText& text, const double& field, const Range& range) const {
    add(text, py::float_(field))["allows"] = range_text("a number", range);
  }
  template <std::integral Number>
  requires(!std::same_as<Number, bool>) void operator()(const OptionText& text, const Number& field,
                                                        const Range& range) const {
    add(text, py::int_(field))["allows"] = range_text("a whole number", range);
  }
  template <Worded Enum>
  void operator()(const OptionText& text, const Enum& field, const Choices& choices) const {
    py::dict entry = add(text, py::str(word(field)));
    entry["choices"] = py::cast(choices);
    std::string allowed;
    for (const std::string& choice : choices)
      allowed += (allowed.empty() ? "'" : ", '") + choice + "'";
    entry["allows"] = allowed;
  }

 private:
  py::dict add(const OptionText& text, const py::object& value) const {
    py::dict entry;
    entry["name"] = python_name(text);
    entry["help"] = text.help;
    entry["default"] = value;
    all.append(entry);
    return entry;
  }
};

py::list described() {
  py::list all;
  const FitOptions defaults;
  describe_fit_options(defaults, OptionDescriber{all});
  return all;
}

}  // namespace

FitOptions fit_options_from(const py::dict& values) {
  FitOptions options;
  std::set<std::string> known;
  describe_fit_options(options, OptionTaker{values, known});
  for (const auto& [name, value] : values) {
    if (!known.contains(name.cast<std::string>()))
      throw Error(ErrorCode::kUsage, "there is no option '" + name.cast<std::string>() + "'");
  }
  return options;
}

void bind_fit_options(py::module_& module) {
  module.def("fit_options", &described,
             "The options of a fit: name, help text, default and allowed values.");
}

}  // namespace otss::python
