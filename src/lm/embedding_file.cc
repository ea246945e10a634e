// Vectors of tokens are written as they are computed, before their number is
// known. HDF5 has one dataset per sentence (Hdf5Body). The other formats
// contain one array (ArrayBody). Its header is written at the start to reserve
// the space, and again at the end with the number of tokens. The offsets of the
// sentences come after the array, or are in a separate file for .npy.

#include "firth/embedding_file.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/float16.h"
#include "base/output_file.h"
#include "firth/status_macros.h"
#include "io/codecs/vector_rows.h"
#include "io/tensors/hdf5_writer.h"
#include "io/tensors/npy_header.h"
#include "io/tensors/safetensors_header.h"
#include "lm/embedding_names.h"
#include "lm/scalar_mix.h"

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
  virtual absl::Status Add(const TokenVectors& vectors) = 0;
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

  absl::Status Add(const TokenVectors& vectors) override {
    const std::string name = absl::StrCat(sentences_++);
    const uint64_t shape[] = {layers(), vectors.tokens, dim()};
    if (!float16()) return writer_.Add(name, shape, vectors.values.data());
    return writer_.Add(name, shape, Halves(vectors.values).data());
  }
  absl::Status Commit() override { return writer_.Commit(); }

 private:
  Hdf5Writer writer_;
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

  absl::Status Add(const TokenVectors& vectors) override {
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
    header.metadata[kFormatKey] = kEmbeddingsFormat;
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

absl::Status EmbeddingWriter::Add(const TokenVectors& vectors) {
  FIRTH_CHECK(vectors.layers == body_->layers() && vectors.dim == body_->dim());
  for (const float value : vectors.values) {
    if (!body_->float16() || std::abs(value) <= kMostFloat16) continue;
    return absl::InvalidArgumentError(
        absl::StrCat(body_->path(), ": 16 bits hold values of at most ",
                     kMostFloat16, ", found ", value));
  }
  return body_->Add(vectors);
}

absl::Status EmbeddingWriter::Commit() { return body_->Commit(); }

}  // namespace firth
