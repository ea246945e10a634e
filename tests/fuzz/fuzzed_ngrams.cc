#include "fuzz/fuzzed_ngrams.h"

#include <cmath>

#include "base/check.h"
#include "firth/corpus.h"
#include "firth/counting_model.h"
#include "firth/language_model.h"
#include "firth/status_macros.h"
#include "fuzz/fuzz_folder.h"
#include "support/compress.h"
#include "support/temp_files.h"

namespace firth {
namespace {

// The bytes of a trained model, in the format that the name selects.
std::string TrainedModel(const char* name, CountSmoothing smoothing) {
  CorpusOptions reading;
  reading.text = "the cat sat\nthe dog sat\nthe cat ran\na dog ran\n";
  reading.threads = 1;
  CountingTraining training;
  training.order = 3;
  training.vocabulary.min_count = 1;
  training.smoothing = smoothing;
  training.discount_fallback = true;
  auto trained =
      TrainCountingModel(*ReadCorpus(reading, {.min_count = 1}), training);
  FIRTH_CHECK(trained.ok());
  const std::string path = FuzzFolder().File(name);
  FIRTH_CHECK(trained->model.Save(path).ok());
  return ReadWholeFile(path);
}

}  // namespace

absl::Status ReadCountingModel(absl::string_view bytes) {
  FIRTH_ASSIGN_OR_RETURN(
      LanguageModel model,
      LanguageModel::Load(FuzzFolder().Write("counting", bytes)));
  const std::vector<LanguageModel::Sentence> sentences = {
      {"the", "cat", "na\xc3\xafve", "a\xff", "sat", "the", "dog"}, {}};
  FIRTH_ASSIGN_OR_RETURN(const auto scores, model.TokenScores(sentences));
  FIRTH_CHECK(scores.size() == 2 && scores[0].size() == 8);
  for (const TokenScore& token : scores[0]) {
    FIRTH_CHECK(std::isfinite(token.log_probability));
  }
  GenerateOptions options;
  options.prompt = {"the"};
  options.max_tokens = 3;
  FIRTH_RETURN_IF_ERROR(model.Generate(options).status());
  options.beam = 3;
  return model.Generate(options).status();
}

std::vector<std::string> ArpaSeeds() {
  const std::string arpa =
      TrainedModel("seed.arpa", CountSmoothing::kKneserNey);
  return {arpa, Gzip(arpa)};
}

std::vector<std::string> CountingModelSeeds() {
  return {TrainedModel("seed.safetensors", CountSmoothing::kKneserNey),
          TrainedModel("seed.safetensors", CountSmoothing::kAddK)};
}

}  // namespace firth
