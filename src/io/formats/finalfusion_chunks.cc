// The kinds of vocabulary differ in the numbers before the words and in what
// follows the words. The reader therefore branches on the kind of the chunk,
// and the writer on the kind of n-grams. Before a list is read, its stated
// length, at the minimum size of an entry, is compared with the bytes that are
// left.

#include "io/formats/finalfusion_chunks.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>
#include <string>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "base/quote.h"
#include "io/codecs/vector_rows.h"

namespace firth {
namespace {

constexpr uint32_t kVersion = 0;
constexpr uint32_t kLastKind = static_cast<uint32_t>(FifuKind::kFloret);
constexpr uint32_t kMostChunks = 4;

// Returns the member for a chunk of this kind.
FifuChunk FifuChunks::*PlaceOf(FifuKind kind) {
  switch (kind) {
    case FifuKind::kArray:
    case FifuKind::kQuantizedArray:
      return &FifuChunks::array;
    case FifuKind::kMetadata:
      return &FifuChunks::metadata;
    case FifuKind::kNorms:
      return &FifuChunks::norms;
    case FifuKind::kWords:
    case FifuKind::kBucketWords:
    case FifuKind::kFasttextWords:
    case FifuKind::kExplicitWords:
    case FifuKind::kFloret:
      return &FifuChunks::vocabulary;
  }
  return &FifuChunks::vocabulary;
}

absl::StatusOr<std::vector<uint32_t>> ReadKinds(ByteReader& reader) {
  const uint64_t at = reader.position();
  const absl::string_view magic =
      reader.ReadBytes(kFifuMagic.size(), "the magic \"FiFu\"");
  if (magic != kFifuMagic) return reader.Fail(at, "\"FiFu\"", Quote(magic));
  reader.ReadVersion("a finalfusion file", kVersion, kVersion, "finalfusion");
  std::vector<uint32_t> kinds(
      reader.ReadRange<uint32_t>("a number of chunks", 2, kMostChunks));
  for (uint32_t& kind : kinds) {
    kind = reader.ReadRange<uint32_t>("a kind of chunk", 1, kLastKind);
  }
  FIRTH_RETURN_IF_ERROR(reader.status());
  return kinds;
}

// Reads the start of the next chunk, which must be of the kind given in the
// header, and skips its rest.
absl::StatusOr<FifuChunk> ReadChunk(ByteReader& reader, uint32_t kind) {
  reader.ReadRange<uint32_t>("a chunk of the kind in the header", kind, kind);
  FifuChunk chunk;
  chunk.kind = static_cast<FifuKind>(kind);
  chunk.bytes = reader.Read<uint64_t>("the length of a chunk");
  chunk.begin = reader.position();
  reader.Skip(chunk.bytes, "a chunk");
  FIRTH_RETURN_IF_ERROR(reader.status());
  return chunk;
}

// Returns whether norms follow that the header does not list. Takes the reader
// by value, so that its position does not change.
bool NormsFollow(ByteReader reader, const FifuChunks& chunks) {
  return chunks.norms.begin == 0 &&
         reader.Read<FifuKind>("a chunk") == FifuKind::kNorms;
}

constexpr uint32_t kMostExponent = 31;
constexpr uint64_t kLengthBytes = sizeof(uint32_t);  // Length field of a text.

absl::string_view ReadText(ByteReader& reader, absl::string_view what) {
  const auto bytes =
      reader.Read<uint32_t>(absl::StrCat("the length of ", what));
  return reader.ReadBytes(bytes, what);
}

absl::StatusOr<absl::string_view> ReadNotEmpty(ByteReader& reader,
                                               absl::string_view what) {
  const uint64_t at = reader.position();
  const absl::string_view text = ReadText(reader, what);
  if (!text.empty()) return text;
  return reader.Fail(at, what, "an empty one");
}

// Returns the reader's error, or an error if fewer than `count` items of at
// least `bytes` bytes can follow.
absl::Status CheckCount(ByteReader& reader, uint64_t count, uint64_t bytes,
                        absl::string_view what) {
  if (MultiplySaturated(count, bytes) <= reader.left()) return reader.status();
  return reader.Fail(
      reader.position(),
      absl::StrCat(count, " ", what, " of at least ",
                   MultiplySaturated(count, bytes), " bytes"),
      absl::StrCat(reader.left(), " bytes up to the end of the file"));
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
    const auto row = reader.ReadRange<uint64_t>(
        "the row of an n-gram", 0, std::min<uint64_t>(count, UINT32_MAX) - 1);
    vocabulary->n_grams.push_back(n_gram);
    vocabulary->n_gram_rows.push_back(static_cast<uint32_t>(row));
  }
  return reader.status();
}

template <class Options>
void ReadLengths(ByteReader& reader, Options* options) {
  constexpr uint32_t kMost = std::numeric_limits<int>::max();
  options->min_n = static_cast<int>(
      reader.ReadRange<uint32_t>("the minimum length of n-grams", 1, kMost));
  options->max_n = static_cast<int>(
      reader.ReadRange<uint32_t>("the maximum length of n-grams", 1, kMost));
}

BucketSubwords ReadBucketOptions(FifuKind kind, ByteReader& reader) {
  BucketSubwords options;
  ReadLengths(reader, &options);
  if (kind == FifuKind::kFasttextWords) {
    options.buckets = reader.Read<uint32_t>("the number of buckets");
    return options;
  }
  options.buckets = uint32_t{1} << reader.ReadRange<uint32_t>(
                        "the exponent of buckets", 0, kMostExponent);
  options.hash = BucketHash::kFinalfusion;
  return options;
}

FloretSubwords ReadFloretOptions(ByteReader& reader) {
  FloretSubwords options;
  ReadLengths(reader, &options);
  options.buckets = static_cast<uint32_t>(
      reader.ReadRange<uint64_t>("the number of buckets", 1, UINT32_MAX));
  options.hashes = static_cast<int>(
      reader.ReadRange<uint32_t>("the number of hashes", 1, 4));
  options.seed = reader.Read<uint32_t>("the seed");
  options.word_begin = std::string(ReadText(reader, "the mark before a word"));
  options.word_end = std::string(ReadText(reader, "the mark after a word"));
  return options;
}

uint64_t TextBytes(absl::string_view text) {
  return kLengthBytes + text.size();
}

uint64_t WordBytes(const Vocabulary& vocabulary) {
  uint64_t bytes = 0;
  for (const absl::string_view word : vocabulary.Words()) {
    bytes += TextBytes(word);
  }
  return bytes;
}

absl::Status WriteText(absl::string_view text, OutputFile& out) {
  FIRTH_RETURN_IF_ERROR(out.WriteNumbers(static_cast<uint32_t>(text.size())));
  return out.Write(text);
}

absl::Status WriteWords(const Vocabulary& vocabulary, OutputFile& out) {
  for (const absl::string_view word : vocabulary.Words()) {
    FIRTH_RETURN_IF_ERROR(WriteText(word, out));
  }
  return absl::OkStatus();
}

absl::Status WriteChunk(const NoSubwords&, const Vocabulary& vocabulary,
                        const SubwordIndex&, OutputFile& out) {
  FIRTH_RETURN_IF_ERROR(StartFifuChunk(out, FifuKind::kWords,
                                       WordBytes(vocabulary),
                                       uint64_t{vocabulary.size()}));
  return WriteWords(vocabulary, out);
}

absl::Status WriteChunk(const BucketSubwords& options,
                        const Vocabulary& vocabulary, const SubwordIndex&,
                        OutputFile& out) {
  const auto exponent =
      static_cast<uint32_t>(std::countr_zero(options.buckets));
  FIRTH_RETURN_IF_ERROR(StartFifuChunk(
      out, FifuVocabularyKind(options), WordBytes(vocabulary),
      uint64_t{vocabulary.size()}, options.min_n, options.max_n,
      options.hash == BucketHash::kFasttext ? options.buckets : exponent));
  return WriteWords(vocabulary, out);
}

// finalfusion-rust numbers rows by their first n-gram, so they are written in
// order.
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
    FIRTH_RETURN_IF_ERROR(out.WriteNumbers(uint64_t{rows[i]}));
  }
  return absl::OkStatus();
}

