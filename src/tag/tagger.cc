// Taggers, and the kind of model that "firth tag train" creates: a network
// (TaggerModel) and the files with which it reads tokens (TokenFeatureSource).
// The model refers to these files by their checksums, so that it never reads
// vectors of another kind than those it was trained on.

#include "firth/tagger.h"

#include <numeric>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/rng.h"
#include "firth/status_macros.h"
#include "tag/tag_learner.h"
#include "tag/tag_model.h"
#include "tag/tag_set.h"
#include "tag/tagger_model.h"
#include "tag/token_features.h"

namespace firth {
namespace {

constexpr size_t kApplyBatch = 64;

uint64_t CountWithVectors(absl::Span<const TaggedSentence> sentences,
                          const WordVectors& vectors) {
  std::vector<float> vector(vectors.dim());
  uint64_t count = 0;
  for (const TaggedSentence& sentence : sentences) {
    for (const std::string& token : sentence.tokens) {
      count += CopyTokenVector(vectors, token, absl::MakeSpan(vector)) ? 1 : 0;
    }
  }
  return count;
}

absl::Status HoldVectors(const TaggerInputs& inputs, TaggerModel* model) {
  if (inputs.vectors.empty()) return absl::OkStatus();
  FIRTH_ASSIGN_OR_RETURN(model->held_vectors, MapWholeVectors(inputs.vectors));
  return absl::OkStatus();
}

// Returns the features that such a network reads.
FeatureChoice ChoiceOf(const TagNetworkOptions& network) {
  const nn::TokenEncoderOptions& spelling = network.spelling;
  FeatureChoice choice;
  choice.words = network.static_dim > 0;
  choice.layers.resize(network.mix.layers);
  std::iota(choice.layers.begin(), choice.layers.end(), 0);
  choice.casing = spelling.has_table();
  choice.max_characters =
      spelling.has_characters() ? spelling.char_cnn.max_characters : 0;
  return choice;
}

// A network that reads the features of tokens.
class TagNetworkModel final : public TagModel {
 public:
  TagNetworkModel(TokenFeatureSource its_source, TaggerModel its_model)
      : source(std::move(its_source)), model(std::move(its_model)) {}

  const std::vector<std::string>& tags() const override { return model.tags; }
  Predictions Predict(Sentences sentences, bool with_probabilities,
                      const Hooks& hooks) override {
    FeatureStore features(&source, std::move(sentences), 0);
    return PredictTags(features, model.tags, ChoiceOf(model.network->options()),
                       kApplyBatch, hooks, *model.network, with_probabilities);
  }
  std::vector<MixWeights> mixes() override { return MixesOf(*model.network); }
  absl::Status Save(const std::string& path) const override {
    return SaveTaggerModel(model, path);
  }
  // Replaces the original contextualizer by the fine-tuned one.
  absl::Status HoldTuned(ContextTuner& tuner, int threads) {
    model.tuned = true;
    FIRTH_ASSIGN_OR_RETURN(model.held_contextualizer,
                           tuner.File("the tuned contextualizer"));
    FIRTH_ASSIGN_OR_RETURN(
        source, TokenFeatureSource::Load(model.held_vectors,
                                         model.held_contextualizer, threads));
    return absl::OkStatus();
  }

