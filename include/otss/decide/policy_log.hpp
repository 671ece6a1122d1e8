// A log as the value of a policy needs it: what a model's decisions would have been, row by row.
#pragma once

#include <string>

#include "otss/data/encoder.hpp"
#include "otss/data/factor_centers.hpp"
#include "otss/data/table.hpp"
#include "otss/decide/candidates.hpp"
#include "otss/decide/library.hpp"
#include "otss/decide/policy_value.hpp"
#include "otss/model/fitted.hpp"

namespace otss {

struct PolicyColumns {
  std::string decision;         // id of the logged decision
  std::string propensity;       // with which it was chosen
  std::string context_id = {};  // with candidates: links a row to them
};

// The policy is the model's best decision, as decide() gives it, ties included; its predictions are
// the direct model. The table needs the model's contexts and outcome; factors come from the
// library, and where the table has them too they must agree. The model's weight and group columns
// are used where the table has them. An id the library lacks and a propensity outside (0, 1] are
// errors naming the row.
PolicyLog read_policy_log(const TableReader& reader, const Fitted& fitted,
                          const PolicyColumns& columns, const Library& library,
                          const EncodeOptions& options = {});

// The same with decisions listed per context; `centers` for a model whose factors are counted from
// the mean of its candidates (Roles::centered_by), null for others.
PolicyLog read_policy_log(const TableReader& reader, const Fitted& fitted,
                          const PolicyColumns& columns, Candidates& candidates,
                          const FactorCenters* centers, const EncodeOptions& options = {});

}  // namespace otss
