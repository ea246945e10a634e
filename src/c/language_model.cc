// Language models, taggers and sequence-to-sequence models. One loaded model
// embeds, scores and generates; threads take turns.

#include <algorithm>
#include <cmath>
#include <cstring>
#include <mutex>
#include <optional>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "c/call.h"
#include "c/call_options.h"
#include "c/long_call.h"
#include "c/models.h"
#include "firth/contextualizer.h"
#include "firth/language_model.h"
#include "firth/tagger.h"
#include "nlohmann/json.hpp"

namespace firth::c {
namespace {

OrderedJson Describe(const Contextualizer& model) {
  return {
      {"layers", model.num_layers()},
      {"dim", model.dim()},
      {"token_dim", model.token_dim()},
      {"metadata", model.metadata().empty() ? OrderedJson::object()
                                            : OrderedJson(model.metadata())}};
}

std::shared_ptr<FirthBuffer> Joined(const std::vector<TokenVectors>& vectors) {
  size_t floats = 0;
  for (const TokenVectors& one : vectors) floats += one.values.size();
  auto buffer = MakeBuffer(floats * sizeof(float));
  std::byte* to = buffer->data.get();
  for (const TokenVectors& one : vectors) {
    const size_t bytes = one.values.size() * sizeof(float);
    if (bytes > 0) std::memcpy(to, one.values.data(), bytes);
    to += bytes;
  }
  return buffer;
}

// Null where the model does not read so.
OrderedJson ToJson(const DirectionPerplexity& direction, bool continuous) {
  if (direction.tokens == 0) return nullptr;
  return {{"tokens", direction.tokens},
          {"unknown", direction.unknown},
          {"loss", direction.loss},
          {"perplexity", continuous ? OrderedJson(nullptr)
                                    : OrderedJson(std::exp(direction.loss))}};
}

OrderedJson ToJson(const std::vector<GeneratedSentence>& sentences) {
  OrderedJson json = OrderedJson::array();
  for (const GeneratedSentence& sentence : sentences) {
    json.push_back({{"words", sentence.words},
                    {"log_probability", sentence.log_probability},
                    {"ended", sentence.ended}});
  }
  return json;
}

// Trains, and measures on texts that are read as the corpus was.
absl::StatusOr<TrainedLanguageModel> Train(const FirthCorpus& text,
                                           LanguageModelCall settings,
                                           const Hooks& hooks) {
  FIRTH_ASSIGN_OR_RETURN(const Checkpointing checkpointing,
                         settings.checkpoints.Read());
  std::optional<Corpus> held_out;
  if (!settings.valid.empty()) {
    CorpusOptions reading = text.reading;
    reading.inputs = settings.valid;
    FIRTH_ASSIGN_OR_RETURN(held_out,
                           ReadCorpus(reading, {.min_count = 1}, hooks));
    settings.training.validation = &*held_out;
  }
  return TrainLanguageModel(text.corpus, settings.training, hooks,
                            checkpointing);
}

}  // namespace

extern "C" {

FirthStatus* firth_language_model_load(const char* path, int64_t path_size,
                                       FirthLanguageModel** model) {
  return Answer([&]() -> absl::Status {
    FIRTH_ASSIGN_OR_RETURN(const std::string file, PathOf(path, path_size));
    FIRTH_RETURN_IF_ERROR(CheckPlace("model", model));
    return SetHandle(model, Contextualizer::Load(file));
  });
}

FirthStatus* firth_language_model_train(
    const FirthCorpus* corpus, const char* options, int64_t options_size,
    const FirthVectors* vectors, FirthProgress progress, void* context,
    FirthLanguageModel** model, FirthBuffer** report) {
  const auto train = [&](const Hooks& hooks) -> absl::Status {
    FIRTH_ASSIGN_OR_RETURN(const auto text, Take("corpus", corpus));
    FIRTH_ASSIGN_OR_RETURN(const auto words, TakeIfGiven("vectors", vectors));
    FIRTH_ASSIGN_OR_RETURN(auto settings,
                           OptionsOf<LanguageModelCall>(options, options_size));
    FIRTH_RETURN_IF_ERROR(CheckPlace("model", model));
    if (words != nullptr) {
      FIRTH_RETURN_IF_ERROR(CheckLearnable("vectors", *words));
    }
    const std::string used = FieldsJson(settings.training);
    if (words != nullptr) settings.training.vectors = &words->file.vectors;
    FIRTH_ASSIGN_OR_RETURN(TrainedLanguageModel trained,
                           Train(*text, settings, hooks));
    trained.model.metadata()["training"] = used;
    trained.model.metadata()["trained-tokens"] =
        absl::StrCat(trained.report.tokens);
    const auto told =
        MakeBuffer(ReportJson({used, text->corpus.report, trained.report}));
    auto made = std::make_shared<FirthLanguageModel>(
        Contextualizer(std::move(trained.model)));
    return SetBoth(std::move(made), model, told, report);
  };
  return AnswerTraining(progress, context, train);
}

FirthStatus* firth_language_model_save(const FirthLanguageModel* model,
                                       const char* path, int64_t path_size) {
  return Answer([&]() -> absl::Status {
    FIRTH_ASSIGN_OR_RETURN(const auto asked, Take("model", model));
    FIRTH_ASSIGN_OR_RETURN(const std::string file, PathOf(path, path_size));
    const std::lock_guard turn(asked->mutex);
    return asked->model.language_model().Save(file);
  });
}

void firth_language_model_free(FirthLanguageModel* model) { FreeHandle(model); }

FirthStatus* firth_language_model_describe(const FirthLanguageModel* model,
                                           FirthBuffer** json) {
  return Answer([&]() -> absl::Status {
    FIRTH_ASSIGN_OR_RETURN(const auto asked, Take("model", model));
    FIRTH_RETURN_IF_ERROR(CheckPlace("json", json));
    const std::lock_guard turn(asked->mutex);
    return SetHandle(json, MakeBuffer(Describe(asked->model)));
  });
}

FirthStatus* firth_language_model_embed(
    const FirthLanguageModel* model, const char* words, const int64_t* offsets,
    const int64_t* sentences, int64_t n, const char* options,
    int64_t options_size, FirthProgress progress, void* context,
    FirthBuffer** values) {
  return AnswerLong(progress, context, [&](const Hooks& hooks) -> absl::Status {
    FIRTH_ASSIGN_OR_RETURN(const auto asked, Take("model", model));
    FIRTH_ASSIGN_OR_RETURN(const auto tokens,
                           SentencesOf(words, offsets, sentences, n));
    FIRTH_ASSIGN_OR_RETURN(const auto settings,
                           OptionsOf<EmbedOptions>(options, options_size));
    FIRTH_RETURN_IF_ERROR(CheckPlace("values", values));
    const std::lock_guard turn(asked->mutex);
    // Other calls, and other threads, leave no state that this one goes on
    // from.
    asked->model.Reset();
    FIRTH_ASSIGN_OR_RETURN(const auto vectors,
                           asked->model.Embed(tokens, settings, hooks));
    return SetHandle(values, Joined(vectors));
  });
}

FirthStatus* firth_language_model_score(
    const FirthLanguageModel* model, const char* words, const int64_t* offsets,
    const int64_t* sentences, int64_t n, FirthProgress progress, void* context,
    double* scores, int64_t* tokens, int64_t* unknown) {
  return AnswerLong(progress, context, [&](const Hooks& hooks) -> absl::Status {
    FIRTH_ASSIGN_OR_RETURN(const auto asked, Take("model", model));
    FIRTH_ASSIGN_OR_RETURN(const auto texts,
                           SentencesOf(words, offsets, sentences, n));
    FIRTH_RETURN_IF_ERROR(CheckArray("scores", scores, n));
    const std::lock_guard turn(asked->mutex);
    FIRTH_ASSIGN_OR_RETURN(const auto found,
                           asked->model.language_model().Score(texts, hooks));
    for (size_t i = 0; i < found.size(); ++i) {
      scores[i] = found[i].log_probability;
      if (tokens != nullptr) tokens[i] = static_cast<int64_t>(found[i].tokens);
      if (unknown != nullptr) {
        unknown[i] = static_cast<int64_t>(found[i].unknown);
      }
    }
    return absl::OkStatus();
  });
}

FirthStatus* firth_language_model_perplexity(
    const FirthLanguageModel* model, const FirthCorpus* corpus,
    const char* options, int64_t options_size, FirthProgress progress,
    void* context, FirthBuffer** report) {
  return AnswerLong(progress, context, [&](const Hooks& hooks) -> absl::Status {
    FIRTH_ASSIGN_OR_RETURN(const auto asked, Take("model", model));
    FIRTH_ASSIGN_OR_RETURN(const auto text, Take("corpus", corpus));
    FIRTH_ASSIGN_OR_RETURN(const auto settings,
                           OptionsOf<MeasureOptions>(options, options_size));
    FIRTH_RETURN_IF_ERROR(CheckPlace("report", report));
    const std::lock_guard turn(asked->mutex);
    FIRTH_ASSIGN_OR_RETURN(
        const Perplexity measured,
        asked->model.language_model().Measure(text->corpus, settings, hooks));
    return SetHandle(
        report,
        MakeBuffer(OrderedJson(
            {{"forward", ToJson(measured.forward, measured.continuous)},
             {"backward", ToJson(measured.backward, measured.continuous)}})));
  });
}

FirthStatus* firth_language_model_generate(
    const FirthLanguageModel* model, const char* options, int64_t options_size,
    FirthProgress progress, void* context, FirthBuffer** report) {
  return AnswerLong(progress, context, [&](const Hooks& hooks) -> absl::Status {
    FIRTH_ASSIGN_OR_RETURN(const auto asked, Take("model", model));
    FIRTH_ASSIGN_OR_RETURN(auto settings,
                           OptionsOf<GenerateCall>(options, options_size));
    FIRTH_RETURN_IF_ERROR(CheckPlace("report", report));
    settings.options.prompt = std::move(settings.prompt);
    const std::lock_guard turn(asked->mutex);
    FIRTH_ASSIGN_OR_RETURN(
        const auto sentences,
        asked->model.language_model().Generate(settings.options, hooks));
    return SetHandle(report, MakeBuffer(ToJson(sentences)));
  });
}

FirthStatus* firth_seq2seq_load(const char* path, int64_t path_size,
                                FirthSeq2Seq** model) {
  return Answer([&]() -> absl::Status {
    FIRTH_ASSIGN_OR_RETURN(const std::string file, PathOf(path, path_size));
    FIRTH_RETURN_IF_ERROR(CheckPlace("model", model));
    return SetHandle(model, Seq2Seq::Load(file));
  });
}

void firth_seq2seq_free(FirthSeq2Seq* model) { FreeHandle(model); }

FirthStatus* firth_tagger_load(const char* path, int64_t path_size,
                               const char* options, int64_t options_size,
                               FirthTagger** tagger) {
  return Answer([&]() -> absl::Status {
    FIRTH_ASSIGN_OR_RETURN(const std::string file, PathOf(path, path_size));
    FIRTH_ASSIGN_OR_RETURN(const auto opening,
                           OptionsOf<TaggerOpening>(options, options_size));
    FIRTH_RETURN_IF_ERROR(CheckPlace("tagger", tagger));
    return SetHandle(
        tagger, Tagger::Load(file, {opening.vectors, opening.contextualizer},
                             opening.threads));
  });
}

void firth_tagger_free(FirthTagger* tagger) { FreeHandle(tagger); }

FirthStatus* firth_tagger_tags(const FirthTagger* tagger, FirthBuffer** json) {
  return Answer([&]() -> absl::Status {
    FIRTH_ASSIGN_OR_RETURN(const auto asked, Take("tagger", tagger));
    FIRTH_RETURN_IF_ERROR(CheckPlace("json", json));
    return SetHandle(json, MakeBuffer(OrderedJson(asked->tagger.tags())));
  });
}

FirthStatus* firth_tagger_tag(const FirthTagger* tagger, const char* words,
                              const int64_t* offsets, const int64_t* sentences,
                              int64_t n, FirthProgress progress, void* context,
                              int32_t* tags, double* probabilities) {
  return AnswerLong(progress, context, [&](const Hooks& hooks) -> absl::Status {
    FIRTH_ASSIGN_OR_RETURN(const auto asked, Take("tagger", tagger));
    FIRTH_ASSIGN_OR_RETURN(const auto texts,
                           SentencesOf(words, offsets, sentences, n));
    FIRTH_RETURN_IF_ERROR(CheckArray("tags", tags, n));
    std::vector<TaggedSentence> tagged(texts.size());
    for (size_t i = 0; i < texts.size(); ++i) {
      tagged[i].tokens = {texts[i].begin(), texts[i].end()};
    }
    const std::lock_guard turn(asked->mutex);
    FIRTH_RETURN_IF_ERROR(
        asked->tagger.Tag(absl::MakeSpan(tagged),
                          {.probabilities = probabilities != nullptr}, hooks));
    for (const TaggedSentence& sentence : tagged) {
      for (const std::string& tag : sentence.predicted) {
        *tags++ = asked->positions.at(tag);
      }
      if (probabilities != nullptr) {
        probabilities = std::copy(sentence.probabilities.begin(),
                                  sentence.probabilities.end(), probabilities);
      }
    }
    return absl::OkStatus();
  });
}

}  // extern "C"

}  // namespace firth::c
