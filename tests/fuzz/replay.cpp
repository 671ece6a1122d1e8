// Runs a fuzz target without libFuzzer, for the tests: first on every seed of its corpus and on
// every regression, then on random mutations of them.
//
//   fuzz_TARGET --mutations N [--seed S] [--dictionary FILE] FOLDER…
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
// Only some targets have a mutator of their own.
extern "C" __attribute__((weak)) std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data,
                                                                     std::size_t size,
                                                                     std::size_t max_size,
                                                                     unsigned seed);

namespace {

constexpr std::size_t kLongest = 1U << 16U;

std::minstd_rand random_numbers(1);
std::vector<std::string> words;
std::string current;  // the input that is being tested

std::size_t below(std::size_t end) { return random_numbers() % end; }

std::string content(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// Reads the words of a dictionary in libFuzzer's format: "text" with \\, \" and \xAB.
std::vector<std::string> dictionary(const std::string& path) {
  std::vector<std::string> result;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] != '"') continue;
    std::string word;
    for (std::size_t i = 1; i + 1 < line.size(); ++i) {
      if (line[i] != '\\') {
        word += line[i];
      } else if (line[++i] == 'x') {
        word += static_cast<char>(std::stoi(line.substr(i + 1, 2), nullptr, 16));
        i += 2;
      } else {
        word += line[i];
      }
    }
    result.push_back(word);
  }
  return result;
}

// Changes the text a little: a bit, a byte, a word of the dictionary, or a piece of the text itself.
void change(std::string& text) {
  const std::size_t at = below(text.size() + 1);
  const std::size_t length = std::min(text.size() - at, 1 + below(16));
  switch (below(6)) {
    case 0:
      if (at < text.size()) text[at] = static_cast<char>(text[at] ^ (1 << below(8)));
      break;
    case 1: text.erase(at, length); break;
    case 2: text.insert(at, text.substr(below(text.size() + 1), length)); break;
    case 3:
      if (!words.empty()) text.insert(at, words[below(words.size())]);
      break;
    case 4:
      if (!words.empty()) text.replace(at, length, words[below(words.size())]);
      break;
    default: text.insert(at, 1, static_cast<char>(below(256)));
  }
}

// Keeps an input that ends the process.
void keep_input(int signal) {
  const int file = open("crash-input", O_WRONLY | O_CREAT | O_TRUNC, 0644);
  constexpr char kWords[] = "the input is in the file crash-input\n";
  const bool written = write(file, current.data(), current.size()) >= 0 &&
                       write(STDERR_FILENO, kWords, sizeof(kWords) - 1) >= 0;
  std::signal(signal, SIG_DFL);
  std::raise(written ? signal : SIGKILL);
}

void test(const std::string& input) {
  current = input;
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(current.data()), current.size());
}

std::string mutated(std::string input) {
  if (LLVMFuzzerCustomMutator == nullptr) {
    for (std::size_t i = 1 + below(4); i > 0; --i) change(input);
    return input;
  }
  const std::size_t size = input.size();
  input.resize(std::max(size, kLongest));
  auto* data = reinterpret_cast<std::uint8_t*>(input.data());
  input.resize(LLVMFuzzerCustomMutator(data, size, input.size(), random_numbers()));
  return input;
}

// No input needs so much memory. Sanitizers reserve much more, and have a limit of their own.
void limit_memory() {
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  const rlimit limit{4UL << 30U, 4UL << 30U};
  setrlimit(RLIMIT_AS, &limit);
#endif
}

}  // namespace

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size,
                                        std::size_t max_size) {
  std::string text(reinterpret_cast<const char*>(data), size);
  change(text);
  text.resize(std::min(text.size(), max_size));
  std::memcpy(data, text.data(), text.size());
  return text.size();
}

int main(int argc, char** argv) {
  std::size_t mutations = 0;
  std::vector<std::string> seeds;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--mutations" && i + 1 < argc) {
      mutations = std::stoul(argv[++i]);
    } else if (argument == "--seed" && i + 1 < argc) {
      random_numbers.seed(std::stoul(argv[++i]));
    } else if (argument == "--dictionary" && i + 1 < argc) {
      words = dictionary(argv[++i]);
    } else if (std::filesystem::is_directory(argument)) {
      std::vector<std::filesystem::path> files{std::filesystem::directory_iterator(argument), {}};
      std::sort(files.begin(), files.end());  // the order of a folder is not the same everywhere
      for (const auto& file : files) seeds.push_back(content(file));
    }
  }
  if (seeds.empty()) return std::fputs("give a folder with seeds\n", stderr), 2;
  limit_memory();
  for (const int signal : {SIGABRT, SIGSEGV, SIGFPE, SIGBUS, SIGILL})
    std::signal(signal, keep_input);
  for (const std::string& seed : seeds) test(seed);
  for (std::size_t i = 0; i < mutations; ++i) test(mutated(seeds[below(seeds.size())]));
  std::printf("%zu seeds and %zu mutations: every promise was kept\n", seeds.size(), mutations);
  return 0;
}
