// All shapes are compared with the configuration before memory is allocated for
// the model. Then each parameter is filled from its tensors.

#include "lm/import/pretrained_import.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/types/span.h"
#include "base/matrix.h"
#include "firth/contextualizer.h"
#include "firth/status_macros.h"
#include "io/tensors/tensor_folder.h"
#include "lm/import/pretrained_config.h"
#include "lm/model/language_model_file.h"

namespace firth {

namespace {

// An original tensor, as columns of a parameter. A vector is a row.
struct TensorSource {
  std::string tensor;
  std::vector<uint64_t> shape;
  bool turned = false;  // whether its rows become columns
  size_t first_column = 0;
};
struct ParameterSources {
  std::string parameter;
  std::vector<TensorSource> sources;
};

// The tensors of a folder, under the names that the newest libraries use.
// Borrows the folder.
class PretrainedTensors {
 public:
  PretrainedTensors(const TensorFolder& folder, PretrainedConfig::Kind kind)
      : folder_(folder), names_(NamesOf(kind)) {}

  const TensorNames& names() const { return names_; }
  bool Has(const std::string& name) const {
    return folder_.Has(NameInFolder(name));
  }
  // Like TensorFolder::Check() and TensorFolder::Read().
  absl::Status Check(const std::string& name,
                     absl::Span<const uint64_t> shape) const {
    return folder_.Check(NameInFolder(name), shape);
  }
  absl::StatusOr<Matrix<float>> Read(const std::string& name,
                                     const std::vector<uint64_t>& shape) {
    const std::string found = NameInFolder(name);
    FIRTH_RETURN_IF_ERROR(folder_.Check(found, shape));
    Matrix<float> values(shape.size() == 1 ? 1 : shape[0], shape.back());
    FIRTH_RETURN_IF_ERROR(folder_.Read(found, shape, values.data()));
    read_.insert(found);
    return values;
  }

  // Returns the tensors that were not read, except those that models of the
  // kind may have in addition.
  std::vector<std::string> Unknown() const {
    std::vector<std::string> unknown;
    for (std::string& name : folder_.Names()) {
      if (read_.count(name) == 0 && !IsOther(name)) {
        unknown.push_back(std::move(name));
      }
    }
    return unknown;
  }

 private:
  // Tries the name with and without the prefix, and with the old names of
  // TensorFlow's layer normalization. Returns `name` if none of these exists.
  std::string NameInFolder(const std::string& name) const {
    std::string old = name;
    if (absl::StrContains(name, "LayerNorm.")) {
      old = absl::StrReplaceAll(name,
                                {{".weight", ".gamma"}, {".bias", ".beta"}});
    }
    for (const std::string& tried :
         {name, names_.prefix + name, old, names_.prefix + old}) {
      if (folder_.Has(tried)) return tried;
    }
    return name;
  }

  bool IsOther(const std::string& name) const {
    const auto begins = [&](const char* part) {
      return absl::StartsWith(name, part);
    };
    const auto ends = [&](const char* part) {
      return absl::EndsWith(name, part);
    };
    return std::any_of(names_.other_begins.begin(), names_.other_begins.end(),
                       begins) ||
           std::any_of(names_.other_ends.begin(), names_.other_ends.end(),
                       ends);
  }

