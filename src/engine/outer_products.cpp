#include "engine/outer_products.hpp"

#include "base/isa.hpp"

namespace otss::internal {
namespace {

// Number of vectors that are added at once: so many vectors of some hundred entries fit into a
// core's own cache.
constexpr std::size_t kVectorsAtOnce = 128;

OuterProductsKernel outer_products_kernel(Isa isa) {
  return compiled_for(isa, baseline::kOuterProductsKernel, avx2::kOuterProductsKernel,
                      avx512::kOuterProductsKernel);
}

}  // namespace

OuterProducts::OuterProducts(std::size_t size)
    : size_(size),
      stride_((size + kOuterProductsPadding - 1) / kOuterProductsPadding * kOuterProductsPadding),
      sum_(stride_ * stride_, 0.0),
      vectors_(stride_ * kVectorsAtOnce, 0.0),
      kernel_(outer_products_kernel(active_isa())) {}

std::span<double> OuterProducts::next() {
  if (used_ == kVectorsAtOnce) flush();
  return std::span(vectors_).subspan(stride_ * used_++, size_);
}

void OuterProducts::flush() {
  kernel_(vectors_.data(), stride_, used_, sum_.data());
  used_ = 0;
}

Eigen::MatrixXd OuterProducts::sum() {
  flush();
  const auto stride = static_cast<Eigen::Index>(stride_);
  const auto size = static_cast<Eigen::Index>(size_);
  const Eigen::Map<const Eigen::MatrixXd> padded(sum_.data(), stride, stride);
  return padded.topLeftCorner(size, size).selfadjointView<Eigen::Lower>();
}

}  // namespace otss::internal
