// The part of the table of calls about: language models, taggers and
// sequence-to-sequence models.

#include <cstdint>
#include <string>
#include <vector>

#include "c/call_table.h"
#include "firth/firth.h"

namespace firth {

std::vector<Call> ModelCalls(const WrongArguments& wrong,
                             const CallFiles& files) {
  using A = Arguments;
  return {
      {"firth_language_model_load",
       {wrong.path},
       {"model"},
       [](const A& a) {
         return firth_language_model_load(a.PathBytes(), a.path_size,
                                          a.Place("model", &a.out->model));
       },
       Opens(files.model_path, "")},
      {"firth_language_model_train",
       {wrong.corpus, wrong.options, {"vectors", wrong.initial.second}},
       {"model"},
       [](const A& a) {
         return firth_language_model_train(
             a.corpus, a.OptionBytes(), a.options_size, a.initial, a.progress,
             nullptr, a.Place("model", &a.out->model), nullptr);
       },
       Opens("", R"({"min-count": 1, "units": 4, "projection": 2, "layers": 1,
                    "epochs": 1, "head": "softmax", "batch": 1})")},
      {"firth_language_model_save",
       {wrong.model, wrong.path},
       {},
       [](const A& a) {
         return firth_language_model_save(a.model, a.PathBytes(), a.path_size);
       },
       Opens(files.folder.File("saved-lm.safetensors"), "")},
      {"firth_language_model_describe",
       {wrong.model},
       {"json"},
       [](const A& a) {
         return firth_language_model_describe(a.model,
                                              a.Place("json", &a.out->buffer));
       }},
      {"firth_language_model_embed",
       {wrong.model, wrong.words, wrong.offsets, wrong.sentences, wrong.n,
        wrong.options},
       {"values"},
       [](const A& a) {
         return firth_language_model_embed(a.model, a.text, a.offsets,
                                           a.sentences, a.n, a.OptionBytes(),
                                           a.options_size, a.progress, nullptr,
                                           a.Place("values", &a.out->buffer));
       }},
      {"firth_language_model_score",
       {wrong.model, wrong.words, wrong.offsets, wrong.sentences, wrong.n},
       {"scores"},
       [](const A& a) {
         return firth_language_model_score(
             a.model, a.text, a.offsets, a.sentences, a.n, a.progress, nullptr,
             a.Place("scores", a.out->doubles), nullptr, nullptr);
       }},
      {"firth_language_model_perplexity",
       {wrong.model, wrong.corpus, wrong.options},
       {"report"},
       [](const A& a) {
         return firth_language_model_perplexity(
             a.model, a.corpus, a.OptionBytes(), a.options_size, a.progress,
             nullptr, a.Place("report", &a.out->buffer));
       }},
      {"firth_language_model_generate",
       {wrong.model, wrong.options},
       {"report"},
       [](const A& a) {
         return firth_language_model_generate(
             a.model, a.OptionBytes(), a.options_size, a.progress, nullptr,
             a.Place("report", &a.out->buffer));
       }},
      {"firth_seq2seq_load",
       {wrong.path},
       {"model"},
       [](const A& a) {
         return firth_seq2seq_load(a.PathBytes(), a.path_size,
                                   a.Place("model", &a.out->seq2seq));
       },
       Opens(files.seq2seq_path, "")},
      {"firth_tagger_load",
       {wrong.path, wrong.options},
       {"tagger"},
       [](const A& a) {
         return firth_tagger_load(a.PathBytes(), a.path_size, a.OptionBytes(),
                                  a.options_size,
                                  a.Place("tagger", &a.out->tagger));
       },
       Opens(files.tagger_path, files.tagger_options)},
      {"firth_tagger_tags",
       {wrong.tagger},
       {"json"},
       [](const A& a) {
         return firth_tagger_tags(a.tagger, a.Place("json", &a.out->buffer));
       }},
      {"firth_tagger_tag",
       {wrong.tagger, wrong.words, wrong.offsets, wrong.sentences, wrong.n},
       {"tags"},
       [](const A& a) {
         return firth_tagger_tag(a.tagger, a.text, a.offsets, a.sentences, a.n,
                                 a.progress, nullptr,
                                 a.Place("tags", a.out->tags), nullptr);
       }},
  };
}

}  // namespace firth
