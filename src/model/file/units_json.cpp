#include "model/file/units_json.hpp"

#include <cmath>

#include "model/file/gate_json.hpp"

namespace otss::internal {

Json units_to_json(const Deviations& deviations) {
  const auto size = static_cast<std::size_t>(std::lround(std::sqrt(deviations.covariance.size())));
  return {{"form", word(deviations.form)},
          {"rank", deviations.rank},
          {"covariance", matrix_to_json(deviations.covariance, size)}};
}

Deviations units_from_json(JsonFields fields, std::size_t num_factors) {
  const std::size_t size = 1 + num_factors;
  const auto form = parse_word<DeviationForm>(fields.text("form"));
  if (!form)
    fields.fail("form",
                "has a value that this version of otss does not know; install a newer version, or "
                "fit the model again");
  const double rank = fields.number("rank");
  if (!(rank >= 0 && rank <= static_cast<double>(size) && rank == std::floor(rank)))
    fields.fail("rank", "is not a whole number from 0 to the number of factors plus 1");
  Deviations deviations{*form, static_cast<int>(rank),
                        matrix_from_json(fields, "covariance", size, size)};
  fields.finish();
  return deviations;
}

}  // namespace otss::internal
