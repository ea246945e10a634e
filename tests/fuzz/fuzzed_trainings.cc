#include "fuzz/fuzzed_trainings.h"

#include <cmath>
#include <filesystem>

#include "base/check.h"
#include "firth/status_macros.h"
#include "firth/train.h"
#include "fuzz/fuzz_folder.h"
#include "support/trainings.h"

namespace firth {
namespace {

namespace fs = std::filesystem;

const Corpus& TinyCorpus() {
  static const Corpus& corpus = *new Corpus([] {
    CorpusOptions options;
    options.text = "a b c a b\nc a\n";
    options.threads = 1;
    return *ReadCorpus(options, VocabularyOptions{.min_count = 1});
  }());
  return corpus;
}

TrainOptions TinyTraining() {
  TrainOptions options = SmallOptions();
  options.dim = 2;
  options.objective = NceOptions{};
  return options;
}

// Trains in a folder that holds these bytes as its one checkpoint.
absl::StatusOr<TrainedModel> Resume(absl::string_view bytes) {
  const std::string folder = FuzzFolder().File("checkpoints");
  std::error_code ignored;
  fs::remove_all(folder, ignored);
  FuzzFolder().Write("checkpoints/checkpoint-0-000001.safetensors", bytes);
  FIRTH_RETURN_IF_ERROR(ReadCheckpointNote(folder).status());
  return Train(TinyCorpus(), TinyTraining(), {}, {},
               Often(folder, /*resume=*/true));
}

}  // namespace

absl::Status ReadCheckpoint(absl::string_view bytes) {
  FIRTH_ASSIGN_OR_RETURN(const TrainedModel model, Resume(bytes));
  FIRTH_CHECK(model.vectors.size() == 3);
  for (const float value : model.vectors.table().Row(0)) {
    FIRTH_CHECK(std::isfinite(value));
  }
  return absl::OkStatus();
}

std::vector<std::string> CheckpointSeeds() {
  const std::string folder = FuzzFolder().File("seeds");
  std::error_code ignored;
  fs::remove_all(folder, ignored);
  FIRTH_CHECK(Train(TinyCorpus(), TinyTraining(), {}, {}, Often(folder)).ok());
  std::vector<std::string> seeds;
  for (const auto& entry : fs::directory_iterator(folder)) {
    seeds.push_back(ReadWholeFile(entry.path().string()));
  }
  return seeds;
}

}  // namespace firth
