// Vectors of documents. Any number of threads may use a model.

#include "firth/documents.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/matrix.h"
#include "c/call.h"
#include "c/call_options.h"
#include "c/long_call.h"
#include "c/models.h"
#include "firth/vector_io.h"
#include "nlohmann/json.hpp"

namespace firth::c {
namespace {

OrderedJson ReportOf(const Documents& documents, const TrainReport& report) {
  OrderedJson losses = OrderedJson::array();
  for (const EpochReport& epoch : report.epochs) losses.push_back(epoch.loss);
  return {{"documents", documents.size()}, {"tags", documents.tags.size()},
          {"words_trained", report.words}, {"loss", std::move(losses)},
          {"seconds", report.seconds},     {"interrupted", report.interrupted}};
}

// Returns the words with their vectors, or zeros, and the prediction weights.
absl::StatusOr<VectorFile> WordsOf(const DocumentModel& model) {
  VectorFile file;
  if (model.options().has_word_vectors()) {
    file.vectors = model.words();
  } else {
    FIRTH_ASSIGN_OR_RETURN(
        file.vectors, WordVectors::Create(
                          model.vocabulary(),
                          FloatTable(Matrix<float>(model.vocabulary().size(),
                                                   model.documents().dim()))));
  }
  file.output = model.output();
  return file;
}

}  // namespace

extern "C" {

FirthStatus* firth_documents_read(FirthNextSentences next, const char* options,
                                  int64_t options_size, FirthProgress progress,
                                  void* context, FirthCorpus** corpus) {
  return AnswerHere([&]() -> absl::Status {
    FIRTH_ASSIGN_OR_RETURN(auto call,
                           OptionsOf<DocumentCall>(options, options_size));
    FIRTH_RETURN_IF_ERROR(CheckPlace("corpus", corpus));
    FIRTH_RETURN_IF_ERROR(call.training.Validate());
    LongCall work(progress, next, context);
    if (next != nullptr) {
      call.corpus.sentences = work.SentencesOfCaller();
    } else if (call.corpus.inputs.empty()) {
      return absl::InvalidArgumentError(
          "input: give at least one file or folder");
    }
    auto made = std::make_shared<FirthCorpus>();
    FIRTH_RETURN_IF_ERROR(work.Run([&](const Hooks& hooks) -> absl::Status {
      FIRTH_ASSIGN_OR_RETURN(
          made->corpus,
          ReadDocumentCorpus(call.corpus, call.vocabulary, hooks));
      return absl::OkStatus();
    }));
    made->reading = std::move(call.corpus);
    made->reading.inputs.clear();
    made->reading.sentences = nullptr;
    made->of_documents = true;
    return SetHandle(corpus, std::move(made));
  });
}

FirthStatus* firth_documents_train(const FirthCorpus* corpus, const char* tags,
                                   const int64_t* offsets,
                                   const int64_t* tag_lists, int64_t n,
                                   const char* options, int64_t options_size,
                                   FirthProgress progress, void* context,
                                   FirthDocuments** documents,
                                   FirthBuffer** report) {
  const auto train = [&](const Hooks& hooks) -> absl::Status {
    FIRTH_ASSIGN_OR_RETURN(const auto text, Take("corpus", corpus));
    if (!text->of_documents) {
      return absl::InvalidArgumentError(
          "corpus: expected one that firth_documents_read() created");
    }
    FIRTH_ASSIGN_OR_RETURN(
        const auto tags_of,
        SentencesOf(tags, offsets, tag_lists, n, "tags", "tag_lists"));
    FIRTH_ASSIGN_OR_RETURN(const auto call,
                           OptionsOf<DocumentCall>(options, options_size));
    FIRTH_RETURN_IF_ERROR(CheckPlace("documents", documents));
    FIRTH_ASSIGN_OR_RETURN(const Checkpointing checkpointing,
                           call.checkpoints.Read());
    FIRTH_ASSIGN_OR_RETURN(const Documents read,
                           AddTags(text->corpus, tags_of));
    TrainReport told;
    FIRTH_ASSIGN_OR_RETURN(
        const DocumentModel model,
        DocumentModel::Train(read, call.training, hooks, &told, checkpointing));
    return SetBoth(
        std::make_shared<FirthDocuments>(model.With(text->reading, {})),
        documents, MakeBuffer(ReportOf(read, told)), report);
  };
  return AnswerTraining(progress, context, train);
}

FirthStatus* firth_documents_load(const char* path, int64_t path_size,
                                  FirthDocuments** documents) {
  return Answer([&]() -> absl::Status {
    FIRTH_ASSIGN_OR_RETURN(const std::string file, PathOf(path, path_size));
    FIRTH_RETURN_IF_ERROR(CheckPlace("documents", documents));
    return SetHandle(documents, DocumentModel::Load(file));
  });
}

FirthStatus* firth_documents_save(const FirthDocuments* documents,
                                  const char* path, int64_t path_size) {
  return Answer([&]() -> absl::Status {
    FIRTH_ASSIGN_OR_RETURN(const auto model, Take("documents", documents));
    FIRTH_ASSIGN_OR_RETURN(const std::string file, PathOf(path, path_size));
    return model->Save(file);
  });
}

void firth_documents_free(FirthDocuments* documents) { FreeHandle(documents); }

FirthStatus* firth_documents_annotate(const FirthDocuments* documents,
                                      const char* metadata,
                                      int64_t metadata_size,
                                      FirthDocuments** annotated) {
  return Answer([&]() -> absl::Status {
    FIRTH_ASSIGN_OR_RETURN(const auto model, Take("documents", documents));
    FIRTH_ASSIGN_OR_RETURN(const absl::string_view json,
                           TextOf("metadata", metadata, metadata_size));
    FIRTH_ASSIGN_OR_RETURN(auto added,
                           TextsByName("metadata", json.empty() ? "{}" : json));
    FIRTH_RETURN_IF_ERROR(CheckPlace("annotated", annotated));
    std::map<std::string, std::string> all = model->metadata();
    added.merge(all);
    return SetHandle(annotated, std::make_shared<FirthDocuments>(model->With(
                                    model->reading(), std::move(added))));
  });
}

FirthStatus* firth_documents_describe(const FirthDocuments* documents,
                                      FirthBuffer** json) {
  return Answer([&]() -> absl::Status {
    FIRTH_ASSIGN_OR_RETURN(const auto model, Take("documents", documents));
    FIRTH_RETURN_IF_ERROR(CheckPlace("json", json));
    return SetHandle(
        json, MakeBuffer(OrderedJson{
                  {"documents", model->documents().size()},
                  {"words", model->vocabulary().size()},
                  {"dim", model->documents().dim()},
                  {"word_vectors", model->options().has_word_vectors()},
                  {"options", OrderedJson::parse(FieldsJson(model->options()))},
                  {"metadata", model->metadata()}}));
  });
}

FirthStatus* firth_documents_vectors(const FirthDocuments* documents,
                                     FirthVectors** vectors) {
  return Answer([&]() -> absl::Status {
    FIRTH_ASSIGN_OR_RETURN(const auto model, Take("documents", documents));
    FIRTH_RETURN_IF_ERROR(CheckPlace("vectors", vectors));
    VectorFile file;
    file.vectors = model->documents();
    file.metadata = model->metadata();
    return SetHandle(vectors, std::make_shared<FirthVectors>(std::move(file)));
  });
}

FirthStatus* firth_documents_words(const FirthDocuments* documents,
                                   FirthVectors** vectors) {
  return Answer([&]() -> absl::Status {
    FIRTH_ASSIGN_OR_RETURN(const auto model, Take("documents", documents));
    FIRTH_RETURN_IF_ERROR(CheckPlace("vectors", vectors));
    FIRTH_ASSIGN_OR_RETURN(VectorFile file, WordsOf(*model));
    return SetHandle(vectors, std::make_shared<FirthVectors>(std::move(file)));
  });
}

FirthStatus* firth_documents_infer(const FirthDocuments* documents,
                                   const char* words, const int64_t* offsets,
                                   const int64_t* sentences, int64_t n,
                                   const char* options, int64_t options_size,
                                   FirthProgress progress, void* context,
                                   float* rows, int64_t* known) {
  return AnswerLong(progress, context, [&](const Hooks& hooks) -> absl::Status {
    FIRTH_ASSIGN_OR_RETURN(const auto model, Take("documents", documents));
    FIRTH_ASSIGN_OR_RETURN(const auto texts,
                           SentencesOf(words, offsets, sentences, n));
    FIRTH_ASSIGN_OR_RETURN(const auto call,
                           OptionsOf<InferOptions>(options, options_size));
    FIRTH_RETURN_IF_ERROR(CheckArray("rows", rows, n));
    std::vector<float> found(texts.size() * model->documents().dim());
    std::vector<uint64_t> counts(texts.size());
    FIRTH_RETURN_IF_ERROR(
        model->Infer(texts, call, hooks, found.data(), absl::MakeSpan(counts)));
    std::copy(found.begin(), found.end(), rows);
    if (known != nullptr) std::copy(counts.begin(), counts.end(), known);
    return absl::OkStatus();
  });
}

}  // extern "C"

}  // namespace firth::c
