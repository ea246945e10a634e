// A kind of vocabulary differs from the others in the numbers before its words
// and in what follows them, so reading goes by the kind of the chunk, writing
// by the kind of n-grams. Before a list is read, what its number promises is
// compared with the bytes that are left, at the least that one entry takes.

#include "io/formats/finalfusion_vocabulary.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>
#include <string>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "firth/status_macros.h"
#include "io/codecs/vector_rows.h"

namespace firth {
namespace {

constexpr uint32_t kMostExponent = 31;
constexpr uint64_t kLengthBytes = sizeof(uint32_t);  // of a text

absl::StatusOr<absl::string_view> ReadText(ByteReader& reader,
                                           absl::string_view what) {
  FIRTH_ASSIGN_OR_RETURN(
      const uint32_t bytes,
      reader.Read<uint32_t>(absl::StrCat("the length of ", what)));
  return reader.ReadBytes(bytes, what);
}

absl::StatusOr<absl::string_view> ReadNotEmpty(ByteReader& reader,
                                               absl::string_view what) {
  const uint64_t at = reader.position();
  FIRTH_ASSIGN_OR_RETURN(const absl::string_view text, ReadText(reader, what));
  if (!text.empty()) return text;
  return reader.ErrorAt(at, what, "an empty one");
}

// An error unless `count` things of `bytes` bytes or more each can follow.
absl::Status CheckCount(const ByteReader& reader, uint64_t count,
                        uint64_t bytes, absl::string_view what) {
  if (MultiplySaturated(count, bytes) <= reader.left()) return absl::OkStatus();
  return reader.ErrorAt(
      reader.position(),
      absl::StrCat(count, " ", what, ", at least ",
                   MultiplySaturated(count, bytes), " bytes"),
      absl::StrCat(reader.left(), " bytes to the end of the file"));
}

absl::Status ReadWords(ByteReader& reader, uint64_t count,
                       FifuVocabulary* vocabulary) {
  FIRTH_RETURN_IF_ERROR(CheckCount(reader, count, kLengthBytes + 1, "words"));
  vocabulary->words.reserve(count);
  for (uint64_t i = 0; i < count; ++i) {
    FIRTH_ASSIGN_OR_RETURN(const absl::string_view word,
                           ReadNotEmpty(reader, "a word"));
    vocabulary->words.push_back(word);
  }
  return absl::OkStatus();
}

absl::Status ReadNGrams(ByteReader& reader, uint64_t count,
                        FifuVocabulary* vocabulary) {
  FIRTH_RETURN_IF_ERROR(CheckCount(
      reader, count, kLengthBytes + 1 + sizeof(uint64_t), "n-grams"));
  vocabulary->n_grams.reserve(count);
  vocabulary->n_gram_rows.reserve(count);
  for (uint64_t i = 0; i < count; ++i) {
    FIRTH_ASSIGN_OR_RETURN(const absl::string_view n_gram,
                           ReadNotEmpty(reader, "an n-gram"));
    FIRTH_ASSIGN_OR_RETURN(
        const uint64_t row,
        reader.ReadRange<uint64_t>("the row of an n-gram", 0,
                                   std::min<uint64_t>(count, UINT32_MAX) - 1));
    vocabulary->n_grams.push_back(n_gram);
    vocabulary->n_gram_rows.push_back(static_cast<uint32_t>(row));
  }
  return absl::OkStatus();
}

template <class Options>
absl::Status ReadLengths(ByteReader& reader, Options* options) {
  constexpr uint32_t kMost = std::numeric_limits<int>::max();
  FIRTH_ASSIGN_OR_RETURN(
      options->min_n,
      reader.ReadRange<uint32_t>("the least length of n-grams", 1, kMost));
  FIRTH_ASSIGN_OR_RETURN(
      options->max_n,
      reader.ReadRange<uint32_t>("the greatest length of n-grams", 1, kMost));
  return absl::OkStatus();
}

absl::StatusOr<BucketSubwords> ReadBucketOptions(FifuKind kind,
                                                 ByteReader& reader) {
  BucketSubwords options;
  FIRTH_RETURN_IF_ERROR(ReadLengths(reader, &options));
  if (kind == FifuKind::kFasttextWords) {
    FIRTH_ASSIGN_OR_RETURN(options.buckets,
                           reader.Read<uint32_t>("the number of buckets"));
    return options;
  }
  FIRTH_ASSIGN_OR_RETURN(
      const uint32_t exponent,
      reader.ReadRange<uint32_t>("the exponent of buckets", 0, kMostExponent));
  options.buckets = uint32_t{1} << exponent;
  options.hash = BucketHash::kFinalfusion;
  return options;
}

absl::StatusOr<FloretSubwords> ReadFloretOptions(ByteReader& reader) {
  FloretSubwords options;
  FIRTH_RETURN_IF_ERROR(ReadLengths(reader, &options));
  FIRTH_ASSIGN_OR_RETURN(
      const uint64_t buckets,
      reader.ReadRange<uint64_t>("the number of buckets", 1, UINT32_MAX));
  options.buckets = static_cast<uint32_t>(buckets);
  FIRTH_ASSIGN_OR_RETURN(
      options.hashes, reader.ReadRange<uint32_t>("the number of hashes", 1, 4));
  FIRTH_ASSIGN_OR_RETURN(options.seed, reader.Read<uint32_t>("the seed"));
  FIRTH_ASSIGN_OR_RETURN(const absl::string_view begin,
                         ReadText(reader, "what stands before a word"));
  FIRTH_ASSIGN_OR_RETURN(const absl::string_view end,
                         ReadText(reader, "what stands after a word"));
  options.word_begin = std::string(begin);
  options.word_end = std::string(end);
  return options;
}

uint64_t TextBytes(absl::string_view text) {
  return kLengthBytes + text.size();
}

uint64_t WordBytes(const Vocabulary& vocabulary) {
  uint64_t bytes = 0;
  for (size_t i = 0; i < vocabulary.size(); ++i) {
    bytes += TextBytes(vocabulary.Word(ToWordId(i)));
  }
  return bytes;
}

absl::Status WriteText(absl::string_view text, OutputFile& out) {
  FIRTH_RETURN_IF_ERROR(out.WriteNumber(static_cast<uint32_t>(text.size())));
  return out.Write(text);
}

absl::Status WriteWords(const Vocabulary& vocabulary, OutputFile& out) {
  for (size_t i = 0; i < vocabulary.size(); ++i) {
    FIRTH_RETURN_IF_ERROR(WriteText(vocabulary.Word(ToWordId(i)), out));
  }
  return absl::OkStatus();
}

template <class Options>
absl::Status WriteLengths(const Options& options, OutputFile& out) {
  FIRTH_RETURN_IF_ERROR(out.WriteNumber(static_cast<uint32_t>(options.min_n)));
  return out.WriteNumber(static_cast<uint32_t>(options.max_n));
}

absl::Status WriteChunk(const NoSubwords&, const Vocabulary& vocabulary,
                        const SubwordIndex&, OutputFile& out) {
  FIRTH_RETURN_IF_ERROR(WriteFifuChunkHeader(
      FifuKind::kWords, sizeof(uint64_t) + WordBytes(vocabulary), out));
  FIRTH_RETURN_IF_ERROR(out.WriteNumber(uint64_t{vocabulary.size()}));
  return WriteWords(vocabulary, out);
}

absl::Status WriteChunk(const BucketSubwords& options,
                        const Vocabulary& vocabulary, const SubwordIndex&,
                        OutputFile& out) {
  constexpr uint64_t kNumberBytes = sizeof(uint64_t) + 3 * sizeof(uint32_t);
  FIRTH_RETURN_IF_ERROR(WriteFifuChunkHeader(
      FifuVocabularyKind(options), kNumberBytes + WordBytes(vocabulary), out));
  FIRTH_RETURN_IF_ERROR(out.WriteNumber(uint64_t{vocabulary.size()}));
  FIRTH_RETURN_IF_ERROR(WriteLengths(options, out));
  const auto exponent =
      static_cast<uint32_t>(std::countr_zero(options.buckets));
  FIRTH_RETURN_IF_ERROR(out.WriteNumber(
      options.hash == BucketHash::kFasttext ? options.buckets : exponent));
  return WriteWords(vocabulary, out);
}

// finalfusion-rust numbers rows by their first n-gram, so they stand in order.
absl::Status WriteNGrams(const SubwordIndex& index, OutputFile& out) {
  const std::vector<absl::string_view> n_grams = index.RowNGrams();
  std::vector<uint32_t> rows(index.NGramRows().begin(),
                             index.NGramRows().end());
  if (rows.empty()) {
    rows.resize(n_grams.size());
    std::iota(rows.begin(), rows.end(), 0);
  }
  std::vector<uint32_t> order(n_grams.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&rows](uint32_t a, uint32_t b) {
    return rows[a] < rows[b];
  });
  for (const uint32_t i : order) {
    FIRTH_RETURN_IF_ERROR(WriteText(n_grams[i], out));
    FIRTH_RETURN_IF_ERROR(out.WriteNumber(uint64_t{rows[i]}));
  }
  return absl::OkStatus();
}

absl::Status WriteChunk(const ExplicitSubwords& options,
                        const Vocabulary& vocabulary, const SubwordIndex& index,
                        OutputFile& out) {
  uint64_t bytes = 2 * sizeof(uint64_t) + 2 * sizeof(uint32_t);
  const std::vector<absl::string_view> n_grams = index.RowNGrams();
  for (const absl::string_view n_gram : n_grams) {
    bytes += TextBytes(n_gram) + sizeof(uint64_t);
  }
  FIRTH_RETURN_IF_ERROR(WriteFifuChunkHeader(
      FifuKind::kExplicitWords, bytes + WordBytes(vocabulary), out));
  FIRTH_RETURN_IF_ERROR(out.WriteNumber(uint64_t{vocabulary.size()}));
  FIRTH_RETURN_IF_ERROR(out.WriteNumber(uint64_t{n_grams.size()}));
  FIRTH_RETURN_IF_ERROR(WriteLengths(options, out));
  FIRTH_RETURN_IF_ERROR(WriteWords(vocabulary, out));
  return WriteNGrams(index, out);
}

absl::Status WriteChunk(const FloretSubwords& options, const Vocabulary&,
                        const SubwordIndex&, OutputFile& out) {
  FIRTH_RETURN_IF_ERROR(WriteFifuChunkHeader(
      FifuKind::kFloret,
      4 * sizeof(uint32_t) + sizeof(uint64_t) + TextBytes(options.word_begin) +
          TextBytes(options.word_end),
      out));
  FIRTH_RETURN_IF_ERROR(WriteLengths(options, out));
  FIRTH_RETURN_IF_ERROR(out.WriteNumber(uint64_t{options.buckets}));
  FIRTH_RETURN_IF_ERROR(out.WriteNumber(static_cast<uint32_t>(options.hashes)));
  FIRTH_RETURN_IF_ERROR(out.WriteNumber(options.seed));
  FIRTH_RETURN_IF_ERROR(WriteText(options.word_begin, out));
  return WriteText(options.word_end, out);
}

}  // namespace

