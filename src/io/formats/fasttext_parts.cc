// The arguments are a table of fields with their valid ranges, in the order of
// the file. It is used to read, write and recognize them: files from before
// 2017 have no magic number and are recognized by twelve plausible arguments.

#include "io/formats/fasttext_parts.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "absl/strings/numbers.h"
#include "base/quote.h"
#include "firth/status_macros.h"
#include "io/codecs/vector_rows.h"

namespace firth {
namespace {

constexpr int32_t kMost = std::numeric_limits<int32_t>::max();
constexpr int32_t kMostDim = 65536;
constexpr int64_t kAllKept = -1;

// The arguments with their valid ranges, in the order of the file.
struct Argument {
  const char* name;
  int32_t FasttextHeader::*field;
  int32_t low;
  int32_t high;
};
constexpr Argument kArguments[] = {
    {"the dimension", &FasttextHeader::dim, 1, kMostDim},
    {"the window", &FasttextHeader::window, 0, kMost},
    {"the number of epochs", &FasttextHeader::epochs, 0, kMost},
    {"the minimum count", &FasttextHeader::min_count, 0, kMost},
    {"the number of negative samples", &FasttextHeader::negatives, 0, kMost},
    {"the length of word n-grams", &FasttextHeader::word_n_grams, 0, kMost},
    {"the loss", &FasttextHeader::loss, 1, 4},
    {"the architecture", &FasttextHeader::architecture, 1, 3},
    {"the number of buckets", &FasttextHeader::buckets, 0, kMost},
    {"the minimum length of n-grams", &FasttextHeader::min_n, 0, kMost},
    {"the maximum length of n-grams", &FasttextHeader::max_n, 0, kMost},
    {"the update rate", &FasttextHeader::update_rate, 0, kMost},
};

int32_t NumberAt(absl::string_view bytes, size_t index) {
  int32_t number;
  std::memcpy(&number, bytes.data() + index * sizeof(number), sizeof(number));
  return number;
}

void ReadArguments(ByteReader& reader, FasttextHeader* header) {
  for (const Argument& argument : kArguments) {
    header->*argument.field =
        reader.ReadRange<int32_t>(argument.name, argument.low, argument.high);
  }
  header->sample = reader.Read<double>("the subsampling threshold");
}

struct EntryCounts {
  int32_t words = 0;
  int32_t labels = 0;
  int64_t kept = kAllKept;
};

// A word takes at least its NUL, count and type.
constexpr uint64_t kLeastEntryBytes = 1 + sizeof(int64_t) + 1;
constexpr uint64_t kKeptBytes = 2 * sizeof(int32_t);

absl::StatusOr<EntryCounts> ReadEntryCounts(ByteReader& reader,
                                            FasttextHeader* header) {
  EntryCounts counts;
  const auto entries = reader.ReadRange<int32_t>("the number of entries", 0);
  const uint64_t at = reader.position();
  counts.words = reader.ReadRange<int32_t>("the number of words", 0, entries);
  counts.labels = reader.ReadRange<int32_t>("the number of labels", 0, entries);
  if (int64_t{counts.words} + counts.labels != entries) {
    return reader.Fail(at, absl::StrCat(entries, " words and labels together"),
                       absl::StrCat(counts.words, " and ", counts.labels));
  }
  header->tokens = static_cast<uint64_t>(
      reader.ReadRange<int64_t>("the number of tokens", 0));
  if (header->version > 0) {
    counts.kept = reader.ReadRange<int64_t>("the number of kept n-grams, or -1",
                                            kAllKept, header->buckets);
  }
  FIRTH_RETURN_IF_ERROR(reader.status());
  const uint64_t needed =
      static_cast<uint64_t>(entries) * kLeastEntryBytes +
      static_cast<uint64_t>(std::max<int64_t>(counts.kept, 0)) * kKeptBytes;
  if (needed > reader.left()) {
    return reader.Fail(
        at, absl::StrCat(entries, " entries of at least ", needed, " bytes"),
        absl::StrCat(reader.left(), " bytes up to the end of the file"));
  }
  return counts;
}

struct Entry {
  absl::string_view text;
  uint64_t count = 0;
};

// Reads the entry with this number, which is used in messages.
absl::StatusOr<Entry> ReadEntry(ByteReader& reader, int32_t number,
                                bool is_word) {
  const uint64_t at = reader.position();
  Entry entry;
  entry.text = reader.ReadString("a word");
  entry.count = static_cast<uint64_t>(reader.ReadRange<int64_t>("a count", 0));
  const auto type = reader.Read<int8_t>("a type");
  const absl::string_view kind = is_word ? "word" : "label";
  if (!reader.ok() || type != (is_word ? 0 : 1)) {
    return reader.Fail(at, absl::StrCat("entry ", number, ", a ", kind),
                       absl::StrCat(Quote(entry.text), " of type ", type));
  }
  if (!entry.text.empty()) return entry;
  return reader.Fail(at, absl::StrCat(kind, " ", number), "an empty one");
}

absl::Status ReadEntries(ByteReader& reader, const EntryCounts& counts,
                         FasttextHeader* header) {
  header->words.reserve(static_cast<size_t>(counts.words));
  header->counts.reserve(static_cast<size_t>(counts.words));
  for (int32_t i = 0; i < counts.words + counts.labels; ++i) {
    const bool is_word = i < counts.words;
    FIRTH_ASSIGN_OR_RETURN(const Entry entry, ReadEntry(reader, i, is_word));
    (is_word ? header->words : header->labels).push_back(entry.text);
    (is_word ? header->counts : header->label_counts).push_back(entry.count);
  }
  return absl::OkStatus();
}

absl::Status ReadKept(ByteReader& reader, int64_t kept,
                      FasttextHeader* header) {
  header->pruned = kept != kAllKept;
  for (int64_t i = 0; i < kept; ++i) {
    const auto bucket = reader.ReadRange<int32_t>("the bucket of a kept n-gram",
                                                  0, header->buckets - 1);
    const auto row = reader.ReadRange<int32_t>("the row of a kept n-gram", 0,
                                               static_cast<int32_t>(kept - 1));
    FIRTH_RETURN_IF_ERROR(reader.status());
    header->kept.emplace_back(bucket, row);
  }
  std::sort(header->kept.begin(), header->kept.end());
  for (size_t i = 1; i < header->kept.size(); ++i) {
    if (header->kept[i].first != header->kept[i - 1].first) continue;
    return reader.Fail(
        reader.position(), "kept n-grams of different buckets before here",
        absl::StrCat("bucket ", header->kept[i].first, " twice"));
  }
  return absl::OkStatus();
}

absl::string_view LossName(int32_t loss) {
  return loss == kFasttextTree      ? "hs"
         : loss == kFasttextSampled ? "ns"
         : loss == kFasttextSoftmax ? "softmax"
                                    : "ova";
}

absl::Status WriteEntries(absl::Span<const absl::string_view> texts,
                          absl::Span<const uint64_t> counts, int8_t type,
                          OutputFile& out) {
  for (size_t i = 0; i < texts.size(); ++i) {
    FIRTH_RETURN_IF_ERROR(out.Write(texts[i]));
    FIRTH_RETURN_IF_ERROR(out.WriteNumbers('\0', counts[i], type));
  }
  return absl::OkStatus();
}

// A dense matrix is used in place. A quantized one is converted to floats,
// since its rows are added to others.
constexpr uint64_t kCentroids = 256;

// A product quantizer, whose centroids stay in the file.
struct Quantizer {
  uint64_t dim = 0;
  uint64_t parts = 0;
  uint64_t part_dim = 0;
  uint64_t last_part_dim = 0;
  absl::string_view centroids;