  TokenFeatureSource source;
  TaggerModel model;
};

}  // namespace

double MainScore(const TagScores& scores) {
  return scores.has_spans ? scores.spans.f1() : scores.accuracy();
}

Tagger::Tagger(std::unique_ptr<TagModel> model) : model_(std::move(model)) {}
Tagger::~Tagger() = default;
Tagger::Tagger(Tagger&&) noexcept = default;
Tagger& Tagger::operator=(Tagger&&) noexcept = default;

absl::StatusOr<Tagger> Tagger::Train(absl::Span<const TaggedSentence> train,
                                     absl::Span<const TaggedSentence> dev,
                                     const TaggerInputs& inputs,
                                     const TaggerOptions& options,
                                     const TaggerHooks& hooks,
                                     TaggerReport* report,
                                     const Checkpointing& checkpointing) {
  FIRTH_RETURN_IF_ERROR(options.Validate());
  Checkpointing reserved = checkpointing;
  FIRTH_RETURN_IF_ERROR(ReserveCheckpoints(&reserved));
  FIRTH_RETURN_IF_ERROR(CheckTagged(train));
  FIRTH_RETURN_IF_ERROR(CheckTagged(dev));
  FIRTH_ASSIGN_OR_RETURN(const TagNumbers numbers, TagNumbers::Of(train));
  if (numbers.tags().empty()) {
    return absl::InvalidArgumentError("there are no sentences to learn from");
  }
  TaggerModel model;
  model.tags = numbers.tags();
  FIRTH_ASSIGN_OR_RETURN(model.vectors, ReferTo(inputs.vectors));
  FIRTH_ASSIGN_OR_RETURN(model.contextualizer, ReferTo(inputs.contextualizer));
  FIRTH_ASSIGN_OR_RETURN(TokenFeatureSource source,
                         TokenFeatureSource::Load(inputs, options.threads));
  FeatureChoice choice = source.All();
  choice.casing = options.case_dim > 0;
  choice.max_characters = options.use_characters ? kTaggerCharacters : 0;
  const TagNetworkOptions network =
      NetworkOptions(options, source, choice, model.tags.size());
  if (network.input_dim() == 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("a tagger needs static vectors, a contextualizer or the "
                     "spelling of tokens as input",
                     choice.layers.empty()
                         ? ""
                         : "; a mix after the BiLSTM alone is not enough"));
  }
  model.network = std::make_unique<TagNetwork<float>>(
      network, CombineKeys(options.seed, 2));
  if (options.tune_contextualizer && source.contextualizer() == nullptr) {
    return absl::InvalidArgumentError(
        "tune-contextualizer: requires a contextualizer");
  }
  *report = {};
  report->train_sentences = train.size();
  for (const TaggedSentence& sentence : train) {
    report->train_tokens += sentence.tokens.size();
  }
  if (source.vectors() != nullptr) {
    report->tokens_with_vectors = CountWithVectors(train, *source.vectors());
  }
  auto body =
      std::make_unique<TagNetworkModel>(std::move(source), std::move(model));
  std::optional<ContextTuner> tuner;
  if (options.tune_contextualizer) {
    FIRTH_RETURN_IF_ERROR(HoldVectors(inputs, &body->model));
    tuner.emplace(*body->source.contextualizer(), options.tuning_rate,
                  options.threads);
  }
  // The training set gets most of the cache, since every epoch reads it.
  const uint64_t cache = tuner.has_value() ? 0 : options.cache_bytes;
  TagSet train_set(train, &body->source, cache / 4 * 3);
  TagSet dev_set(dev, &body->source, cache / 4);
  const TagTask task{train_set,
                     dev_set,
                     numbers,
                     choice,
                     options,
                     Describe(body->model.vectors),
                     Describe(body->model.contextualizer),
                     tuner.has_value() ? &*tuner : nullptr};
  FIRTH_RETURN_IF_ERROR(
      TrainTagNetwork(task, hooks, reserved, *body->model.network, report));
  if (tuner.has_value()) {
    FIRTH_RETURN_IF_ERROR(body->HoldTuned(*tuner, options.threads));
  }
  return Tagger(std::move(body));
}

absl::StatusOr<Tagger> Tagger::Load(const std::string& path,
                                    const TaggerInputs& inputs, int threads) {
  FIRTH_ASSIGN_OR_RETURN(auto model, OpenTagModel(path, inputs, threads));
  return Tagger(std::move(model));
}

