// Texts with labels, and classifiers, which any number of threads may ask.

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "base/unicode.h"
#include "c/call.h"
#include "c/call_options.h"
#include "c/long_call.h"
#include "c/models.h"
#include "firth/checkpoint.h"
#include "firth/classifier.h"
#include "firth/label_scores.h"
#include "firth/labelled_text.h"
#include "firth/tune.h"
#include "nlohmann/json.hpp"

struct FirthLabelledTexts {
  static constexpr absl::string_view kName = "FirthLabelledTexts";
  std::vector<firth::LabelledText> texts;
  std::string removed_prefix;  // of their labels, by reading
};

namespace firth::c {
namespace {

absl::StatusOr<std::vector<LabelledText>> LabelledTextsOf(
    const char* texts, const int64_t* offsets, const char* labels,
    const int64_t* label_offsets, const int64_t* label_lists, int64_t n) {
  FIRTH_ASSIGN_OR_RETURN(const auto contents,
                         TextsOf("texts", texts, offsets, n));
  std::vector<LabelledText> made(contents.size());
  if (n == 0) return made;
  FIRTH_RETURN_IF_ERROR(CheckOffsets("label_lists", label_lists, n));
  FIRTH_RETURN_IF_ERROR(
      CheckOffsets("label_offsets", label_offsets, label_lists[n]));
  FIRTH_RETURN_IF_ERROR(
      CheckArray("labels", labels, label_offsets[label_lists[n]]));
  for (size_t i = 0; i < made.size(); ++i) {
    made[i].text = std::string(contents[i]);
    for (int64_t at = label_lists[i]; at < label_lists[i + 1]; ++at) {
      const auto size =
          static_cast<size_t>(label_offsets[at + 1] - label_offsets[at]);
      const absl::string_view label(labels + label_offsets[at], size);
      if (label.empty() || FindInvalidUtf8(label) != label.npos) {
        return absl::InvalidArgumentError(
            absl::StrCat("labels: the label at position ", at,
                         " is empty or not valid UTF-8"));
      }
      std::vector<std::string>& to = made[i].labels;
      if (std::find(to.begin(), to.end(), label) == to.end()) {
        to.emplace_back(label);
      }
    }
  }
  return made;
}

absl::Span<const LabelledText> SpanOf(
    const std::shared_ptr<const FirthLabelledTexts>& labelled) {
  if (labelled == nullptr) return {};
  return labelled->texts;
}

ClassifierInputs InputsOf(const ClassifierStart& start) {
  return {.vectors = start.vectors, .contextualizer = start.contextualizer};
}

OrderedJson ToJson(const std::vector<NgramWeight>& ngrams) {
  OrderedJson json = OrderedJson::array();
  for (const NgramWeight& ngram : ngrams) {
    json.push_back({ngram.ngram, ngram.weight});
  }
  return json;
}

PredictOptions PredictOptionsOf(const PredictionCall& call) {
  PredictOptions options;
  options.top = call.top;
  if (call.threshold >= 0) options.threshold = call.threshold;
  options.threads = call.running.threads;
  return options;
}

absl::Status CheckLabel(const Classifier& classifier, int64_t label) {
  if (label >= 0 && static_cast<size_t>(label) < classifier.labels().size()) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat("label: expected 0 to ",
                                                 classifier.labels().size() - 1,
                                                 ", found ", label));
}

// The labels and the probabilities of all texts, one after another.
void Join(const std::vector<std::vector<LabelProbability>>& found,
          int64_t* ends, FirthBuffer* labels, FirthBuffer* probabilities) {
  auto* label = reinterpret_cast<int32_t*>(labels->data.get());
  auto* probability = reinterpret_cast<float*>(probabilities->data.get());
  *ends = 0;
  for (const std::vector<LabelProbability>& of_text : found) {
    for (const LabelProbability& one : of_text) {
      *label++ = static_cast<int32_t>(one.label);
      *probability++ = one.probability;
    }
    ends[1] = ends[0] + static_cast<int64_t>(of_text.size());
    ++ends;
  }
}

}  // namespace

