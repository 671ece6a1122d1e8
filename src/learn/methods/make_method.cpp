#include <stdexcept>

#include "learn/methods/cluster.hpp"
#include "learn/methods/em.hpp"
#include "learn/methods/gbm.hpp"
#include "learn/methods/hard.hpp"
#include "learn/methods/linear.hpp"
#include "learn/methods/low_rank.hpp"
#include "learn/methods/method.hpp"
#include "learn/methods/mlp.hpp"
#include "learn/methods/network_mixture.hpp"
#include "learn/methods/paper_recipe.hpp"
#include "learn/options/option_check.hpp"

namespace otss::internal {

std::unique_ptr<ComparisonMethod> make_method(const FitOptions& options) {
  if (is_paper_recipe(options)) return make_paper_recipe(options);
  switch (options.method) {
    case Method::kLinear: return make_linear(options);
    case Method::kLowRank: return make_low_rank(options);
    case Method::kMlp: return make_mlp(options);
    case Method::kCluster: return make_cluster(options);
    case Method::kEm: return make_em(options);
    case Method::kHard: return make_hard(options);
    case Method::kGbm: return make_gbm(options);
    case Method::kAuto:
    case Method::kOtss: return make_network_mixture(options);
    case Method::kPooled: break;
  }
  throw std::logic_error("make_method: fit_soft fits the pooled model");
}

}  // namespace otss::internal