  const TensorFolder& folder_;
  const TensorNames& names_;
  std::set<std::string> read_;
};

// BERT's linear layers map x to x W^T, so their weights are transposed; those
// of GPT-2 are stored as in Firth. Queries, keys and values are three tensors
// in BERT and one in GPT-2, in the same order as in Firth.

// Collects the sources of parameters.
class Targets {
 public:
  // Adds a vector.
  void Vector(std::string parameter, const std::string& tensor, uint64_t size) {
    list_.push_back({std::move(parameter), {{tensor, {size}}}});
  }
  void Norm(const std::string& parameter, const std::string& tensor,
            uint64_t dim) {
    Vector(parameter + ".gain", tensor + ".weight", dim);
    Vector(parameter + ".bias", tensor + ".bias", dim);
  }
  // Adds a layer from `in` to `out` values. If `turned`, the tensor is [out,
  // in]. Several tensors are placed side by side.
  void Linear(const std::string& parameter,
              const std::vector<std::string>& tensors, uint64_t in,
              uint64_t out, bool turned) {
    ParameterSources weights = {parameter + ".weights", {}};
    ParameterSources bias = {parameter + ".bias", {}};
    for (size_t i = 0; i < tensors.size(); ++i) {
      weights.sources.push_back({tensors[i] + ".weight",
                                 turned ? std::vector<uint64_t>{out, in}
                                        : std::vector<uint64_t>{in, out},
                                 turned, i * out});
      bias.sources.push_back({tensors[i] + ".bias", {out}, false, i * out});
    }
    list_.push_back(std::move(weights));
    list_.push_back(std::move(bias));
  }

  std::vector<ParameterSources> TakeList() { return std::move(list_); }

 private:
  std::vector<ParameterSources> list_;
};

// `place` is the prefix of the names of Firth's layers.
void AddBertLayers(const nn::TransformerLayers& layers,
                   const std::string& place, Targets* targets) {
  const uint64_t dim = layers.units;
  targets->Norm(place + "norm", "embeddings.LayerNorm", dim);
  for (size_t l = 0; l < layers.layers; ++l) {
    const std::string ours = absl::StrCat(place, l, ".");
    const std::string theirs = absl::StrCat("encoder.layer.", l, ".");
    const std::string self = theirs + "attention.self.";
    targets->Linear(ours + "attention.input",
                    {self + "query", self + "key", self + "value"}, dim, dim,
                    /*turned=*/true);
    targets->Linear(ours + "attention.output",
                    {theirs + "attention.output.dense"}, dim, dim, true);
    targets->Norm(ours + "attention_norm",
                  theirs + "attention.output.LayerNorm", dim);
    targets->Linear(ours + "feed_forward.inner",
                    {theirs + "intermediate.dense"}, dim, layers.feed_forward,
                    true);
    targets->Linear(ours + "feed_forward.outer", {theirs + "output.dense"},
                    layers.feed_forward, dim, true);
    targets->Norm(ours + "feed_forward_norm", theirs + "output.LayerNorm", dim);
  }
  if (!layers.transform_top) return;
  const std::string transform = "cls.predictions.transform.";
  targets->Linear(place + "top", {transform + "dense"}, dim, dim, true);
  targets->Norm(place + "top_norm", transform + "LayerNorm", dim);
}

void AddGpt2Layers(const nn::TransformerLayers& layers,
                   const std::string& place, Targets* targets) {
  const uint64_t dim = layers.units;
  for (size_t l = 0; l < layers.layers; ++l) {
    const std::string ours = absl::StrCat(place, l, ".");
    const std::string theirs = absl::StrCat("h.", l, ".");
    targets->Norm(ours + "attention_norm", theirs + "ln_1", dim);
    targets->Linear(ours + "attention.input", {theirs + "attn.c_attn"}, dim,
                    3 * dim, /*turned=*/false);
    targets->Linear(ours + "attention.output", {theirs + "attn.c_proj"}, dim,
                    dim, false);
    targets->Norm(ours + "feed_forward_norm", theirs + "ln_2", dim);
    targets->Linear(ours + "feed_forward.inner", {theirs + "mlp.c_fc"}, dim,
                    layers.feed_forward, false);
    targets->Linear(ours + "feed_forward.outer", {theirs + "mlp.c_proj"},
                    layers.feed_forward, dim, false);
  }
  targets->Norm(place + "norm", "ln_f", dim);
}

std::vector<ParameterSources> NextSentenceSources(uint64_t dim) {
  Targets targets;
  targets.Linear("next_sentence.pooler", {"pooler.dense"}, dim, dim,
                 /*turned=*/true);
  targets.Linear("next_sentence.output", {"cls.seq_relationship"}, dim, 2,
                 true);
  return targets.TakeList();
}

std::vector<ParameterSources> LayerSources(const PretrainedConfig& config,
                                           const std::string& place) {
  Targets targets;
  if (config.kind == PretrainedConfig::Kind::kBert) {
    AddBertLayers(config.layers, place, &targets);
  } else {
    AddGpt2Layers(config.layers, place, &targets);
  }
  return targets.TakeList();
}

// Maximum number of rows in a table after those of the vocabulary. Some models
// have longer tables because these are multiplied faster.
constexpr size_t kMostPadding = 127;
// Bias of a word that is never predicted: its probability in a softmax is 0.
constexpr float kNever = -1e4f;

constexpr char kEndOfText[] = "<|endoftext|>";
constexpr char kPlace[] = "forward.";  // prefix of the layers' parameters
constexpr char kSegments[] = "embeddings.token_type_embeddings.weight";
constexpr char kTransform[] = "cls.predictions.transform.dense.weight";
constexpr char kNextSentence[] = "cls.seq_relationship.weight";
constexpr char kOutputBias[] = "cls.predictions.bias";

void CopyColumns(const Matrix<float>& from, const TensorSource& source,
                 Matrix<float>* to) {
  for (size_t r = 0; r < from.rows(); ++r) {
    for (size_t c = 0; c < from.cols(); ++c) {
      const size_t row = source.turned ? c : r;
      const size_t col = source.turned ? r : c;
      to->Row(row)[source.first_column + col] = from.Row(r)[c];
    }
  }
}

// Sets row k of *to to row which[k] of `from`.
void CopyRows(const Matrix<float>& from, const std::vector<size_t>& which,
              Matrix<float>* to) {
  for (size_t k = 0; k < which.size(); ++k) {
    std::copy_n(from.Row(which[k]), from.cols(), to->Row(k));
  }
}

class PretrainedReader {
 public:
  PretrainedReader(std::string folder, const Hooks& hooks)
      : folder_(std::move(folder)), hooks_(hooks) {}

