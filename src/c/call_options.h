// The options of the calls of the C interface that are not just a struct of the
// library. docs/c.md lists them by call.

#ifndef FIRTH_C_CALL_OPTIONS_H_
#define FIRTH_C_CALL_OPTIONS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "firth/checkpoint.h"
#include "firth/classifier.h"
#include "firth/corpus.h"
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
};

struct VectorSaving {
  std::string format;
  bool lossy = false;
};

struct SearchSettings {
  SearchOptions search;
  std::string index;      // a file; of HnswSearch
  uint64_t restrict = 0;  // words, the most frequent; 0: all
};

struct SumSettings {
  AnalogyMethod method = AnalogyMethod::kAdd;
};

// How words are joined, and which words and phrases of the result stay.
struct PhraseCall {
  PhraseOptions joining;
  VocabularyOptions kept;
};

struct LanguageModelCall {
  LanguageModelTraining training;
  std::vector<std::string> valid;  // files
  CheckpointFiles checkpoints;
};

struct GenerateCall {
  GenerateOptions options;
  std::vector<std::string> prompt;
};

struct TaggerOpening {
  int threads = 0;
  std::string vectors;
  std::string contextualizer;
};

struct ClassifierStart {
  ClassifierOptions training;
  std::string vectors;
  std::string contextualizer;
};

struct ClassifierCall {
  ClassifierStart start;
  CheckpointFiles checkpoints;
};

struct ClassifierOpening {
  std::string contextualizer;
};

struct ProbabilityCall {
  int threads = 0;
};

struct PredictionCall {
  uint64_t top = 1;
  double threshold = -1;  // -1: none
  int threads = 0;
};

struct QuantizationCall {
  uint64_t max_bytes = 1 << 20;
  bool retrain = true;
};

FieldTable FieldsFor(const ClassifierStart*);
FieldTable FieldsFor(const ClassifierCall*);
FieldTable FieldsFor(const ClassifierOpening*);
FieldTable FieldsFor(const ProbabilityCall*);
FieldTable FieldsFor(const PredictionCall*);
FieldTable FieldsFor(const QuantizationCall*);
FieldTable FieldsFor(const VectorOpening*);
FieldTable FieldsFor(const VectorSaving*);
FieldTable FieldsFor(const SearchSettings*);
FieldTable FieldsFor(const SumSettings*);
FieldTable FieldsFor(const PhraseCall*);
FieldTable FieldsFor(const LanguageModelCall*);
FieldTable FieldsFor(const GenerateCall*);
FieldTable FieldsFor(const TaggerOpening*);

}  // namespace firth::c

#endif  // FIRTH_C_CALL_OPTIONS_H_
