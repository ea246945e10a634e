// The table of all calls that can fail, and what their arguments are: see
// every_call_test.cc.

#ifndef FIRTH_TESTS_C_CALL_TABLE_H_
#define FIRTH_TESTS_C_CALL_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "c/c_test_support.h"
#include "firth/classifier.h"
#include "firth/documents.h"
#include "firth/firth.h"
#include "firth/labelled_text.h"
#include "firth/seq2seq.h"
#include "firth/tagger.h"
#include "firth/vector_io.h"
#include "gtest/gtest.h"
#include "lm/model/language_model_file.h"
#include "lm/tiny_language_model.h"
#include "support/temp_files.h"
#include "support/tiny_vectors.h"

namespace firth {

// Files for all calls.
struct CallFiles {
  CallFiles() {
    VectorFile file;
    file.vectors = RandomVectors(8, 4, 1);
    EXPECT_EQ(SaveVectorFile(file, vectors_path, "safetensors"),
              absl::OkStatus());
    EXPECT_EQ(SaveLanguageModel(*TinyModel(TinyInput::kTable), model_path),
              absl::OkStatus());
    const std::vector<TaggedSentence> train = {
        SentenceOf({"w1", "w2"}, {"A", "B"})};
    TaggerOptions options;
    options.units = 2;
    options.epochs = 1;
    TaggerReport report;
    absl::StatusOr<Tagger> tagger =
        Tagger::Train(train, {}, {vectors_path, ""}, options, {}, &report);
    EXPECT_EQ(tagger->Save(tagger_path), absl::OkStatus());
    Seq2SeqOptions writing;
    writing.shape.units = 2;
    writing.epochs = 1;
    writing.threads = 1;
    const std::vector<TextPair> pairs = {{{"w1", "w2"}, {"w2"}}};
    Seq2SeqReport written;
    const absl::StatusOr<Seq2Seq> seq2seq =
        Seq2Seq::Train(pairs, {}, writing, {}, &written);
    EXPECT_EQ(seq2seq->Save(seq2seq_path), absl::OkStatus());
    folder.Write("text.txt", "the cat sat on the cat\nthe cat sat\n");
    folder.Write("labelled.txt",
                 "__label__a x y\n__label__b z u\n__label__a x v\n"
                 "__label__b z w\n__label__a x\n__label__b z\n");
    ClassifierReport learned;
    ClassifierOptions classifying;
    classifying.threads = 1;
    const absl::StatusOr<Classifier> classifier = Classifier::Train(
        *ReadLabelledText({.inputs = {folder.File("labelled.txt")}}), {}, {},
        classifying, {}, &learned);
    EXPECT_EQ(classifier->Save(classifier_path), absl::OkStatus());
    DocumentTextOptions reading;
    reading.corpus.inputs = {folder.File("text.txt")};
    reading.vocabulary.min_count = 1;
    const absl::StatusOr<Documents> documents = ReadDocuments(reading);
    DocumentOptions predicting;
    predicting.dim = 4;
    predicting.threads = 1;
    EXPECT_EQ(DocumentModel::Train(*documents, predicting, {}, nullptr)
                  ->Save(documents_path),
              absl::OkStatus());
    folder.Write("questions.txt", "w1 w2 w3 w4\n");
    folder.Write("pairs.txt", "w1 w2 1\nw2 w3 2\n");
  }

  TempFolder folder;
  std::string vectors_path = folder.File("v.safetensors");
  std::string model_path = folder.File("lm.safetensors");
  std::string tagger_path = folder.File("t.safetensors");
  std::string seq2seq_path = folder.File("s.safetensors");
  std::string classifier_path = folder.File("c.safetensors");
  std::string documents_path = folder.File("d.safetensors");
  std::string labelled_options =
      R"({"input": [")" + folder.File("labelled.txt") + "\"]}";
  std::string tagger_options = R"({"vectors": ")" + vectors_path + "\"}";
  std::string text_options =
      R"({"min-count": 1, "input": [")" + folder.File("text.txt") + "\"]}";
};

// Where calls put what they find.
struct Outputs {
  FirthVectors* vectors;
  FirthSearch* search;
  FirthSentenceEncoder* encoder;
  FirthCorpus* corpus;
  FirthLanguageModel* model;
  FirthTagger* tagger;
  FirthSeq2Seq* seq2seq;
  FirthDocuments* documents;
  FirthLabelledTexts* labelled;
  FirthClassifier* classifier;
  FirthModels* models;
  FirthBuffer* buffer;
  const float* lent_rows;
  const char* lent_bytes;
  const int64_t* lent_numbers;
  int64_t number, other_number;
  int64_t ids[16];
  float rows[64];
  double doubles[16];
  int32_t tags[16];
  int8_t from[16];
};

