#include <stdexcept>

#include "learn/cluster.hpp"
#include "learn/em.hpp"
#include "learn/hard.hpp"
#include "learn/method.hpp"

namespace otss {

std::unique_ptr<Method> make_method(const FitOptions& options) {
  if (options.method == "cluster") return make_cluster(options);
  if (options.method == "em") return make_em(options);
  if (options.method == "hard") return make_hard(options);
  throw std::logic_error("no method " + options.method);
}

}  // namespace otss
