// Vectors of tokens are written as they are computed, before their number is
// known. HDF5 has one dataset per sentence (Hdf5Body). The other formats
// contain one array (ArrayBody). Its header is written at the start to reserve
// the space, and again at the end with the number of tokens. The offsets of the
// sentences come after the array, or are in a separate file for .npy.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/types/span.h"
#include "base/check.h"
#include "base/float16.h"
#include "base/json.h"
#include "base/output_file.h"
#include "firth/embedding_file.h"
#include "firth/status_macros.h"
#include "io/codecs/vector_rows.h"
#include "io/tensors/hdf5_file.h"
#include "io/tensors/hdf5_writer.h"
#include "io/tensors/npy_header.h"
#include "io/tensors/safetensors_header.h"
#include "lm/read/embedding_file.h"
#include "lm/read/scalar_mix.h"
#include "nlohmann/json.hpp"

namespace firth {

namespace {

// Replaces a fraction of 0, which has no logarithm.
constexpr double kLeastShare = 1e-30;
// Sizes that are sufficient for any file.
constexpr size_t kNpyHeaderBytes = 128;
constexpr size_t kSafetensorsHeaderBytes = 512;

template <class Value>
absl::string_view Bytes(const std::vector<Value>& values) {
  return BytesOf(absl::MakeConstSpan(values));
}

// Arrays have all tokens in one shape. HDF5 has one dataset per sentence, "0",
// "1", ..., and the last one is found by bisection, because reading all names
// would take as long as reading the file.

constexpr absl::string_view kHdf5Magic("\x89HDF\r\n\x1a\n", 8);
constexpr uint64_t kMostSentences = uint64_t{1} << 40;

FileInfo Embeddings(const char* format, uint64_t sentences) {
  FileInfo info;
  info.kind = "contextual vectors";
  info.facts = {{"format", std::string(format)}, {"sentences", sentences}};
  return info;
}

// `shape` is [tokens, layers, dim], or [tokens, dim] for one layer.
absl::StatusOr<std::optional<FileInfo>> OfArray(
    const MappedFile& file, const char* format,
    absl::Span<const uint64_t> shape, absl::Span<const uint64_t> offsets) {
  if ((shape.size() != 2 && shape.size() != 3) || offsets.size() != 1 ||
      offsets[0] == 0) {
    return absl::DataLossError(absl::StrCat(
        file.path(), ": expected embeddings [tokens, layers, dim] and offsets ",
        "[sentences + 1], found [", absl::StrJoin(shape, ", "), "] and [",
        absl::StrJoin(offsets, ", "), "]"));
  }
  FileInfo info = Embeddings(format, offsets[0] - 1);
  info.facts.push_back({"tokens", shape.front()});
  info.facts.push_back({"layers", shape.size() == 3 ? shape[1] : 1});
  info.facts.push_back({"dim", shape.back()});
  return info;
}

// Returns the shape of a sentence, [layers, tokens, dim]; nothing if the file
// does not contain the sentence.
absl::StatusOr<std::optional<std::vector<uint64_t>>> ShapeOf(
    const Hdf5File& file, uint64_t sentence) {
  auto shape = file.Shape(absl::StrCat(sentence));
  if (absl::IsNotFound(shape.status())) return std::nullopt;
  if (!shape.ok()) return shape.status();
  return *std::move(shape);
}

// Returns the number of consecutive sentences, counted from 0.
absl::StatusOr<uint64_t> CountSentences(const Hdf5File& file) {
  uint64_t there = 0;    // sentences 0 to there - 1 exist
  uint64_t missing = 1;  // the next to test is sentence missing - 1
  for (; missing < kMostSentences; missing *= 2) {
    FIRTH_ASSIGN_OR_RETURN(const auto shape, ShapeOf(file, missing - 1));
    if (!shape.has_value()) break;
    there = missing;
  }
  while (missing - there > 1) {
    const uint64_t middle = there + (missing - there) / 2;
    FIRTH_ASSIGN_OR_RETURN(const auto shape, ShapeOf(file, middle - 1));
    (shape.has_value() ? there : missing) = middle;
  }
  return there;
}

}  // namespace

TokenVectors MixLayers(const TokenVectors& vectors, const MixWeights& mix) {
  FIRTH_CHECK(mix.shares.size() == vectors.layers);
  ScalarMix<float> mixer(
      {.layers = vectors.layers, .layer_norm = mix.layer_norm}, "mix");
  std::vector<float> w;
  for (const double share : mix.shares) {
    w.push_back(static_cast<float>(std::log(std::max(share, kLeastShare))));
  }
  mixer.set_weights(w, static_cast<float>(mix.gamma));
  std::vector<ConstView<float>> layers;
  const size_t size = vectors.tokens * vectors.dim;
  for (size_t j = 0; j < vectors.layers; ++j) {
    layers.emplace_back(vectors.values.data() + j * size, vectors.tokens,
                        vectors.dim);
  }
  const ConstView<float> mixed = mixer.Forward(layers);
  return {1, vectors.tokens, vectors.dim, {mixed.data(), mixed.data() + size}};
}

class EmbeddingWriter::Body {
 public:
  struct Layout {
    std::string path;
    size_t layers;
    size_t dim;
    bool float16;
  };

