// Compares the neighbors of a word in two models, and finds the words that
// moved between them.

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "ask/question.h"
#include "ask/words.h"
#include "firth/drift.h"
#include "firth/query.h"
#include "firth/status_macros.h"

namespace firth {
namespace {

struct CompareRequest {
  std::string word;
  uint64_t top = 10;

  static FieldTable Fields() {
    FieldsOf<CompareRequest> fields;
    fields.Add("word", &CompareRequest::word,
               "word whose neighbors are compared", Field().AtLeast(1));
    AddTop("number of neighbors in each model", &fields);
    return fields;
  }
};

// A word that is a neighbor in both models.
struct SharedNeighbor {
  std::string word;
  float first = 0;
  float second = 0;

  static AnswerTable Members() {
    return {{"word", &SharedNeighbor::word},
            {"first", &SharedNeighbor::first, "cosine in the first model"},
            {"second", &SharedNeighbor::second, "cosine in the second model"}};
  }
};

struct CompareAnswer {
  std::string query;
  std::vector<ScoredWord> only_first;
  std::vector<ScoredWord> only_second;
  std::vector<SharedNeighbor> both;
  std::vector<UnknownWord> unknown_first;
  std::vector<UnknownWord> unknown_second;

  static AnswerTable Members() {
    return {
        {"query", &CompareAnswer::query, "word of the request",
         Listing::kInJson},
        {"only_first", &CompareAnswer::only_first,
         "neighbors in the first model only, best first"},
        {"only_second", &CompareAnswer::only_second,
         "neighbors in the second model only, best first"},
        {"both", &CompareAnswer::both,
         "neighbors in both models, in the order of the first"},
        {"unknown_first", &CompareAnswer::unknown_first,
         "the word, if it has no vector in the first model", Listing::kInJson},
        {"unknown_second", &CompareAnswer::unknown_second,
         "the word, if it has no vector in the second model",
         Listing::kInJson}};
  }
};

// Finds the neighbors of the word in one of the models.
absl::StatusOr<std::vector<ScoredWord>> FindIn(
    const OpenedVectors& model, const CompareRequest& request,
    std::vector<UnknownWord>* unknown) {
  const WordLookup lookup;
  WordFinder finder(model.vectors(), lookup);
  FIRTH_ASSIGN_OR_RETURN(const std::vector<FoundWord> words,
                         finder.FindAll({request.word}));
  *unknown = finder.unknown();
  if (words.empty()) return std::vector<ScoredWord>();
  const NearestNeighbors& search = model.neighbors();
  return ScoredWords(
      model, search,
      search.Find(words[0].vector, request.top, IdsOf(search, words)));
}

absl::StatusOr<CompareAnswer> Compare(const Opened& opened,
                                      const CompareRequest& request) {
  CompareAnswer answer;
  answer.query = request.word;
  FIRTH_ASSIGN_OR_RETURN(
      const std::vector<ScoredWord> first,
      FindIn(opened.vectors(0), request, &answer.unknown_first));
  FIRTH_ASSIGN_OR_RETURN(
      const std::vector<ScoredWord> second,
      FindIn(opened.vectors(1), request, &answer.unknown_second));
  std::unordered_map<std::string, float> in_second;
  for (const ScoredWord& found : second) {
    in_second.emplace(found.word, found.score);
  }
  for (const ScoredWord& found : first) {
    const auto other = in_second.find(found.word);
    if (other == in_second.end()) {
      answer.only_first.push_back(found);
    } else {
      answer.both.push_back({found.word, found.score, other->second});
      in_second.erase(other);
    }
  }
  for (const ScoredWord& found : second) {
    if (in_second.contains(found.word)) answer.only_second.push_back(found);
  }
  return answer;
}

// Slots of the question "drift".
constexpr size_t kOld = 0;
constexpr size_t kNew = 1;
constexpr size_t kChance = 2;

struct DriftRequest {
  std::vector<std::string> words;
  uint64_t top = 20;
  DriftOptions options;

  static FieldTable Fields() {
    FieldsOf<DriftRequest> fields;
    AddWords("words", &DriftRequest::words,
             "words to measure; if none are given, the words that moved most "
             "are found",
             &fields);
    AddTop("number of words that moved most, if no words are given", &fields);
    fields.Part(&DriftRequest::options);
    return fields;
  }
};

struct MovedWord {
  std::string word;
  double cosine = 0;
  double p = 0;
  double overlap = 0;
  uint64_t old_count = 0;
  uint64_t new_count = 0;
  std::optional<double> chance_cosine;
  std::optional<double> chance_overlap;
  std::vector<WordScore> lost, won, kept;

  static AnswerTable Members() {
    return {
        {"word", &MovedWord::word},
        {"cosine", &MovedWord::cosine,
         "cosine of the word's vectors in the two models"},
        {"p", &MovedWord::p,
         "fraction of the words of similar frequency that moved at least as "
         "far; with `chance`, the fraction that did so by chance alone"},
        {"overlap", &MovedWord::overlap,
         "fraction of the word's neighbors that stayed the same",
         Listing::kInJson},
        {"old_count", &MovedWord::old_count, "occurrences in the old text",
         Listing::kInJson},
        {"new_count", &MovedWord::new_count, "occurrences in the new text",
         Listing::kInJson},
        {"chance_cosine", &MovedWord::chance_cosine,
         "cosine of the word's vectors in `old` and in `chance`; null without "
         "`chance`"},
        {"chance_overlap", &MovedWord::chance_overlap,
         "overlap of the neighbors in `old` and in `chance`", Listing::kInJson},
        {"lost", &MovedWord::lost, "neighbors in the old model only"},
        {"won", &MovedWord::won, "neighbors in the new model only"},
        {"kept", &MovedWord::kept, "neighbors in both models",
         Listing::kInJson}};
  }
};

struct DriftAnswer {
  uint64_t compared = 0;
  std::vector<MovedWord> words;
  std::vector<UnknownWord> unknown;

