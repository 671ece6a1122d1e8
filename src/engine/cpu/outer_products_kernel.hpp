// Declares the kernel that adds outer products of vectors to a matrix. The object files of all
// instruction sets include this header, so it must not define an inline function that becomes a
// symbol (mixture_kernel.hpp says why).
#pragma once

#include <cstddef>

namespace otss::internal {

// A kernel handles blocks of so many rows of the matrix, or a divisor of this number. So the stride
// of vectors and of the matrix must be a multiple of it.
inline constexpr std::size_t kOuterProductsPadding = 24;

// Adds v v' to the lower triangle of `sum`, for `count` vectors v of `stride` entries that follow
// each other from `vectors` on. `sum` is a matrix of stride × stride entries, column after column.
// Entries above the diagonal may be changed too; they mean nothing.
using OuterProductsKernel = void (*)(const double* vectors, std::size_t stride, std::size_t count,
                                     double* sum);

namespace baseline {
extern const OuterProductsKernel kOuterProductsKernel;
}
namespace avx2 {
extern const OuterProductsKernel kOuterProductsKernel;
}
namespace avx512 {
extern const OuterProductsKernel kOuterProductsKernel;
}

}  // namespace otss::internal
