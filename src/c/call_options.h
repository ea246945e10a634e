// The options of the calls of the C interface that are not just a struct of the
// library: those of several structs, and options for values that the program
// takes as arguments or reads from files. docs/reference/c.md lists them by
// call.

#ifndef FIRTH_C_CALL_OPTIONS_H_
#define FIRTH_C_CALL_OPTIONS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "firth/checkpoint.h"
#include "firth/classifier.h"
#include "firth/corpus.h"
#include "firth/documents.h"
#include "firth/fields.h"
#include "firth/language_model.h"
#include "firth/phrases.h"
#include "firth/query.h"
#include "firth/vector_io.h"

namespace firth::c {

struct VectorOpening {
  std::string format;
  DuplicateWords duplicates = DuplicateWords::kError;
  bool checked = false;
  bool training = false;

  static FieldTable Fields() {
    FieldsOf<VectorOpening> fields;
    fields.Add(
        "format", &VectorOpening::format,
        "set the file format; by default it is detected from the content");
    fields.Choice(
        "duplicates", &VectorOpening::duplicates, {"error", "first"},
        "choose what to do when a word occurs twice: fail (error), or "
        "keep its first vector (first)");
    fields.Add("checked", &VectorOpening::checked,
               "check all values and words while opening, instead of when they "
               "are first used");
    fields.Add("training", &VectorOpening::training,
               "check everything while opening, and convert quantized rows to "
               "floats, as training requires");
    return fields;
  }
};

struct VectorSaving {
  std::string format;
  bool lossy = false;

  static FieldTable Fields() {
    FieldsOf<VectorSaving> fields;
    fields.Add("format", &VectorSaving::format,
               "set the file format; by default the extension determines it");
    fields.Add("lossy", &VectorSaving::lossy,
               "drop words and n-grams that the format cannot store, with a "
               "warning, instead of failing");
    return fields;
  }
};

struct SearchSettings {
  SearchOptions search;
  std::string index;      // a file; of HnswSearch
  uint64_t restrict = 0;  // words, the most frequent; 0: all

  static FieldTable Fields() {
    FieldsOf<SearchSettings> fields;
    fields.Variant(
        "search", &SearchSettings::search,
        "choose the search: exact compares all vectors; int8 selects "
        "candidates "
        "by vectors rounded to bytes, then compares these exactly; hnsw "
        "follows "
        "the graph of an index, which is fastest but may miss some neighbors");
    fields.Add("index", &SearchSettings::index,
               "path to the index file that firth_index_build() wrote",
               Field().Place().Needs({"search"}, {"hnsw"}));
    fields.Add("restrict", &SearchSettings::restrict,
               "allow only this many of the most frequent words as answers; 0 "
               "means all");
    return fields;
  }
};

struct SumSettings {
  AnalogyMethod method = AnalogyMethod::kAdd;

  static FieldTable Fields() {
    FieldsOf<SumSettings> fields;
    fields.Choice(
        "method", &SumSettings::method, {"add", "mul"},
        "choose how an analogy is solved: add (3CosAdd) or mul (3CosMul)");
    return fields;
  }
};

// How words are joined, and which words and phrases of the result stay.
struct PhraseCall {
  PhraseOptions joining;
  VocabularyOptions kept;

  static FieldTable Fields() {
    FieldsOf<PhraseCall> fields;
    fields.Part(&PhraseCall::joining, "phrase-");
    fields.Part(&PhraseCall::kept);
    return fields;
  }
};

struct LanguageModelCall {
  LanguageModelTraining training;
  std::vector<std::string> valid;  // files
  CheckpointFiles checkpoints;

  static FieldTable Fields() {
    FieldsOf<LanguageModelCall> fields;
    fields.Part(&LanguageModelCall::training);
    fields.Add(
        "valid", &LanguageModelCall::valid,
        "path to held-out text; its perplexity is measured, and the result "
        "is the model with the lowest one",
        Field().Place());
    fields.Part(&LanguageModelCall::checkpoints);
    return fields;
  }
};

struct GenerateCall {
  GenerateOptions options;
  std::vector<std::string> prompt;

