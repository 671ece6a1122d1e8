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
  otss::save_model(otss::fit(log, {.method = "pooled"}), "model.json");
  const auto fitted = otss::load_model("model.json");

  std::vector<double> x(fitted.num_contexts());
  std::vector<double> w(fitted.num_factors());
  const otss::NamedValue row[] = {{"age", 41.0}};
  fitted.encode(row, x);
  fitted.weights(x, w);
  std::printf("weight of price: %g\n", w[0]);
  return w[0] < 0 ? 0 : 1;
}
