// A ContextualKernel multiplies small matrices with the columns of a tile of kTileRows rows, for one
// instruction set. The object files of all instruction sets include this header, so it must not
// define an inline function that becomes a symbol.
#pragma once

#include <cstddef>

#include "base/isa.hpp"

namespace otss::internal {

// A matrix of parameters: one linear function per row, one parameter per column of a tile.
struct FunctionMatrix {
  std::size_t num_functions;
  const double* first;
  std::size_t by_function;  // the distance between the parameters of two functions
  std::size_t by_column;    // the distance between two parameters of a function
};

// The first column for all rows of a tile, then the second column, and so on.
struct TileColumns {
  std::size_t count;
  const double* first;
};

struct ContextualKernel {
  // Copies the values of `count` columns, which are stored in the same way, as f64.
  void (*widen)(std::size_t count, const float* from, double* to);

  // Writes the value of every function in every row, one function after the other.
  void (*linear)(const TileColumns& columns, const FunctionMatrix& functions, double* values);

  // Adds, for each function f and each column j, the sum of values_f × column_j over the rows to
  // sums[f × columns.count + j]. `scratch` has 8 doubles for each of these sums, 64-byte aligned.
  void (*add_products)(const TileColumns& columns, const TileColumns& values, double* sums,
                       double* scratch);

  // Replaces the values, which are as many as `count` columns have, by their tanh.
  void (*tanh)(std::size_t count, double* values);

  // Returns the summed logistic loss of the rows of a tile, and writes its derivatives with respect to
  // eta. A row's weight is the absolute value of its signed weight; its outcome is 1 if the sign is
  // positive.
  double (*losses)(const float* signed_weights, const double* eta, double* derivatives);
};

namespace baseline {
extern const ContextualKernel kContextualKernel;
}
namespace avx2 {
extern const ContextualKernel kContextualKernel;
}
namespace avx512 {
extern const ContextualKernel kContextualKernel;
}

}  // namespace otss::internal
