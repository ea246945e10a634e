// The calls for questions in the table of all calls.

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "c/call_table.h"
#include "firth/firth.h"

namespace firth {
namespace {

std::atomic<int> count = 0;

// Gives a model a unique name, unless the arguments are wrong.
template <class Model>
FirthStatus* AddModel(const Arguments& a, const Model* model,
                      FirthStatus* (*add)(FirthModels*, const char*, int64_t,
                                          const Model*)) {
  const std::string name = absl::StrCat("m", count++);
  const bool is_right = a.text != nullptr && a.text_size >= 0;
  return add(const_cast<FirthModels*>(a.models),
             is_right ? name.data() : a.text,
             is_right ? SizeOf(name) : a.text_size, model);
}

}  // namespace

std::vector<Call> AskCalls(const WrongArguments& wrong, const CallFiles&) {
  using A = Arguments;
  const Broken name = {"name", {Null(&A::text), Negative(&A::text_size)}};
  return {
      {"firth_models_create",
       {},
       {"models"},
       [](const A& a) {
         return firth_models_create(a.Place("models", &a.out->models));
       }},
      {"firth_models_add_vectors",
       {wrong.models, wrong.vectors, name},
       {},
       [](const A& a) {
         return AddModel(a, a.vectors, firth_models_add_vectors);
       }},
      {"firth_models_add_search",
       {wrong.models, wrong.search, name},
       {},
       [](const A& a) {
         return AddModel(a, a.search, firth_models_add_search);
       }},
      {"firth_models_add_language_model",
       {wrong.models, wrong.model, name},
       {},
       [](const A& a) {
         return AddModel(a, a.model, firth_models_add_language_model);
       }},
      {"firth_models_add_tagger",
       {wrong.models, wrong.tagger, name},
       {},
       [](const A& a) {
         return AddModel(a, a.tagger, firth_models_add_tagger);
       }},
      {"firth_models_add_classifier",
       {wrong.models, wrong.classifier, name},
       {},
       [](const A& a) {
         return AddModel(a, a.classifier, firth_models_add_classifier);
       }},
      {"firth_models_add_seq2seq",
       {wrong.models, wrong.seq2seq, name},
       {},
       [](const A& a) {
         return AddModel(a, a.seq2seq, firth_models_add_seq2seq);
       }},
      {"firth_ask",
       {wrong.models,
        {"question", {Null(&A::text), Negative(&A::text_size)}},
        {"json", BadOptions()}},
       {"answers"},
       [](const A& a) {
         return firth_ask(a.models, a.text, a.text_size, a.OptionBytes(),
                          a.options_size, a.progress, nullptr,
                          a.Place("answers", &a.out->buffer));
       },
       [](Arguments* a) {
         a->text = "neighbors";
         a->text_size = 9;
         a->options = R"({"model": "v", "requests": [{"positive": ["w1"]}]})";
         a->options_size = SizeOf(a->options);
       }},
      {"firth_describe_build",
       {},
       {"json"},
       [](const A& a) {
         return firth_describe_build(a.Place("json", &a.out->buffer));
       }},
      {"firth_describe_questions",
       {},
       {"json"},
       [](const A& a) {
         return firth_describe_questions(a.Place("json", &a.out->buffer));
       }},
  };
}

}  // namespace firth