absl::Status WriteChunk(const ExplicitSubwords& options,
                        const Vocabulary& vocabulary, const SubwordIndex& index,
                        OutputFile& out) {
  uint64_t bytes = WordBytes(vocabulary);
  const std::vector<absl::string_view> n_grams = index.RowNGrams();
  for (const absl::string_view n_gram : n_grams) {
    bytes += TextBytes(n_gram) + sizeof(uint64_t);
  }
  FIRTH_RETURN_IF_ERROR(StartFifuChunk(
      out, FifuKind::kExplicitWords, bytes, uint64_t{vocabulary.size()},
      uint64_t{n_grams.size()}, options.min_n, options.max_n));
  FIRTH_RETURN_IF_ERROR(WriteWords(vocabulary, out));
  return WriteNGrams(index, out);
}

absl::Status WriteChunk(const FloretSubwords& options, const Vocabulary&,
                        const SubwordIndex&, OutputFile& out) {
  FIRTH_RETURN_IF_ERROR(StartFifuChunk(
      out, FifuKind::kFloret,
      TextBytes(options.word_begin) + TextBytes(options.word_end),
      options.min_n, options.max_n, uint64_t{options.buckets}, options.hashes,
      options.seed));
  FIRTH_RETURN_IF_ERROR(WriteText(options.word_begin, out));
  return WriteText(options.word_end, out);
}

}  // namespace