  explicit Body(Layout layout) : layout_(std::move(layout)) {}
  virtual ~Body() = default;
  virtual absl::Status Add(const TokenVectors& vectors,
                           absl::string_view sentence) = 0;
  virtual absl::Status Commit() = 0;

  const std::string& path() const { return layout_.path; }
  size_t layers() const { return layout_.layers; }
  size_t dim() const { return layout_.dim; }
  bool float16() const { return layout_.float16; }

 protected:
  // Returns the values in 16 bits, valid until the next call.
  absl::Span<const uint16_t> Halves(absl::Span<const float> values) {
    halves_.resize(values.size());
    absl::c_transform(values, halves_.begin(), ToFloat16Bits);
    return halves_;
  }

 private:
  Layout layout_;
  std::vector<uint16_t> halves_;
};

namespace {

class Hdf5Body : public EmbeddingWriter::Body {
 public:
  Hdf5Body(Layout layout, Hdf5Writer writer)
      : Body(std::move(layout)), writer_(std::move(writer)) {}

  absl::Status Add(const TokenVectors& vectors,
                   absl::string_view sentence) override {
    const std::string name = absl::StrCat(sentences_++);
    if (!sentence.empty()) index_.emplace(sentence, name);
    const uint64_t shape[] = {layers(), vectors.tokens, dim()};
    if (!float16()) return writer_.Add(name, shape, vectors.values.data());
    return writer_.Add(name, shape, Halves(vectors.values).data());
  }
  absl::Status Commit() override {
    if (!index_.empty()) {
      const std::string json = DumpJson(index_);
      if (json.size() > std::numeric_limits<uint32_t>::max()) {
        return absl::OutOfRangeError(absl::StrCat(
            path(), ": the sentences take more than 4 GB; divide the text"));
      }
      FIRTH_RETURN_IF_ERROR(writer_.AddText("sentence_to_index", json));
    }
    return writer_.Commit();
  }

 private:
  Hdf5Writer writer_;
  Json index_ = Json::object();  // The name of each sentence's dataset.
  uint64_t sentences_ = 0;
};

class ArrayBody : public EmbeddingWriter::Body {
 public:
  ArrayBody(Layout layout, OutputFile out,
            std::optional<OutputFile> offsets_out)
      : Body(std::move(layout)),
        out_(std::move(out)),
        offsets_out_(std::move(offsets_out)) {}

  absl::Status Start() {
    FIRTH_RETURN_IF_ERROR(out_.Write(Header()));
    // This fails early if Commit() would fail: a pipe cannot be overwritten.
    return out_.Overwrite(0, Header());
  }

