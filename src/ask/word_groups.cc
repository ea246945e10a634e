// Questions about groups of words: the positions of words on a semantic axis,
// such as the one from man to woman (firth/semantic_axis.h), and associations
// by the Word Embedding Association Test (WEAT; firth/bias.h).

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "ask/question.h"
#include "ask/words.h"
#include "firth/bias.h"
#include "firth/query.h"
#include "firth/semantic_axis.h"
#include "firth/status_macros.h"

namespace firth {
namespace {

struct AxisRequest {
  std::vector<std::string> from;
  std::vector<std::string> to;
  std::vector<std::string> words;
  uint64_t top = 100;
  WordLookup lookup;

  static FieldTable Fields() {
    FieldsOf<AxisRequest> fields;
    AddWords("from", &AxisRequest::from, "words at the beginning of the axis",
             &fields)
        .Range(1, 1000);
    AddWords("to", &AxisRequest::to, "words at the end of the axis", &fields)
        .Range(1, 1000);
    AddWords("words", &AxisRequest::words,
             "words to place on the axis; if none are given, the most frequent "
             "words are placed",
             &fields);
    AddTop("number of most frequent words, if no words are given", &fields);
    fields.Part(&AxisRequest::lookup);
    return fields;
  }
};

struct PlacedWord {
  std::string word;
  float position = 0;

  static AnswerTable Members() {
    return {
        {"word", &PlacedWord::word},
        {"position", &PlacedWord::position,
         "cosine with the axis: negative toward its beginning, positive toward "
         "its end"}};
  }
};

struct AxisAnswer : LookedUp {
  std::vector<PlacedWord> words;

  static AnswerTable Members() {
    return WithLookUp(
        {{"words", &AxisAnswer::words,
          "words that have a vector, in the order of the request or most "
          "frequent first"}});
  }
};

// Adds the unknown and the composed words of one side to the answer. Returns
// whether any word of the side has a vector.
absl::StatusOr<bool> CheckSide(const WordVectors& vectors,
                               absl::Span<const std::string> side,
                               UnknownWords unknown, WordFinder* finder) {
  FIRTH_ASSIGN_OR_RETURN(const FoundWords found,
                         FindWords(vectors, side, unknown));
  for (const std::string& word : found.unknown) finder->AddUnknown(word);
  for (const std::string& word : found.words) {
    FIRTH_RETURN_IF_ERROR(finder->Find(word).status());
  }
  return !found.words.empty();
}

absl::StatusOr<std::vector<FoundWord>> WordsToPlace(const WordVectors& vectors,
                                                    const AxisRequest& request,
                                                    WordFinder* finder) {
  if (!request.words.empty()) return finder->FindAll(request.words);
  std::vector<std::string> frequent;
  for (size_t i = 0; i < std::min<size_t>(request.top, vectors.size()); ++i) {
    frequent.emplace_back(vectors.vocabulary().Word(ToWordId(i)));
  }
  return finder->FindAll(frequent);
}

absl::StatusOr<AxisAnswer> PlaceWords(const Opened& opened,
                                      const AxisRequest& request) {
  const WordVectors& vectors = opened.vectors().vectors();
  const UnknownWords unknown = request.lookup.unknown;
  WordFinder finder(vectors, request.lookup);
  FIRTH_ASSIGN_OR_RETURN(const bool has_from,
                         CheckSide(vectors, request.from, unknown, &finder));
  FIRTH_ASSIGN_OR_RETURN(const bool has_to,
                         CheckSide(vectors, request.to, unknown, &finder));
  FIRTH_ASSIGN_OR_RETURN(const std::vector<FoundWord> words,
                         WordsToPlace(vectors, request, &finder));
  AxisAnswer answer{{finder.unknown(), finder.composed()}, {}};
  if (!has_from || !has_to) return answer;
  FIRTH_ASSIGN_OR_RETURN(
      const SemanticAxis axis,
      MakeAxis(vectors, {request.from, request.to}, unknown));
  for (const FoundWord& word : words) {
    answer.words.push_back(
        {word.word, Similarity(word.vector, axis.direction)});
  }
  return answer;
}

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

struct BiasRequest {
  std::string weat;
  std::vector<std::string> x, y, a, b;
  WeatOptions options;

  static FieldTable Fields() {
    FieldsOf<BiasRequest> fields;
    fields.Add(
        "weat", &BiasRequest::weat,
        "path to a file of tests; datasets/weat.txt contains the ten tests "
        "of Caliskan et al. 2017",
        Field().ValueName("FILE").Place());
    AddWords("x", &BiasRequest::x,
             "first group of target words, if no file of tests is given",
             &fields);
    AddWords("y", &BiasRequest::y, "second group of target words", &fields);
    AddWords("a", &BiasRequest::a, "first group of attribute words", &fields);
    AddWords("b", &BiasRequest::b, "second group of attribute words", &fields);
    fields.Part(&BiasRequest::options);
    return fields;
  }
  absl::Status Validate() const {
    const bool has_words = !x.empty() || !y.empty() || !a.empty() || !b.empty();
    const bool has_all = !x.empty() && !y.empty() && !a.empty() && !b.empty();
    if (has_words ? has_all : !weat.empty()) return absl::OkStatus();
    return absl::InvalidArgumentError(
        "give a file of tests (\"weat\"), or words in each of the groups "
        "\"x\", "
        "\"y\", \"a\" and \"b\"");
  }
};

struct TestAnswer {
  std::string name;
  std::vector<std::string> groups;
  double effect = kNone;
  double p = kNone;
  bool exact = false;
  uint64_t permutations = 0;
  std::vector<uint64_t> found;
  std::vector<WordScore> x, y;
  std::vector<UnknownWord> unknown;
  std::optional<std::string> error;

