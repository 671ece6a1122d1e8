#include <functional>
#include <map>

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