absl::StatusOr<FifuVocabulary> ReadFifuVocabulary(const FifuChunk& chunk,
                                                  ByteReader& reader) {
  FifuVocabulary vocabulary;
  reader.GoTo(chunk.begin);
  if (chunk.kind == FifuKind::kFloret) {
    FIRTH_ASSIGN_OR_RETURN(vocabulary.subwords, ReadFloretOptions(reader));
    FIRTH_RETURN_IF_ERROR(CheckFifuEnd(reader, chunk));
    return vocabulary;
  }
  FIRTH_ASSIGN_OR_RETURN(const uint64_t words,
                         reader.Read<uint64_t>("the number of words"));
  if (chunk.kind == FifuKind::kExplicitWords) {
    FIRTH_ASSIGN_OR_RETURN(const uint64_t n_grams,
                           reader.Read<uint64_t>("the number of n-grams"));
    ExplicitSubwords options;
    FIRTH_RETURN_IF_ERROR(ReadLengths(reader, &options));
    vocabulary.subwords = options;
    FIRTH_RETURN_IF_ERROR(ReadWords(reader, words, &vocabulary));
    FIRTH_RETURN_IF_ERROR(ReadNGrams(reader, n_grams, &vocabulary));
  } else {
    if (chunk.kind != FifuKind::kWords) {
      FIRTH_ASSIGN_OR_RETURN(vocabulary.subwords,
                             ReadBucketOptions(chunk.kind, reader));
    }
    FIRTH_RETURN_IF_ERROR(ReadWords(reader, words, &vocabulary));
  }
  FIRTH_RETURN_IF_ERROR(CheckFifuEnd(reader, chunk));
  return vocabulary;
}