  absl::Status Add(const TokenVectors& vectors,
                   absl::string_view /*sentence*/) override {
    row_.resize(layers() * dim());
    for (size_t token = 0; token < vectors.tokens; ++token) {
      for (size_t layer = 0; layer < layers(); ++layer) {
        const absl::Span<const float> vector = vectors.Vector(layer, token);
        std::copy(vector.begin(), vector.end(), row_.begin() + layer * dim());
      }
      FIRTH_RETURN_IF_ERROR(
          out_.Write(float16() ? BytesOf(Halves(row_)) : Bytes(row_)));
    }
    offsets_.push_back(offsets_.back() + vectors.tokens);
    return absl::OkStatus();
  }

  absl::Status Commit() override {
    OutputFile& offsets_out = npy() ? *offsets_out_ : out_;
    if (npy()) {
      FIRTH_RETURN_IF_ERROR(
          offsets_out.Write(MakeNpyHeader("<i8", {offsets_.size()})));
    }
    FIRTH_RETURN_IF_ERROR(offsets_out.Write(Bytes(offsets_)));
    FIRTH_RETURN_IF_ERROR(out_.Overwrite(0, Header()));
    return npy() ? OutputFile::CommitAll({&offsets_out, &out_}) : out_.Commit();
  }

 private:
  bool npy() const { return offsets_out_.has_value(); }

  std::string Header() const {
    std::vector<uint64_t> shape = {offsets_.back(), layers(), dim()};
    if (layers() == 1) shape.erase(shape.begin() + 1);
    if (npy()) {
      return MakeNpyHeader(float16() ? "<f2" : "<f4", shape, kNpyHeaderBytes);
    }
    SafetensorsHeader header;
    MarkAsOwn(kEmbeddingsFormat, &header.metadata);
    header.Append(kEmbeddingsTensor, float16() ? "F16" : "F32", shape);
    header.Append(kOffsetsTensor, "I64", {offsets_.size()});
    std::string bytes = MakeSafetensorsHeader(header, 0);
    FIRTH_CHECK(bytes.size() <= kSafetensorsHeaderBytes);
    bytes.resize(kSafetensorsHeaderBytes, ' ');
    const uint64_t length = bytes.size() - sizeof(uint64_t);
    std::memcpy(bytes.data(), &length, sizeof(length));
    return bytes;
  }