  absl::StatusOr<std::unique_ptr<BiLanguageModel>> Read() {
    FIRTH_ASSIGN_OR_RETURN(const TensorFolder weights,
                           TensorFolder::Open(folder_));
    FIRTH_ASSIGN_OR_RETURN(config_,
                           ReadPretrainedConfig(PathOf("config.json")));
    FIRTH_RETURN_IF_ERROR(ReadVocabulary());
    PretrainedTensors tensors(weights, config_.kind);
    ChooseHead(tensors);
    std::vector<ParameterSources> layers = LayerSources(config_, kPlace);
    if (next_sentence_) {
      for (ParameterSources& more : NextSentenceSources(config_.layers.units)) {
        layers.push_back(std::move(more));
      }
    }
    FIRTH_RETURN_IF_ERROR(CheckShapes(layers, tensors));
    const nn::WithoutFirstValues read;
    auto model =
        std::make_unique<BiLanguageModel>(MakeOptions(), std::move(data_), 0);
    for (nn::Parameter<float>* parameter : model->Parameters()) {
      parameters_[parameter->name] = &parameter->value;
    }
    FIRTH_RETURN_IF_ERROR(ReadLayers(layers, &tensors));
    FIRTH_RETURN_IF_ERROR(ReadInput(&tensors));
    if (has_head()) FIRTH_RETURN_IF_ERROR(ReadHead(&tensors));
    Warn(tensors.Unknown());
    return model;
  }

 private:
  bool bert() const { return config_.kind == PretrainedConfig::Kind::kBert; }
  // A model with a single segment has no second sentence.
  bool pairs() const { return bert() && config_.segments > 1; }
  bool has_head() const { return head_ != HeadKind::kNone; }
  std::string PathOf(const char* name) const {
    return (std::filesystem::path(folder_) / name).string();
  }
  std::vector<uint64_t> TableShape() const {
    return {config_.vocab_size, config_.layers.units};
  }
  std::vector<uint64_t> PositionsShape() const {
    return {config_.layers.context, config_.layers.units};
  }
  std::vector<uint64_t> SegmentsShape() const {
    return {config_.segments, config_.layers.units};
  }

