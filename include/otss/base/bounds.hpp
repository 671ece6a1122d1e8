// This header has the type of an interval.
#pragma once

namespace otss {

// The ends of an interval: lo <= hi. Both are NaN if the interval is not defined.
struct Bounds {
  double lo = 0;
  double hi = 0;
};

}  // namespace otss
