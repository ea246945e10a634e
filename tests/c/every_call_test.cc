// Every call of firth/firth.h with each of its arguments wrong in every way:
// it must say which one it was, and leave its outputs as they were. Whoever
// adds a function adds a line to CallsThatFail().

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <regex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "c/c_test_support.h"
#include "firth/firth.h"
#include "firth/tagger.h"
#include "firth/vector_io.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lm/language_model_file.h"
#include "lm/tiny_language_model.h"
#include "support/temp_files.h"
#include "support/tiny_vectors.h"

namespace firth {
namespace {

using testing::StartsWith;

// Files and objects for all calls.
struct Objects {
  Objects() {
    VectorFile file;
    file.vectors = RandomVectors(8, 4, 1);
    EXPECT_EQ(SaveVectorFile(file, vectors_path, "safetensors"),
              absl::OkStatus());
    EXPECT_EQ(SaveLanguageModel(*TinyModel(TinyInput::kTable), model_path),
              absl::OkStatus());
    const std::vector<TaggedSentence> train = {
        SentenceOf({"w1", "w2"}, {"A", "B"})};
    TaggerOptions options;
    options.units = 2;
    options.epochs = 1;
    TaggerReport report;
    absl::StatusOr<Tagger> tagger =
        Tagger::Train(train, {}, {vectors_path, ""}, options, {}, &report);
    EXPECT_EQ(tagger->Save(tagger_path), absl::OkStatus());
    folder.Write("text.txt", "the cat sat on the cat\nthe cat sat\n");
    folder.Write("questions.txt", "w1 w2 w3 w4\n");
    folder.Write("pairs.txt", "w1 w2 1\nw2 w3 2\n");
  }

  TempFolder folder;
  std::string vectors_path = folder.File("v.safetensors");
  std::string model_path = folder.File("lm.safetensors");
  std::string tagger_path = folder.File("t.safetensors");
};

// Where calls put what they find.
struct Outputs {
  FirthVectors* vectors;
  FirthSearch* search;
  FirthSentenceEncoder* encoder;
  FirthCorpus* corpus;
  FirthLanguageModel* model;
  FirthTagger* tagger;
  FirthBuffer* buffer;
  const float* lent_rows;
  const char* lent_bytes;
  const int64_t* lent_numbers;
  int64_t number, other_number;
  int64_t ids[16];
  float rows[64];
  double doubles[16];
  int32_t tags[16];
  int8_t from[16];
};

int32_t NoSentences(void*, FirthSentenceSink*) { return 0; }
int32_t OneSentence(void* context, FirthSentenceSink* sink) {
  bool* const given = static_cast<bool*>(context);
  if (*given) return 0;
  *given = true;
  const int64_t offsets[] = {0, 1, 2, 3}, sentences[] = {0, 3};
  return firth_status_code(
      firth_sentence_sink_add(sink, "aba", offsets, sentences, 1));
}

// All arguments of a call, right until one is made wrong.
struct Arguments {
  const FirthVectors* vectors = nullptr;
  const FirthSearch* search = nullptr;
  const FirthSentenceEncoder* encoder = nullptr;
  const FirthCorpus* corpus = nullptr;
  const FirthLanguageModel* model = nullptr;
  const FirthTagger* tagger = nullptr;
  FirthSentenceSink* sink = nullptr;
  const FirthVectors* update = nullptr;   // may be null
  const FirthVectors* initial = nullptr;  // may be null
  FirthNextSentences next = OneSentence;
  std::string path;
  const char* path_bytes = nullptr;  // null: those of `path`
  int64_t path_size = 0;
  std::string options;
  const char* options_bytes = nullptr;
  int64_t options_size = 0;
  const char* text = "w1w2w3";
  int64_t text_size = 2;
  const int64_t* offsets = kOffsets;
  const int64_t* sentences = kSentences;
  const int64_t* numbers = kNumbers;
  const int64_t* more_numbers = kNumbers;
  const float* floats = kFloats;
  const float* weights = kFloats;
  const int64_t* exclude = kNumbers;
  const int64_t* exclude_offsets = kOffsets;
  int64_t n = 2;
  int64_t dim = 2;
  int64_t k = 2;
  int64_t min_count = 1;
  int64_t max_vocab = 0;
  // Places of results, which may be taken away.
  Outputs* out = nullptr;
  std::set<std::string> gone;

