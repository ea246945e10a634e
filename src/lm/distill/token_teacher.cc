// Arrays have one row per token, [tokens, layers, dim], or [tokens, dim] for
// one layer. Offsets specify where each line of the text begins. Lines without
// tokens are skipped, because the text that was read has none. Rows are copied
// from the mapped file when they are needed.

#include "lm/distill/token_teacher.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/float16.h"
#include "base/mapped_file.h"
#include "base/saturated.h"
#include "corpus/token_stream.h"
#include "firth/status_macros.h"
#include "io/tensors/npy_header.h"
#include "io/tensors/safetensors_header.h"
#include "lm/read/embedding_file.h"
#include "lm/read/network_model.h"

namespace firth {
namespace {

class ModelTeacher : public TokenTeacher::Body {
 public:
  ModelTeacher(Contextualizer model, int threads) : model_(std::move(model)) {
    options_.threads = threads;
  }
  size_t num_layers() const override { return model_.num_layers(); }
  size_t dim() const override { return model_.dim(); }

  absl::Status Check(const Corpus& text) override {
    const Vocabulary& words = text.vocabulary;
    for (size_t i = 0; i < words.size(); ++i) {
      if (model_.Knows(words.Word(ToWordId(i)))) return absl::OkStatus();
    }
    return absl::InvalidArgumentError(absl::StrCat(
        "none of the ", words.size(),
        " words of the text is in the vocabulary of the language model"));
  }

  absl::StatusOr<std::vector<TokenVectors>> Next(
      absl::Span<const Contextualizer::Sentence> sentences,
      const Hooks& hooks) override {
    return model_.Embed(sentences, options_, {nullptr, hooks.stop});
  }

 private:
  Contextualizer model_;
  EmbedOptions options_;
};

// An array in a mapped file.
struct FileArray {
  MappedFilePtr file;
  std::vector<uint64_t> shape;
  size_t value_bytes = 0;
  uint64_t begin = 0;  // position of its values in the file

  const char* At(uint64_t value) const {
    return file->data() + begin + value * value_bytes;
  }
};

absl::Status NoArrays(const std::string& path) {
  return absl::InvalidArgumentError(
      absl::StrCat(path,
                   ": not vectors of tokens with offsets in .npy or "
                   ".safetensors, as \"firth embed\" writes them"));
}

// `type` is a name such as "<f4" or "F32".
absl::StatusOr<FileArray> MakeArray(const MappedFilePtr& file,
                                    absl::string_view type,
                                    std::vector<uint64_t> shape, uint64_t end) {
  FileArray array{file, std::move(shape), 0, 0};
  array.value_bytes = type == "<f4" || type == "F32"   ? 4
                      : type == "<f2" || type == "F16" ? 2
                      : type == "<i8" || type == "I64" ? 8
                                                       : 0;
  if (array.value_bytes == 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        file->path(), ": expected 32-bit or 16-bit floats, or offsets, found ",
        type));
  }
  uint64_t bytes = array.value_bytes;
  for (const uint64_t size : array.shape) {
    bytes = MultiplySaturated(bytes, size);
  }
  array.begin = end - bytes;
  return array;
}

// The data are at the end of a .npy file, whose size was compared with its
// header.
absl::StatusOr<FileArray> ReadNpy(const std::string& path) {
  FIRTH_ASSIGN_OR_RETURN(const MappedFilePtr file, MappedFile::Open(path));
  FIRTH_ASSIGN_OR_RETURN(NpyArray array, ReadNpyArray(*file));
  return MakeArray(file, array.type, std::move(array.shape), file->size());
}

absl::StatusOr<FileArray> ReadTensor(const MappedFilePtr& file,
                                     const SafetensorsHeader& header,
                                     const char* name) {
  const TensorEntry* const tensor = header.Find(name);
  if (tensor == nullptr) return NoArrays(file->path());
  return MakeArray(file, tensor->dtype, tensor->shape, tensor->end);
}

class ArrayTeacher : public TokenTeacher::Body {
 public:
  ArrayTeacher(FileArray values, FileArray offsets)
      : values_(std::move(values)), offsets_(std::move(offsets)) {}

  size_t num_layers() const override {
    return values_.shape.size() == 3 ? values_.shape[1] : 1;
  }
  size_t dim() const override { return values_.shape.back(); }

  // Checks that the offsets cover all rows, from the first on.
  absl::Status CheckOffsets() const {
    const bool fit = (values_.shape.size() == 2 || values_.shape.size() == 3) &&
                     values_.value_bytes != 8 && offsets_.value_bytes == 8 &&
                     offsets_.shape.size() == 1 && offsets_.shape[0] > 0;
    if (!fit) return NoArrays(path());
    uint64_t last = 0;
    for (uint64_t i = 0; i < offsets_.shape[0]; ++i) {
      const uint64_t offset = Offset(i);
      if (offset < last || (i == 0 && offset != 0)) {
        return BadOffset(i, i == 0 ? "0" : absl::StrCat("at least ", last));
      }
      last = offset;
    }
    if (last == values_.shape[0]) return absl::OkStatus();
    return BadOffset(offsets_.shape[0] - 1,
                     absl::StrCat(values_.shape[0], ", the number of rows"));
  }