absl::StatusOr<SubwordIndex> MakeFifuIndex(const FifuVocabulary& vocabulary,
                                           uint64_t rows,
                                           const FifuChunk& chunk,
                                           const ByteReader& reader) {
  const auto make = [&]() -> absl::StatusOr<SubwordIndex> {
    if (const auto* floret =
            std::get_if<FloretSubwords>(&vocabulary.subwords)) {
      return SubwordIndex::OfFloret(*floret);
    }
    if (const auto* listed =
            std::get_if<ExplicitSubwords>(&vocabulary.subwords)) {
      return SubwordIndex::OfNGrams(*listed, vocabulary.n_grams,
                                    vocabulary.n_gram_rows);
    }
    const auto* hashed = std::get_if<BucketSubwords>(&vocabulary.subwords);
    if (hashed == nullptr) return SubwordIndex();
    // As many as the array has: no number takes memory that is only promised.
    std::vector<uint32_t> buckets(std::min<uint64_t>(rows, hashed->buckets));
    std::iota(buckets.begin(), buckets.end(), 0);
    return SubwordIndex::OfBuckets(*hashed, std::move(buckets));
  };
  const auto* hashed = std::get_if<BucketSubwords>(&vocabulary.subwords);
  absl::StatusOr<SubwordIndex> index = make();
  if (!index.ok()) {
    return reader.ErrorAt(chunk.begin, "n-grams that make sense",
                          index.status().message());
  }
  const uint64_t promised = hashed != nullptr ? hashed->buckets : index->rows();
  if (promised == rows) return index;
  return reader.ErrorAt(
      chunk.begin,
      absl::StrCat("n-grams of ", rows, " rows, as the array has beside its ",
                   vocabulary.words.size(), " for words"),
      absl::StrCat("those of ", promised));
}

