// Flips single bits of model files of every kind. Each file is then refused with one line, or it
// gives the same numbers to the bit.
//
//   fuzz_bit_flips NUMBER FOLDER…     the model files in the folders, as they are and as otss writes
//                                     them now
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

#include "served.hpp"

namespace otss::fuzz {
namespace {

struct ModelText {
  std::string text;
  std::vector<std::vector<double>> numbers;
};

std::string content(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

void add_models(const std::string& folder, std::vector<ModelText>& models) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  for (const auto& file : files) {
    const std::string text = content(file);
    if (text.find("otss-model") == text.npos) continue;  // commands.json is no model
    const Fitted fitted = model_from_text(text, file.string());
    models.push_back({text, numbers_of(fitted)});
    models.push_back({model_to_text(fitted), numbers_of(fitted)});
  }
}

bool same_bits(const std::vector<std::vector<double>>& a,
               const std::vector<std::vector<double>>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
    return x.size() == y.size() && std::memcmp(x.data(), y.data(), x.size() * sizeof(double)) == 0;
  });
}

}  // namespace
}  // namespace otss::fuzz

int main(int argc, char** argv) {
  using namespace otss;
  if (argc < 3) return std::fputs("usage: fuzz_bit_flips NUMBER FOLDER…\n", stderr), 2;
  const std::size_t count = std::stoul(argv[1]);
  std::vector<fuzz::ModelText> models;
  for (int i = 2; i < argc; ++i) fuzz::add_models(argv[i], models);
  fuzz::require(!models.empty(), "the folders have models");
  std::mt19937_64 random(1);
  std::size_t refused = 0;
  for (std::size_t i = 0; i < count; ++i) {
    fuzz::ModelText& model = models[i % models.size()];
    char& byte = model.text[random() % model.text.size()];
    const char before = byte;
    byte = static_cast<char>(byte ^ (1 << random() % 8));
    const bool loaded = fuzz::accepts([&] {
      const Fitted fitted = model_from_text(model.text, "model.json");
      fuzz::require(fuzz::same_bits(fuzz::numbers_of(fitted), model.numbers),
                    "a flipped bit that is not refused changes no number");
    });
    refused += loaded ? 0 : 1;
    byte = before;
  }
  std::printf("%zu bit flips in %zu model files: %zu refused, %zu with the same numbers\n", count,
              models.size(), refused, count - refused);
  return 0;
}
