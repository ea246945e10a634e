// Prints the corpus of `firth demo`, for benchmarks without another text:
//
//   demo_text WORDS

#include <cstdint>
#include <iostream>

#include "absl/strings/numbers.h"
#include "tools/demo_corpus.h"
#include "tools/demo_data.h"

int main(int argc, char** argv) {
  uint64_t words = 0;
  if (argc != 2 || !absl::SimpleAtoi(argv[1], &words) || words == 0) {
    std::cerr << "usage: demo_text WORDS\n";
    return 2;
  }
  constexpr uint64_t kSeed = 1;
  const auto text = firth::tools::GenerateDemoCorpus(firth::tools::kDemoGrammar,
                                                     words, kSeed);
  if (!text.ok()) {
    std::cerr << "demo_text: " << text.status().message() << "\n";
    return 1;
  }
  std::cout << *text << std::flush;
  return std::cout.good() ? 0 : 1;
}
