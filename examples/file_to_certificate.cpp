// From a file to a certified decision.
//
//   file_to_certificate deliveries.csv offers.csv
//
// The log has one row per past delivery: age and plan of the customer, price and hours of the
// offer, and whether the customer was kept. The program learns how customers weigh price against
// time, and chooses an offer for four customers. A choice is certified if, at a confidence level of
// 90 %, it has a higher score than every other offer.
#include <cstdio>
#include <otss/otss.hpp>
#include <vector>

namespace {

constexpr double kLevel = 0.9;  // confidence level

void advise(const otss::Fitted& model, const otss::FeasibleSet& offers, double age,
            const char* plan) {
  // Values are given by the names of the log's context columns, in any order.
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

    // A model is saved as one file. A program that only decides loads that file and needs no log.
    otss::save_model(model, "deliveries_model.json");
    const otss::Fitted loaded = otss::load_model("deliveries_model.json");

    const otss::TableReader library(loaded.encoder().as_trained({.path = argv[2]}));
    const otss::FeasibleSet offers = otss::read_library(library, "offer", loaded.factor_names());
    for (const double age : {25.0, 40.0, 48.0, 70.0}) advise(loaded, offers, age, "family");
    return 0;
  } catch (const otss::Error& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
}