  static AnswerTable Members() {
    return {
        {"name", &TestAnswer::name},
        {"groups", &TestAnswer::groups, "names of x, y, a and b",
         Listing::kInJson},
        {"found", &TestAnswer::found,
         "number of words of x, y, a and b that have a vector"},
        {"effect", &TestAnswer::effect,
         "effect size, from -2 to 2; null if all words have the same score"},
        {"p", &TestAnswer::p, "one-sided p-value"},
        {"exact", &TestAnswer::exact,
         "whether p is exact, computed from all partitions"},
        {"permutations", &TestAnswer::permutations,
         "number of partitions from which p is computed"},
        {"x", &TestAnswer::x,
         "words of x that have a vector, each with its mean cosine with a "
         "minus that with b",
         Listing::kInJson},
        {"y", &TestAnswer::y, "the same for y", Listing::kInJson},
        {"unknown", &TestAnswer::unknown, "words without a vector"},
        {"error", &TestAnswer::error, "reason why there is no result",
         Listing::kInJson}};
  }
};

struct BiasAnswer {
  std::vector<TestAnswer> tests;

  static AnswerTable Members() { return {{"tests", &BiasAnswer::tests}}; }
};

std::vector<WordScore> Scored(const std::vector<WeatAssociation>& words) {
  std::vector<WordScore> scored;
  for (const WeatAssociation& word : words) {
    scored.push_back({word.word, static_cast<float>(word.score)});
  }
  return scored;
}

TestAnswer AnswerTo(const Vocabulary& vocabulary, const WeatTest& test,
                    const absl::StatusOr<WeatResult>& result) {
  TestAnswer answer;
  answer.name = test.name;
  answer.groups = {test.x.name, test.y.name, test.a.name, test.b.name};
  if (!result.ok()) {
    answer.error = std::string(result.status().message());
    return answer;
  }
  answer.effect = result->effect;
  answer.p = result->p;
  answer.exact = result->exact;
  answer.permutations = result->permutations;
  answer.x = Scored(result->x);
  answer.y = Scored(result->y);
  answer.found = {result->x.size(), result->y.size(), result->num_a,
                  result->num_b};
  answer.unknown = WithSpellings(vocabulary, result->unknown);
  return answer;
}

// If a test of a file cannot be measured, the other tests still have results.
absl::StatusOr<BiasAnswer> MeasureBias(const Opened& opened,
                                       const BiasRequest& request) {
  const WordVectors& vectors = opened.vectors().vectors();
  const bool is_one = !request.x.empty();
  std::vector<WeatTest> tests = {{"test",
                                  {"x", request.x},
                                  {"y", request.y},
                                  {"a", request.a},
                                  {"b", request.b}}};
  if (!is_one) {
    FIRTH_ASSIGN_OR_RETURN(tests, LoadWeatTests(request.weat));
  }
  BiasAnswer answer;
  for (const WeatTest& test : tests) {
    const absl::StatusOr<WeatResult> result =
        MeasureWeat(vectors, test, request.options, opened.hooks());
    if (!result.ok() && is_one) return result.status();
    answer.tests.push_back(AnswerTo(vectors.vocabulary(), test, result));
  }
  return answer;
}

}  // namespace

Question AxisQuestion() {
  return MakeQuestion<AxisRequest, AxisAnswer>(
      {.name = "axis",
       .summary = "place words on an axis between two groups of words",
       .description =
           "Computes the cosine of each word with an axis. The axis is the "
           "mean of the unit vectors of the words at its end minus the mean of "
           "those at its beginning. A word with a positive cosine is closer to "
           "the end.\n\n"
           "  firth axis model.safetensors --from man,he --to woman,she "
           "--words nurse,doctor\n"
           "  firth axis model.safetensors --from cold --to hot --top 20",
       .slots = {VectorsSlot(VectorAccess::kGivenWords)},
       .example =
           R"({"from":["man"],"to":["woman"],"words":["king","queen"]})"},
      &PlaceWords, [](const Opened& opened, const AxisRequest& request) {
        const uint64_t all = opened.vectors().vectors().size();
        const uint64_t words = request.words.empty()
                                   ? std::min(request.top, all)
                                   : request.words.size();
        return words * kScoredWordBytes;
      });
}

Question BiasQuestion() {
  return MakeQuestion<BiasRequest, BiasAnswer>(
      {.name = "bias",
       .summary = "measure associations with groups of words (WEAT)",
       .description =
           "Compares two groups of target words x and y, such as flowers and "
           "insects, with two groups of attributes a and b, such as pleasant "
           "and unpleasant words (Caliskan et al. 2017). The effect size, from "
           "-2 to 2, shows how much more strongly x than y is associated with "
           "a rather than with b. p is the fraction of random partitions of "
           "the same target words with an effect at least as large. Words "
           "without a vector are skipped and listed.\n\n"
           "  firth bias model.safetensors --weat datasets/weat.txt\n"
           "  firth bias model.safetensors --x rose,daisy --y ant,wasp \\\n"
           "    --a love,peace --b war,hate\n\n"
           "A file may contain several tests. Each test has a line \": NAME\" "
           "and four lines \"GROUP: WORD, WORD, ...\": two groups of targets, "
           "then two groups of attributes.",
       .slots = {VectorsSlot(VectorAccess::kGivenWords)},
       .example = R"({"x":["king"],"y":["queen"],"a":["man"],"b":["woman"]})",
       .lane = Lane::kSlow},
      &MeasureBias, [](const Opened&, const BiasRequest& request) {
        const uint64_t words = request.x.size() + request.y.size();
        // Each partition costs one addition per target word. Eight additions
        // take about as long as writing one byte of JSON.
        return words * kScoredWordBytes +
               request.options.permutations * (words + 8) / 8;
      });
}

}  // namespace firth