extern "C" {

FirthStatus* firth_labelled_texts_create(const char* texts,
                                         const int64_t* offsets,
                                         const char* labels,
                                         const int64_t* label_offsets,
                                         const int64_t* label_lists, int64_t n,
                                         FirthLabelledTexts** labelled) {
  return Answer([&]() -> absl::Status {
    auto made = std::make_shared<FirthLabelledTexts>();
    FIRTH_ASSIGN_OR_RETURN(
        made->texts,
        LabelledTextsOf(texts, offsets, labels, label_offsets, label_lists, n));
    FIRTH_RETURN_IF_ERROR(CheckPlace("labelled", labelled));
    return SetHandle(labelled, std::move(made));
  });
}

FirthStatus* firth_labelled_texts_read(const char* options,
                                       int64_t options_size,
                                       FirthProgress progress, void* context,
                                       FirthLabelledTexts** labelled) {
  return AnswerLong(progress, context, [&](const Hooks& hooks) -> absl::Status {
    FIRTH_ASSIGN_OR_RETURN(const auto reading, OptionsOf<LabelledTextOptions>(
                                                   options, options_size));
    FIRTH_RETURN_IF_ERROR(CheckPlace("labelled", labelled));
    auto made = std::make_shared<FirthLabelledTexts>();
    made->removed_prefix = std::string(reading.removed_prefix());
    FIRTH_ASSIGN_OR_RETURN(
        made->texts, ReadLabelledText(reading, hooks.stop, hooks.progress));
    return SetHandle(labelled, std::move(made));
  });
}

void firth_labelled_texts_free(FirthLabelledTexts* labelled) {
  FreeHandle(labelled);
}

FirthStatus* firth_classifier_train(const FirthLabelledTexts* labelled,
                                    const FirthLabelledTexts* valid,
                                    const char* options, int64_t options_size,
                                    FirthProgress progress, void* context,
                                    FirthClassifier** classifier,
                                    FirthBuffer** report) {
  return AnswerLong(progress, context, [&](const Hooks& hooks) -> absl::Status {
    FIRTH_ASSIGN_OR_RETURN(const auto texts, Take("labelled", labelled));
    FIRTH_ASSIGN_OR_RETURN(const auto measured, TakeIfGiven("valid", valid));
    FIRTH_ASSIGN_OR_RETURN(const auto call,
                           OptionsOf<ClassifierCall>(options, options_size));
    FIRTH_RETURN_IF_ERROR(CheckPlace("classifier", classifier));
    FIRTH_ASSIGN_OR_RETURN(const Checkpointing checkpointing,
                           call.checkpoints.Read());
    ClassifierReport told;
    FIRTH_ASSIGN_OR_RETURN(
        Classifier trained,
        Classifier::Train(SpanOf(texts), SpanOf(measured), InputsOf(call.start),
                          call.start.training, hooks, &told, checkpointing));
    return SetBoth(std::make_shared<FirthClassifier>(std::move(trained)),
                   classifier, MakeBuffer(ReportJson(told)), report);
  });
}

FirthStatus* firth_classifier_load(const char* path, int64_t path_size,
                                   const char* options, int64_t options_size,
                                   FirthClassifier** classifier) {
  return Answer([&]() -> absl::Status {
    FIRTH_ASSIGN_OR_RETURN(const std::string file, PathOf(path, path_size));
    FIRTH_ASSIGN_OR_RETURN(const auto opening,
                           OptionsOf<ClassifierOpening>(options, options_size));
    FIRTH_RETURN_IF_ERROR(CheckPlace("classifier", classifier));
    return SetHandle(classifier,
                     Classifier::Load(file, opening.contextualizer));
  });
}

FirthStatus* firth_classifier_save(const FirthClassifier* classifier,
                                   const char* path, int64_t path_size) {
  return Answer([&]() -> absl::Status {
    FIRTH_ASSIGN_OR_RETURN(const auto asked, Take("classifier", classifier));
    FIRTH_ASSIGN_OR_RETURN(const std::string file, PathOf(path, path_size));
    return asked->Save(file);
  });
}

void firth_classifier_free(FirthClassifier* classifier) {
  FreeHandle(classifier);
}

FirthStatus* firth_classifier_describe(const FirthClassifier* classifier,
                                       FirthBuffer** json) {
  return Answer([&]() -> absl::Status {
    FIRTH_ASSIGN_OR_RETURN(const auto asked, Take("classifier", classifier));
    FIRTH_RETURN_IF_ERROR(CheckPlace("json", json));
    return SetHandle(
        json, MakeBuffer(OrderedJson{
                  {"labels", asked->labels()},
                  {"options", OrderedJson::parse(FieldsJson(asked->options()))},
                  {"several_labels", asked->has_several_labels()}}));
  });
}

FirthStatus* firth_classifier_probabilities(
    const FirthClassifier* classifier, const char* texts,
    const int64_t* offsets, int64_t n, const char* options,
    int64_t options_size, FirthProgress progress, void* context,
    float* probabilities, int64_t* known) {
  return AnswerLong(progress, context, [&](const Hooks& hooks) -> absl::Status {
    FIRTH_ASSIGN_OR_RETURN(const auto asked, Take("classifier", classifier));
    FIRTH_ASSIGN_OR_RETURN(const auto views,
                           TextsOf("texts", texts, offsets, n));
    FIRTH_ASSIGN_OR_RETURN(const auto call,
                           OptionsOf<ProbabilityCall>(options, options_size));
    if (known == nullptr) {
      FIRTH_RETURN_IF_ERROR(CheckArray("probabilities", probabilities, n));
    }
    std::vector<float> found;
    if (probabilities != nullptr) {
      found.resize(views.size() * asked->labels().size());
      FIRTH_RETURN_IF_ERROR(asked->Probabilities(views, absl::MakeSpan(found),
                                                 call.threads, hooks));
    }
    std::vector<uint64_t> counts;
    if (known != nullptr) {
      counts.resize(views.size());
      FIRTH_RETURN_IF_ERROR(asked->CountKnown(views, absl::MakeSpan(counts),
                                              call.threads, hooks));
    }
    std::copy(found.begin(), found.end(), probabilities);
    std::copy(counts.begin(), counts.end(), known);
    return absl::OkStatus();
  });
}

FirthStatus* firth_classifier_predict(const FirthClassifier* classifier,
                                      const char* texts, const int64_t* offsets,
                                      int64_t n, const char* options,
                                      int64_t options_size,
                                      FirthProgress progress, void* context,
                                      int64_t* ends, FirthBuffer** labels,
                                      FirthBuffer** probabilities) {
  return AnswerLong(progress, context, [&](const Hooks& hooks) -> absl::Status {
    FIRTH_ASSIGN_OR_RETURN(const auto asked, Take("classifier", classifier));
    FIRTH_ASSIGN_OR_RETURN(const auto views,
                           TextsOf("texts", texts, offsets, n));
    FIRTH_ASSIGN_OR_RETURN(const auto call,
                           OptionsOf<PredictionCall>(options, options_size));
    FIRTH_RETURN_IF_ERROR(CheckPlace("ends", ends));
    FIRTH_RETURN_IF_ERROR(CheckPlace("labels", labels));
    FIRTH_ASSIGN_OR_RETURN(
        const auto found, asked->Predict(views, PredictOptionsOf(call), hooks));
    size_t total = 0;
    for (const auto& of_text : found) total += of_text.size();
    auto found_labels = MakeBuffer(total * sizeof(int32_t));
    auto found_probabilities = MakeBuffer(total * sizeof(float));
    std::vector<int64_t> found_ends(found.size() + 1);
    Join(found, found_ends.data(), found_labels.get(),
         found_probabilities.get());
    FIRTH_RETURN_IF_ERROR(SetBoth(std::move(found_labels), labels,
                                  found_probabilities, probabilities));
    std::copy(found_ends.begin(), found_ends.end(), ends);
    return absl::OkStatus();
  });
}

FirthStatus* firth_classifier_explain(const FirthClassifier* classifier,
                                      const char* text, int64_t text_size,
                                      int64_t label, int64_t k,
                                      FirthBuffer** json) {
  return Answer([&]() -> absl::Status {
    FIRTH_ASSIGN_OR_RETURN(const auto asked, Take("classifier", classifier));
    FIRTH_ASSIGN_OR_RETURN(const auto view, TextOf("text", text, text_size));
    FIRTH_RETURN_IF_ERROR(CheckLabel(*asked, label));
    FIRTH_RETURN_IF_ERROR(CheckCount("k", k));
    FIRTH_RETURN_IF_ERROR(CheckPlace("json", json));
    return SetHandle(
        json, MakeBuffer(ToJson(asked->Explain(view, static_cast<size_t>(label),
                                               static_cast<size_t>(k)))));
  });
}

FirthStatus* firth_classifier_strongest(const FirthClassifier* classifier,
                                        int64_t label, int64_t k,
                                        FirthBuffer** json) {
  return Answer([&]() -> absl::Status {
    FIRTH_ASSIGN_OR_RETURN(const auto asked, Take("classifier", classifier));
    FIRTH_RETURN_IF_ERROR(CheckLabel(*asked, label));
    FIRTH_RETURN_IF_ERROR(CheckCount("k", k));
    FIRTH_RETURN_IF_ERROR(CheckPlace("json", json));
    return SetHandle(
        json, MakeBuffer(ToJson(asked->Strongest(static_cast<size_t>(label),
                                                 static_cast<size_t>(k)))));
  });
}

FirthStatus* firth_classifier_evaluate(const FirthClassifier* classifier,
                                       const FirthLabelledTexts* labelled,
                                       const char* options,
                                       int64_t options_size,
                                       FirthProgress progress, void* context,
                                       FirthBuffer** report) {
  return AnswerLong(progress, context, [&](const Hooks& hooks) -> absl::Status {
    FIRTH_ASSIGN_OR_RETURN(const auto asked, Take("classifier", classifier));
    FIRTH_ASSIGN_OR_RETURN(const auto texts, Take("labelled", labelled));
    FIRTH_ASSIGN_OR_RETURN(const auto call,
                           OptionsOf<PredictionCall>(options, options_size));
    FIRTH_RETURN_IF_ERROR(CheckPlace("report", report));
    FIRTH_ASSIGN_OR_RETURN(
        const LabelScores scores,
        ScoreLabels(*asked, SpanOf(texts), PredictOptionsOf(call), hooks,
                    texts->removed_prefix));
    return SetHandle(report, MakeBuffer(LabelScoresJson(scores)));
  });
}

FirthStatus* firth_classifier_quantize(const FirthClassifier* classifier,
                                       const FirthLabelledTexts* train,
                                       const char* options,
                                       int64_t options_size,
                                       FirthProgress progress, void* context,
                                       FirthClassifier** quantized) {
  return AnswerLong(progress, context, [&](const Hooks& hooks) -> absl::Status {
    FIRTH_ASSIGN_OR_RETURN(const auto asked, Take("classifier", classifier));
    FIRTH_ASSIGN_OR_RETURN(const auto texts, TakeIfGiven("train", train));
    FIRTH_ASSIGN_OR_RETURN(const auto call,
                           OptionsOf<QuantizationCall>(options, options_size));
    FIRTH_RETURN_IF_ERROR(CheckPlace("quantized", quantized));
    return SetHandle(quantized, QuantizeClassifier(*asked, SpanOf(texts),
                                                   {.max_bytes = call.max_bytes,
                                                    .retrain = call.retrain},
                                                   hooks));
  });
}

FirthStatus* firth_classifier_tune(const FirthLabelledTexts* labelled,
                                   const FirthLabelledTexts* valid,
                                   const char* start, int64_t start_size,
                                   const char* options, int64_t options_size,
                                   FirthProgress progress, void* context,
                                   FirthBuffer** report) {
  return AnswerLong(progress, context, [&](const Hooks& hooks) -> absl::Status {
    FIRTH_ASSIGN_OR_RETURN(const auto texts, Take("labelled", labelled));
    FIRTH_ASSIGN_OR_RETURN(const auto measured, TakeIfGiven("valid", valid));
    FIRTH_ASSIGN_OR_RETURN(const auto first, OptionsOf<ClassifierStart>(
                                                 start, start_size, "start"));
    FIRTH_ASSIGN_OR_RETURN(const auto tuning,
                           OptionsOf<TuneOptions>(options, options_size));
    FIRTH_RETURN_IF_ERROR(CheckPlace("report", report));
    FIRTH_ASSIGN_OR_RETURN(const auto given,
                           TextOf("start", start, start_size));
    std::vector<std::string> fixed;
    const Json names = ParseJson(given.empty() ? "{}" : given);
    for (const auto& [name, value] : names.items()) fixed.push_back(name);
    FIRTH_ASSIGN_OR_RETURN(
        const TuneReport found,
        TuneClassifier(SpanOf(texts), SpanOf(measured), InputsOf(first),
                       first.training, fixed, tuning, hooks,
                       [](const TuneTrial&) {}));
    return SetHandle(report, MakeBuffer(ReportJson(found)));
  });
}

}  // extern "C"

}  // namespace firth::c
