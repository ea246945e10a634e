// Training vectors.

#include <cstdint>
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "c/answer.h"
#include "c/arguments.h"
#include "c/corpus.h"
#include "c/handles.h"
#include "c/long_call.h"
#include "c/vectors.h"
#include "firth/status_macros.h"
#include "firth/vector_training.h"

namespace firth::c {

extern "C" FirthStatus* firth_train(const FirthCorpus* corpus,
                                    const char* options, int64_t options_size,
                                    const FirthVectors* initial,
                                    FirthProgress progress, void* context,
                                    FirthVectors** vectors,
                                    FirthBuffer** report) {
  return AnswerHere([&]() -> absl::Status {
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
    TrainedVectors trained;
    LongCall work(progress, nullptr, context);
    FIRTH_RETURN_IF_ERROR(work.Run([&](const Hooks& hooks) -> absl::Status {
      FIRTH_ASSIGN_OR_RETURN(
          trained,
          TrainVectors(
              text->corpus, training,
              {update, start == nullptr ? nullptr : &start->file.vectors},
              hooks));
      return absl::OkStatus();
    }));
    const auto told =
        report == nullptr ? nullptr : MakeBuffer(ReportJson(trained.facts));
    auto made = std::make_shared<FirthVectors>(std::move(trained.file));
    return SetBoth(std::move(made), vectors, told, report);
  });
}

extern "C" FirthStatus* firth_epoch_vectors(FirthVectors** vectors) {
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

}  // namespace firth::c