  // The place, or null where it was taken away.
  template <class T>
  T* Place(const char* name, T* place) const {
    return gone.contains(name) ? nullptr : place;
  }
  const char* PathBytes() const {
    return path_bytes != nullptr || path.empty() ? path_bytes : path.data();
  }
  const char* OptionBytes() const {
    return options_bytes != nullptr || options.empty() ? options_bytes
                                                       : options.data();
  }

  static constexpr int64_t kOffsets[] = {0, 2, 4, 6};
  static constexpr int64_t kSentences[] = {0, 1, 2};
  static constexpr int64_t kNumbers[] = {1, 2, 3, 4, 5, 6};
  static constexpr float kFloats[16] = {1, 2, 3, 4, 1, 0, 1, 0};
};

// A way to make an argument wrong.
using Breakage = std::function<void(Arguments*)>;

template <class Object>
std::vector<Breakage> WrongHandles(const Object* Arguments::*argument,
                                   const void* freed, const void* other) {
  std::vector<Breakage> breakages = {
      [=](Arguments* a) { a->*argument = static_cast<const Object*>(freed); },
      [=](Arguments* a) { a->*argument = static_cast<const Object*>(other); }};
  breakages.push_back([=](Arguments* a) { a->*argument = nullptr; });
  return breakages;
}

std::vector<Breakage> BadOptions() {
  const auto text = [](std::string options) {
    return [=](Arguments* a) {
      a->options = options;
      a->options_size = SizeOf(options);
    };
  };
  return {text("{"),
          text("[]"),
          text("null"),
          text("{\"no-such\": 1}"),
          [](Arguments* a) { a->options_size = -1; },
          [](Arguments* a) {
            a->options.clear();
            a->options_size = 3;
          }};
}

std::vector<Breakage> BadPaths() {
  return {[](Arguments* a) { a->path_size = 0; },
          [](Arguments* a) { a->path_size = -1; },
          [](Arguments* a) {
            a->path.clear();
            a->path_size = 3;
          },
          [](Arguments* a) {
            a->path = std::string("a\0b", 3);
            a->path_size = 3;
          }};
}

std::vector<Breakage> BadNumbers(const int64_t* Arguments::*argument) {
  static constexpr int64_t kNegative[] = {1, -1, 1};
  static constexpr int64_t kBeyond[] = {1, 8, 1};
  return {[=](Arguments* a) { a->*argument = nullptr; },
          [=](Arguments* a) { a->*argument = kNegative; },
          [=](Arguments* a) { a->*argument = kBeyond; }};
}

std::vector<Breakage> BadOffsets(const int64_t* Arguments::*argument) {
  static constexpr int64_t kFalling[] = {0, 2, 1, 3};
  static constexpr int64_t kNegative[] = {-1, 0, 1, 3};
  return {[=](Arguments* a) { a->*argument = nullptr; },
          [=](Arguments* a) { a->*argument = kFalling; },
          [=](Arguments* a) { a->*argument = kNegative; }};
}

template <class T>
Breakage Null(T Arguments::*argument) {
  return [=](Arguments* a) { a->*argument = nullptr; };
}

Breakage Negative(int64_t Arguments::*argument) {
  return [=](Arguments* a) { a->*argument = -1; };
}

struct Call {
  std::string name;
  // The arguments that must be right, as the header names them, each with the
  // ways to make it wrong.
  std::vector<std::pair<std::string, std::vector<Breakage>>> arguments;
  std::vector<std::string> places;  // results that must have a place
  std::function<FirthStatus*(const Arguments&)> call;
  // What is different from the arguments of others.
  Breakage prepare = [](Arguments*) {};
};

// That cannot fail. handles_test.cc gives them wrong handles.
const std::set<std::string>& CallsThatDoNotFail() {
  static const auto& names = *new std::set<std::string>{
      "firth_version",        "firth_status_code",
      "firth_status_message", "firth_status_free",
      "firth_buffer_data",    "firth_buffer_size",
      "firth_buffer_free",    "firth_vectors_free",
      "firth_search_free",    "firth_sentence_encoder_free",
      "firth_corpus_free",    "firth_language_model_free",
      "firth_tagger_free"};
  return names;
}

class EveryCallTest : public testing::Test {
 protected:
  static void SetUpTestSuite() { objects_ = new Objects; }
  static void TearDownTestSuite() { delete objects_; }