  OutputFile out_;
  std::optional<OutputFile> offsets_out_;
  std::vector<uint64_t> offsets_ = {0};
  std::vector<float> row_;
};

}  // namespace

std::vector<std::string> FilesBeside(const std::string& path,
                                     EmbeddingFormat format) {
  if (format != EmbeddingFormat::kNpy) return {};
  return {OffsetsPath(path)};
}

absl::StatusOr<EmbeddingWriter> EmbeddingWriter::Create(
    const std::string& path, EmbeddingFormat format, size_t layers, size_t dim,
    EmbeddingValues values) {
  Body::Layout layout{path, layers, dim, values == EmbeddingValues::kFloat16};
  if (format == EmbeddingFormat::kHdf5) {
    FIRTH_ASSIGN_OR_RETURN(Hdf5Writer writer, Hdf5Writer::Create(path));
    return EmbeddingWriter(
        std::make_unique<Hdf5Body>(std::move(layout), std::move(writer)));
  }
  FIRTH_ASSIGN_OR_RETURN(OutputFile out, OutputFile::Create(path));
  std::optional<OutputFile> offsets;
  if (format == EmbeddingFormat::kNpy) {
    FIRTH_ASSIGN_OR_RETURN(OutputFile beside,
                           OutputFile::Create(OffsetsPath(path)));
    offsets.emplace(std::move(beside));
  }
  auto body = std::make_unique<ArrayBody>(std::move(layout), std::move(out),
                                          std::move(offsets));
  FIRTH_RETURN_IF_ERROR(body->Start());
  return EmbeddingWriter(std::move(body));
}

EmbeddingWriter::EmbeddingWriter(std::unique_ptr<Body> body)
    : body_(std::move(body)) {}
EmbeddingWriter::~EmbeddingWriter() = default;
EmbeddingWriter::EmbeddingWriter(EmbeddingWriter&&) noexcept = default;

absl::Status EmbeddingWriter::Add(const TokenVectors& vectors,
                                  absl::string_view sentence) {
  FIRTH_CHECK(vectors.layers == body_->layers() && vectors.dim == body_->dim());
  for (const float value : vectors.values) {
    if (!body_->float16() || std::abs(value) <= kMostFloat16) continue;
    return absl::InvalidArgumentError(
        absl::StrCat(body_->path(), ": 16 bits hold values of at most ",
                     kMostFloat16, ", found ", value));
  }
  return body_->Add(vectors, sentence);
}

absl::Status EmbeddingWriter::Commit() { return body_->Commit(); }

absl::StatusOr<std::optional<FileInfo>> DescribeHdf5Embeddings(
    const MappedFilePtr& file) {
  if (!absl::StartsWith(file->bytes(), kHdf5Magic)) return std::nullopt;
  FIRTH_ASSIGN_OR_RETURN(const Hdf5File hdf5, Hdf5File::Open(file->path()));
  FIRTH_ASSIGN_OR_RETURN(const uint64_t sentences, CountSentences(hdf5));
  if (sentences == 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        file->path(),
        ": the HDF5 file has no dataset \"0\", which \"firth embed\" writes; "
        "weights of ELMo are read by \"firth lm import\""));
  }
  FIRTH_ASSIGN_OR_RETURN(const std::vector<uint64_t> shape, hdf5.Shape("0"));
  if (shape.size() != 3) {
    return absl::DataLossError(absl::StrCat(
        file->path(), ": expected dataset \"0\" as [layers, tokens, dim], ",
        "found ", shape.size(), " sizes"));
  }
  FileInfo info = Embeddings("hdf5", sentences);
  info.facts.push_back({"layers", shape[0]});
  info.facts.push_back({"dim", shape[2]});
  return info;
}

absl::StatusOr<std::optional<FileInfo>> DescribeNpyEmbeddings(
    const MappedFilePtr& file) {
  if (!absl::StartsWith(file->bytes(), kNpyMagic)) return std::nullopt;
  const auto beside = MappedFile::Open(OffsetsPath(file->path()));
  if (!beside.ok()) return std::nullopt;
  FIRTH_ASSIGN_OR_RETURN(const NpyArray array, ReadNpyArray(*file));
  FIRTH_ASSIGN_OR_RETURN(const NpyArray offsets, ReadNpyArray(**beside));
  return OfArray(*file, "npy", array.shape, offsets.shape);
}

absl::StatusOr<std::optional<FileInfo>> DescribeSafetensorsEmbeddings(
    const MappedFilePtr& file) {
  if (!StartsLikeSafetensors(file->bytes())) return std::nullopt;
  FIRTH_ASSIGN_OR_RETURN(const SafetensorsHeader header,
                         ReadSafetensorsHeader(*file));
  const auto format = header.metadata.find(kFormatKey);
  if (format == header.metadata.end() || format->second != kEmbeddingsFormat) {
    return std::nullopt;
  }
  const TensorEntry* values = header.Find(kEmbeddingsTensor);
  const TensorEntry* offsets = header.Find(kOffsetsTensor);
  if (values == nullptr || offsets == nullptr) {
    return BadTensor(*file,
                     values == nullptr ? kEmbeddingsTensor : kOffsetsTensor,
                     "one", nullptr);
  }
  return OfArray(*file, "safetensors", values->shape, offsets->shape);
}

}  // namespace firth