static absl::StatusOr<std::unique_ptr<TagModel>> OpenNetworkTagger(
    const MappedFilePtr& file, const TaggerInputs& inputs, int threads) {
  FIRTH_ASSIGN_OR_RETURN(std::optional<TaggerModel> model,
                         LoadIfTaggerModel(file, threads));
  if (!model.has_value()) return nullptr;
  FIRTH_RETURN_IF_ERROR(CheckInputs(*model, file->path(), inputs));
  FIRTH_ASSIGN_OR_RETURN(
      TokenFeatureSource source,
      model->holds_inputs()
          ? TokenFeatureSource::Load(model->held_vectors,
                                     model->held_contextualizer, threads)
          : TokenFeatureSource::Load(inputs, threads));
  const TagNetworkOptions& options = model->network->options();
  if (source.static_dim() != options.static_dim ||
      source.contextual_dim() != options.contextual_dim ||
      source.num_layers() != options.mix.layers) {
    return absl::DataLossError(absl::StrCat(
        file->path(),
        ": the inputs do not have the sizes that the tagger's network reads"));
  }
  return std::make_unique<TagNetworkModel>(std::move(source),
                                           *std::move(model));
}

const TagModelKind kNetworkTagger = {&OpenNetworkTagger, &DescribeTagger};

absl::Status PackTagger(const std::string& path, const TaggerInputs& inputs,
                        const std::string& output_path) {
  // Checks that the files fit together.
  FIRTH_RETURN_IF_ERROR(Tagger::Load(path, inputs, 1).status());
  FIRTH_ASSIGN_OR_RETURN(const MappedFilePtr file, MappedFile::Open(path));
  FIRTH_ASSIGN_OR_RETURN(std::optional<TaggerModel> model,
                         LoadIfTaggerModel(file, 1));
  if (inputs.vectors.empty() && inputs.contextualizer.empty()) {
    const bool holds_inputs = model.has_value() && model->holds_inputs();
    return absl::InvalidArgumentError(absl::StrCat(
        path, ": this tagger ",
        holds_inputs ? "already contains its vectors and contextualizer"
                     : "uses neither vectors nor a contextualizer",
        ", so there is nothing to pack"));
  }
  FIRTH_CHECK(model.has_value());  // Others have no inputs.
  FIRTH_RETURN_IF_ERROR(HoldVectors(inputs, &*model));
  if (!inputs.contextualizer.empty()) {
    FIRTH_ASSIGN_OR_RETURN(model->held_contextualizer,
                           MappedFile::Open(inputs.contextualizer));
  }
  return SaveTaggerModel(*model, output_path);
}

absl::Status Tagger::Save(const std::string& path) {
  return model_->Save(path);
}

const std::vector<std::string>& Tagger::tags() const { return model_->tags(); }

std::vector<MixWeights> Tagger::mixes() const { return model_->mixes(); }

absl::Status Tagger::Tag(absl::Span<TaggedSentence> sentences,
                         const TagOptions& options, const Hooks& hooks) {
  TagModel::Sentences tokens;
  for (TaggedSentence& sentence : sentences) {
    sentence.predicted.clear();
    sentence.probabilities.clear();
    if (!sentence.tokens.empty()) tokens.push_back(&sentence.tokens);
  }
  FIRTH_ASSIGN_OR_RETURN(
      auto predicted,
      model_->Predict(std::move(tokens), options.probabilities, hooks));
  auto next = predicted.begin();
  for (TaggedSentence& sentence : sentences) {
    if (sentence.tokens.empty()) continue;
    sentence.predicted = std::move(next->tags);
    sentence.probabilities = std::move(next->probabilities);
    ++next;
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<MixWeights>> ReadMixes(
    const std::string& tagger_path, const std::string& contextualizer_path) {
  FIRTH_ASSIGN_OR_RETURN(const TaggerModel model,
                         LoadTaggerModel(tagger_path, 1));
  FIRTH_ASSIGN_OR_RETURN(const FileReference contextualizer,
                         ReferTo(contextualizer_path));
  if (model.tuned) {
    return absl::InvalidArgumentError(
        absl::StrCat(tagger_path,
                     ": this tagger has tuned its contextualizer, so its mixes "
                     "are not those of the original layers; use a tagger that "
                     "was trained without tuning"));
  }
  if (model.contextualizer == contextualizer) return MixesOf(*model.network);
  return absl::InvalidArgumentError(
      absl::StrCat(tagger_path, ": this tagger was not trained with ",
                   contextualizer_path, ", since its layers differ"));
}

}  // namespace firth