  EveryCallTest() {
    right_.vectors = vectors_ = Made(&Outputs::vectors, [&](Outputs* out) {
      const std::string& path = objects_->vectors_path;
      return firth_vectors_load(path.data(), SizeOf(path), nullptr, 0,
                                &out->vectors);
    });
    right_.search = search_ = Made(&Outputs::search, [&](Outputs* out) {
      return firth_search_create(vectors_, nullptr, 0, &out->search);
    });
    right_.encoder = encoder_ = Made(&Outputs::encoder, [&](Outputs* out) {
      return firth_sentence_encoder_create(vectors_, nullptr, 0, &out->encoder);
    });
    const std::string text = R"({"min-count": 1, "input": [")" +
                             objects_->folder.File("text.txt") + "\"]}";
    right_.corpus = corpus_ = Made(&Outputs::corpus, [&](Outputs* out) {
      return firth_corpus_read(text.data(), SizeOf(text), nullptr, nullptr,
                               nullptr, &out->corpus);
    });
    right_.model = model_ = Made(&Outputs::model, [&](Outputs* out) {
      const std::string& path = objects_->model_path;
      return firth_language_model_load(path.data(), SizeOf(path), &out->model);
    });
    tagger_options_ = R"({"vectors": ")" + objects_->vectors_path + "\"}";
    right_.tagger = tagger_ = Made(&Outputs::tagger, [&](Outputs* out) {
      const std::string& path = objects_->tagger_path;
      return firth_tagger_load(path.data(), SizeOf(path),
                               tagger_options_.data(), SizeOf(tagger_options_),
                               &out->tagger);
    });
    freed_ = Made(&Outputs::search, [&](Outputs* out) {
      return firth_search_create(vectors_, nullptr, 0, &out->search);
    });
    firth_search_free(freed_);
  }

  ~EveryCallTest() override {
    firth_vectors_free(vectors_);
    firth_search_free(search_);
    firth_sentence_encoder_free(encoder_);
    firth_corpus_free(corpus_);
    firth_language_model_free(model_);
    firth_tagger_free(tagger_);
  }

  template <class Object, class Make>
  static Object* Made(Object* Outputs::*place, Make make) {
    Outputs out = {};
    EXPECT_TRUE(Fine(make(&out)));
    return out.*place;
  }

  std::vector<Call> CallsThatFail() const;

  template <class Object>
  std::pair<std::string, std::vector<Breakage>> Handle(
      const std::string& name, const Object* Arguments::*argument) const {
    const void* const other =
        name == "vectors" ? static_cast<const void*>(search_) : vectors_;
    return {name, WrongHandles(argument, freed_, other)};
  }

  static Objects* objects_;
  FirthVectors* vectors_;
  FirthSearch* search_;
  FirthSentenceEncoder* encoder_;
  FirthCorpus* corpus_;
  FirthLanguageModel* model_;
  FirthTagger* tagger_;
  std::string tagger_options_;
  FirthSearch* freed_;
  Arguments right_;
};

Objects* EveryCallTest::objects_ = nullptr;

