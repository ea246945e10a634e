// Writes the seeds of all readers: FOLDER/<reader>/seed-<n>.

#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>

#include "absl/strings/str_cat.h"
#include "fuzz/fuzzed_readers.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: make_seeds FOLDER\n";
    return 2;
  }
  for (const firth::FuzzedReader& reader : firth::FuzzedReaders()) {
    const std::string folder = absl::StrCat(argv[1], "/", reader.name);
    std::filesystem::create_directories(folder);
    size_t number = 0;
    for (const std::string& seed : reader.seeds()) {
      std::ofstream(absl::StrCat(folder, "/seed-", number++), std::ios::binary)
          .write(seed.data(), static_cast<std::streamsize>(seed.size()));
    }
  }
  return 0;
}