absl::StatusOr<FifuChunks> ReadFifuChunks(ByteReader& reader) {
  FIRTH_ASSIGN_OR_RETURN(const std::vector<uint32_t> kinds, ReadKinds(reader));
  FifuChunks chunks;
  for (const uint32_t kind : kinds) {
    const uint64_t at = reader.position();
    FIRTH_ASSIGN_OR_RETURN(const FifuChunk chunk, ReadChunk(reader, kind));
    FifuChunk& place = chunks.*PlaceOf(chunk.kind);
    if (place.begin > 0) {
      return reader.Fail(at, "each kind of chunk once",
                         absl::StrCat("kind ", kind, " after kind ",
                                      static_cast<uint32_t>(place.kind)));
    }
    place = chunk;
  }
  if (NormsFollow(reader, chunks)) {
    FIRTH_ASSIGN_OR_RETURN(
        chunks.norms,
        ReadChunk(reader, static_cast<uint32_t>(FifuKind::kNorms)));
  }
  FIRTH_RETURN_IF_ERROR(reader.CheckEnd());
  if (chunks.vocabulary.begin > 0 && chunks.array.begin > 0) return chunks;
  return reader.Fail(reader.position(),
                     "a vocabulary and an array before the end",
                     chunks.array.begin > 0 ? "no vocabulary" : "no array");
}

absl::Status CheckFifuEnd(ByteReader& reader, const FifuChunk& chunk) {
  if (reader.position() == chunk.begin + chunk.bytes) return reader.status();
  return reader.Fail(
      chunk.begin,
      absl::StrCat("a chunk of ", chunk.bytes, " bytes, as in its header"),
      absl::StrCat("one of ", reader.position() - chunk.begin));
}

void ReadFifuType(ByteReader& reader, uint32_t type) {
  reader.ReadRange<uint32_t>("a type of values", type, type);
}

void SkipFifuPadding(ByteReader& reader) {
  reader.Skip(FifuPadding(reader.position()), "padding");
}

absl::Status WriteFifuHeader(const std::vector<FifuKind>& kinds,
                             OutputFile& out) {
  FIRTH_RETURN_IF_ERROR(out.Write(kFifuMagic));
  FIRTH_RETURN_IF_ERROR(
      out.WriteNumbers(kVersion, static_cast<uint32_t>(kinds.size())));
  for (const FifuKind kind : kinds) {
    FIRTH_RETURN_IF_ERROR(out.WriteNumbers(kind));
  }
  return absl::OkStatus();
}

absl::StatusOr<FifuVocabulary> ReadFifuVocabulary(const FifuChunk& chunk,
                                                  ByteReader& reader) {
  FifuVocabulary vocabulary;
  reader.GoTo(chunk.begin);
  if (chunk.kind == FifuKind::kFloret) {
    vocabulary.subwords = ReadFloretOptions(reader);
    FIRTH_RETURN_IF_ERROR(CheckFifuEnd(reader, chunk));
    return vocabulary;
  }
  const auto words = reader.Read<uint64_t>("the number of words");
  if (chunk.kind == FifuKind::kExplicitWords) {
    const auto n_grams = reader.Read<uint64_t>("the number of n-grams");
    ExplicitSubwords options;
    ReadLengths(reader, &options);
    vocabulary.subwords = options;
    FIRTH_RETURN_IF_ERROR(ReadWords(reader, words, &vocabulary));
    FIRTH_RETURN_IF_ERROR(ReadNGrams(reader, n_grams, &vocabulary));
  } else {
    if (chunk.kind != FifuKind::kWords) {
      vocabulary.subwords = ReadBucketOptions(chunk.kind, reader);
    }
    FIRTH_RETURN_IF_ERROR(ReadWords(reader, words, &vocabulary));
  }
  FIRTH_RETURN_IF_ERROR(CheckFifuEnd(reader, chunk));
  return vocabulary;
}

absl::StatusOr<SubwordIndex> MakeFifuIndex(const FifuVocabulary& vocabulary,
                                           uint64_t rows,
                                           const FifuChunk& chunk,
                                           ByteReader& reader) {
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
    // Limited by the rows of the array, so that a number in the file cannot
    // allocate memory.
    std::vector<uint32_t> buckets(std::min<uint64_t>(rows, hashed->buckets));
    std::iota(buckets.begin(), buckets.end(), 0);
    return SubwordIndex::OfBuckets(*hashed, std::move(buckets));
  };
  const auto* hashed = std::get_if<BucketSubwords>(&vocabulary.subwords);
  absl::StatusOr<SubwordIndex> index = make();
  if (!index.ok()) {
    return reader.Fail(chunk.begin, "valid n-grams", index.status().message());
  }
  const uint64_t promised = hashed != nullptr ? hashed->buckets : index->rows();
  if (promised == rows) return index;
  return reader.Fail(chunk.begin,
                     absl::StrCat("n-grams of ", rows,
                                  " rows, which the array has in addition to ",
                                  vocabulary.words.size(), " for words"),
                     absl::StrCat("those of ", promised));
}

absl::StatusOr<uint64_t> CountFifuWords(const FifuChunk& chunk,
                                        ByteReader& reader) {
  if (chunk.kind == FifuKind::kFloret) return 0;
  reader.GoTo(chunk.begin);
  const auto words = reader.Read<uint64_t>("the number of words");
  FIRTH_RETURN_IF_ERROR(reader.status());
  return words;
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