std::vector<Call> EveryCallTest::CallsThatFail() const {
  using A = Arguments;
  const auto vectors = Handle("vectors", &A::vectors);
  const auto search = Handle("search", &A::search);
  const auto corpus = Handle("corpus", &A::corpus);
  const auto model = Handle("model", &A::model);
  const auto tagger = Handle("tagger", &A::tagger);
  using Broken = std::pair<std::string, std::vector<Breakage>>;
  const Broken options = {"options", BadOptions()};
  const Broken path = {"path", BadPaths()};
  const Broken n = {"n", {Negative(&A::n)}};
  const Broken k = {"k", {Negative(&A::k)}};
  const Broken offsets = {"offsets", BadOffsets(&A::offsets)};
  const Broken sentences = {"sentences", BadOffsets(&A::sentences)};
  const Broken words = {"words", {Null(&A::text)}};
  const Broken exclude = {"exclude", BadNumbers(&A::exclude)};
  const Broken exclude_offsets = {"exclude_offsets",
                                  BadOffsets(&A::exclude_offsets)};
  const auto open = [](const std::string& file, const std::string& json) {
    return [=](Arguments* a) {
      a->path = file;
      a->path_size = SizeOf(file);
      a->options = json;
      a->options_size = SizeOf(json);
    };
  };
  const auto in_folder = [&](const std::string& file) {
    return open(objects_->folder.File(file), "");
  };
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
       {path, options},
       {"vectors"},
       [](const A& a) {
         return firth_vectors_load(a.PathBytes(), a.path_size, a.OptionBytes(),
                                   a.options_size,
                                   a.Place("vectors", &a.out->vectors));
       },
       open(objects_->vectors_path, "")},
      {"firth_vectors_create",
       {words,
        offsets,
        {"count", {Negative(&A::n)}},
        {"rows", {Null(&A::floats)}},
        {"dim", {Negative(&A::dim)}}},
       {"vectors"},
       [](const A& a) {
         return firth_vectors_create(a.text, a.offsets, a.n, a.floats, a.dim,
                                     nullptr,
                                     a.Place("vectors", &a.out->vectors));
       }},
      {"firth_vectors_save",
       {vectors, path, options},
       {},
       [](const A& a) {
         return firth_vectors_save(a.vectors, a.PathBytes(), a.path_size,
                                   a.OptionBytes(), a.options_size);
       },
       in_folder("saved.safetensors")},
      {"firth_vectors_shape",
       {vectors},
       {},
       [](const A& a) {
         return firth_vectors_shape(a.vectors, &a.out->number, nullptr);
       }},
      {"firth_vectors_describe",
       {vectors},
       {"json"},
       [](const A& a) {
         return firth_vectors_describe(a.vectors,
                                       a.Place("json", &a.out->buffer));
       }},
      {"firth_vectors_rows",
       {vectors},
       {"rows", "stride"},
       [](const A& a) {
         return firth_vectors_rows(a.vectors,
                                   a.Place("rows", &a.out->lent_rows),
                                   a.Place("stride", &a.out->number));
       }},
      {"firth_vectors_output_rows",
       {vectors},
       {"rows", "count", "stride"},
       [](const A& a) {
         return firth_vectors_output_rows(
             a.vectors, a.Place("rows", &a.out->lent_rows),
             a.Place("count", &a.out->number),
             a.Place("stride", &a.out->other_number));
       }},
      {"firth_vectors_copy",
       {vectors, {"ids", BadNumbers(&A::numbers)}},
       {"rows"},
       [](const A& a) {
         return firth_vectors_copy(a.vectors, a.numbers, a.n,
                                   a.Place("rows", a.out->rows));
       }},
      {"firth_vectors_words",
       {vectors},
       {"bytes", "offsets"},
       [](const A& a) {
         return firth_vectors_words(a.vectors,
                                    a.Place("bytes", &a.out->lent_bytes),
                                    a.Place("offsets", &a.out->lent_numbers));
       }},
      {"firth_vectors_counts",
       {vectors},
       {"counts"},
       [](const A& a) {
         return firth_vectors_counts(a.vectors,
                                     a.Place("counts", &a.out->lent_numbers));
       }},
      {"firth_vectors_find",
       {vectors, {"word", {Null(&A::text), Negative(&A::text_size)}}},
       {"id"},
       [](const A& a) {
         return firth_vectors_find(a.vectors, a.text, a.text_size,
                                   a.Place("id", &a.out->number));
       }},
      {"firth_vectors_find_all",
       {vectors, words, offsets, n},
       {"ids"},
       [](const A& a) {
         return firth_vectors_find_all(a.vectors, a.text, a.offsets, a.n,
                                       a.Place("ids", a.out->ids));
       }},
      {"firth_vectors_lookup",
       {vectors, words, offsets, n},
       {"rows", "from"},
       [](const A& a) {
         return firth_vectors_lookup(a.vectors, a.text, a.offsets, a.n,
                                     a.Place("rows", a.out->rows),
                                     a.Place("from", a.out->from));
       }},
      {"firth_vectors_spellings",
       {vectors,
        {"word", {Null(&A::text), Negative(&A::text_size)}},
        {"most", {Negative(&A::k)}}},
       {"ids", "n"},
       [](const A& a) {
         return firth_vectors_spellings(a.vectors, a.text, a.text_size, a.k,
                                        a.Place("ids", a.out->ids),
                                        a.Place("n", &a.out->number));
       }},
      {"firth_vectors_similarity",
       {vectors,
        {"first", BadNumbers(&A::numbers)},
        {"second", BadNumbers(&A::more_numbers)}},
       {"scores"},
       [](const A& a) {
         return firth_vectors_similarity(a.vectors, a.numbers, a.more_numbers,
                                         a.n, a.Place("scores", a.out->rows));
       }},
      {"firth_search_create",
       {vectors, options},
       {"search"},
       [](const A& a) {
         return firth_search_create(a.vectors, a.OptionBytes(), a.options_size,
                                    a.Place("search", &a.out->search));
       }},
      {"firth_search_words",
       {search, {"words", BadNumbers(&A::numbers)}, n, k},
       {"ids", "scores"},
       [](const A& a) {
         return firth_search_words(a.search, a.numbers, a.n, a.k,
                                   a.Place("ids", a.out->ids),
                                   a.Place("scores", a.out->rows));
       }},
      {"firth_search_vectors",
       {search,
        {"vectors", {Null(&A::floats)}},
        n,
        k,
        exclude,
        exclude_offsets},
       {"ids", "scores"},
       [](const A& a) {
         return firth_search_vectors(
             a.search, a.floats, a.n, a.exclude, a.exclude_offsets, a.k,
             a.Place("ids", a.out->ids), a.Place("scores", a.out->rows));
       }},
      {"firth_search_sums",
       {search,
        {"terms", {Null(&A::floats)}},
        {"weights", {Null(&A::weights)}},
        offsets,
        n,
        k,
        exclude,
        exclude_offsets,
        {"method",
         {Null(&A::text), [](Arguments* a) { a->text = "div"; },
          Negative(&A::text_size)}}},
       {"ids", "scores"},
       [](const A& a) {
         return firth_search_sums(a.search, a.floats, a.weights, a.offsets, a.n,
                                  a.exclude, a.exclude_offsets, a.text,
                                  a.text_size, a.k, a.Place("ids", a.out->ids),
                                  a.Place("scores", a.out->rows));
       },
       [](Arguments* a) {
         static constexpr int64_t kOne[] = {0, 1, 2};
         a->offsets = kOne;
         a->text = "mul";
         a->text_size = 3;
       }},
      {"firth_search_cosines",
       {search, {"vector", {Null(&A::floats)}}},
       {"scores", "n"},
       [](const A& a) {
         return firth_search_cosines(a.search, a.floats,
                                     a.Place("scores", a.out->rows),
                                     a.Place("n", &a.out->number));
       }},
      {"firth_search_ranks",
       {search,
        {"words", BadNumbers(&A::numbers)},
        {"others", BadNumbers(&A::more_numbers)}},
       {"ranks"},
       [](const A& a) {
         return firth_search_ranks(a.search, a.numbers, a.more_numbers, a.n,
                                   a.Place("ranks", a.out->ids));
       }},
      {"firth_index_build",
       {vectors, path, options},
       {},
       [](const A& a) {
         return firth_index_build(a.vectors, a.PathBytes(), a.path_size,
                                  a.OptionBytes(), a.options_size);
       },
       in_folder("v.hnsw")},
      {"firth_evaluate_analogies",
       {vectors, path, options},
       {"report"},
       [](const A& a) {
         return firth_evaluate_analogies(a.vectors, a.PathBytes(), a.path_size,
                                         a.OptionBytes(), a.options_size,
                                         a.Place("report", &a.out->buffer));
       },
       in_folder("questions.txt")},
      {"firth_evaluate_similarity",
       {vectors, path, options},
       {"report"},
       [](const A& a) {
         return firth_evaluate_similarity(a.vectors, a.PathBytes(), a.path_size,
                                          a.OptionBytes(), a.options_size,
                                          a.Place("report", &a.out->buffer));
       },
       in_folder("pairs.txt")},
      {"firth_sentence_encoder_create",
       {vectors, options},
       {"encoder"},
       [](const A& a) {
         return firth_sentence_encoder_create(
             a.vectors, a.OptionBytes(), a.options_size,
             a.Place("encoder", &a.out->encoder));
       }},
      {"firth_sentence_encoder_encode",
       {Handle("encoder", &A::encoder),
        {"texts", {Null(&A::text)}},
        offsets,
        n},
       {"rows"},
       [](const A& a) {
         return firth_sentence_encoder_encode(a.encoder, a.text, a.offsets, a.n,
                                              a.Place("rows", a.out->rows),
                                              nullptr);
       }},
      {"firth_vectors_text_similarity",
       {vectors,
        words,
        offsets,
        sentences,
        options,
        {"scores", {Negative(&A::n)}}},
       {"scores"},
       [](const A& a) {
         return firth_vectors_text_similarity(
             a.vectors, a.text, a.offsets, a.sentences, a.n, a.OptionBytes(),
             a.options_size, a.Place("scores", a.out->doubles));
       },
       [](Arguments* a) { a->n = 1; }},
      {"firth_corpus_read",
       {options, {"update", {[this](A* a) {
                    a->update = reinterpret_cast<const FirthVectors*>(freed_);
                  }}}},
       {"corpus"},
       [](const A& a) {
         return firth_corpus_read(a.OptionBytes(), a.options_size, a.update,
                                  nullptr, nullptr,
                                  a.Place("corpus", &a.out->corpus));
       },
       open("", R"({"min-count": 1, "input": [")" +
                    objects_->folder.File("text.txt") + "\"]}")},
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
       {options,
        {"next", {Null(&A::next)}},
        {"update", {[this](A* a) {
           a->update = reinterpret_cast<const FirthVectors*>(freed_);
         }}}},
       {"corpus"},
       [](const A& a) {
         bool given = false;
         return firth_corpus_read_sentences(
             a.next, a.OptionBytes(), a.options_size, a.update, nullptr, &given,
             a.Place("corpus", &a.out->corpus));
       },
       open("", R"({"min-count": 1})")},
      {"firth_corpus_describe",
       {corpus},
       {"json"},
       [](const A& a) {
         return firth_corpus_describe(a.corpus,
                                      a.Place("json", &a.out->buffer));
       }},
      {"firth_corpus_words",
       {corpus},
       {"bytes", "offsets", "count"},
       [](const A& a) {
         return firth_corpus_words(a.corpus,
                                   a.Place("bytes", &a.out->lent_bytes),
                                   a.Place("offsets", &a.out->lent_numbers),
                                   a.Place("count", &a.out->number));
       }},
      {"firth_corpus_counts",
       {corpus},
       {"counts"},
       [](const A& a) {
         return firth_corpus_counts(a.corpus,
                                    a.Place("counts", &a.out->lent_numbers));
       }},
      {"firth_corpus_join_phrases",
       {corpus,
        options,
        {"min_count", {Negative(&A::min_count)}},
        {"max_vocab", {Negative(&A::max_vocab)}}},
       {"joined"},
       [](const A& a) {
         return firth_corpus_join_phrases(
             a.corpus, a.OptionBytes(), a.options_size, a.min_count,
             a.max_vocab, a.Place("joined", &a.out->corpus), nullptr);
       }},
      {"firth_train",
       {corpus, options, {"initial", {[this](A* a) {
                            a->initial =
                                reinterpret_cast<const FirthVectors*>(freed_);
                          }}}},
       {"vectors"},
       [](const A& a) {
         return firth_train(a.corpus, a.OptionBytes(), a.options_size,
                            a.initial, nullptr, nullptr,
                            a.Place("vectors", &a.out->vectors), nullptr);
       },
       open("", R"({"dim": 4, "epochs": 1, "threads": 1, "sample": 0})")},
      {"firth_language_model_load",
       {path},
       {"model"},
       [](const A& a) {
         return firth_language_model_load(a.PathBytes(), a.path_size,
                                          a.Place("model", &a.out->model));
       },
       open(objects_->model_path, "")},
      {"firth_language_model_train",
       {corpus, options, {"vectors", {[this](A* a) {
                            a->initial =
                                reinterpret_cast<const FirthVectors*>(freed_);
                          }}}},
       {"model"},
       [](const A& a) {
         return firth_language_model_train(
             a.corpus, a.OptionBytes(), a.options_size, a.initial, nullptr,
             nullptr, a.Place("model", &a.out->model), nullptr);
       },
       open("", R"({"min-count": 1, "units": 4, "projection": 2, "layers": 1,
                    "epochs": 1, "head": "softmax", "batch": 1})")},
      {"firth_language_model_save",
       {model, path},
       {},
       [](const A& a) {
         return firth_language_model_save(a.model, a.PathBytes(), a.path_size);
       },
       in_folder("saved-lm.safetensors")},
      {"firth_language_model_describe",
       {model},
       {"json"},
       [](const A& a) {
         return firth_language_model_describe(a.model,
                                              a.Place("json", &a.out->buffer));
       }},
      {"firth_language_model_embed",
       {model, words, offsets, sentences, n, options},
       {"values"},
       [](const A& a) {
         return firth_language_model_embed(
             a.model, a.text, a.offsets, a.sentences, a.n, a.OptionBytes(),
             a.options_size, a.Place("values", &a.out->buffer));
       }},
      {"firth_language_model_score",
       {model, words, offsets, sentences, n},
       {"scores"},
       [](const A& a) {
         return firth_language_model_score(
             a.model, a.text, a.offsets, a.sentences, a.n,
             a.Place("scores", a.out->doubles), nullptr, nullptr);
       }},
      {"firth_language_model_perplexity",
       {model, corpus, options},
       {"report"},
       [](const A& a) {
         return firth_language_model_perplexity(
             a.model, a.corpus, a.OptionBytes(), a.options_size, nullptr,
             nullptr, a.Place("report", &a.out->buffer));
       }},
      {"firth_language_model_generate",
       {model, options},
       {"report"},
       [](const A& a) {
         return firth_language_model_generate(
             a.model, a.OptionBytes(), a.options_size,
             a.Place("report", &a.out->buffer));
       }},
      {"firth_tagger_load",
       {path, options},
       {"tagger"},
       [](const A& a) {
         return firth_tagger_load(a.PathBytes(), a.path_size, a.OptionBytes(),
                                  a.options_size,
                                  a.Place("tagger", &a.out->tagger));
       },
       open(objects_->tagger_path, tagger_options_)},
      {"firth_tagger_tags",
       {tagger},
       {"json"},
       [](const A& a) {
         return firth_tagger_tags(a.tagger, a.Place("json", &a.out->buffer));
       }},
      {"firth_tagger_tag",
       {tagger, words, offsets, sentences, n},
       {"tags"},
       [](const A& a) {
         return firth_tagger_tag(a.tagger, a.text, a.offsets, a.sentences, a.n,
                                 a.Place("tags", a.out->tags), nullptr);
       }},
  };
}

