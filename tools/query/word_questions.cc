// Each command that asks about words is a row of a table: how many words a
// question has, what its help says, and the function that answers. Reading the
// vectors, the questions (of the command line or of lines) and writing the
// answers as text or JSON is the same for all of them.

#include "query/word_questions.h"

#include <cmath>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "cli/console.h"
#include "cli/human.h"
#include "firth/subwords.h"
#include "query/ranking.h"

namespace firth::tools {
namespace {

// The words of a question and a line end, above its answer.
std::string Label(const Question& question) {
  const std::string words = absl::StrJoin(
      question, " ", [](std::string* out, const QuestionWord& word) {
        absl::StrAppend(out, word.text);
      });
  return Styled(Style::kBold, words) + "\n";
}

Json NeighborJson(const Vocabulary& vocabulary,
                  const std::vector<Neighbor>& neighbors) {
  Json list = Json::array();
  for (const Neighbor& neighbor : neighbors) {
    list.push_back({{"word", std::string(vocabulary.Word(neighbor.word))},
                    {"score", Rounded(neighbor.score)}});
  }
  return list;
}

// The ids of its known words, which are no answers.
std::vector<WordId> KnownWords(const Question& question) {
  std::vector<WordId> known;
  for (const QuestionWord& word : question) {
    if (word.id.has_value()) known.push_back(*word.id);
  }
  return known;
}

// `key`: of the list of words in JSON.
Answer RankedAnswer(const Source& source, const Question& question,
                    const std::vector<Neighbor>& found, const char* key,
                    bool labelled) {
  const Vocabulary& vocabulary = source.vectors.vocabulary();
  return {(labelled ? Label(question) : "") +
              NeighborText(vocabulary, found, labelled),
          {{key, NeighborJson(vocabulary, found)}}};
}

std::vector<Answer> Neighbors(const Source& source,
                              absl::Span<const Question> questions,
                              bool labelled) {
  std::vector<NeighborQuery> queries;
  queries.reserve(questions.size());
  for (const Question& question : questions) {
    queries.push_back({question[0].vector, KnownWords(question)});
  }
  std::vector<Answer> answers;
  for (const auto& found : source.neighbors->FindAll(queries, source.top)) {
    answers.push_back(RankedAnswer(source, questions[answers.size()], found,
                                   "neighbors", labelled));
  }
  return answers;
}

Answer Analogy(const Source& source, const Question& question, bool labelled) {
  const AnalogyQuery query{question[0].vector, question[1].vector,
                           question[2].vector, KnownWords(question)};
  return RankedAnswer(
      source, question,
      source.neighbors->SolveAnalogy(query, source.top, source.method),
      "answers", labelled);
}

Answer SimilarityOfTwo(const Source&, const Question& words, bool labelled) {
  const float cosine = Similarity(words[0].vector, words[1].vector);
  std::string text;
  if (labelled) text = absl::StrCat(words[0].text, "  ", words[1].text, "  ");
  return Answer{text + absl::StrFormat("%.4f\n", cosine),
                {{"similarity", Rounded(cosine)}}};
}

Answer OddOne(const Source&, const Question& words, bool labelled) {
  std::vector<absl::Span<const float>> rows;
  std::string text;
  for (const QuestionWord& word : words) {
    rows.push_back(word.vector);
    if (labelled) absl::StrAppend(&text, word.text, " ");
  }
  const std::string& odd = words[OddOneOut(rows)].text;
  if (labelled) text += " ";
  return Answer{absl::StrCat(text, odd, "\n"), {{"odd", odd}}};
}

// Of the mean of an n-gram's rows.
double Norm(const FloatTable& table, const std::vector<uint32_t>& rows) {
  double squares = 0;
  for (size_t i = 0; i < table.cols(); ++i) {
    double sum = 0;
    for (const uint32_t row : rows) sum += table.Row(row)[i];
    squares += sum * sum;
  }
  return rows.empty() ? 0
                      : std::sqrt(squares) / static_cast<double>(rows.size());
}

Answer NGrams(const Source& source, const Question& question, bool labelled) {
  const SubwordTables& subwords = *source.vectors.subwords();
  TextTable table("ls");
  Json list = Json::array();
  for (const auto& [text, rows] : subwords.index.NGrams(question[0].text)) {
    const double norm = Norm(subwords.n_grams, rows);
    table.AddRow({absl::StrCat(labelled ? "  " : "", text),
                  absl::StrFormat("%.4f", norm)});
    list.push_back(
        {{"ngram", text}, {"norm", Rounded(static_cast<float>(norm))}});
  }
  return {absl::StrCat(labelled ? Label(question) : "", table.ToString()),
          {{"ngrams", std::move(list)}}};
}

template <Answer (*kAnswer)(const Source&, const Question&, bool)>
std::vector<Answer> OneByOne(const Source& source,
                             absl::Span<const Question> questions,
                             bool labelled) {
  std::vector<Answer> answers;
  answers.reserve(questions.size());
  for (const Question& question : questions) {
    answers.push_back(kAnswer(source, question, labelled));
  }
  return answers;
}

constexpr QuestionKind kNeighbors = {
    .command = "nn",
    .summary = "the nearest neighbours of words",
    .synopsis = "VECTORS [WORD...]",
    .description =
        "Prints the words of greatest cosine with each WORD, best first. "
        "Without WORD, reads words from standard input; those that come "
        "together are answered together, which is several times as fast.\n\n"
        "  firth nn model.safetensors king queen\n"
        "  firth nn model.safetensors --json <words.txt >neighbors.jsonl",
    .prompt = "word> ",
    .low = 1,
    .high = 1,
    .ranks = true,
    .answer = &Neighbors};

constexpr QuestionKind kAnalogy = {
    .command = "analogy",
    .summary = "solve \"A is to B as C is to ?\"",
    .synopsis = "VECTORS [A B C]",
    .description =
        "Prints the words that fit best; A, B and C are left out. Without "
        "them, reads three words a line from standard input.\n\n"
        "  firth analogy model.safetensors man king woman",
    .prompt = "a b c> ",
    .low = 3,
    .high = 3,
    .ranks = true,
    .by_method = true,
    .answer = &OneByOne<&Analogy>};

constexpr QuestionKind kSimilarity = {
    .command = "similarity",
    .summary = "how similar two words are",
    .synopsis = "VECTORS [A B]",
    .description =
        "Prints the cosine of the two vectors, from -1 to 1. Without "
        "words, reads two a line from standard input.\n\n"
        "  firth similarity model.safetensors cup mug",
    .prompt = "a b> ",
    .low = 2,
    .high = 2,
    .answer = &OneByOne<&SimilarityOfTwo>};

constexpr QuestionKind kOdd = {
    .command = "odd",
    .summary = "the word that does not belong to the others",
    .synopsis = "VECTORS [WORD...]",
    .description =
        "Prints the word farthest from the mean of all, of three or more. "
        "Without words, reads them line by line from standard input.\n\n"
        "  firth odd model.safetensors breakfast cereal dinner lunch",
    .prompt = "words> ",
    .low = 3,
    .high = std::numeric_limits<size_t>::max(),
    .answer = &OneByOne<&OddOne>};

constexpr QuestionKind kNGrams = {
    .command = "ngrams",
    .summary = "the n-grams of words, with the length of their vectors",
    .synopsis = "VECTORS [WORD...]",
    .description =
        "Prints the character n-grams of <WORD> in their order, each with "
        "the norm of its vector: 0 for those that the model has not seen. "
        "Without WORD, reads words from standard input.\n\n"
        "  firth ngrams model.safetensors unhappiness",
    .prompt = "word> ",
    .low = 1,
    .high = 1,
    .of_ngrams = true,
    .answer = &OneByOne<&NGrams>};

}  // namespace

std::unique_ptr<Command> MakeNnCommand() { return MakeQuery(kNeighbors); }
std::unique_ptr<Command> MakeAnalogyCommand() { return MakeQuery(kAnalogy); }
std::unique_ptr<Command> MakeSimilarityCommand() {
  return MakeQuery(kSimilarity);
}
std::unique_ptr<Command> MakeOddCommand() { return MakeQuery(kOdd); }
std::unique_ptr<Command> MakeNgramsCommand() { return MakeQuery(kNGrams); }

}  // namespace firth::tools
