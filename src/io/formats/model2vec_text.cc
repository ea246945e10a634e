// A text is cut to the length that model2vec reads, divided into tokens, and
// becomes the mean of their rows. Rows are prefetched while those of the tokens
// before them are added.

#include "io/formats/model2vec_text.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/json.h"
#include "base/lazy.h"
#include "base/prefetch.h"
#include "base/spares.h"
#include "base/unicode.h"
#include "firth/sentence_vectors.h"
#include "firth/status_macros.h"
#include "firth/word_vectors.h"
#include "nlohmann/json.hpp"
#include "tokenizers/json_tokenizer.h"
#include "tokenizers/token_table.h"
#include "vectors/row_block.h"

namespace firth {
namespace {

constexpr size_t kMostTokens = 512;

size_t CharactersIn(absl::string_view text) {
  return static_cast<size_t>(
      std::count_if(text.begin(), text.end(),
                    [](char byte) { return (byte & 0xC0) != 0x80; }));
}

// Returns the median length of all tokens in characters, like NumPy rounded
// down from the mean of the two in the middle.
size_t MedianLength(const Vocabulary& words, const std::string& unknown) {
  std::vector<size_t> lengths;
  for (const absl::string_view word : words.Words()) {
    lengths.push_back(CharactersIn(word));
  }
  if (!unknown.empty() && !words.Find(unknown).has_value()) {
    lengths.push_back(CharactersIn(unknown));
  }
  if (lengths.empty()) return 0;
  std::sort(lengths.begin(), lengths.end());
  return (lengths[(lengths.size() - 1) / 2] + lengths[lengths.size() / 2]) / 2;
}

// Returns the first characters of the text.
absl::string_view FirstCharacters(absl::string_view text, size_t most) {
  if (text.size() <= most) return text;
  size_t end = 0;
  for (size_t count = 0; count < most && end < text.size(); ++count) {
    end += DecodeUtf8(text.substr(end)).bytes;
  }
  return text.substr(0, end);
}

struct EncoderOptions {
  std::string place;      // For messages.
  std::string tokenizer;  // JSON.
  bool normalizes = false;
  bool reads_all = false;  // Whether a text may have any number of tokens.
};

class Model2vecTextEncoder : public TextEncoder {
 public:
  Model2vecTextEncoder(EncoderOptions options, WordVectors vectors)
      : options_(std::move(options)), vectors_(std::move(vectors)) {}

  absl::Status Check() const override { return ready().status(); }

  absl::StatusOr<size_t> Encode(absl::string_view text, bool unit_words,
                                absl::Span<float> vector) const override {
    FIRTH_CHECK(ready().ok());
    const Ready& with = *ready();
    const auto room = rooms_.Borrow([] { return std::make_unique<Room>(); });
    if (!options_.reads_all) text = FirstCharacters(text, with.most_characters);
    absl::Status status = with.tokenizer->Encode(text, &room->ids);
    if (!status.ok()) return At(options_.place, status);
    std::vector<uint32_t>& ids = room->ids;
    ids.erase(
        std::remove_if(ids.begin(), ids.end(),
                       [this](uint32_t id) { return id >= vectors_.size(); }),
        ids.end());
    if (!options_.reads_all && ids.size() > kMostTokens) {
      ids.resize(kMostTokens);
    }
    Average(unit_words, room.get(), vector);
    return ids.size();
  }

 private:
  struct Ready {
    std::unique_ptr<JsonTokenizer> tokenizer;
    size_t most_characters;
  };
  struct Room {
    std::vector<uint32_t> ids;
    std::vector<double> sum;
    std::vector<float> row;
  };

  const absl::StatusOr<Ready>& ready() const {
    return ready_.Get([this] { return Make(); });
  }

  absl::StatusOr<Ready> Make() const {
    const Json json = ParseTokenizer(options_.tokenizer);
    auto tokenizer = JsonTokenizer::Create(json, vectors_.vocabulary());
    if (!tokenizer.ok()) {
      return absl::Status(
          tokenizer.status().code(),
          absl::StrCat(options_.place, ": ", tokenizer.status().message(),
                       "; the model has vectors of words, but not of texts"));
    }
    const size_t median =
        MedianLength(vectors_.vocabulary(), UnknownTokenOf(json));
    return Ready{*std::move(tokenizer), median * kMostTokens};
  }

  absl::Span<const float> Row(WordId token, Room* room) const {
    if (vectors_.is_float()) return vectors_.Vector(token);
    vectors_.CopyVector(token, absl::MakeSpan(room->row));
    return room->row;
  }

