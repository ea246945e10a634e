// The options of a call are those of the library's structs that it needs, as
// parts, and what the program takes as arguments or reads from files.

#include "c/call_options.h"

namespace firth::c {

FieldTable VectorOpening::Fields() {
  FieldsOf<VectorOpening> fields;
  fields.Add("format", &VectorOpening::format,
             "the format; else content tells");
  fields.Choice("duplicates", &VectorOpening::duplicates, {"error", "first"},
                "a word that stands twice: fail, or keep its first vector");
  fields.Add("checked", &VectorOpening::checked,
             "look at all values and words now, not when they are asked for");
  fields.Add("training", &VectorOpening::training,
             "check all now, and make floats of rows in another form, as a "
             "training needs them");
  return fields;
}

FieldTable VectorSaving::Fields() {
  FieldsOf<VectorSaving> fields;
  fields.Add("format", &VectorSaving::format,
             "the format; else the extension tells");
  fields.Add("lossy", &VectorSaving::lossy,
             "leave out words and n-grams that the format cannot hold, with a "
             "warning, instead of failing");
  return fields;
}

FieldTable SearchSettings::Fields() {
  FieldsOf<SearchSettings> fields;
  fields.Variant("search", &SearchSettings::search,
                 "how to look: at all vectors; first at the vectors rounded to "
                 "bytes; through the graph of an index, which may miss some");
  fields
      .Add("index", &SearchSettings::index,
           "the file of the index that firth_index_build() made")
      .Place()
      .Needs({"search"}, {"hnsw"});
  fields.Add("restrict", &SearchSettings::restrict,
             "look for answers among this many words only, the most frequent "
             "ones; 0: all");
  return fields;
}

FieldTable SumSettings::Fields() {
  FieldsOf<SumSettings> fields;
  fields.Choice("method", &SumSettings::method, {"add", "mul"},
                "how words are looked for: 3CosAdd or 3CosMul");
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
           "text to measure the perplexity on; the model that is best there is "
           "the result")
      .Place();
  fields.Part(&LanguageModelCall::checkpoints);
  return fields;
}

FieldTable GenerateCall::Fields() {
  FieldsOf<GenerateCall> fields;
  fields.Part(&GenerateCall::options);
  fields.Add("prompt", &GenerateCall::prompt, "words to begin with");
  return fields;
}

FieldTable TaggerOpening::Fields() {
  FieldsOf<TaggerOpening> fields;
  fields.Add("vectors", &TaggerOpening::vectors,
             "the vector file that it was trained with");
  fields.Add("contextualizer", &TaggerOpening::contextualizer,
             "the language model that it was trained with");
  fields
      .Add("threads", &TaggerOpening::threads,
           "2 use one for each direction; 0: as cores are there")
      .Range(0, kMostThreads);
  return fields;
}

FieldTable ClassifierStart::Fields() {
  FieldsOf<ClassifierStart> fields;
  fields.Part(&ClassifierStart::training);
  fields
      .Add("vectors", &ClassifierStart::vectors,
           "a vector file that the words start from")
      .Place();
  fields
      .Add("contextualizer", &ClassifierStart::contextualizer,
           "a language model whose states of the text are read, too")
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
             "the language model that it was trained with");
  return fields;
}

FieldTable ProbabilityCall::Fields() {
  FieldsOf<ProbabilityCall> fields;
  fields
      .Add("threads", &ProbabilityCall::threads,
           "threads to work with; 0: all cores")
      .Range(0, kMostThreads);
  return fields;
}

FieldTable PredictionCall::Fields() {
  FieldsOf<PredictionCall> fields;
  fields.Add("top", &PredictionCall::top, "the most labels of a text; 0: all");
  fields
      .Add("threshold", &PredictionCall::threshold,
           "labels that are at least so probable")
      .Range(0, 1)
      .Automatic(-1, "-1: the thresholds that were learnt, if any");
  fields
      .Add("threads", &PredictionCall::threads,
           "threads to work with; 0: all cores")
      .Range(0, kMostThreads);
  return fields;
}

FieldTable QuantizationCall::Fields() {
  FieldsOf<QuantizationCall> fields;
  fields
      .Add("max-size", &QuantizationCall::max_bytes,
           "bytes that the file may have")
      .Range(1, Field::kUnlimited);
  fields.Add("retrain", &QuantizationCall::retrain,
             "fit what is left to the texts, if there are any");
  return fields;
}

}  // namespace firth::c
