// From a file to a decision, with nothing but the installed headers and library.
#include <cstdio>
#include <fstream>
#include <otss/otss.hpp>
#include <vector>

#if __has_include("base/json.hpp")
#error "the library's own headers are visible to its users"
#endif

int main() {
  std::ofstream table("log.csv");
  table << "age,price,kept\n";
  for (int i = 0; i < 400; ++i) {
    const int age = 20 + i % 41;
    const int price = i % 7;
    table << age << ',' << price << ',' << (i % 10 < (price < 3 ? 7 : 3)) << '\n';
  }
  table.close();

  const otss::Roles roles{.contexts = {"age"}, .factors = {"price"}, .outcome = "kept"};
  const auto log = otss::read_log("log.csv", roles);
  otss::save_model(otss::fit(log, {.method = otss::Method::kPooled}), "model.json");
  const auto fitted = otss::load_model("model.json");

  std::vector<double> x(fitted.num_contexts());
  std::vector<double> w(fitted.num_factors());
  const otss::NamedValue row[] = {{"age", 41.0}};
  fitted.encode(row, x);
  fitted.weights(x, w);
  const std::vector<otss::NamedWeight> named = fitted.weights(row);
  std::printf("weight of %s: %g\n", named[0].factor.c_str(), named[0].weight);
  if (named[0].weight != w[0] || fitted.num_experts() != 1 || fitted.shares(row)[0] != 1) return 1;

  std::vector<double> lo(fitted.num_factors());
  std::vector<double> hi(fitted.num_factors());
  fitted.intervals(x, 0.9, lo, hi);
  fitted.intervals(x, 0.9, lo, hi, otss::Coverage::kAllFactors);
  std::ofstream("offers.csv") << "offer,price\ncheap,1\ndear,6\n";
  const otss::Decider decider(fitted.scorer(),
                              otss::read_library("offers.csv", "offer", fitted.factor_names()),
                              {.top = 2});
  const auto decisions = decider.decide({1, x});
  const auto certificates = otss::certify(fitted, {1, x}, decisions, decider.feasible());
  const auto ahead = otss::explain_margin(fitted.weight_map(), x, decisions, decider.feasible());
  const bool sure = certificates[0].certified && !certificates[1].certified && ahead[0] > 0;
  return lo[0] < w[0] && hi[0] < 0 && sure ? 0 : 1;
}
