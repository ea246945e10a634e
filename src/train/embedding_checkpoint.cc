#include "train/embedding_checkpoint.h"

#include <algorithm>
#include <variant>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "base/checksum.h"
#include "base/fields_json.h"
#include "base/json.h"
#include "base/rng.h"
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

uint64_t TableSum(const FloatTable& table, uint64_t seed) {
  uint64_t sum = seed;
  for (size_t row = 0; row < table.rows(); ++row)
    sum = Checksum(table.Row(row), sum);
  return sum;
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

absl::StatusOr<std::optional<FileInfo>> DescribeDocumentCheckpoint(
    const MappedFilePtr& file) {
  return DescribeCheckpointOf(kDocumentLearner, file, FactsOf);
}

uint64_t VocabularySum(const Vocabulary& vocabulary) {
  uint64_t sum = Checksum(vocabulary.counts(), vocabulary.size());
  for (size_t i = 0; i < vocabulary.size(); ++i) {
    sum = Checksum(vocabulary.Word(ToWordId(i)), sum);
  }
  return sum;
}

uint64_t TextSum(const TokenStream& text) {
  return Checksum(text.tokens(), text.num_words());
}

uint64_t SumOfShare(const TokenStream& share, uint64_t words_before) {
  uint64_t sum = 0;
  uint64_t number = words_before;
  for (const uint32_t token : share.tokens()) {
    if (token == TokenStream::kSentenceEnd) continue;
    sum += CombineKeys(token, number++);
  }
  return sum;
}

uint64_t InitialSum(const InitialVectors& initial) {
  uint64_t sum = VocabularySum(initial.vectors->vocabulary());
  sum = TableSum(initial.vectors->table(), sum);
  sum = TableSum(initial.output, sum);
  sum = TableSum(initial.output_bias, sum);
  const SubwordTables* subwords = initial.vectors->subwords();
  if (subwords == nullptr) return sum;
  return TableSum(subwords->n_grams, TableSum(subwords->words, sum));
}

// A file that cannot be opened counts as empty; reading it will report why.
std::string MeasuredOn(const Validation& validation) {
  std::string sums;
  if (validation.text != nullptr) {
    const absl::Span<const uint32_t> tokens = validation.text->tokens->tokens();
    sums = absl::StrCat("text ", HexChecksum(Checksum(tokens, tokens.size())),
                        " ");
  }
  for (const std::string& path : validation.score_files) {
    const absl::StatusOr<MappedFilePtr> file = MappedFile::Open(path);
    const absl::string_view bytes = file.ok() ? (*file)->bytes() : "";
    absl::StrAppend(&sums, "score ", HexChecksum(Checksum(bytes, bytes.size())),
                    " ");
  }
  absl::StripTrailingAsciiWhitespace(&sums);
  return sums;
}

void AddTextIdentity(const Vocabulary& vocabulary, uint64_t text_sum,
                     nlohmann::json* identity) {
  (*identity)["words of the text"] = HexChecksum(VocabularySum(vocabulary));
  (*identity)["text"] = HexChecksum(text_sum);
}

nlohmann::json TrainingIdentity(const TrainOptions& options,
                                const Vocabulary& vocabulary, uint64_t text_sum,
                                const InitialVectors& initial,
                                const Validation& validation) {
  nlohmann::json json = IdentityOf(options);
  AddTextIdentity(vocabulary, text_sum, &json);
  json["distributed"] =
      std::visit([](const auto& way) { return std::string(way.kName); },
                 options.distributed);
  if (initial.vectors != nullptr) {
    json["init"] = HexChecksum(InitialSum(initial));
    json["freeze-init"] = initial.freeze;
    json["init-others"] = initial.keep_others;
  }
  if (validation.enabled()) json["validation"] = MeasuredOn(validation);
  return json;
}

}  // namespace firth
