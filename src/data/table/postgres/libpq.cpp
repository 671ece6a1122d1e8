#include "data/table/postgres/libpq.hpp"

#include <dlfcn.h>
#include <fmt/core.h>

#include "otss/base/error.hpp"

namespace otss::internal::postgres {
namespace {

constexpr const char* kLibrary = "libpq.so.5";

Error no_library(const std::string& reason) {
  return {ErrorCode::kFailed,
          fmt::format("a postgresql:// address needs the library {}, which cannot be loaded ({}); "
                      "install it (apt install libpq5)",
                      kLibrary, reason)};
}

template <class Function>
void load_function(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  if (function == nullptr) throw no_library(fmt::format("it has no function {}", name));
}

Libpq load_library() {
  void* library = dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw no_library(dlerror());
  Libpq functions;
#define OTSS_LIBPQ_LOAD(NAME) load_function(library, #NAME, functions.NAME);
  OTSS_LIBPQ_FUNCTIONS(OTSS_LIBPQ_LOAD)
#undef OTSS_LIBPQ_LOAD
  return functions;
}

}  // namespace

const Libpq& libpq() {
  static const Libpq functions = load_library();
  return functions;
}

}  // namespace otss::internal::postgres