// Frees what a call has made.
void FreeMade(const Outputs& out, const Outputs& before) {
  if (out.vectors != before.vectors) firth_vectors_free(out.vectors);
  if (out.search != before.search) firth_search_free(out.search);
  if (out.encoder != before.encoder) firth_sentence_encoder_free(out.encoder);
  if (out.corpus != before.corpus) firth_corpus_free(out.corpus);
  if (out.model != before.model) firth_language_model_free(out.model);
  if (out.tagger != before.tagger) firth_tagger_free(out.tagger);
  if (out.buffer != before.buffer) firth_buffer_free(out.buffer);
}

// Such a call must fail, name the argument and change no output.
void ExpectRefusal(const Call& call, const std::string& argument,
                   Arguments wrong) {
  Outputs out, before;
  std::memset(static_cast<void*>(&out), 0x5a, sizeof(out));
  std::memcpy(static_cast<void*>(&before), &out, sizeof(out));
  wrong.out = &out;
  const CFailure failure = FailureOf(call.call(wrong));
  EXPECT_EQ(failure.code, FIRTH_INVALID_ARGUMENT) << call.name << argument;
  EXPECT_THAT(failure.message, StartsWith(argument + ":")) << call.name;
  EXPECT_EQ(std::memcmp(&out, &before, sizeof(out)), 0)
      << call.name << " changed an output although " << argument
      << " was wrong";
}

