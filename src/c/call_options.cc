// The options of a call are those of the library's structs that it needs, as
// parts, and what the program takes as arguments or reads from files.

#include "c/call_options.h"

namespace firth::c {

FieldTable VectorOpening::Fields() {
  FieldsOf<VectorOpening> fields;
  fields.Add("format", &VectorOpening::format,
             "format of the file; by default it is detected from the content");
  fields.Choice("duplicates", &VectorOpening::duplicates, {"error", "first"},
                "what to do with a word that occurs twice: fail, or keep its "
                "first vector");
  fields.Add(
      "checked", &VectorOpening::checked,
      "check all values and words when loading, instead of when they are used");
  fields.Add("training", &VectorOpening::training,
             "check everything when loading, and convert rows in other forms "
             "to floats, as training requires");
  return fields;
}

FieldTable VectorSaving::Fields() {
  FieldsOf<VectorSaving> fields;
  fields.Add("format", &VectorSaving::format,
             "format of the file; by default it follows from the extension");
  fields.Add("lossy", &VectorSaving::lossy,
             "leave out words and n-grams that the format cannot hold, with a "
             "warning, instead of failing");
  return fields;
}

FieldTable SearchSettings::Fields() {
  FieldsOf<SearchSettings> fields;
  fields.Variant("search", &SearchSettings::search,
                 "search method. exact: compares all vectors; int8: compares "
                 "vectors rounded to bytes first; hnsw: uses the graph of an "
                 "index, which may miss some words");
  fields
      .Add("index", &SearchSettings::index,
           "path to the index file that firth_index_build() wrote")
      .Place()
      .Needs({"search"}, {"hnsw"});
  fields.Add("restrict", &SearchSettings::restrict,
             "consider only this many words as answers, the most frequent "
             "ones; 0 means all");
  return fields;
}

FieldTable SumSettings::Fields() {
  FieldsOf<SumSettings> fields;
  fields.Choice("method", &SumSettings::method, {"add", "mul"},
                "how words are found: 3CosAdd or 3CosMul");
  return fields;
}

FieldTable PhraseCall::Fields() {
  FieldsOf<PhraseCall> fields;
  fields.Part(&PhraseCall::joining, "phrase-");
  fields.Part(&PhraseCall::kept);
  return fields;
}

FieldTable LanguageModelCall::Fields() {
  FieldsOf<LanguageModelCall> fields;
  fields.Part(&LanguageModelCall::training);
  fields
      .Add("valid", &LanguageModelCall::valid,
           "text on which the perplexity is measured; the result is the model "
           "that is best there")
      .Place();
  fields.Part(&LanguageModelCall::checkpoints);
  return fields;
}

FieldTable GenerateCall::Fields() {
  FieldsOf<GenerateCall> fields;
  fields.Part(&GenerateCall::options);
  fields.Add("prompt", &GenerateCall::prompt,
             "words at the beginning of the sentence");
  return fields;
}

FieldTable TaggerOpening::Fields() {
  FieldsOf<TaggerOpening> fields;
  fields.Add("vectors", &TaggerOpening::vectors,
             "path to the vector file that it was trained with");
  fields.Add("contextualizer", &TaggerOpening::contextualizer,
             "path to the language model that it was trained with");
  fields
      .Add("threads", &TaggerOpening::threads,
           "number of threads; with 2, each direction has its own; 0 depends "
           "on the number of cores")
      .Range(0, kMostThreads);
  return fields;
}

FieldTable ClassifierStart::Fields() {
  FieldsOf<ClassifierStart> fields;
  fields.Part(&ClassifierStart::training);
  fields
      .Add("vectors", &ClassifierStart::vectors,
           "path to a vector file with the initial vectors of the words")
      .Place();
  fields
      .Add(
          "contextualizer", &ClassifierStart::contextualizer,
          "path to a language model whose states are also features of the text")
      .Place();
  return fields;
}

FieldTable ClassifierCall::Fields() {
  FieldsOf<ClassifierCall> fields;
  fields.Part(&ClassifierCall::start);
  fields.Part(&ClassifierCall::checkpoints);
  return fields;
}

FieldTable ClassifierOpening::Fields() {
  FieldsOf<ClassifierOpening> fields;
  fields.Add("contextualizer", &ClassifierOpening::contextualizer,
             "path to the language model that it was trained with");
  return fields;
}

FieldTable ProbabilityCall::Fields() {
  FieldsOf<ProbabilityCall> fields;
  fields
      .Add("threads", &ProbabilityCall::threads,
           "number of threads; 0 means all cores")
      .Range(0, kMostThreads);
  return fields;
}

FieldTable PredictionCall::Fields() {
  FieldsOf<PredictionCall> fields;
  fields.Add("top", &PredictionCall::top,
             "maximum number of labels per text; 0 means all");
  fields
      .Add("threshold", &PredictionCall::threshold,
           "minimum probability of a label")
      .Range(0, 1)
      .Automatic(-1,
                 "-1, which means the trained thresholds, if there are any");
  fields
      .Add("threads", &PredictionCall::threads,
           "number of threads; 0 means all cores")
      .Range(0, kMostThreads);
  return fields;
}

FieldTable QuantizationCall::Fields() {
  FieldsOf<QuantizationCall> fields;
  fields
      .Add("max-size", &QuantizationCall::max_bytes,
           "maximum size of the file in bytes")
      .Range(1, Field::kUnlimited);
  fields.Add(
      "retrain", &QuantizationCall::retrain,
      "train the remaining weights again on the texts, if there are any");
  return fields;
}

}  // namespace firth::c