  static FieldTable Fields() {
    FieldsOf<GenerateCall> fields;
    fields.Part(&GenerateCall::options);
    fields.Add("prompt", &GenerateCall::prompt,
               "set the words that the generated text begins with");
    return fields;
  }
};

struct DocumentCall {
  CorpusOptions corpus;
  VocabularyOptions vocabulary;
  DocumentOptions training;
  CheckpointFiles checkpoints;

  static FieldTable Fields() {
    FieldsOf<DocumentCall> fields;
    fields.Part(&DocumentCall::corpus);
    fields.Part(&DocumentCall::vocabulary);
    fields.Part(&DocumentCall::training);
    fields.Part(&DocumentCall::checkpoints);
    return fields;
  }
};

struct TaggerOpening {
  int threads = 0;
  std::string vectors;
  std::string contextualizer;

  static FieldTable Fields() {
    FieldsOf<TaggerOpening> fields;
    fields.Add("vectors", &TaggerOpening::vectors,
               "path to the vector file that the tagger was trained with");
    fields.Add("contextualizer", &TaggerOpening::contextualizer,
               "path to the language model that the tagger was trained with");
    fields.Add(
        "threads", &TaggerOpening::threads,
        "number of threads; with 2, each direction has its own thread. 0 "
        "means all cores",
        Field().Range(0, kMostThreads));
    return fields;
  }
};

struct ClassifierStart {
  ClassifierOptions training;
  std::string vectors;
  std::string contextualizer;

  static FieldTable Fields() {
    FieldsOf<ClassifierStart> fields;
    fields.Part(&ClassifierStart::training);
    fields.Add("vectors", &ClassifierStart::vectors,
               "path to a vector file from which the vectors of words start",
               Field().Place());
    fields.Add(
        "contextualizer", &ClassifierStart::contextualizer,
        "path to a language model whose states of the text are features, "
        "too",
        Field().Place());
    return fields;
  }
};

struct ClassifierCall {
  ClassifierStart start;
  CheckpointFiles checkpoints;

  static FieldTable Fields() {
    FieldsOf<ClassifierCall> fields;
    fields.Part(&ClassifierCall::start);
    fields.Part(&ClassifierCall::checkpoints);
    return fields;
  }
};

struct ClassifierOpening {
  std::string contextualizer;

  static FieldTable Fields() {
    FieldsOf<ClassifierOpening> fields;
    fields.Add(
        "contextualizer", &ClassifierOpening::contextualizer,
        "path to the language model that the classifier was trained with");
    return fields;
  }
};

struct ProbabilityCall {
  int threads = 0;

  static FieldTable Fields() {
    FieldsOf<ProbabilityCall> fields;
    fields.Add("threads", &ProbabilityCall::threads,
               "number of threads; 0 means all cores",
               Field().Range(0, kMostThreads));
    return fields;
  }
};

struct PredictionCall {
  uint64_t top = 1;
  double threshold = -1;  // -1: none
  ProbabilityCall running;

  static FieldTable Fields() {
    FieldsOf<PredictionCall> fields;
    fields.Add("top", &PredictionCall::top,
               "maximum number of labels per text; 0 means all");
    fields.Add(
        "threshold", &PredictionCall::threshold,
        "minimum probability of a label",
        Field().Range(0, 1).Automatic(
            -1, "-1, which uses the thresholds estimated in training, if any"));
    fields.Part(&PredictionCall::running);
    return fields;
  }
};

struct QuantizationCall {
  uint64_t max_bytes = 1 << 20;
  bool retrain = true;

  static FieldTable Fields() {
    FieldsOf<QuantizationCall> fields;
    fields.Add("max-size", &QuantizationCall::max_bytes,
               "maximum size of the file, in bytes",
               Field().Range(1, Field::kUnlimited));
    fields.Add("retrain", &QuantizationCall::retrain,
               "retrain the remaining weights if texts are given");
    return fields;
  }
};

}  // namespace firth::c

#endif  // FIRTH_C_CALL_OPTIONS_H_
