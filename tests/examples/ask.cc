// Prints the nearest neighbors of a word: ask model.safetensors king

#include <iostream>

#include "firth/query.h"
#include "firth/vector_io.h"

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: ask FILE WORD\n";
    return 2;
  }
  const auto file = firth::LoadVectorFile(argv[1]);
  if (!file.ok()) {
    std::cerr << file.status() << "\n";
    return 1;
  }
  const firth::Vocabulary& vocabulary = file->vectors.vocabulary();
  const auto word = vocabulary.Find(argv[2]);
  if (!word.has_value()) {
    std::cerr << "unknown word\n";
    return 1;
  }
  const firth::NearestNeighbors neighbors(file->vectors);
  for (const auto& [neighbor, cosine] : neighbors.FindWord(*word, 5)) {
    std::cout << vocabulary.Word(neighbor) << " " << cosine << "\n";
  }
}
