// Adds outer products of vectors to a matrix, in f64. The matrix is computed in small blocks whose
// sums stay in registers while all vectors are added. Each entry of the matrix is summed in the
// order of the vectors.
#include "engine/cpu/isa/vector_math.hpp"
#include "engine/cpu/outer_products_kernel.hpp"

namespace otss::internal {
namespace {

using Doubles = Vector<double>;
using UnalignedDoubles =
    double __attribute__((vector_size(kVectorBytes), aligned(alignof(double)), may_alias));

// A block has kBlockVectors vectors of rows and kBlockColumns columns. Its sums, a vector of each
// kind of factor and a spare must fit into the registers.
constexpr int kBlockVectors = 3;
constexpr int kBlockColumns = kVectorRegisters == 32 ? 8 : 4;
constexpr std::size_t kBlockRows = kBlockVectors * kLanes<double>;
static_assert(kOuterProductsPadding % kBlockRows == 0);
static_assert(kOuterProductsPadding % kBlockColumns == 0);

OTSS_INLINE Doubles doubles_at(const double* from) {
  return *reinterpret_cast<const UnalignedDoubles*>(from);
}

// Adds the outer products to the block that begins at row `row` and column `column`.
void add_block(const double* vectors, std::size_t stride, std::size_t count, std::size_t row,
               std::size_t column, double* sum) {
  Doubles block[kBlockColumns][kBlockVectors] = {};
  for (std::size_t i = 0; i < count; ++i, vectors += stride) {
    Doubles of_rows[kBlockVectors];
    for (int v = 0; v < kBlockVectors; ++v)
      of_rows[v] = doubles_at(vectors + row + v * kLanes<double>);
    for (int c = 0; c < kBlockColumns; ++c) {
      const Doubles of_column = broadcast(vectors[column + c]);
      for (int v = 0; v < kBlockVectors; ++v) block[c][v] += of_column * of_rows[v];
    }
  }
  for (int c = 0; c < kBlockColumns; ++c) {
    for (int v = 0; v < kBlockVectors; ++v) {
      double* to = sum + (column + c) * stride + row + v * kLanes<double>;
      *reinterpret_cast<UnalignedDoubles*>(to) = doubles_at(to) + block[c][v];
    }
  }
}

void add_outer_products(const double* vectors, std::size_t stride, std::size_t count, double* sum) {
  for (std::size_t column = 0; column < stride; column += kBlockColumns) {
    const std::size_t first = column / kBlockRows * kBlockRows;
    for (std::size_t row = first; row < stride; row += kBlockRows)
      add_block(vectors, stride, count, row, column, sum);
  }
}

}  // namespace

const OuterProductsKernel OTSS_ISA_NAMESPACE::kOuterProductsKernel = add_outer_products;

}  // namespace otss::internal