  absl::Status ReadVocabulary() {
    FIRTH_ASSIGN_OR_RETURN(
        const PretrainedCutting cutting,
        ReadPretrainedCutting(PathOf("tokenizer_config.json")));
    std::vector<std::string> pieces;
    Vocabulary merges;
    const std::string path = PathOf(bert() ? "vocab.txt" : "vocab.json");
    if (bert()) {
      FIRTH_ASSIGN_OR_RETURN(pieces, ReadPieceLines(path));
      pieces_.kind = WordPieceOptions{cutting.lowercase, cutting.strip_accents,
                                      cutting.part_ideographs};
      pieces_.mark_names = {"[CLS]", "[SEP]", "[UNK]", "[MASK]"};
    } else {
      FIRTH_ASSIGN_OR_RETURN(pieces, ReadPieceNumbers(path));
      FIRTH_ASSIGN_OR_RETURN(merges, ReadMerges(PathOf("merges.txt")));
      pieces_.kind = BytePairOptions{cutting.space_first};
      pieces_.mark_names = {"", kEndOfText};
    }
    FIRTH_RETURN_IF_ERROR(CheckSize(pieces.size(), path));
    if (bert()) marks_.emplace_back(kMask);
    const std::vector<std::string> named =
        bert() ? pieces_.mark_names
               : std::vector<std::string>(marks_.size(), kEndOfText);
    FIRTH_ASSIGN_OR_RETURN(MarkedPieces marked,
                           MarkPieces(pieces, marks_, named, path));
    rows_ = std::move(marked.rows);
    data_.words = data_.input_words = marked.words;
    FIRTH_ASSIGN_OR_RETURN(
        data_.cutter, TextCutter::Create(pieces_, marks_, data_.words, merges));
    return absl::OkStatus();
  }

  absl::Status CheckSize(size_t pieces, const std::string& path) const {
    if (pieces <= config_.vocab_size &&
        config_.vocab_size - pieces <= kMostPadding) {
      return absl::OkStatus();
    }
    return absl::InvalidArgumentError(absl::StrCat(
        path, ": expected ", config_.vocab_size,
        " pieces, as in \"vocab_size\" of config.json, found ", pieces));
  }

  // A BERT without this transform was saved without weights that score words.
  void ChooseHead(const PretrainedTensors& tensors) {
    if (!bert() || tensors.Has(kTransform)) head_ = HeadKind::kSoftmax;
    config_.layers.transform_top = bert() && has_head();
    next_sentence_ = pairs() && tensors.Has(kNextSentence);
  }

  // Compares the sizes, which come from a file and may have any value.
  absl::Status CheckShapes(const std::vector<ParameterSources>& layers,
                           const PretrainedTensors& tensors) const {
    std::vector<TensorSource> all = {
        {tensors.names().table, TableShape()},
        {tensors.names().positions, PositionsShape()}};
    if (bert()) all.push_back({kSegments, SegmentsShape()});
    if (bert() && has_head()) all.push_back({kOutputBias, {TableShape()[0]}});
    if (has_head() && !config_.tied) {
      all.push_back({tensors.names().output, TableShape()});
    }
    for (const ParameterSources& parameter : layers) {
      all.insert(all.end(), parameter.sources.begin(), parameter.sources.end());
    }
    for (const TensorSource& source : all) {
      FIRTH_RETURN_IF_ERROR(tensors.Check(source.tensor, source.shape));
    }
    return absl::OkStatus();
  }

  LanguageModelOptions MakeOptions() const {
    LanguageModelOptions options;
    options.encoder.embedding_dim = config_.layers.units;
    options.layers = config_.layers;
    options.reading = Reading::kForward;
    options.marks = marks_;
    options.pieces = pieces_;
    options.predict = bert() ? Prediction::kMasked : Prediction::kNext;
    options.head = head_;
    options.pairs = pairs();
    options.next_sentence = next_sentence_;
    options.tied = has_head() && config_.tied;
    return options;
  }