inline int32_t NoSentences(void*, FirthSentenceSink*) { return 0; }
// Hands over one sentence.
inline int32_t OneSentence(void* context, FirthSentenceSink* sink) {
  bool* const given = static_cast<bool*>(context);
  if (*given) return 0;
  *given = true;
  const int64_t offsets[] = {0, 1, 2, 3}, sentences[] = {0, 3};
  return firth_status_code(
      firth_sentence_sink_add(sink, "aba", offsets, sentences, 1));
}

// All arguments of a call, right until one is made wrong.
struct Arguments {
  const FirthVectors* vectors = nullptr;
  const FirthSearch* search = nullptr;
  const FirthSentenceEncoder* encoder = nullptr;
  const FirthCorpus* corpus = nullptr;
  const FirthLanguageModel* model = nullptr;
  const FirthTagger* tagger = nullptr;
  const FirthSeq2Seq* seq2seq = nullptr;
  const FirthDocuments* documents = nullptr;
  const FirthCorpus* document_corpus = nullptr;
  const FirthLabelledTexts* labelled = nullptr;
  const FirthLabelledTexts* valid = nullptr;  // may be null
  const FirthClassifier* classifier = nullptr;
  const FirthModels* models = nullptr;
  FirthSentenceSink* sink = nullptr;
  const FirthVectors* update = nullptr;   // may be null
  const FirthVectors* initial = nullptr;  // may be null
  FirthNextSentences next = OneSentence;
  std::string path;
  const char* path_bytes = nullptr;  // null: those of `path`
  int64_t path_size = 0;
  std::string options;
  const char* options_bytes = nullptr;
  int64_t options_size = 0;
  const char* start = nullptr;  // more options, of a search
  int64_t start_size = 0;
  const char* text = "w1w2w3";
  int64_t text_size = 2;
  const char* labels = "w1w2w3";
  int64_t label = 0;
  const int64_t* offsets = kOffsets;
  const int64_t* sentences = kSentences;
  const int64_t* numbers = kNumbers;
  const int64_t* more_numbers = kNumbers;
  const float* floats = kFloats;
  const float* weights = kFloats;
  const int64_t* exclude = kNumbers;
  const int64_t* exclude_offsets = kOffsets;
  int64_t n = 2;
  int64_t dim = 2;
  int64_t k = 2;
  FirthProgress progress = nullptr;
  // Places of results, which may be taken away.
  Outputs* out = nullptr;
  std::set<std::string> gone;

  // The place, or null where it was taken away.
  template <class T>
  T* Place(const char* name, T* place) const {
    return gone.contains(name) ? nullptr : place;
  }
  const char* PathBytes() const {
    return path_bytes != nullptr || path.empty() ? path_bytes : path.data();
  }
  const char* OptionBytes() const {
    return options_bytes != nullptr || options.empty() ? options_bytes
                                                       : options.data();
  }

  static constexpr int64_t kOffsets[] = {0, 2, 4, 6};
  static constexpr int64_t kSentences[] = {0, 1, 2};
  static constexpr int64_t kNumbers[] = {1, 2, 3, 4, 5, 6};
  static constexpr float kFloats[16] = {1, 2, 3, 4, 1, 0, 1, 0};
};

// A way to make an argument wrong.
using Breakage = std::function<void(Arguments*)>;
// An argument, as the header names it, with the ways to make it wrong.
using Broken = std::pair<std::string, std::vector<Breakage>>;

struct Call {
  std::string name;
  // Those that must be right.
  std::vector<Broken> arguments;
  std::vector<std::string> places;  // results that must have a place
  std::function<FirthStatus*(const Arguments&)> call;
  // What is different from the arguments of others.
  Breakage prepare = [](Arguments*) {};
};

template <class Object>
std::vector<Breakage> WrongHandles(const Object* Arguments::*argument,
                                   const void* freed, const void* other) {
  std::vector<Breakage> breakages = {
      [=](Arguments* a) { a->*argument = static_cast<const Object*>(freed); },
      [=](Arguments* a) { a->*argument = static_cast<const Object*>(other); }};
  breakages.push_back([=](Arguments* a) { a->*argument = nullptr; });
  return breakages;
}

inline std::vector<Breakage> BadOptions() {
  const auto text = [](std::string options) {
    return [=](Arguments* a) {
      a->options = options;
      a->options_size = SizeOf(options);
    };
  };
  return {text("{"),
          text("[]"),
          text("null"),
          text("{\"no-such\": 1}"),
          [](Arguments* a) { a->options_size = -1; },
          [](Arguments* a) {
            a->options.clear();
            a->options_size = 3;
          }};
}

// The same of the options that a search begins with.
inline std::vector<Breakage> BadStart() {
  const auto text = [](const char* start) {
    return [=](Arguments* a) {
      a->start = start;
      a->start_size = SizeOf(start);
    };
  };
  return {text("{"),
          text("[]"),
          text("{\"no-such\": 1}"),
          text("{\"dim\": -1}"),
          [](Arguments* a) { a->start_size = -1; },
          [](Arguments* a) { a->start_size = 3; }};
}

