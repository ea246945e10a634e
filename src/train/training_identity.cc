#include "train/training_identity.h"

#include <cstdint>
#include <string>
#include <variant>

#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "base/checksum.h"
#include "base/fields_json.h"
#include "base/mapped_file.h"
#include "base/rng.h"
#include "corpus/token_stream.h"

namespace firth {
namespace {

uint64_t TableSum(const FloatTable& table, uint64_t seed) {
  uint64_t sum = seed;
  for (size_t row = 0; row < table.rows(); ++row)
    sum = Checksum(table.Row(row), sum);
  return sum;
}

}  // namespace

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

nlohmann::json TrainingIdentity(const TrainOptions& options,
                                const Vocabulary& vocabulary, uint64_t text_sum,
                                const InitialVectors& initial,
                                const Validation& validation) {
  nlohmann::json json = IdentityOf(options);
  json["words of the text"] = HexChecksum(VocabularySum(vocabulary));
  json["text"] = HexChecksum(text_sum);
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
