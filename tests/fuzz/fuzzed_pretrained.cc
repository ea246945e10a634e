#include "fuzz/fuzzed_pretrained.h"

#include <filesystem>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "firth/contextualizer.h"
#include "fuzz/fuzz_folder.h"
#include "io/tensors/tensor_folder.h"
#include "lm/pretrained_import.h"
#include "lm/pretrained_pieces.h"
#include "support/pretrained_folder.h"

namespace firth {
namespace {

constexpr char kIndex[] =
    R"({"weight_map": {"wte.weight": "shard.safetensors"}})";
constexpr char kTokenizer[] = R"({"add_prefix_space": true})";

struct FolderFile {
  const char* name;
  const char* content;  // "": the folder has none
};
constexpr FolderFile kFiles[] = {{"config.json", kGpt2Config},
                                 {"vocab.json", kGpt2Pieces},
                                 {"merges.txt", kGpt2Merges},
                                 {"tokenizer_config.json", kTokenizer},
                                 {"model.safetensors.index.json", kIndex}};
constexpr size_t kBertPiecesFile = std::size(kFiles);

std::string Weights() {
  const std::string path = FuzzFolder().File("seed.safetensors");
  FIRTH_CHECK(WriteTensors(Gpt2Tensors(), path).ok());
  return ReadWholeFile(path);
}

// A folder of good files, but for one.
std::string FolderWith(const std::string& name, absl::string_view content) {
  static const std::string& weights = *new std::string(Weights());
  const std::string folder = FuzzFolder().File("pretrained");
  std::filesystem::remove_all(folder);
  for (const FolderFile& file : kFiles) {
    FuzzFolder().Write(absl::StrCat("pretrained/", file.name), file.content);
  }
  FuzzFolder().Write("pretrained/model.safetensors", weights);
  FuzzFolder().Write("pretrained/shard.safetensors", weights);
  FuzzFolder().Write(absl::StrCat("pretrained/", name), content);
  return folder;
}

// Reads the folder and what was made of it.
absl::Status ReadFolder(const std::string& folder) {
  const std::string path = FuzzFolder().File("imported.safetensors");
  const absl::Status status = ImportPretrained(folder, path);
  if (!status.ok()) return status;
  auto model = Contextualizer::Load(path);
  FIRTH_CHECK(model.ok());
  const auto vectors = model->Embed({{"ab", "a\xff", ""}}, {.threads = 1});
  FIRTH_CHECK(vectors.ok() && (*vectors)[0].tokens == 3);
  return absl::OkStatus();
}

}  // namespace

absl::Status ReadPretrainedFile(absl::string_view bytes) {
  if (bytes.empty()) return absl::OkStatus();
  const size_t which =
      static_cast<unsigned char>(bytes.front()) % (kBertPiecesFile + 1);
  bytes.remove_prefix(1);
  if (which == kBertPiecesFile) {
    return ReadPieceLines(FuzzFolder().Write("vocab.txt", bytes)).status();
  }
  const std::string name = kFiles[which].name;
  const std::string folder = FolderWith(name, bytes);
  // An index is read where there is no whole file.
  if (name == "model.safetensors.index.json") {
    std::filesystem::remove(folder + "/model.safetensors");
    return TensorFolder::Open(folder).status();
  }
  return ReadFolder(folder);
}

std::vector<std::string> PretrainedFileSeeds() {
  std::vector<std::string> seeds;
  for (size_t i = 0; i < std::size(kFiles); ++i) {
    seeds.push_back(absl::StrCat(i, kFiles[i].content));
  }
  seeds.push_back(absl::StrCat(kBertPiecesFile, kBertPieces));
  // The digits stand for themselves, by the rest that they leave.
  for (std::string& seed : seeds) seed[0] = static_cast<char>(seed[0] - '0');
  return seeds;
}

absl::Status ReadPretrainedWeights(absl::string_view bytes) {
  return ReadFolder(FolderWith("model.safetensors", bytes));
}

std::vector<std::string> PretrainedWeightsSeeds() { return {Weights()}; }

std::string ImportedModelSeed() {
  const std::string path = FuzzFolder().File("seed_model.safetensors");
  FIRTH_CHECK(
      ImportPretrained(FolderWith("merges.txt", kGpt2Merges), path).ok());
  return ReadWholeFile(path);
}

}  // namespace firth