absl::StatusOr<uint64_t> CountFifuWords(const FifuChunk& chunk,
                                        ByteReader& reader) {
  if (chunk.kind == FifuKind::kFloret) return 0;
  reader.GoTo(chunk.begin);
  return reader.Read<uint64_t>("the number of words");
}

bool FifuHoldsSubwords(const SubwordOptions& options) {
  const auto* buckets = std::get_if<BucketSubwords>(&options);
  if (buckets == nullptr) return true;
  return buckets->missing_count &&
         (buckets->hash == BucketHash::kFinalfusion ||
          buckets->buckets <= std::numeric_limits<int32_t>::max());
}

FifuKind FifuVocabularyKind(const SubwordOptions& options) {
  if (const auto* buckets = std::get_if<BucketSubwords>(&options)) {
    return buckets->hash == BucketHash::kFasttext ? FifuKind::kFasttextWords
                                                  : FifuKind::kBucketWords;
  }
  if (std::holds_alternative<ExplicitSubwords>(options)) {
    return FifuKind::kExplicitWords;
  }
  return std::holds_alternative<FloretSubwords>(options) ? FifuKind::kFloret
                                                         : FifuKind::kWords;
}

absl::Status WriteFifuVocabulary(const Vocabulary& vocabulary,
                                 const SubwordIndex* index, OutputFile& out) {
  const SubwordIndex none;
  const SubwordIndex& written = index == nullptr ? none : *index;
  return std::visit(
      [&](const auto& chosen) {
        return WriteChunk(chosen, vocabulary, written, out);
      },
      written.options());
}

}  // namespace firth
