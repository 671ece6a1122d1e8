#include "errors.hpp"

#include <otss/otss.hpp>

namespace otss::python {
namespace {

namespace py = pybind11;

const char* word_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::kUsage: return "usage";
    case ErrorCode::kInput: return "input";
    case ErrorCode::kIo: return "io";
    case ErrorCode::kInterrupted: return "interrupted";
    default: return "failed";
  }
}

// pybind11 takes only translators with an argument by value.
void translate(std::exception_ptr pointer) {  // NOLINT(performance-unnecessary-value-param)
  try {
    if (pointer) std::rethrow_exception(pointer);
  } catch (const Error& error) {
    const py::object raised =
        py::module_::import("otss._errors").attr("from_core")(word_of(error.code()), error.what());
    PyErr_SetObject(py::type::of(raised).ptr(), raised.ptr());
  }
}

}  // namespace

void bind_errors(py::module_& module) {
  static_cast<void>(module);
  py::register_exception_translator(translate);
}

}  // namespace otss::python