  // Appends the centroids selected by `codes` [parts] to `row` [dim].
  void Decode(const char* codes, float* row) const {
    for (uint64_t part = 0; part < parts; ++part) {
      const auto code = static_cast<unsigned char>(codes[part]);
      const uint64_t size = part + 1 < parts ? part_dim : last_part_dim;
      const uint64_t begin = kCentroids * part * part_dim + code * size;
      std::memcpy(row + part * part_dim,
                  centroids.data() + begin * sizeof(float),
                  size * sizeof(float));
    }
  }
};

absl::StatusOr<Quantizer> ReadQuantizer(ByteReader& reader, uint64_t dim) {
  Quantizer quantizer;
  const uint64_t at = reader.position();
  int64_t numbers[4];
  for (int64_t& number : numbers) {
    number = reader.ReadRange<int32_t>("a number of the quantizer", 1);
  }
  const auto [all, parts, part_dim, last] = numbers;
  if (all != static_cast<int64_t>(dim) ||
      (parts - 1) * part_dim + last != all || last > part_dim) {
    return reader.Fail(at,
                       absl::StrCat("a quantizer of ", dim, " values in parts"),
                       absl::StrCat("one of ", all, " in ", parts, " of ",
                                    part_dim, ", the last of ", last));
  }
  quantizer.dim = dim;
  quantizer.parts = static_cast<uint64_t>(parts);
  quantizer.part_dim = static_cast<uint64_t>(part_dim);
  quantizer.last_part_dim = static_cast<uint64_t>(last);
  quantizer.centroids =
      reader.ReadBytes(dim * kCentroids * sizeof(float), "the centroids");
  FIRTH_RETURN_IF_ERROR(reader.status());
  return quantizer;
}

// The expected shape of a matrix.
struct Expected {
  uint64_t rows;
  uint64_t cols;
  bool may_lack;  // Whether 0 rows are also valid.
  absl::string_view name;
};

// Returns the number of rows.
absl::StatusOr<uint64_t> ReadShape(ByteReader& reader,
                                   const Expected& expected) {
  const uint64_t at = reader.position();
  const auto found_rows = reader.Read<int64_t>("the number of rows");
  const auto found_cols = reader.Read<int64_t>("the number of columns");
  FIRTH_RETURN_IF_ERROR(reader.status());
  const bool lacks = expected.may_lack && found_rows == 0;
  if ((lacks || found_rows == static_cast<int64_t>(expected.rows)) &&
      found_cols == static_cast<int64_t>(expected.cols)) {
    return static_cast<uint64_t>(found_rows);
  }
  return reader.Fail(at,
                     absl::StrCat(expected.name, " of [", expected.rows, ", ",
                                  expected.cols, "]"),
                     absl::StrCat("[", found_rows, ", ", found_cols, "]"));
}

absl::StatusOr<FloatTable> ReadDense(const MappedFilePtr& file,
                                     ByteReader& reader,
                                     const Expected& expected) {
  FIRTH_ASSIGN_OR_RETURN(const uint64_t rows, ReadShape(reader, expected));
  return ReadFloats(file, rows, expected.cols, expected.name, reader);
}

absl::StatusOr<FloatTable> ReadQuantized(const MappedFilePtr& file,
                                         ByteReader& reader,
                                         const Expected& expected) {
  const auto norms_apart =
      reader.ReadRange<uint8_t>("the flag for separate norms", 0, 1);
  FIRTH_ASSIGN_OR_RETURN(const uint64_t rows, ReadShape(reader, expected));
  const uint64_t cols = expected.cols;
  const uint64_t at = reader.position();
  const auto code_bytes =
      reader.ReadRange<int32_t>("the number of code bytes", 0);
  const absl::string_view codes =
      reader.ReadBytes(static_cast<uint64_t>(code_bytes), "the codes");
  FIRTH_ASSIGN_OR_RETURN(const Quantizer quantizer,
                         ReadQuantizer(reader, cols));
  if (MultiplySaturated(rows, quantizer.parts) != codes.size()) {
    return reader.Fail(at,
                       absl::StrCat("a code byte for each of ", quantizer.parts,
                                    " parts of ", rows, " rows"),
                       absl::StrCat(codes.size()));
  }
  absl::string_view norm_codes;
  Quantizer norms;
  if (norms_apart != 0) {
    norm_codes = reader.ReadBytes(rows, "codes of norms");
    FIRTH_ASSIGN_OR_RETURN(norms, ReadQuantizer(reader, 1));
  }
  FIRTH_ASSIGN_OR_RETURN(PaddedMatrix table,
                         AllocateTable(file->path(), rows, cols));
  for (uint64_t row = 0; row < rows; ++row) {
    float* values = table.Row(row);
    quantizer.Decode(codes.data() + row * quantizer.parts, values);
    if (norms_apart == 0) continue;
    float norm;
    norms.Decode(norm_codes.data() + row, &norm);
    for (uint64_t i = 0; i < cols; ++i) values[i] *= norm;
  }
  return table;
}

}  // namespace

bool StartsLikeFasttext(absl::string_view head) {
  if (head.size() < sizeof(int32_t)) return false;
  if (NumberAt(head, 0) == kFasttextMagic) return true;
  // Without the magic number, all arguments must be plausible.
  constexpr size_t kCount = std::size(kArguments);
  if (head.size() < kCount * sizeof(int32_t)) return false;
  for (size_t i = 0; i < kCount; ++i) {
    const int32_t number = NumberAt(head, i);
    // Text read as numbers is large: four letters are more than 2^29.
    const int32_t high = std::min(kArguments[i].high, int32_t{1} << 28);
    if (number < kArguments[i].low || number > high) return false;
  }
  return true;
}

absl::StatusOr<FasttextHeader> ReadFasttextHeader(ByteReader& reader) {
  FasttextHeader header;
  ByteReader start = reader;
  header.version = 0;
  if (start.Read<int32_t>("the magic number") == kFasttextMagic) {
    reader = start;
    header.version = reader.ReadVersion<int32_t>("a fastText model", 11,
                                                 kFasttextVersion, "fastText");
  }
  FIRTH_RETURN_IF_ERROR(start.status());
  ReadArguments(reader, &header);
  // Such models had the option but did not use it.
  if (header.version == 11 && header.architecture == kFasttextSupervised) {
    header.max_n = 0;
  }
  FIRTH_ASSIGN_OR_RETURN(const EntryCounts counts,
                         ReadEntryCounts(reader, &header));
  FIRTH_RETURN_IF_ERROR(ReadEntries(reader, counts, &header));
  FIRTH_RETURN_IF_ERROR(ReadKept(reader, counts.kept, &header));
  return header;
}

absl::Status WriteFasttextHeader(const FasttextHeader& header,
                                 OutputFile& out) {
  FIRTH_RETURN_IF_ERROR(out.WriteNumbers(kFasttextMagic, kFasttextVersion));
  for (const Argument& argument : kArguments) {
    FIRTH_RETURN_IF_ERROR(out.WriteNumbers(header.*argument.field));
  }
  const auto words = static_cast<int32_t>(header.words.size());
  const auto labels = static_cast<int32_t>(header.labels.size());
  FIRTH_RETURN_IF_ERROR(out.WriteNumbers(header.sample, words + labels, words,
                                         labels, header.tokens, kAllKept));
  FIRTH_RETURN_IF_ERROR(WriteEntries(header.words, header.counts, 0, out));
  return WriteEntries(header.labels, header.label_counts, 1, out);
}

std::map<std::string, std::string> FasttextMetadata(
    const FasttextHeader& header) {
  std::map<std::string, std::string> metadata = {
      {"arch", header.architecture == 1   ? "cbow"
               : header.architecture == 2 ? "skipgram"
                                          : "supervised"},
      {"loss", std::string(LossName(header.loss))},
      {"window", absl::StrCat(header.window)},
      {"epochs", absl::StrCat(header.epochs)},
      {"min-count", absl::StrCat(header.min_count)},
      {"negative", absl::StrCat(header.negatives)},
      {"sample", absl::StrCat(header.sample)}};
  if (header.max_n > 0) {
    metadata["subword-index"] = "buckets";
    metadata["min-n"] = absl::StrCat(header.min_n);
    metadata["max-n"] = absl::StrCat(header.max_n);
    metadata["buckets"] = absl::StrCat(header.buckets);
  }
  if (header.word_n_grams > 1) {
    metadata["word-n-grams"] = absl::StrCat(header.word_n_grams);
  }
  return metadata;
}

void ApplyMetadata(const std::map<std::string, std::string>& metadata,
                   FasttextHeader* header) {
  const auto set = [&metadata](const char* key, int32_t* field) {
    const auto found = metadata.find(key);
    int32_t number;
    if (found != metadata.end() && absl::SimpleAtoi(found->second, &number) &&
        number >= 0) {
      *field = number;
    }
  };
  set("window", &header->window);
  set("epochs", &header->epochs);
  set("min-count", &header->min_count);
  set("negative", &header->negatives);
  const auto sample = metadata.find("sample");
  double threshold;
  if (sample != metadata.end() &&
      absl::SimpleAtod(sample->second, &threshold)) {
    header->sample = threshold;
  }
  const auto arch = metadata.find("arch");
  if (arch != metadata.end() && arch->second == "cbow") {
    header->architecture = 1;
  }
}

absl::StatusOr<FloatTable> ReadFasttextMatrix(const MappedFilePtr& file,
                                              ByteReader& reader,
                                              const FasttextHeader& header,
                                              uint64_t rows, bool may_lack,
                                              absl::string_view name) {
  uint8_t quantized = 0;
  if (header.has_matrix_flags()) {
    quantized = reader.ReadRange<uint8_t>(
        absl::StrCat("the flag for a quantized matrix, of ", name), 0, 1);
  }
  const Expected expected{rows, static_cast<uint64_t>(header.dim), may_lack,
                          name};
  return quantized != 0 ? ReadQuantized(file, reader, expected)
                        : ReadDense(file, reader, expected);
}

}  // namespace firth
