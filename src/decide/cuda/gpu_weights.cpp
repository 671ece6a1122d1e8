#include "decide/device/gpu_weights.hpp"

#include <algorithm>
#include <mutex>
#include <utility>
#include <variant>
#include <vector>

#include "base/cuda/device_memory.hpp"
#include "base/cuda/stream.hpp"
#include "decide/cuda/weights_kernel.cuh"

namespace otss::internal {
namespace {

using cuda::DeviceArray;
using cuda::require;

constexpr std::size_t kContextsAtOnce = std::size_t{1} << 17;

// The members of a mixture with a linear gate (one, with the weight 1) or of an average.
using Member = std::pair<double, const LinearGate*>;
std::vector<Member> linear_members(const Gate& gate) {
  if (const auto* linear = std::get_if<LinearGate>(&gate)) return {{1.0, linear}};
  const auto* average = std::get_if<AverageGate>(&gate);
  if (average == nullptr || !average->is_linear()) return {};
  std::vector<Member> members;
  for (const AverageGate::Member& member : average->members())
    members.emplace_back(member.weight, std::get_if<LinearGate>(&member.gate));
  return members;
}

template <class T>
DeviceArray<T> on_gpu(const std::vector<T>& values) {
  return DeviceArray<T>(std::span<const T>(values));
}

class MixtureOnGpu final : public GpuWeights {
 public:
  MixtureOnGpu(const SoftMixture& mixture, std::span<const Member> members)
      : experts_(mixture.experts()) {
    std::vector<double> slopes, intercepts, weights;
    std::vector<int> begin{0};
    for (const auto& [weight, gate] : members) {
      slopes.insert(slopes.end(), gate->slopes().begin(), gate->slopes().end());
      intercepts.insert(intercepts.end(), gate->intercepts().begin(), gate->intercepts().end());
      weights.push_back(weight);
      begin.push_back(begin.back() + gate->num_experts());
    }
    slopes_ = on_gpu(slopes);
    intercepts_ = on_gpu(intercepts);
    member_weights_ = on_gpu(weights);
    member_begin_ = on_gpu(begin);
    pass_ = {.num_contexts = mixture.num_contexts(),
             .num_factors = mixture.num_factors(),
             .num_experts = mixture.num_experts(),
             .num_members = static_cast<int>(members.size()),
             .slopes = slopes_.data(),
             .intercepts = intercepts_.data(),
             .experts = experts_.data(),
             .member_begin = member_begin_.data(),
             .member_weights = member_weights_.data()};
  }

  void compute(std::size_t rows, std::span<const double> x, std::span<double> w) const override {
    const std::lock_guard lock(one_batch_);
    const std::size_t p = pass_.num_contexts, J = pass_.num_factors;
    make_room(std::min(rows, kContextsAtOnce));
    for (std::size_t first = 0; first < rows; first += kContextsAtOnce) {
      const std::size_t count = std::min(kContextsAtOnce, rows - first);
      compute_batch(x.subspan(first * p, count * p), w.subspan(first * J, count * J));
    }
  }

 private:
  void make_room(std::size_t contexts) const {
    if (x_.size() < contexts * pass_.num_contexts)
      x_ = DeviceArray<double>(contexts * pass_.num_contexts);
    if (w_.size() < contexts * pass_.num_factors)
      w_ = DeviceArray<double>(contexts * pass_.num_factors);
  }

  void compute_batch(std::span<const double> x, std::span<double> w) const {
    cuda::WeightsPass pass = pass_;
    pass.num_rows = static_cast<int>(w.size() / pass.num_factors);
    pass.x = x_.data();
    pass.w = w_.data();
    require(cudaMemcpyAsync(x_.data(), x.data(), x.size_bytes(), cudaMemcpyHostToDevice, stream_),
            "take a copy of the contexts");
    require(cuda::launch_weights(pass, stream_), "compute the weights");
    require(cudaMemcpyAsync(w.data(), w_.data(), w.size_bytes(), cudaMemcpyDeviceToHost, stream_),
            "return the weights");
    require(cudaStreamSynchronize(stream_), "finish the weights");
  }

  DeviceArray<double> slopes_, intercepts_, experts_, member_weights_;
  DeviceArray<int> member_begin_;
  cuda::WeightsPass pass_;  // without contexts
  mutable std::mutex one_batch_;
  mutable DeviceArray<double> x_, w_;
  cuda::Stream stream_;
};

}  // namespace

std::unique_ptr<const GpuWeights> make_gpu_weights(const SoftMixture& mixture) {
  const std::vector<Member> members = linear_members(mixture.gate());
  if (members.empty() || mixture.num_experts() > cuda::kMostWeightExperts) return nullptr;
  return std::make_unique<const MixtureOnGpu>(mixture, members);
}

}  // namespace otss::internal
