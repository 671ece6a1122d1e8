// Options of a fit in Python's spelling. describe_fit_options() of the library describes each option
// once; Python uses the same names (with _ for -), ranges, defaults and help texts.
#pragma once

#include <pybind11/pybind11.h>

#include <otss/otss.hpp>

namespace otss::python {

namespace py = pybind11;

// Returns the options that `values` gives by name. An unknown name, or a value that the option does
// not allow, is an Error that names the option.
FitOptions fit_options_from(const py::dict& values);

// Returns the value of an enum that users spell as a word. `name` is the option in the error.
template <Worded Enum>
Enum word_value(const char* name, const std::string& given) {
  if (const auto known = parse_word<Enum>(given)) return *known;
  std::string allowed;
  for (const std::string& word : words_of<Enum>())
    allowed += (allowed.empty() ? "'" : ", '") + word + "'";
  throw Error(ErrorCode::kUsage, std::string(name) + " is '" + given + "'; give one of " + allowed);
}

void bind_fit_options(py::module_& module);

}  // namespace otss::python
