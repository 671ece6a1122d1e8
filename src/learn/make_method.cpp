#include <functional>
#include <map>

#include "learn/cluster.hpp"
#include "learn/em.hpp"
#include "learn/gbm.hpp"
#include "learn/hard.hpp"
#include "learn/linear.hpp"
#include "learn/low_rank.hpp"
#include "learn/method.hpp"
#include "learn/mlp.hpp"
#include "learn/network_mixture.hpp"
#include "learn/paper_recipe.hpp"

namespace otss {

std::unique_ptr<Method> make_method(const FitOptions& options) {
  using Maker = std::unique_ptr<Method> (*)(const FitOptions&);
  static const std::map<std::string, Maker> makers = {
      {"linear", make_linear}, {"low-rank", make_low_rank},
      {"mlp", make_mlp},       {"cluster", make_cluster},
      {"em", make_em},         {"hard", make_hard},
      {"gbm", make_gbm},       {"otss", make_network_mixture}};
  if (is_paper_recipe(options)) return make_paper_recipe(options);
  return makers.at(options.method)(options);
}

}  // namespace otss