  static AnswerTable Members() {
    return {
        {"compared", &DriftAnswer::compared,
         "number of words that were compared; all models contain them"},
        {"words", &DriftAnswer::words,
         "the given words, or the words that moved most"},
        {"unknown", &DriftAnswer::unknown,
         "given words that are not among those compared", Listing::kInJson}};
  }
};

std::vector<WordScore> NearWords(const Vocabulary& vocabulary,
                                 absl::Span<const Neighbor> neighbors) {
  std::vector<WordScore> words;
  for (const Neighbor& neighbor : neighbors) {
    words.push_back(
        {std::string(vocabulary.Word(neighbor.word)), neighbor.score});
  }
  return words;
}

MovedWord Describe(const Drift& drift, const WordDrift& word, bool has_chance) {
  const Vocabulary& vocabulary = drift.vocabulary();
  const NeighborChange change = drift.Neighbors(word.word);
  MovedWord moved{std::string(vocabulary.Word(word.word)),
                  word.cosine,
                  word.p,
                  change.overlap,
                  drift.OldCount(word.word),
                  vocabulary.Count(word.word),
                  std::nullopt,
                  std::nullopt,
                  NearWords(vocabulary, change.lost),
                  NearWords(vocabulary, change.won),
                  NearWords(vocabulary, change.kept)};
  if (has_chance) {
    moved.chance_cosine = word.chance_cosine;
    moved.chance_overlap = change.chance_overlap;
  }
  return moved;
}

absl::StatusOr<Drift> Align(const Opened& opened, const DriftOptions& options) {
  const WordVectors& before = opened.vectors(kOld).vectors();
  const WordVectors& after = opened.vectors(kNew).vectors();
  return opened.Has(kChance)
             ? Drift::Create(before, after, opened.vectors(kChance).vectors(),
                             options)
             : Drift::Create(before, after, options);
}

absl::StatusOr<DriftAnswer> Measure(const Opened& opened, const Drift& drift,
                                    const DriftRequest& request) {
  DriftAnswer answer{drift.vocabulary().size(), {}, {}};
  std::vector<WordDrift> words;
  std::vector<std::string> unknown;
  if (request.words.empty()) words = drift.MostMoved(request.top);
  for (const std::string& word : request.words) {
    const std::optional<WordId> id = drift.vocabulary().Find(word);
    if (id.has_value()) {
      words.push_back(drift.Measure(*id));
    } else {
      unknown.push_back(word);
    }
  }
  answer.unknown = WithSpellings(drift.vocabulary(), unknown);
  for (const WordDrift& word : words) {
    answer.words.push_back(Describe(drift, word, opened.Has(kChance)));
  }
  return answer;
}

}  // namespace

Question CompareQuestion() {
  return MakeQuestion<CompareRequest, CompareAnswer>(
      {.name = "compare",
       .summary = "compare the neighbors of a word in two models",
       .description =
           "Finds the nearest neighbors of a word in each of two models and "
           "lists those of the first model only, of the second model only, and "
           "of both. Cosines of different models are comparable even if their "
           "vectors are not.\n\n"
           "  firth compare before.safetensors after.safetensors king",
       .slots = {{.name = "first",
                  .help = "the first model",
                  .access = VectorAccess::kSearched},
                 {.name = "second",
                  .help = "the second model",
                  .access = VectorAccess::kSearched}},
       .example = R"({"word":"king","top":5})",
       .arguments = {"word"}},
      &Compare, [](const Opened& opened, const CompareRequest& request) {
        return 2 * (SizeOfWords(opened, request.top) + SizeOfScan(opened));
      });
}

Question DriftQuestion() {
  return MakeQuestion<DriftRequest, DriftAnswer>(
      {.name = "drift",
       .summary = "find the words that moved between two models",
       .description =
           "Rotates the vectors of an old model into the space of a new one, "
           "using the words that both contain, and measures how far words "
           "moved: the cosine of a word's two vectors, and the neighbors that "
           "it kept, lost and won. Without words, the answer has the words "
           "that moved most.\n\n"
           "  firth drift 1900.safetensors 2000.safetensors\n"
           "  firth drift 1900.safetensors 2000.safetensors gay broadcast\n\n"
           "Words also move by chance, and rare words move more than others. p "
           "therefore compares each word with words of similar frequency: it "
           "is the fraction of them that moved at least as far. A second model "
           "of the old text, trained with another seed, may also be given "
           "(chance). p is then the fraction of words that moved at least as "
           "far between the two seeds, where all movement is due to chance.\n\n"
           "  firth train --input 1900.txt --seed 2 --output "
           "other.safetensors\n"
           "  firth drift 1900.safetensors 2000.safetensors \\\n"
           "    --chance other.safetensors",
       .slots = {{.name = "old", .help = "the old model"},
                 {.name = "new", .help = "the new model"},
                 {.name = "chance",
                  .help = "vectors trained like the old ones but with another "
                          "seed, to measure how far words move by chance",
                  .required = false}},
       .example = R"({"words":["king"],"neighbors":10})",
       .arguments = {"words"},
       .lane = Lane::kSlow},
      &Align, &Measure, [](const Opened&, const DriftRequest& request) {
        const uint64_t words =
            request.words.empty() ? request.top : request.words.size();
        return words * static_cast<uint64_t>(request.options.neighbors) * 2 *
               kScoredWordBytes;
      });
}

}  // namespace firth
