// Training texts, and training vectors on them.

#include "c/call.h"
#include "c/call_options.h"
#include "c/long_call.h"
#include "c/models.h"
#include "firth/phrases.h"
#include "firth/vector_training.h"
#include "nlohmann/json.hpp"

namespace firth::c {
namespace {

struct ReadCall {
  FirthNextSentences next;  // null: files are read
  const char* options;
  int64_t options_size;
  const FirthVectors* update;
  FirthProgress progress;
  void* context;
};

absl::StatusOr<std::shared_ptr<FirthCorpus>> Read(const ReadCall& call) {
  auto made = std::make_shared<FirthCorpus>();
  FIRTH_ASSIGN_OR_RETURN(made->update, TakeIfGiven("update", call.update));
  const VectorFile* const model =
      made->update == nullptr ? nullptr : &made->update->file;
  FIRTH_ASSIGN_OR_RETURN(const absl::string_view json,
                         TextOf("options", call.options, call.options_size));
  FIRTH_ASSIGN_OR_RETURN(VectorTraining options,
                         ReadVectorTraining(json.empty() ? "{}" : json, model));
  if (model != nullptr) {
    FIRTH_RETURN_IF_ERROR(CheckLearnable("update", *made->update));
  }
  LongCall work(call.progress, call.next, call.context);
  if (call.next != nullptr) {
    options.corpus.sentences = work.SentencesOfCaller();
  } else if (options.corpus.inputs.empty()) {
    return absl::InvalidArgumentError(
        "input: give at least one file or folder");
  }
  FIRTH_RETURN_IF_ERROR(work.Run([&](const Hooks& hooks) -> absl::Status {
    FIRTH_ASSIGN_OR_RETURN(made->corpus,
                           ReadTrainingText(options, model, hooks));
    return absl::OkStatus();
  }));
  made->reading = std::move(options.corpus);
  made->reading.inputs.clear();
  made->reading.sentences = nullptr;
  return made;
}

FirthStatus* ReadTo(const ReadCall& call, FirthCorpus** corpus) {
  return AnswerHere([&]() -> absl::Status {
    FIRTH_RETURN_IF_ERROR(CheckPlace("corpus", corpus));
    FIRTH_ASSIGN_OR_RETURN(auto made, Read(call));
    return SetHandle(corpus, std::move(made));
  });
}

OrderedJson ToJson(const std::vector<Phrase>& phrases) {
  OrderedJson json = OrderedJson::array();
  for (const Phrase& phrase : phrases) {
    json.push_back({{"text", phrase.text},
                    {"count", phrase.count},
                    {"score", phrase.score}});
  }
  return json;
}

}  // namespace

extern "C" {

FirthStatus* firth_corpus_read(const char* options, int64_t options_size,
                               const FirthVectors* update,
                               FirthProgress progress, void* context,
                               FirthCorpus** corpus) {
  return ReadTo({nullptr, options, options_size, update, progress, context},
                corpus);
}

FirthStatus* firth_corpus_read_sentences(FirthNextSentences next,
                                         const char* options,
                                         int64_t options_size,
                                         const FirthVectors* update,
                                         FirthProgress progress, void* context,
                                         FirthCorpus** corpus) {
  if (next == nullptr) {
    return Answer([] {
      return absl::InvalidArgumentError("next: the function must not be null");
    });
  }
  return ReadTo({next, options, options_size, update, progress, context},
                corpus);
}

void firth_corpus_free(FirthCorpus* corpus) { FreeHandle(corpus); }

FirthStatus* firth_corpus_describe(const FirthCorpus* corpus,
                                   FirthBuffer** json) {
  return Answer([&]() -> absl::Status {
    FIRTH_ASSIGN_OR_RETURN(const auto text, Take("corpus", corpus));
    FIRTH_RETURN_IF_ERROR(CheckPlace("json", json));
    return SetHandle(json, MakeBuffer(ReportJson(text->corpus.report)));
  });
}

FirthStatus* firth_corpus_words(const FirthCorpus* corpus, const char** bytes,
                                const int64_t** offsets, int64_t* count) {
  return Answer([&]() -> absl::Status {
    FIRTH_ASSIGN_OR_RETURN(const auto text, Take("corpus", corpus));
    FIRTH_RETURN_IF_ERROR(CheckPlace("bytes", bytes));
    FIRTH_RETURN_IF_ERROR(CheckPlace("offsets", offsets));
    FIRTH_RETURN_IF_ERROR(CheckPlace("count", count));
    *bytes = text->corpus.vocabulary.bytes().data();
    *offsets = OffsetsOf(text->corpus.vocabulary);
    *count = static_cast<int64_t>(text->corpus.vocabulary.size());
    return absl::OkStatus();
  });
}

FirthStatus* firth_corpus_counts(const FirthCorpus* corpus,
                                 const int64_t** counts) {
  return Answer([&]() -> absl::Status {
    FIRTH_ASSIGN_OR_RETURN(const auto text, Take("corpus", corpus));
    FIRTH_RETURN_IF_ERROR(CheckPlace("counts", counts));
    *counts = CountsOf(text->corpus.vocabulary);
    return absl::OkStatus();
  });
}

FirthStatus* firth_corpus_join_phrases(const FirthCorpus* corpus,
                                       const char* options,
                                       int64_t options_size,
                                       FirthProgress progress, void* context,
                                       FirthCorpus** joined,
                                       FirthBuffer** phrases) {
  return AnswerLong(progress, context, [&](const Hooks& hooks) -> absl::Status {
    FIRTH_ASSIGN_OR_RETURN(const auto text, Take("corpus", corpus));
    FIRTH_ASSIGN_OR_RETURN(const auto settings,
                           OptionsOf<PhraseCall>(options, options_size));
    FIRTH_RETURN_IF_ERROR(CheckPlace("joined", joined));
    FIRTH_ASSIGN_OR_RETURN(const JoinedCorpus all,
                           JoinPhrases(text->corpus, settings.joining, hooks));
    auto made = std::make_shared<FirthCorpus>();
    FIRTH_ASSIGN_OR_RETURN(made->corpus, KeepWords(all.corpus, settings.kept));
    made->reading = text->reading;
    const auto told =
        phrases == nullptr ? nullptr : MakeBuffer(ToJson(all.phrases));
    return SetBoth(std::move(made), joined, told, phrases);
  });
}

FirthStatus* firth_train(const FirthCorpus* corpus, const char* options,
                         int64_t options_size, const FirthVectors* initial,
                         FirthProgress progress, void* context,
                         FirthVectors** vectors, FirthBuffer** report) {
  const auto train = [&](const Hooks& hooks) -> absl::Status {
    FIRTH_ASSIGN_OR_RETURN(const auto text, Take("corpus", corpus));
    FIRTH_ASSIGN_OR_RETURN(const auto start, TakeIfGiven("initial", initial));
    FIRTH_ASSIGN_OR_RETURN(const absl::string_view json,
                           TextOf("options", options, options_size));
    FIRTH_RETURN_IF_ERROR(CheckPlace("vectors", vectors));
    const VectorFile* const update =
        text->update == nullptr ? nullptr : &text->update->file;
    if (update != nullptr && start != nullptr) {
      return absl::InvalidArgumentError(
          "initial: must be null, since the corpus continues a model");
    }
    if (start != nullptr) {
      FIRTH_RETURN_IF_ERROR(CheckLearnable("initial", *start));
    }
    FIRTH_ASSIGN_OR_RETURN(
        const VectorTraining training,
        ReadVectorTraining(json.empty() ? "{}" : json, update));
    FIRTH_ASSIGN_OR_RETURN(
        TrainedVectors trained,
        TrainVectors(
            text->corpus, training,
            {update, start == nullptr ? nullptr : &start->file.vectors},
            hooks));
    return SetBoth(std::make_shared<FirthVectors>(std::move(trained.file)),
                   vectors, MakeBuffer(ReportJson(trained.facts)), report);
  };
  return AnswerTraining(progress, context, train);
}

FirthStatus* firth_epoch_vectors(FirthVectors** vectors) {
  // The body of a long call runs on another thread in a forked child, so the
  // epoch is passed to it.
  const EpochProgress* const epoch = AnnouncedEpoch();
  return Answer([&]() -> absl::Status {
    FIRTH_RETURN_IF_ERROR(CheckPlace("vectors", vectors));
    if (epoch == nullptr) {
      return absl::FailedPreconditionError(
          "vectors: call this only from a FirthProgress callback during an "
          "\"epoch\" event");
    }
    if (epoch->copy_vectors == nullptr) {
      return absl::FailedPreconditionError(
          "vectors: a training run with views has no vectors before its end");
    }
    VectorFile copy;
    FIRTH_ASSIGN_OR_RETURN(copy.vectors, (*epoch->copy_vectors)());
    return SetHandle(vectors, std::make_shared<FirthVectors>(std::move(copy)));
  });
}

}  // extern "C"

}  // namespace firth::c
