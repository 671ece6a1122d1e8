// A PassSums computes the gradient and the loss of one pass over the rows with one kind of kernel.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "base/cuda/device_memory.hpp"
#include "engine/cuda/gpu_tiles.hpp"
#include "engine/precision.hpp"
#include "model/maps/mixture_layout.hpp"
#include "otss/model/output_family.hpp"

namespace otss::internal::cuda {

// What the kernels read of each row beside its features, in tiles on the GPU. Empty outcomes: they
// are in the signs of the weights. Empty offsets: every offset is 0.
struct RowValues {
  DeviceArray<float> signed_weights, outcomes, offsets;

  // True if the fast kernel can read these rows.
  bool are_plain() const { return outcomes.size() == 0 && offsets.size() == 0; }
};

class PassSums {
 public:
  virtual ~PassSums() = default;
  // Sets the parameters, and all sums to 0.
  virtual void begin(std::span<const double> theta) = 0;
  // Starts the work on a piece.
  virtual void add(const TilePiece& piece) = 0;
  // Waits, and returns the gradient in the order of MixtureLayout, then the loss.
  virtual std::vector<double> end() = 0;
};

// The sums of a kernel that is unrolled for a shape (mixture_kernel.cuh), in f32. Returns null if no
// such kernel was compiled for this layout. The tiles and the values must live longer.
std::unique_ptr<PassSums> make_unrolled_sums(const GpuTiles& tiles, const RowValues& values,
                                             const MixtureLayout& layout);

// The sums of the general kernel.
std::unique_ptr<PassSums> make_general_sums(const GpuTiles& tiles, const RowValues& values,
                                            const MixtureLayout& layout, OutputFamily family,
                                            Precision precision);

}  // namespace otss::internal::cuda
