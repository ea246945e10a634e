// The options of the calls of the C interface that are not just a struct of the
// library. docs/reference/c.md lists them by call.

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

  static FieldTable Fields();
};

struct VectorSaving {
  std::string format;
  bool lossy = false;

  static FieldTable Fields();
};

struct SearchSettings {
  SearchOptions search;
  std::string index;      // a file; of HnswSearch
  uint64_t restrict = 0;  // words, the most frequent; 0: all

  static FieldTable Fields();
};

struct SumSettings {
  AnalogyMethod method = AnalogyMethod::kAdd;

  static FieldTable Fields();
};

// How words are joined, and which words and phrases of the result stay.
struct PhraseCall {
  PhraseOptions joining;
  VocabularyOptions kept;

  static FieldTable Fields();
};

struct LanguageModelCall {
  LanguageModelTraining training;
  std::vector<std::string> valid;  // files
  CheckpointFiles checkpoints;

  static FieldTable Fields();
};

struct GenerateCall {
  GenerateOptions options;
  std::vector<std::string> prompt;

  static FieldTable Fields();
};

struct TaggerOpening {
  int threads = 0;
  std::string vectors;
  std::string contextualizer;

  static FieldTable Fields();
};

struct ClassifierStart {
  ClassifierOptions training;
  std::string vectors;
  std::string contextualizer;

  static FieldTable Fields();
};

struct ClassifierCall {
  ClassifierStart start;
  CheckpointFiles checkpoints;

  static FieldTable Fields();
};

struct ClassifierOpening {
  std::string contextualizer;

  static FieldTable Fields();
};

struct ProbabilityCall {
  int threads = 0;

  static FieldTable Fields();
};

struct PredictionCall {
  uint64_t top = 1;
  double threshold = -1;  // -1: none
  int threads = 0;

  static FieldTable Fields();
};

struct QuantizationCall {
  uint64_t max_bytes = 1 << 20;
  bool retrain = true;

  static FieldTable Fields();
};

}  // namespace firth::c

#endif  // FIRTH_C_CALL_OPTIONS_H_
