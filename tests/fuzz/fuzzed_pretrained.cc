#include "fuzz/fuzzed_pretrained.h"

#include <filesystem>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "firth/contextualizer.h"
#include "fuzz/fuzz_folder.h"
#include "io/tensors/tensor_folder.h"
#include "lm/import/pretrained_import.h"
#include "support/pretrained_folder.h"

namespace firth {
namespace {

constexpr char kIndex[] =
    R"({"weight_map": {"wte.weight": "shard.safetensors"}})";
constexpr char kTokenizer[] = R"({"add_prefix_space": true})";
constexpr char kLowercase[] = R"({"do_lower_case": true})";

struct FolderFile {
  bool bert;  // else of GPT-2
  const char* name;
  const char* content;
};
constexpr FolderFile kFiles[] = {
    {false, "config.json", kGpt2Config},
    {false, "vocab.json", kGpt2Pieces},
    {false, "merges.txt", kGpt2Merges},
    {false, "tokenizer_config.json", kTokenizer},
    {false, "model.safetensors.index.json", kIndex},
    {true, "vocab.txt", kBertPieces},
    {true, "config.json", kBertConfig},
    {true, "tokenizer_config.json", kLowercase}};

std::string Weights(bool bert) {
  const std::string path = FuzzFolder().File("seed.safetensors");
  FIRTH_CHECK(WriteTensors(bert ? BertTensors() : Gpt2Tensors(), path).ok());
  return ReadWholeFile(path);
}

// A folder of good files, but for one.
std::string FolderWith(bool bert, const std::string& name,
                       absl::string_view content) {
  static const std::string& gpt2_weights = *new std::string(Weights(false));
  static const std::string& bert_weights = *new std::string(Weights(true));
  std::string folder = FuzzFolder().File("pretrained");
  std::filesystem::remove_all(folder);
  for (const FolderFile& file : kFiles) {
    if (file.bert != bert) continue;
    FuzzFolder().Write(absl::StrCat("pretrained/", file.name), file.content);
  }
  const std::string& weights = bert ? bert_weights : gpt2_weights;
  FuzzFolder().Write("pretrained/model.safetensors", weights);
  FuzzFolder().Write("pretrained/shard.safetensors", weights);
  FuzzFolder().Write(absl::StrCat("pretrained/", name), content);
  return folder;
}

// Reads the folder and what was made of it.
absl::Status ReadFolder(const std::string& folder) {
  const std::string path = FuzzFolder().File("imported.safetensors");
  absl::Status status = ImportPretrained(folder, path);
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
  const FolderFile& file =
      kFiles[static_cast<unsigned char>(bytes.front()) % std::size(kFiles)];
  bytes.remove_prefix(1);
  const std::string folder = FolderWith(file.bert, file.name, bytes);
  // An index is read where there is no whole file.
  if (absl::string_view(file.name) == "model.safetensors.index.json") {
    std::filesystem::remove(folder + "/model.safetensors");
    return TensorFolder::Open(folder).status();
  }
  return ReadFolder(folder);
}

std::vector<std::string> PretrainedFileSeeds() {
  std::vector<std::string> seeds;
  for (size_t i = 0; i < std::size(kFiles); ++i) {
    seeds.push_back(std::string(1, static_cast<char>(i)) + kFiles[i].content);
  }
  return seeds;
}

absl::Status ReadPretrainedWeights(absl::string_view bytes) {
  return ReadFolder(FolderWith(!absl::StrContains(bytes, "wte.weight"),
                               "model.safetensors", bytes));
}

std::vector<std::string> PretrainedWeightsSeeds() {
  return {Weights(false), Weights(true)};
}

std::string ImportedModelSeed() {
  const std::string path = FuzzFolder().File("seed_model.safetensors");
  FIRTH_CHECK(
      ImportPretrained(FolderWith(false, "merges.txt", kGpt2Merges), path)
          .ok());
  return ReadWholeFile(path);
}

}  // namespace firth
