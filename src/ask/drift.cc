// Finds the words that moved between two models.

#include "firth/drift.h"

#include <optional>
#include <string>
#include <vector>

#include "ask/question.h"
#include "ask/words.h"

namespace firth {
namespace {

// Indexes of the slots.
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
