// The libFuzzer program of all readers, which tests/fuzz/run starts. The
// environment selects what it does:
//
//   FIRTH_FUZZ_READER=NAME   passes libFuzzer's inputs to this reader
//   FIRTH_FUZZ_SEEDS=FOLDER  writes FOLDER/<reader>/seed-<n> for all readers
//
// OSS-Fuzz starts programs without a choice of environment. Under the name
// <reader>_fuzzer, the program therefore fuzzes that reader.

#include <omp.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "fuzz/fuzzed_readers.h"

namespace firth {
namespace {

const FuzzedReader* chosen_reader = nullptr;

void WriteSeeds(const std::string& parent) {
  for (const FuzzedReader& reader : FuzzedReaders()) {
    const std::string folder = absl::StrCat(parent, "/", reader.name);
    std::filesystem::create_directories(folder);
    size_t number = 0;
    for (const std::string& seed : reader.seeds()) {
      std::ofstream(absl::StrCat(folder, "/seed-", number++), std::ios::binary)
          .write(seed.data(), static_cast<std::streamsize>(seed.size()));
    }
  }
}

// Returns the name of the reader that the environment or the program's own
// name selects.
std::string ChosenName(const char* program) {
  const char* const name = std::getenv("FIRTH_FUZZ_READER");
  if (name != nullptr) return name;
  const std::string own = std::filesystem::path(program).filename().string();
  return std::string(absl::StripSuffix(own, "_fuzzer"));
}

}  // namespace
}  // namespace firth

// clang's OpenMP runtime does not free the records of its threads when a
// program ends. The name is the sanitizer's.
extern "C" const char* __lsan_default_suppressions() {  // NOLINT
  return "leak:libomp\n";
}

extern "C" int LLVMFuzzerInitialize(int*, char*** arguments) {
  if (const char* const seeds = std::getenv("FIRTH_FUZZ_SEEDS")) {
    firth::WriteSeeds(seeds);
    std::exit(0);
  }
  const std::string name = firth::ChosenName((*arguments)[0]);
  firth::chosen_reader = firth::FindFuzzedReader(name);
  if (firth::chosen_reader == nullptr) {
    std::cerr << "no reader is named \"" << name
              << "\"; set FIRTH_FUZZ_READER, "
              << "or name the program <reader>_fuzzer\n";
    std::exit(2);
  }
  omp_set_num_threads(1);  // waking a team costs more than a small file
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  (void)firth::chosen_reader->read({reinterpret_cast<const char*>(data), size});
  return 0;
}
