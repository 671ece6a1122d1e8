#include <stdexcept>

#include "learn/method.hpp"

namespace otss {

std::unique_ptr<Method> make_method(const FitOptions& options) {
  throw std::logic_error("no method " + options.method);
}

}  // namespace otss
