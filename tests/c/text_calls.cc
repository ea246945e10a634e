// The part of the table of calls about: evaluation, vectors of texts, corpora
// and trainings.

#include <cstdint>
#include <string>
#include <vector>

#include "c/call_table.h"
#include "firth/firth.h"

namespace firth {

std::vector<Call> TextCalls(const WrongArguments& wrong,
                            const CallFiles& files) {
  using A = Arguments;
  return {
      {"firth_sentence_encoder_create",
       {wrong.vectors, wrong.options},
       {"encoder"},
       [](const A& a) {
         return firth_sentence_encoder_create(
             a.vectors, a.OptionBytes(), a.options_size,
             a.Place("encoder", &a.out->encoder));
       }},
      {"firth_sentence_encoder_encode",
       {wrong.encoder, {"texts", {Null(&A::text)}}, wrong.offsets, wrong.n},
       {"rows"},
       [](const A& a) {
         return firth_sentence_encoder_encode(
             a.encoder, a.text, a.offsets, a.n, a.progress, nullptr,
             a.Place("rows", a.out->rows), nullptr);
       }},
      {"firth_corpus_read",
       {wrong.options, wrong.update},
       {"corpus"},
       [](const A& a) {
         return firth_corpus_read(a.OptionBytes(), a.options_size, a.update,
                                  a.progress, nullptr,
                                  a.Place("corpus", &a.out->corpus));
       },
       Opens("", R"({"min-count": 1, "input": [")" +
                     files.folder.File("text.txt") + "\"]}")},
      {"firth_sentence_sink_add",
       {{"sink", {Null(&A::sink)}}},
       {},
       [](const A& a) {
         if (a.sink != nullptr) return static_cast<FirthStatus*>(nullptr);
         return firth_sentence_sink_add(a.sink, a.text, a.offsets, a.sentences,
                                        a.n);
       },
       // What it is given in a call corpus_test.cc tests.
       [](Arguments* a) {
         a->sink = reinterpret_cast<FirthSentenceSink*>(a->out);
       }},
      {"firth_corpus_read_sentences",
       {wrong.options, {"next", {Null(&A::next)}}, wrong.update},
       {"corpus"},
       [](const A& a) {
         bool given = false;
         return firth_corpus_read_sentences(
             a.next, a.OptionBytes(), a.options_size, a.update, a.progress,
             &given, a.Place("corpus", &a.out->corpus));
       },
       Opens("", R"({"min-count": 1})")},
      {"firth_corpus_describe",
       {wrong.corpus},
       {"json"},
       [](const A& a) {
         return firth_corpus_describe(a.corpus,
                                      a.Place("json", &a.out->buffer));
       }},
      {"firth_corpus_words",
       {wrong.corpus},
       {"bytes", "offsets", "count"},
       [](const A& a) {
         return firth_corpus_words(a.corpus,
                                   a.Place("bytes", &a.out->lent_bytes),
                                   a.Place("offsets", &a.out->lent_numbers),
                                   a.Place("count", &a.out->number));
       }},
      {"firth_corpus_counts",
       {wrong.corpus},
       {"counts"},
       [](const A& a) {
         return firth_corpus_counts(a.corpus,
                                    a.Place("counts", &a.out->lent_numbers));
       }},
      {"firth_corpus_join_phrases",
       {wrong.corpus, wrong.options},
       {"joined"},
       [](const A& a) {
         return firth_corpus_join_phrases(
             a.corpus, a.OptionBytes(), a.options_size, a.progress, nullptr,
             a.Place("joined", &a.out->corpus), nullptr);
       },
       Opens("", R"({"min-count": 1})")},
      {"firth_train",
       {wrong.corpus, wrong.options, wrong.initial},
       {"vectors"},
       [](const A& a) {
         return firth_train(a.corpus, a.OptionBytes(), a.options_size,
                            a.initial, a.progress, nullptr,
                            a.Place("vectors", &a.out->vectors), nullptr);
       },
       Opens("", R"({"dim": 4, "epochs": 1, "threads": 1, "sample": 0})")},
      {"firth_documents_read",
       {wrong.options},
       {"corpus"},
       [](const A& a) {
         return firth_documents_read(nullptr, a.OptionBytes(), a.options_size,
                                     a.progress, nullptr,
                                     a.Place("corpus", &a.out->corpus));
       },
       Opens("", files.text_options)},
      {"firth_documents_train",
       {wrong.document_corpus,
        {"tags", {Null(&A::text)}},
        wrong.offsets,
        {"tag_lists", BadOffsets(&A::sentences)},
        wrong.n,
        wrong.options},
       {"documents"},
       [](const A& a) {
         return firth_documents_train(
             a.document_corpus, a.text, a.offsets, a.sentences, a.n,
             a.OptionBytes(), a.options_size, a.progress, nullptr,
             a.Place("documents", &a.out->documents), nullptr);
       },
       Opens("", R"({"dim": 4, "epochs": 1, "threads": 1})")},
      {"firth_documents_load",
       {wrong.path},
       {"documents"},
       [](const A& a) {
         return firth_documents_load(a.PathBytes(), a.path_size,
                                     a.Place("documents", &a.out->documents));
       },
       Opens(files.documents_path, "")},
      {"firth_documents_save",
       {wrong.documents, wrong.path},
       {},
       [](const A& a) {
         return firth_documents_save(a.documents, a.PathBytes(), a.path_size);
       },
       Opens(files.folder.File("saved.safetensors"), "")},
      {"firth_documents_annotate",
       {wrong.documents, {"metadata", BadOptions()}},
       {"annotated"},
       [](const A& a) {
         return firth_documents_annotate(
             a.documents, a.OptionBytes(), a.options_size,
             a.Place("annotated", &a.out->documents));
       }},
      {"firth_documents_describe",
       {wrong.documents},
       {"json"},
       [](const A& a) {
         return firth_documents_describe(a.documents,
                                         a.Place("json", &a.out->buffer));
       }},
      {"firth_documents_vectors",
       {wrong.documents},
       {"vectors"},
       [](const A& a) {
         return firth_documents_vectors(a.documents,
                                        a.Place("vectors", &a.out->vectors));
       }},
      {"firth_documents_words",
       {wrong.documents},
       {"vectors"},
       [](const A& a) {
         return firth_documents_words(a.documents,
                                      a.Place("vectors", &a.out->vectors));
       }},
      {"firth_documents_infer",
       {wrong.documents, wrong.words, wrong.offsets, wrong.sentences, wrong.n,
        wrong.options},
       {"rows"},
       [](const A& a) {
         return firth_documents_infer(a.documents, a.text, a.offsets,
                                      a.sentences, a.n, a.OptionBytes(),
                                      a.options_size, a.progress, nullptr,
                                      a.Place("rows", a.out->rows), nullptr);
       }},
      {"firth_epoch_vectors",
       {},
       {"vectors"},
       // What it copies during a training corpus_test.cc tests.
       [](const A& a) {
         if (a.gone.empty()) return static_cast<FirthStatus*>(nullptr);
         return firth_epoch_vectors(a.Place("vectors", &a.out->vectors));
       }},
  };
}

}  // namespace firth