inline std::vector<Breakage> BadPaths() {
  return {[](Arguments* a) { a->path_size = 0; },
          [](Arguments* a) { a->path_size = -1; },
          [](Arguments* a) {
            a->path.clear();
            a->path_size = 3;
          },
          [](Arguments* a) {
            a->path = std::string("a\0b", 3);
            a->path_size = 3;
          }};
}

inline std::vector<Breakage> BadNumbers(const int64_t* Arguments::*argument) {
  static constexpr int64_t kNegative[] = {1, -1, 1};
  static constexpr int64_t kBeyond[] = {1, 8, 1};
  return {[=](Arguments* a) { a->*argument = nullptr; },
          [=](Arguments* a) { a->*argument = kNegative; },
          [=](Arguments* a) { a->*argument = kBeyond; }};
}

inline std::vector<Breakage> BadOffsets(const int64_t* Arguments::*argument) {
  static constexpr int64_t kFalling[] = {0, 2, 1, 3};
  static constexpr int64_t kNegative[] = {-1, 0, 1, 3};
  return {[=](Arguments* a) { a->*argument = nullptr; },
          [=](Arguments* a) { a->*argument = kFalling; },
          [=](Arguments* a) { a->*argument = kNegative; }};
}

template <class T>
Breakage Null(T Arguments::*argument) {
  return [=](Arguments* a) { a->*argument = nullptr; };
}

inline Breakage Negative(int64_t Arguments::*argument) {
  return [=](Arguments* a) { a->*argument = -1; };
}

// The arguments that many calls have. `freed` is a freed handle.
struct WrongArguments {
  WrongArguments(const Arguments& right, const void* freed)
      : vectors{"vectors",
                WrongHandles(&Arguments::vectors, freed, right.search)},
        search{"search",
               WrongHandles(&Arguments::search, freed, right.vectors)},
        encoder{"encoder",
                WrongHandles(&Arguments::encoder, freed, right.vectors)},
        corpus{"corpus",
               WrongHandles(&Arguments::corpus, freed, right.vectors)},
        model{"model", WrongHandles(&Arguments::model, freed, right.vectors)},
        tagger{"tagger",
               WrongHandles(&Arguments::tagger, freed, right.vectors)},
        seq2seq{"model",
                WrongHandles(&Arguments::seq2seq, freed, right.vectors)},
        documents{"documents",
                  WrongHandles(&Arguments::documents, freed, right.vectors)},
        document_corpus{"corpus", WrongHandles(&Arguments::document_corpus,
                                               freed, right.vectors)},
        labelled{"labelled",
                 WrongHandles(&Arguments::labelled, freed, right.vectors)},
        classifier{"classifier",
                   WrongHandles(&Arguments::classifier, freed, right.vectors)},
        models{"models",
               WrongHandles(&Arguments::models, freed, right.vectors)},
        valid{"valid", {[freed](Arguments* a) {
                a->valid = static_cast<const FirthLabelledTexts*>(freed);
              }}},
        update{"update", {[freed](Arguments* a) {
                 a->update = static_cast<const FirthVectors*>(freed);
               }}},
        initial{"initial", {[freed](Arguments* a) {
                  a->initial = static_cast<const FirthVectors*>(freed);
                }}} {}

  Broken vectors, search, encoder, corpus, model, tagger, seq2seq, documents,
      document_corpus, labelled, classifier, models;
  Broken valid, update, initial;  // which may be null
  Broken options = {"options", BadOptions()};
  Broken start = {"start", BadStart()};
  Broken path = {"path", BadPaths()};
  Broken n = {"n", {Negative(&Arguments::n)}};
  Broken k = {"k", {Negative(&Arguments::k)}};
  Broken offsets = {"offsets", BadOffsets(&Arguments::offsets)};
  Broken sentences = {"sentences", BadOffsets(&Arguments::sentences)};
  Broken words = {"words", {Null(&Arguments::text)}};
  Broken texts = {"texts", {Null(&Arguments::text)}};
  Broken label = {"label", {Negative(&Arguments::label)}};
  Broken exclude = {"exclude", BadNumbers(&Arguments::exclude)};
  Broken exclude_offsets = {"exclude_offsets",
                            BadOffsets(&Arguments::exclude_offsets)};
};

// Sets the path and the options.
inline Breakage Opens(const std::string& file, const std::string& options) {
  return [=](Arguments* a) {
    a->path = file;
    a->path_size = SizeOf(file);
    a->options = options;
    a->options_size = SizeOf(options);
  };
}

// The table, in five parts.
std::vector<Call> VectorCalls(const WrongArguments& wrong,
                              const CallFiles& files);
std::vector<Call> TextCalls(const WrongArguments& wrong,
                            const CallFiles& files);
std::vector<Call> ModelCalls(const WrongArguments& wrong,
                             const CallFiles& files);
std::vector<Call> ClassifierCalls(const WrongArguments& wrong,
                                  const CallFiles& files);
std::vector<Call> AskCalls(const WrongArguments& wrong, const CallFiles& files);

}  // namespace firth

#endif  // FIRTH_TESTS_C_CALL_TABLE_H_
