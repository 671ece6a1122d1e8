// Products of small matrices with the columns of a block of rows: parameters are broadcast, and a
// lane of a vector is a row. A block has its first column for all rows, then its second column, and
// so on. Only source files in an isa/ folder may include this header.
#pragma once

#include "model/maps/isa/vector.hpp"

namespace otss::internal {
namespace {

// The loops handle this many vectors of rows and this many functions together. Their sums, the
// loaded vectors and a parameter must fit into the registers.
constexpr int kVectors = 4;
constexpr int kFunctions = kLanes == 8 ? 4 : 2;
constexpr std::size_t kStrip = kVectors * kLanes;

// The parameter of function f for column j is first[f * by_function + j * by_column].
struct Parameters {
  const double* first;
  std::size_t by_function;
  std::size_t by_column;
};

// The columns of one block, or the values of functions in one block.
struct Columns {
  std::size_t count;
  const double* first;
};

// Computes `Count` linear functions of the columns in one strip of rows.
template <std::size_t Rows, int Count>
inline void linear_strip(const Columns& columns, const Parameters& parameters, double* values) {
  Vector sums[Count][kVectors] = {};
  for (std::size_t j = 0; j < columns.count; ++j) {
    Vector x[kVectors];
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) x[v] = load_unaligned(columns.first + j * Rows + v * kLanes);
#pragma GCC unroll 4
    for (int f = 0; f < Count; ++f) {
      const Vector parameter =
          broadcast(parameters.first[f * parameters.by_function + j * parameters.by_column]);
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) sums[f][v] += parameter * x[v];
    }
  }
#pragma GCC unroll 4
  for (int f = 0; f < Count; ++f) {
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) store_unaligned(sums[f][v], values + f * Rows + v * kLanes);
  }
}

// Computes linear functions of the columns of one block of `Rows` rows.
template <std::size_t Rows, int Count = kFunctions>
inline void linear(const Columns& columns, std::size_t num_functions, const Parameters& parameters,
                   double* values) {
  std::size_t f = 0;
  for (; f + Count <= num_functions; f += Count) {
    const Parameters own{parameters.first + f * parameters.by_function, parameters.by_function,
                         parameters.by_column};
    for (std::size_t i = 0; i < Rows; i += kStrip)
      linear_strip<Rows, Count>({columns.count, columns.first + i}, own, values + f * Rows + i);
  }
  if constexpr (Count > 1) {
    if (f < num_functions)
      linear<Rows, Count / 2>(columns, num_functions - f,
                              {parameters.first + f * parameters.by_function,
                               parameters.by_function, parameters.by_column},
                              values + f * Rows);
  }
}

// Adds the products of `Count` functions with all columns in one strip: sums[f × columns + j] gets
// the products of function f and column j, summed per lane.
template <std::size_t Rows, int Count>
inline void add_products_of_strip(const Columns& columns, const double* values, Vector* sums) {
  Vector value[Count][kVectors];
#pragma GCC unroll 4
  for (int f = 0; f < Count; ++f) {
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) value[f][v] = load_unaligned(values + f * Rows + v * kLanes);
  }
  for (std::size_t j = 0; j < columns.count; ++j) {
    Vector x[kVectors];
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) x[v] = load_unaligned(columns.first + j * Rows + v * kLanes);
#pragma GCC unroll 4
    for (int f = 0; f < Count; ++f) {
      Vector sum = sums[f * columns.count + j];
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) sum += value[f][v] * x[v];
      sums[f * columns.count + j] = sum;
    }
  }
}

template <std::size_t Rows, int Count = kFunctions>
inline void add_products(const Columns& columns, std::size_t num_functions, const double* values,
                         Vector* sums) {
  std::size_t f = 0;
  for (; f + Count <= num_functions; f += Count) {
    for (std::size_t i = 0; i < Rows; i += kStrip)
      add_products_of_strip<Rows, Count>({columns.count, columns.first + i}, values + f * Rows + i,
                                         sums + f * columns.count);
  }
  if constexpr (Count > 1) {
    if (f < num_functions)
      add_products<Rows, Count / 2>(columns, num_functions - f, values + f * Rows,
                                    sums + f * columns.count);
  }
}

}  // namespace
}  // namespace otss::internal
