// From columns in memory to a decision.
//
// A shop has offered deliveries at different prices and speeds, and knows who came back. Customers
// weigh price against time differently: here the older ones care for time, the younger ones for
// money. Nobody tells the program: it learns the trade-off of each customer from the log, and then
// chooses among offers.
#include <cmath>
#include <cstdio>
#include <otss/otss.hpp>
#include <random>
#include <vector>

namespace {

// The log, one entry per past delivery. Yours comes from wherever your data is.
struct Log {
  std::vector<double> age;           // the context: what was known before deciding
  std::vector<double> price, hours;  // the factors of what was offered
  std::vector<double> kept;          // the outcome: 1 came back, 0 did not
};

Log make_up_a_log(int rows) {
  std::mt19937 random(5);
  const auto uniform = [&] { return static_cast<double>(random()) / 4294967296.0; };
  Log log;
  for (int i = 0; i < rows; ++i) {
    const double age = 18 + std::floor(62 * uniform());
    const double price = std::floor(10 * uniform());
    const double hours = 1 + std::floor(48 * uniform());
    const double patience = 1 / (1 + std::exp((age - 48) / 6));  // 1: only money matters
    const double score =
        -(0.1 + 0.8 * patience) * (price - 5) - (0.09 - 0.085 * patience) * (hours - 24);
    log.age.push_back(age);
    log.price.push_back(price);
    log.hours.push_back(hours);
    log.kept.push_back(uniform() < 1 / (1 + std::exp(-0.5 - score)) ? 1 : 0);
  }
  return log;
}

}  // namespace

int main() {
  try {
    // 1. Say which column plays which part.
    const Log past = make_up_a_log(2000);
    const otss::LoggedData log = otss::make_log(
        {{.name = "age", .numbers = past.age}},
        {{.name = "price", .numbers = past.price}, {.name = "hours", .numbers = past.hours}},
        past.kept);

    // 2. Learn. How many trade-offs there are, and whether there is more than one, is found from
    // the log.
    const otss::Fitted model = otss::fit(log);

    // 3. What could be offered, in the order of the factors above.
    const auto offers = otss::FeasibleSet::of_library({"express", "same day", "next day", "saver"},
                                                      2, {8, 1, 5, 8, 3, 24, 0, 48});

    // 4. For a new customer: the weights, and the offer with the largest weighted sum.
    for (const double age : {25.0, 48.0, 70.0}) {
      std::vector<double> x(model.num_contexts());
      std::vector<double> w(model.num_factors());
      model.encode({{"age", age}}, x);
      model.weights(x, w);
      const otss::Decision best = otss::decide(model.scorer(), {1, x}, offers).front();
      std::printf("age %2.0f: one hour is worth %5.2f of price, so offer %s\n", age, w[1] / w[0],
                  offers.id(best.index).c_str());
    }
    return 0;
  } catch (const otss::Error& error) {  // what data or options can cause: one line, with a way out
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
}
