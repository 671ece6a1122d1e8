// From a file to a certified decision.
//
//   file_to_certificate deliveries.csv offers.csv
//
// The log has a row per past delivery: age and plan of the customer, price and hours of what was
// offered, and whether the customer was kept. The program learns how customers weigh price against
// time, chooses an offer for some of them, and says how sure that choice is: a decision is
// certified when no other offer could be better, whatever the weights are within their error.
#include <cstdio>
#include <otss/otss.hpp>
#include <vector>

namespace {

constexpr double kLevel = 0.9;  // of confidence

void advise(const otss::Fitted& model, const otss::FeasibleSet& offers, double age,
            const char* plan) {
  // Values go by the names of the log's columns, in any order.
  std::vector<double> x(model.num_contexts());
  model.encode({{"plan", plan}, {"age", age}}, x);
  const otss::Contexts customer{1, x};
  const std::vector<otss::Decision> decisions = otss::decide(model.scorer(), customer, offers);
  const otss::Certificate certificate =
      otss::certify(model, customer, decisions, offers, {.level = kLevel}).front();
  std::printf("age %2.0f, %-6s  %-8s  %-13s  best with probability %3.0f %%\n", age, plan,
              offers.id(decisions.front().index).c_str(),
              certificate.certified ? "certified" : "not certified",
              100 * certificate.probability_optimal);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: file_to_certificate LOG OFFERS\n");
    return 2;
  }
  try {
    const otss::Roles roles{
        .contexts = {"age", "plan"}, .factors = {"price", "hours"}, .outcome = "kept"};
    const otss::LoggedData log = otss::read_log(argv[1], roles);
    const otss::Fitted model = otss::fit(log);

    // A model is one file; a program that only decides loads it and needs no log.
    otss::save_model(model, "deliveries_model.json");
    const otss::Fitted loaded = otss::load_model("deliveries_model.json");

    const otss::FeasibleSet offers = otss::read_library(argv[2], "offer", loaded.factor_names());
    for (const double age : {25.0, 40.0, 48.0, 70.0}) advise(loaded, offers, age, "family");
    return 0;
  } catch (const otss::Error& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
}