  absl::Status ReadLayers(const std::vector<ParameterSources>& layers,
                          PretrainedTensors* tensors) {
    for (const ParameterSources& parameter : layers) {
      for (const TensorSource& source : parameter.sources) {
        FIRTH_ASSIGN_OR_RETURN(const Matrix<float> values,
                               tensors->Read(source.tensor, source.shape));
        CopyColumns(values, source, parameters_.at(parameter.parameter));
      }
    }
    return absl::OkStatus();
  }

  absl::Status ReadInput(PretrainedTensors* tensors) {
    FIRTH_ASSIGN_OR_RETURN(const Matrix<float> table,
                           tensors->Read(tensors->names().table, TableShape()));
    CopyRows(table, rows_, parameters_.at("encoder.table"));
    Matrix<float>& positions =
        *parameters_.at(absl::StrCat(kPlace, "positions"));
    FIRTH_ASSIGN_OR_RETURN(
        positions, tensors->Read(tensors->names().positions, PositionsShape()));
    if (!bert()) return absl::OkStatus();
    // Tokens are in the first segment, unless they are in a second sentence.
    FIRTH_ASSIGN_OR_RETURN(const Matrix<float> segments,
                           tensors->Read(kSegments, SegmentsShape()));
    nn::AddToRows<float>(segments.Row(0), positions.view());
    if (!pairs()) return absl::OkStatus();
    float* const second = parameters_.at("second_segment")->Row(0);
    std::copy_n(segments.Row(1), segments.cols(), second);
    nn::AddScaled(segments.cols(), -1.0f, segments.Row(0), second);
    return absl::OkStatus();
  }

  absl::Status ReadHead(PretrainedTensors* tensors) {
    Matrix<float>& bias = *parameters_.at("head.bias");
    if (bert()) {
      FIRTH_ASSIGN_OR_RETURN(const Matrix<float> theirs,
                             tensors->Read(kOutputBias, {TableShape()[0]}));
      for (size_t k = 0; k < rows_.size(); ++k) {
        *bias.Row(k) = theirs.data()[rows_[k]];
      }
    } else {
      *bias.Row(kBeginSentenceId) = *bias.Row(kUnknownId) = kNever;
    }
    if (config_.tied) return absl::OkStatus();
    FIRTH_ASSIGN_OR_RETURN(
        const Matrix<float> output,
        tensors->Read(tensors->names().output, TableShape()));
    CopyRows(output, rows_, parameters_.at("head.weights"));
    return absl::OkStatus();
  }

  void Warn(const std::vector<std::string>& unknown) const {
    constexpr size_t kMostNamed = 8;
    if (unknown.empty() || hooks_.progress == nullptr) return;
    hooks_.progress->OnWarning(absl::StrCat(
        folder_, ": left out tensors that this kind of model does not have: ",
        absl::StrJoin(absl::MakeConstSpan(unknown).first(
                          std::min(unknown.size(), kMostNamed)),
                      ", "),
        unknown.size() > kMostNamed ? " and others" : ""));
  }

  std::string folder_;
  const Hooks& hooks_;
  PretrainedConfig config_;
  PieceOptions pieces_;
  std::vector<std::string> marks_ = {kMarks.begin(), kMarks.end()};
  std::vector<size_t> rows_;  // [words] row in the original table
  LanguageModelData data_;
  HeadKind head_ = HeadKind::kNone;
  bool next_sentence_ = false;
  std::map<std::string, Matrix<float>*> parameters_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<BiLanguageModel>> ReadPretrained(
    const std::string& folder, const Hooks& hooks) {
  return PretrainedReader(folder, hooks).Read();
}

absl::Status ImportPretrained(const std::string& folder,
                              const std::string& output_path,
                              const Hooks& hooks) {
  FIRTH_ASSIGN_OR_RETURN(const std::unique_ptr<BiLanguageModel> model,
                         ReadPretrained(folder, hooks));
  return SaveLanguageModel(*model, output_path);
}

}  // namespace firth
