// The part of the table of calls about: texts with labels and classifiers.

#include <cstdint>
#include <string>
#include <vector>

#include "c/call_table.h"
#include "firth/firth.h"

namespace firth {

std::vector<Call> ClassifierCalls(const WrongArguments& wrong,
                                  const CallFiles& files) {
  using A = Arguments;
  const Breakage one_thread = Opens("", R"({"threads": 1})");
  return {
      {"firth_labelled_texts_create",
       {wrong.texts,
        wrong.offsets,
        {"labels", {Null(&A::labels)}},
        {"label_offsets", BadOffsets(&A::exclude_offsets)},
        {"label_lists", BadOffsets(&A::sentences)},
        wrong.n},
       {"labelled"},
       [](const A& a) {
         return firth_labelled_texts_create(
             a.text, a.offsets, a.labels, a.exclude_offsets, a.sentences, a.n,
             a.Place("labelled", &a.out->labelled));
       }},
      {"firth_labelled_texts_read",
       {wrong.options},
       {"labelled"},
       [](const A& a) {
         return firth_labelled_texts_read(
             a.OptionBytes(), a.options_size, a.progress, nullptr,
             a.Place("labelled", &a.out->labelled));
       },
       Opens("", files.labelled_options)},
      {"firth_classifier_train",
       {wrong.labelled, wrong.valid, wrong.options},
       {"classifier"},
       [](const A& a) {
         return firth_classifier_train(
             a.labelled, a.valid, a.OptionBytes(), a.options_size, a.progress,
             nullptr, a.Place("classifier", &a.out->classifier), nullptr);
       },
       one_thread},
      {"firth_classifier_load",
       {wrong.path, wrong.options},
       {"classifier"},
       [](const A& a) {
         return firth_classifier_load(
             a.PathBytes(), a.path_size, a.OptionBytes(), a.options_size,
             a.Place("classifier", &a.out->classifier));
       },
       Opens(files.classifier_path, "")},
      {"firth_classifier_save",
       {wrong.classifier, wrong.path},
       {},
       [](const A& a) {
         return firth_classifier_save(a.classifier, a.PathBytes(), a.path_size);
       },
       Opens(files.folder.File("saved-c.safetensors"), "")},
      {"firth_classifier_describe",
       {wrong.classifier},
       {"json"},
       [](const A& a) {
         return firth_classifier_describe(a.classifier,
                                          a.Place("json", &a.out->buffer));
       }},
      {"firth_classifier_probabilities",
       {wrong.classifier, wrong.texts, wrong.offsets, wrong.n, wrong.options},
       {"probabilities"},
       [](const A& a) {
         return firth_classifier_probabilities(
             a.classifier, a.text, a.offsets, a.n, a.OptionBytes(),
             a.options_size, a.progress, nullptr,
             a.Place("probabilities", a.out->rows), nullptr);
       }},
      {"firth_classifier_predict",
       {wrong.classifier, wrong.texts, wrong.offsets, wrong.n, wrong.options},
       {"ends", "labels"},
       [](const A& a) {
         return firth_classifier_predict(
             a.classifier, a.text, a.offsets, a.n, a.OptionBytes(),
             a.options_size, a.progress, nullptr, a.Place("ends", a.out->ids),
             a.Place("labels", &a.out->buffer), nullptr);
       }},
      {"firth_classifier_explain",
       {wrong.classifier,
        {"text", {Null(&A::text), Negative(&A::text_size)}},
        wrong.label,
        wrong.k},
       {"json"},
       [](const A& a) {
         return firth_classifier_explain(a.classifier, a.text, a.text_size,
                                         a.label, a.k,
                                         a.Place("json", &a.out->buffer));
       }},
      {"firth_classifier_strongest",
       {wrong.classifier, wrong.label, wrong.k},
       {"json"},
       [](const A& a) {
         return firth_classifier_strongest(a.classifier, a.label, a.k,
                                           a.Place("json", &a.out->buffer));
       }},
      {"firth_classifier_evaluate",
       {wrong.classifier, wrong.labelled, wrong.options},
       {"report"},
       [](const A& a) {
         return firth_classifier_evaluate(
             a.classifier, a.labelled, a.OptionBytes(), a.options_size,
             a.progress, nullptr, a.Place("report", &a.out->buffer));
       }},
      {"firth_classifier_quantize",
       {wrong.classifier, {"train", wrong.valid.second}, wrong.options},
       {"quantized"},
       [](const A& a) {
         return firth_classifier_quantize(
             a.classifier, a.valid, a.OptionBytes(), a.options_size, a.progress,
             nullptr, a.Place("quantized", &a.out->classifier));
       }},
      {"firth_classifier_tune",
       {wrong.labelled, wrong.valid, wrong.start, wrong.options},
       {"report"},
       [](const A& a) {
         return firth_classifier_tune(a.labelled, a.valid, a.start,
                                      a.start_size, a.OptionBytes(),
                                      a.options_size, a.progress, nullptr,
                                      a.Place("report", &a.out->buffer));
       },
       Opens("", R"({"folds": 2, "budget": "1K", "threads": 1})")},
  };
}

}  // namespace firth
