// The part of the table of calls about: word vectors and neighbours.

#include <cstdint>
#include <string>
#include <vector>

#include "c/call_table.h"
#include "firth/firth.h"

namespace firth {

std::vector<Call> VectorCalls(const WrongArguments& wrong,
                              const CallFiles& files) {
  using A = Arguments;
  return {
      {"firth_describe_options",
       {{"call", {Null(&A::text), Negative(&A::text_size)}}},
       {"json"},
       [](const A& a) {
         return firth_describe_options(a.text, a.text_size,
                                       a.Place("json", &a.out->buffer));
       },
       [](Arguments* a) {
         a->text = "query";
         a->text_size = 5;
       }},
      {"firth_vectors_load",
       {wrong.path, wrong.options},
       {"vectors"},
       [](const A& a) {
         return firth_vectors_load(a.PathBytes(), a.path_size, a.OptionBytes(),
                                   a.options_size, a.progress, nullptr,
                                   a.Place("vectors", &a.out->vectors));
       },
       Opens(files.vectors_path, "")},
      {"firth_vectors_create",
       {wrong.words,
        wrong.offsets,
        {"count", {Negative(&A::n)}},
        {"rows", {Null(&A::floats)}},
        {"dim", {Negative(&A::dim)}}},
       {"vectors"},
       [](const A& a) {
         return firth_vectors_create(a.text, a.offsets, a.n, a.floats, a.dim,
                                     nullptr,
                                     a.Place("vectors", &a.out->vectors));
       }},
      {"firth_vectors_annotate",
       {wrong.vectors, {"metadata", BadOptions()}},
       {"annotated"},
       [](const A& a) {
         return firth_vectors_annotate(a.vectors, a.OptionBytes(),
                                       a.options_size,
                                       a.Place("annotated", &a.out->vectors));
       }},
      {"firth_vectors_save",
       {wrong.vectors, wrong.path, wrong.options},
       {},
       [](const A& a) {
         return firth_vectors_save(a.vectors, a.PathBytes(), a.path_size,
                                   a.OptionBytes(), a.options_size, a.progress,
                                   nullptr);
       },
       Opens(files.folder.File("saved.safetensors"), "")},
      {"firth_vectors_shape",
       {wrong.vectors},
       {},
       [](const A& a) {
         return firth_vectors_shape(a.vectors, &a.out->number, nullptr);
       }},
      {"firth_vectors_describe",
       {wrong.vectors},
       {"json"},
       [](const A& a) {
         return firth_vectors_describe(a.vectors,
                                       a.Place("json", &a.out->buffer));
       }},
      {"firth_vectors_rows",
       {wrong.vectors},
       {"rows", "stride"},
       [](const A& a) {
         return firth_vectors_rows(a.vectors,
                                   a.Place("rows", &a.out->lent_rows),
                                   a.Place("stride", &a.out->number));
       }},
      {"firth_vectors_output_rows",
       {wrong.vectors},
       {"rows", "count", "stride"},
       [](const A& a) {
         return firth_vectors_output_rows(
             a.vectors, a.Place("rows", &a.out->lent_rows),
             a.Place("count", &a.out->number),
             a.Place("stride", &a.out->other_number));
       }},
      {"firth_vectors_copy",
       {wrong.vectors, {"ids", BadNumbers(&A::numbers)}},
       {"rows"},
       [](const A& a) {
         return firth_vectors_copy(a.vectors, a.numbers, a.n,
                                   a.Place("rows", a.out->rows));
       }},
      {"firth_vectors_words",
       {wrong.vectors},
       {"bytes", "offsets"},
       [](const A& a) {
         return firth_vectors_words(a.vectors,
                                    a.Place("bytes", &a.out->lent_bytes),
                                    a.Place("offsets", &a.out->lent_numbers));
       }},
      {"firth_vectors_counts",
       {wrong.vectors},
       {"counts"},
       [](const A& a) {
         return firth_vectors_counts(a.vectors,
                                     a.Place("counts", &a.out->lent_numbers));
       }},
      {"firth_vectors_find",
       {wrong.vectors, {"word", {Null(&A::text), Negative(&A::text_size)}}},
       {"id"},
       [](const A& a) {
         return firth_vectors_find(a.vectors, a.text, a.text_size,
                                   a.Place("id", &a.out->number));
       }},
      {"firth_vectors_find_all",
       {wrong.vectors, wrong.words, wrong.offsets, wrong.n},
       {"ids"},
       [](const A& a) {
         return firth_vectors_find_all(a.vectors, a.text, a.offsets, a.n,
                                       a.Place("ids", a.out->ids));
       }},
      {"firth_vectors_lookup",
       {wrong.vectors, wrong.words, wrong.offsets, wrong.n},
       {"rows", "from"},
       [](const A& a) {
         return firth_vectors_lookup(a.vectors, a.text, a.offsets, a.n,
                                     a.Place("rows", a.out->rows),
                                     a.Place("from", a.out->from));
       }},
      {"firth_search_create",
       {wrong.vectors, wrong.options},
       {"search"},
       [](const A& a) {
         return firth_search_create(a.vectors, a.OptionBytes(), a.options_size,
                                    a.progress, nullptr,
                                    a.Place("search", &a.out->search));
       }},
      {"firth_search_words",
       {wrong.search, {"words", BadNumbers(&A::numbers)}, wrong.n, wrong.k},
       {"ids", "scores"},
       [](const A& a) {
         return firth_search_words(a.search, a.numbers, a.n, a.k, a.progress,
                                   nullptr, a.Place("ids", a.out->ids),
                                   a.Place("scores", a.out->rows));
       }},
      {"firth_search_vectors",
       {wrong.search,
        {"vectors", {Null(&A::floats)}},
        wrong.n,
        wrong.k,
        wrong.exclude,
        wrong.exclude_offsets},
       {"ids", "scores"},
       [](const A& a) {
         return firth_search_vectors(a.search, a.floats, a.n, a.exclude,
                                     a.exclude_offsets, a.k, a.progress,
                                     nullptr, a.Place("ids", a.out->ids),
                                     a.Place("scores", a.out->rows));
       }},
      {"firth_search_sums",
       {wrong.search,
        {"terms", {Null(&A::floats)}},
        {"weights", {Null(&A::weights)}},
        wrong.offsets,
        wrong.n,
        wrong.k,
        wrong.exclude,
        wrong.exclude_offsets,
        wrong.options},
       {"ids", "scores"},
       [](const A& a) {
         return firth_search_sums(a.search, a.floats, a.weights, a.offsets, a.n,
                                  a.exclude, a.exclude_offsets, a.OptionBytes(),
                                  a.options_size, a.k, a.progress, nullptr,
                                  a.Place("ids", a.out->ids),
                                  a.Place("scores", a.out->rows));
       },
       [](Arguments* a) {
         static constexpr int64_t kOne[] = {0, 1, 2};
         a->offsets = kOne;
         Opens("", R"({"method": "mul"})")(a);
       }},
      {"firth_search_cosines",
       {wrong.search, {"vector", {Null(&A::floats)}}},
       {"scores", "n"},
       [](const A& a) {
         return firth_search_cosines(a.search, a.floats,
                                     a.Place("scores", a.out->rows),
                                     a.Place("n", &a.out->number));
       }},
      {"firth_index_build",
       {wrong.vectors, wrong.path, wrong.options},
       {},
       [](const A& a) {
         return firth_index_build(a.vectors, a.PathBytes(), a.path_size,
                                  a.OptionBytes(), a.options_size, a.progress,
                                  nullptr);
       },
       Opens(files.folder.File("v.hnsw"), "")},
  };
}

}  // namespace firth