  absl::Status Check(const Corpus& text) override {
    line_ = 0;
    if (text.tokens->num_words() == values_.shape[0]) return absl::OkStatus();
    return absl::InvalidArgumentError(absl::StrCat(
        path(), ": expected vectors of the ", text.tokens->num_words(),
        " tokens of the text, found ", values_.shape[0]));
  }

  absl::StatusOr<std::vector<TokenVectors>> Next(
      absl::Span<const Contextualizer::Sentence> sentences,
      const Hooks& /*hooks*/) override {
    std::vector<TokenVectors> vectors;
    for (const Contextualizer::Sentence& sentence : sentences) {
      while (line_ + 1 < offsets_.shape[0] && Length(line_) == 0) ++line_;
      const uint64_t found = line_ + 1 < offsets_.shape[0] ? Length(line_) : 0;
      if (found != sentence.size()) {
        return absl::InvalidArgumentError(absl::StrCat(
            path(), ": line ", line_ + 1, ": expected vectors of ",
            sentence.size(), " tokens, as in the text, found ", found));
      }
      vectors.push_back(Copy(Offset(line_), found));
      ++line_;
    }
    return vectors;
  }

 private:
  const std::string& path() const { return values_.file->path(); }
  uint64_t Offset(uint64_t line) const {
    uint64_t offset;
    std::memcpy(&offset, offsets_.At(line), sizeof(offset));
    return offset;
  }
  uint64_t Length(uint64_t line) const {
    return Offset(line + 1) - Offset(line);
  }
  absl::Status BadOffset(uint64_t i, absl::string_view expected) const {
    return absl::DataLossError(absl::StrCat(offsets_.file->path(), ": offset ",
                                            i, ": expected ", expected,
                                            ", found ", Offset(i)));
  }
  float Value(uint64_t i) const {
    if (values_.value_bytes == sizeof(uint16_t)) {
      uint16_t bits;
      std::memcpy(&bits, values_.At(i), sizeof(bits));
      return FromFloat16Bits(bits);
    }
    float value;
    std::memcpy(&value, values_.At(i), sizeof(value));
    return value;
  }

  // The file stores all layers of a token together, while memory stores all
  // tokens of a layer together.
  TokenVectors Copy(uint64_t first, size_t tokens) const {
    TokenVectors copy{num_layers(), tokens, dim(), {}};
    copy.values.resize(copy.layers * tokens * copy.dim);
    uint64_t from = first * copy.layers * copy.dim;
    for (size_t token = 0; token < tokens; ++token) {
      for (size_t layer = 0; layer < copy.layers; ++layer) {
        float* const to =
            copy.values.data() + (layer * tokens + token) * copy.dim;
        for (size_t d = 0; d < copy.dim; ++d) to[d] = Value(from++);
      }
    }
    return copy;
  }

  FileArray values_;
  FileArray offsets_;
  uint64_t line_ = 0;  // next line of the text
};

absl::StatusOr<std::unique_ptr<ArrayTeacher>> OpenArrays(
    const std::string& path) {
  FIRTH_ASSIGN_OR_RETURN(const MappedFilePtr file, MappedFile::Open(path));
  if (absl::StartsWith(file->bytes(), kNpyMagic)) {
    FIRTH_ASSIGN_OR_RETURN(FileArray values, ReadNpy(path));
    FIRTH_ASSIGN_OR_RETURN(FileArray offsets, ReadNpy(OffsetsPath(path)));
    return std::make_unique<ArrayTeacher>(std::move(values),
                                          std::move(offsets));
  }
  if (!StartsLikeSafetensors(file->bytes())) return NoArrays(path);
  FIRTH_ASSIGN_OR_RETURN(const SafetensorsHeader header,
                         ReadSafetensorsHeader(*file));
  FIRTH_ASSIGN_OR_RETURN(FileArray values,
                         ReadTensor(file, header, kEmbeddingsTensor));
  FIRTH_ASSIGN_OR_RETURN(FileArray offsets,
                         ReadTensor(file, header, kOffsetsTensor));
  return std::make_unique<ArrayTeacher>(std::move(values), std::move(offsets));
}

}  // namespace

TokenTeacher::TokenTeacher(std::unique_ptr<Body> body)
    : body_(std::move(body)) {}
TokenTeacher::~TokenTeacher() = default;
TokenTeacher::TokenTeacher(TokenTeacher&&) noexcept = default;
TokenTeacher& TokenTeacher::operator=(TokenTeacher&&) noexcept = default;

size_t TokenTeacher::num_layers() const { return body_->num_layers(); }
size_t TokenTeacher::dim() const { return body_->dim(); }

absl::StatusOr<TokenTeacher> TokenTeacher::OfModel(const std::string& path,
                                                   int threads) {
  FIRTH_ASSIGN_OR_RETURN(Contextualizer model, LoadContextualizer(path));
  return TokenTeacher(
      std::make_unique<ModelTeacher>(std::move(model), threads));
}

absl::StatusOr<TokenTeacher> TokenTeacher::OfArrays(const std::string& path) {
  FIRTH_ASSIGN_OR_RETURN(std::unique_ptr<ArrayTeacher> arrays,
                         OpenArrays(path));
  FIRTH_RETURN_IF_ERROR(arrays->CheckOffsets());
  return TokenTeacher(std::move(arrays));
}

}  // namespace firth
