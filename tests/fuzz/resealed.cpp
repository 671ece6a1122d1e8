#include "resealed.hpp"

#include <algorithm>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "base/json.hpp"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

namespace otss::fuzz {
namespace {

using internal::Json;

// Numbers at which readers go wrong most often.
constexpr double kNumbers[] = {
    0,    -0.0,  1,     -1,     2,     0.5,    1.5,   3,          1e9,          -1e9,
    1e15, 1e-15, 1e60,  1e61,   1e100, -1e100, 1e308, -1e308,     5e-324,       1e-308,
    16,   1e300, 10000, 100000, 1e-60, 255,    65536, 2147483647, 4294967296.0, 9007199254740993.0};
constexpr const char* kTexts[] = {
    "",        "linear",  "quadratic", "mlp",     "average", "one-hot",  "fixed",     "otss",
    "pooled",  "em",      "hard",      "cluster", "gbm",     "low-rank", "bernoulli", "gaussian",
    "poisson", "map",     "bayes",     "paper",   "normal",  "draws",    "trees",     "number",
    "text",    "boolean", "time",      "\x1b[2J", "z1",      "x1",       "\xff"};

class Mutator {
 public:
  explicit Mutator(unsigned seed) : random_(seed) {}

  std::size_t below(std::size_t end) { return random_() % end; }

  // Changes one value of the document, chosen at random.
  void change(Json& document) {
    std::vector<Json*> values;
    collect(document, values);
    Json& chosen = *values[below(values.size())];
    if (chosen.is_structured() && !chosen.empty()) {
      change_list(chosen, *values[below(values.size())]);
    } else {
      chosen = below(4) == 0 ? Json(*values[below(values.size())]) : other_value(chosen);
    }
  }

 private:
  void collect(Json& value, std::vector<Json*>& values) {
    values.push_back(&value);
    for (Json& item : value) {
      if (value.is_structured()) collect(item, values);
    }
  }

  // Removes, repeats, swaps or renames an element of a list or object.
  void change_list(Json& list, const Json& other) {
    auto item = list.begin();
    std::advance(item, below(list.size()));
    const Json copy = other;  // which may be part of the list itself
    switch (below(5)) {
      case 0: list.erase(item); break;
      case 1: *item = copy; break;
      case 2: *item = nullptr; break;
      case 3:
        if (list.is_array())
          list.push_back(Json(*item));
        else
          list[kTexts[below(std::size(kTexts))]] = copy;
        break;
      default:
        if (list.is_array())
          std::swap(*item, list[below(list.size())]);
        else
          *item = other_value(*item);
    }
  }

  Json other_value(const Json& value) {
    if (value.is_boolean()) return !value.get<bool>();
    if (value.is_string()) return kTexts[below(std::size(kTexts))];
    if (!value.is_number()) return kNumbers[below(std::size(kNumbers))];
    const auto number = value.get<double>();
    switch (below(6)) {
      case 0: return -number;
      case 1: return number + 1;
      case 2: return number * 10;
      case 3: return static_cast<std::int64_t>(below(20)) - 2;
      default: return kNumbers[below(std::size(kNumbers))];
    }
  }

  std::minstd_rand random_;
};

// The mutator descends into the document, so it leaves a deeply nested one to the mutation of bytes.
bool is_deep(const std::uint8_t* data, std::size_t size) {
  constexpr int kDeepest = 40;
  int depth = 0;
  return std::any_of(data, data + size, [&depth](std::uint8_t byte) {
    depth += byte == '[' || byte == '{' ? 1 : byte == ']' || byte == '}' ? -1 : 0;
    return depth > kDeepest;
  });
}

// Writes the document with its checksum. Returns 0 if it does not fit.
std::size_t seal(Json& document, std::uint8_t* data, std::size_t max_size) {
  if (document.is_object())
    document["checksum"] =
        internal::sha256_hex_without(document, "checksum", internal::NumberText::kShortest);
  const std::string text = internal::json_text(document);
  if (text.size() > max_size) return 0;
  std::memcpy(data, text.data(), text.size());
  return text.size();
}

}  // namespace

std::size_t mutate_and_reseal(std::uint8_t* data, std::size_t size, std::size_t max_size,
                              unsigned seed) {
  Mutator mutator(seed);
  const bool by_bytes = mutator.below(8) == 0;
  if (by_bytes) size = LLVMFuzzerMutate(data, size, max_size);
  Json document = is_deep(data, size) ? Json(Json::value_t::discarded)
                                      : Json::parse(data, data + size, nullptr, false);
  if (document.is_discarded()) return by_bytes ? size : LLVMFuzzerMutate(data, size, max_size);
  if (by_bytes && mutator.below(2) == 0) return size;
  for (std::size_t i = by_bytes ? 0 : 1 + mutator.below(3); i > 0; --i) mutator.change(document);
  try {
    const std::size_t sealed = seal(document, data, max_size);
    return sealed > 0 ? sealed : size;
  } catch (const Json::exception&) {
    return size;  // a text that is not UTF-8 cannot be written
  }
}

}  // namespace otss::fuzz