TEST_F(EveryCallTest, WrongArgumentsAreNamedAndChangeNothing) {
  for (const Call& call : CallsThatFail()) {
    Outputs out = {};
    Arguments arguments = right_;
    arguments.out = &out;
    call.prepare(&arguments);
    for (const auto& [name, breakages] : call.arguments) {
      for (const Breakage& breakage : breakages) {
        Arguments wrong = arguments;
        breakage(&wrong);
        ExpectRefusal(call, name, wrong);
      }
    }
    for (const std::string& place : call.places) {
      Arguments wrong = arguments;
      wrong.gone = {place};
      ExpectRefusal(call, place, wrong);
    }
  }
}

TEST_F(EveryCallTest, RightArgumentsDoNotFail) {
  for (const Call& call : CallsThatFail()) {
    // There is no such table in the file, and no sink to add to.
    if (call.name == "firth_vectors_output_rows") continue;
    Outputs out = {};
    Arguments arguments = right_;
    arguments.out = &out;
    call.prepare(&arguments);
    EXPECT_TRUE(Fine(call.call(arguments))) << call.name;
    FreeMade(out, Outputs());
  }
}

TEST_F(EveryCallTest, NoSentencesAreAnError) {
  Outputs out = {};
  bool given = false;
  const CFailure failure = FailureOf(firth_corpus_read_sentences(
      NoSentences, nullptr, 0, nullptr, nullptr, &given, &out.corpus));
  EXPECT_EQ(failure.code, FIRTH_INVALID_ARGUMENT);
}

TEST_F(EveryCallTest, TheListHasAllCallsOfTheHeader) {
  const char* const source = std::getenv("FIRTH_SOURCE");
  if (source == nullptr) GTEST_SKIP() << "FIRTH_SOURCE is not set";
  const std::string header =
      ReadWholeFile(std::string(source) + "/include/firth/firth.h");
  const std::regex declared("FIRTH_API[^;]*?\\b(firth_[a-z_]+)\\(");
  std::set<std::string> names;
  for (std::sregex_iterator it(header.begin(), header.end(), declared), end;
       it != end; ++it) {
    names.insert((*it)[1]);
  }
  std::set<std::string> listed = CallsThatDoNotFail();
  for (const Call& call : CallsThatFail()) listed.insert(call.name);
  EXPECT_EQ(names, listed);
}

}  // namespace
}  // namespace firth