  // Prefetches the start of a row. The processor itself prefetches the rest.
  void Prefetch(WordId token) const {
    if (!vectors_.is_float()) return;
    const float* const row = vectors_.Vector(token).data();
    PrefetchForRead(row);
    PrefetchForRead(row + kLineFloats);
  }

  // Sets room->sum to the sum of the rows. Four rows are added in float, which
  // is several times as fast as in double and rounds almost as little.
  void Sum(Room* room) const {
    const FloatTable& table = vectors_.table();
    const absl::Span<const uint32_t> ids = room->ids;
    size_t i = 0;
    for (; i + 4 <= ids.size(); i += 4) {
      for (size_t next = i + 4; next < std::min(i + 8, ids.size()); ++next) {
        Prefetch(ToWordId(ids[next]));
      }
      AddFour(table.Row(ids[i]).data(), table.Row(ids[i + 1]).data(),
              table.Row(ids[i + 2]).data(), table.Row(ids[i + 3]).data(),
              room->sum.size(), room->sum.data());
    }
    for (; i < ids.size(); ++i) AddRow(table.Row(ids[i]), 1, &room->sum);
  }

  static void AddRow(absl::Span<const float> row, double weight,
                     std::vector<double>* sum) {
    for (size_t d = 0; d < row.size(); ++d) (*sum)[d] += weight * row[d];
  }

  static void AddFour(const float* a, const float* b, const float* c,
                      const float* d, size_t dim, double* sum) {
    // Blocks of a fixed size are compiled to vectors.
    size_t i = 0;
    for (; i + kBlock <= dim; i += kBlock) {
      float four[kBlock];
      for (size_t k = 0; k < kBlock; ++k) {
        four[k] = (a[i + k] + b[i + k]) + (c[i + k] + d[i + k]);
      }
      for (size_t k = 0; k < kBlock; ++k) sum[i + k] += four[k];
    }
    for (; i < dim; ++i) sum[i] += (a[i] + b[i]) + (c[i] + d[i]);
  }

  void Average(bool unit_words, Room* room, absl::Span<float> vector) const {
    std::vector<double>& sum = room->sum;
    sum.assign(vector.size(), 0);
    room->row.resize(vector.size());
    const std::vector<uint32_t>& ids = room->ids;
    if (vectors_.is_float() && !unit_words) {
      Sum(room);
    } else {
      for (const uint32_t id : ids) {
        const absl::Span<const float> row = Row(ToWordId(id), room);
        AddRow(row, unit_words ? InverseNorm(row) : 1, &sum);
      }
    }
    auto divisor = static_cast<double>(ids.size());
    if (options_.normalizes) {
      double squares = 0;
      for (const double value : sum) squares += value * value;
      divisor = std::sqrt(squares);
    }
    const double factor = divisor > 0 ? 1 / divisor : 0;
    for (size_t d = 0; d < vector.size(); ++d) {
      vector[d] = static_cast<float>(sum[d] * factor);
    }
  }

  static constexpr size_t kLineFloats = 16;
  static constexpr size_t kBlock = 16;

  EncoderOptions options_;
  WordVectors vectors_;
  Lazy<absl::StatusOr<Ready>> ready_;
  mutable Spares<Room> rooms_;
};

std::string TextIn(const VectorFile& file, const char* key) {
  const auto found = file.metadata.find(key);
  return found == file.metadata.end() ? "" : found->second;
}

// Returns the name of the tokenizer for messages: its file, if the vectors are
// in the folder of one.
std::string PlaceOfTokenizer(const std::string& path) {
  const auto beside =
      std::filesystem::path(path).parent_path() / "tokenizer.json";
  std::error_code error;
  return std::filesystem::exists(beside, error)
             ? beside.string()
             : absl::StrCat(path, ": metadata \"", kModel2vecTokenizer, "\"");
}

}  // namespace

bool IsStaticEmbedding(const VectorFile& file) {
  return TextIn(file, kModelType) == kStaticEmbedding;
}

void AddModel2vecTextEncoder(const std::string& path, VectorFile* file) {
  EncoderOptions options;
  options.tokenizer = TextIn(*file, kModel2vecTokenizer);
  if (options.tokenizer.empty()) return;
  options.place = PlaceOfTokenizer(path);
  options.normalizes = TextIn(*file, "normalize") == "true";
  options.reads_all = IsStaticEmbedding(*file);
  file->vectors =
      file->vectors.WithTextEncoder(std::make_shared<Model2vecTextEncoder>(
          std::move(options), file->vectors));
}

}  // namespace firth
