// What deciding gives back, and how it can be asked for.
#pragma once

#include <cstddef>

namespace otss {

struct Decision {
  std::size_t row = 0;  // which context of the call, from 0
  int rank = 1;  // from 1; among equal scores the decision that comes first in its table has the
                 // better rank
  std::size_t index = 0;  // row of the library or candidate table, from 0
  double score = 0;       // w'z in the log's units
  double margin =
      0;  // score - the best other feasible decision's score; NaN when there is no other
};

struct DecideOptions {
  int top = 1;  // decisions per context; as many as there are when there are fewer
  int num_threads = 1;
  bool prune = true;  // leave out decisions that cannot be among the best; never changes a result
};

}  // namespace otss
