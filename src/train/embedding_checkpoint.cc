#include "train/embedding_checkpoint.h"

#include <algorithm>
#include <vector>

#include "base/json.h"
#include "firth/status_macros.h"
#include "io/codecs/vector_rows.h"
#include "run/checkpoints.h"

namespace firth {
namespace {

constexpr char kWords[] = "vocabulary";
constexpr char kCounts[] = "counts";

Json OrNull(const std::optional<double>& number) {
  return number.has_value() ? JsonOfNumber(*number) : Json();
}
std::optional<double> NumberOf(const Json& json) {
  if (json.is_null()) return std::nullopt;
  return NumberOfJson(json);
}

absl::StatusOr<std::vector<FileFact>> FactsOf(const CheckedReader& reader,
                                              const Json& training,
                                              const Json& state) {
  FIRTH_ASSIGN_OR_RETURN(const Vocabulary words,
                         reader.ReadWords(kWords, kCounts));
  const uint64_t epochs = CountAt(training, "epochs");
  const double total =
      static_cast<double>(epochs) * static_cast<double>(words.total_count());
  const uint64_t done = CountAt(state, "words");
  const Json& over = state.at("epochs");
  std::vector<FileFact> facts = {
      {"words", uint64_t{words.size()}},
      {"dim", CountAt(training, "dim")},
      {"epochs", epochs},
      {"epochs_done", uint64_t{over.size()}},
      {"words_done", done},
      {"share_done", static_cast<double>(done) / std::max(total, 1.0)},
      {"rate_factor", state.at("rate_factor").get<double>()},
      {"has_best", reader.Has("best.input")}};
  if (!over.empty())
    facts.push_back({"loss", over.back().get<EpochReport>().loss});
  return facts;
}

}  // namespace

void to_json(Json& json, const EpochReport& epoch) {
  json = {{"loss", JsonOfNumber(epoch.loss)},
          {"examples", epoch.examples},
          {"seconds", epoch.seconds},
          {"held_out_loss", OrNull(epoch.held_out_loss)},
          {"score", OrNull(epoch.score)},
          {"normalization",
           {epoch.normalization.windows,
            JsonOfNumber(epoch.normalization.mean_ln_z),
            JsonOfNumber(epoch.normalization.stddev_ln_z),
            JsonOfNumber(epoch.normalization.perplexity)}}};
}
void from_json(const Json& json, EpochReport& epoch) {
  epoch.loss = NumberOfJson(json.at("loss"));
  epoch.examples = CountAt(json, "examples");
  json.at("seconds").get_to(epoch.seconds);
  epoch.held_out_loss = NumberOf(json.at("held_out_loss"));
  epoch.score = NumberOf(json.at("score"));
  const Json& normalization = json.at("normalization");
  epoch.normalization = {
      CountAt(normalization, 0), NumberOfJson(normalization.at(1)),
      NumberOfJson(normalization.at(2)), NumberOfJson(normalization.at(3))};
}

void AddVocabulary(const Vocabulary& vocabulary, CheckedWriter* writer) {
  writer->AddWords(kWords, vocabulary);
  writer->Add(kCounts, "I64", BytesOf(vocabulary.counts()));
}

absl::StatusOr<std::optional<FileInfo>> DescribeEmbeddingCheckpoint(
    const MappedFilePtr& file) {
  return DescribeCheckpointOf(kEmbeddingLearner, file, FactsOf);
}

}  // namespace firth
