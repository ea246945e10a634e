// Each command that asks about words is a row of a table: how many words a
// question has, what its help says, and the function that answers. Reading the
// vectors, the questions (of the command line or of lines) and writing the
// answers as text or JSON is the same for all of them.

#include "query/word_questions.h"

#include <cmath>
#include <limits>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "cli/console.h"
#include "cli/human.h"
#include "query/ranking.h"

namespace firth::tools {
namespace {

// What was asked and a line end, above its answer.
std::string Label(const Question& question) {
  return Styled(Style::kBold, question.label) + "\n";
}

Json NeighborJson(const Vocabulary& vocabulary,
                  const std::vector<Neighbor>& neighbors) {
  Json list = Json::array();
  for (const Neighbor& neighbor : neighbors) {
    list.push_back({{"word", std::string(vocabulary.Word(neighbor.word))},
                    {"score", NumberJson(neighbor.score)}});
  }
  return list;
}

// The ids of its known words, which are no answers.
std::vector<WordId> KnownWords(const Question& question) {
  std::vector<WordId> known;
  for (const QuestionWord& word : question.words) {
    if (word.id.has_value()) known.push_back(*word.id);
  }
  return known;
}

std::vector<QueryTerm> Terms(const Question& question) {
  std::vector<QueryTerm> terms;
  for (const QuestionWord& word : question.words) {
    terms.push_back({word.vector, word.weight});
  }
  return terms;
}

std::vector<absl::Span<const float>> Rows(const Question& question) {
  std::vector<absl::Span<const float>> rows;
  for (const QuestionWord& word : question.words) rows.push_back(word.vector);
  return rows;
}

// `key`: of the list of words in JSON.
WordsAnswer RankedAnswer(const Source& source, const Question& question,
                         const std::vector<Neighbor>& found, const char* key,
                         bool labelled) {
  const Vocabulary& vocabulary = source.neighbors->vectors().vocabulary();
  return {(labelled ? Label(question) : "") +
              NeighborText(vocabulary, found, labelled, source.digits),
          {{key, NeighborJson(vocabulary, found)}}};
}

WordsAnswer Analogy(const Source& source, const Question& question,
                    bool labelled) {
  const SumQuery query{Terms(question), KnownWords(question)};
  return RankedAnswer(
      source, question,
      source.neighbors->FindSum(query, source.top, source.method), "answers",
      labelled);
}

WordsAnswer SimilarityOfTwo(const Source& source, const Question& question,
                            bool labelled) {
  const std::vector<QuestionWord>& words = question.words;
  const float cosine = Similarity(words[0].vector, words[1].vector);
  std::string text;
  if (labelled) text = absl::StrCat(words[0].text, "  ", words[1].text, "  ");
  return WordsAnswer{text + DecimalText(cosine, source.digits) + "\n",
                     {{"similarity", NumberJson(cosine)}}};
}

WordsAnswer MatrixOf(const Source& source, const Question& question) {
  const std::vector<float> cosines = SimilarityMatrix(Rows(question));
  const size_t size = question.words.size();
  TextTable table("l" + std::string(size, 'r'));
  std::vector<std::string> header = {""};
  for (const QuestionWord& word : question.words) header.push_back(word.text);
  table.AddRow(std::move(header));
  Json rows = Json::array();
  for (size_t i = 0; i < size; ++i) {
    std::vector<std::string> cells = {question.words[i].text};
    Json& row = rows.emplace_back(Json::array());
    for (size_t j = 0; j < size; ++j) {
      const float cosine = cosines[i * size + j];
      cells.push_back(DecimalText(cosine, source.digits));
      row.push_back(NumberJson(cosine));
    }
    table.AddRow(std::move(cells));
  }
  return {table.ToString(), {{"similarity", std::move(rows)}}};
}

WordsAnswer SimilarityOf(const Source& source, const Question& question,
                         bool labelled) {
  return question.words.size() == 2
             ? SimilarityOfTwo(source, question, labelled)
             : MatrixOf(source, question);
}

WordsAnswer OddOne(const Source&, const Question& question, bool labelled) {
  const std::vector<float> belongs = Centrality(Rows(question));
  const size_t odd =
      static_cast<size_t>(absl::c_min_element(belongs) - belongs.begin());
  Json words = Json::array();
  std::string text;
  for (size_t i = 0; i < belongs.size(); ++i) {
    const std::string& word = question.words[i].text;
    words.push_back({{"word", word}, {"centrality", NumberJson(belongs[i])}});
    if (labelled) absl::StrAppend(&text, word, " ");
  }
  if (labelled) text += " ";
  return WordsAnswer{absl::StrCat(text, question.words[odd].text, "\n"),
                     {{"odd", question.words[odd].text}, {"words", words}}};
}

// The words that are closer to the first word than the second one is.
std::vector<Neighbor> Closer(const Source& source, const Question& question) {
  const std::vector<float>& vector = question.words[0].vector;
  const std::optional<WordId> other = question.words[1].id;
  const float cosine = other.has_value()
                           ? source.neighbors->Cosines(vector)[Index(*other)]
                           : Similarity(vector, question.words[1].vector);
  return source.neighbors->FindCloser(vector, cosine, KnownWords(question));
}

WordsAnswer CloserWords(const Source& source, const Question& question,
                        bool labelled) {
  return RankedAnswer(source, question, Closer(source, question), "closer",
                      labelled);
}

WordsAnswer RankOfWord(const Source& source, const Question& question,
                       bool labelled) {
  const std::optional<WordId> word = question.words[0].id;
  const std::optional<WordId> other = question.words[1].id;
  const size_t rank = word.has_value() && other.has_value()
                          ? source.neighbors->Rank(*word, *other)
                          : Closer(source, question).size() + 1;
  return {absl::StrCat(labelled ? question.label + "  " : "", rank, "\n"),
          {{"rank", rank}}};
}

// A line of the label and the values, with which they are the same again.
std::string RowText(absl::string_view label, absl::Span<const float> row) {
  std::string text(label);
  for (const float value : row) absl::StrAppendFormat(&text, " %.9g", value);
  return text + "\n";
}

Json RowJson(absl::Span<const float> row) {
  Json values = Json::array();
  for (const float value : row) values.push_back(NumberJson(value));
  return values;
}

WordsAnswer VectorsOfNGrams(const SubwordTables& subwords,
                            const std::string& word) {
  WordsAnswer answer;
  Json list = Json::array();
  for (const auto& [text, vector] : NGramVectors(subwords, word)) {
    absl::StrAppend(&answer.text, RowText(text, vector));
    list.push_back({{"ngram", text}, {"vector", RowJson(vector)}});
    answer.rows.emplace_back(text, vector);
  }
  answer.json = {{"ngrams", std::move(list)}};
  return answer;
}

WordsAnswer VectorsOf(const Source& source, const Question& question, bool) {
  const QuestionWord& word = question.words[0];
  if (source.n_grams) {
    return VectorsOfNGrams(*source.vectors.subwords(), word.text);
  }
  return {RowText(word.text, word.vector),
          {{"vector", RowJson(word.vector)}},
          {{word.text, word.vector}}};
}

WordsAnswer NGrams(const Source& source, const Question& question,
                   bool labelled) {
  TextTable table("ls");
  Json list = Json::array();
  for (const auto& [text, vector] :
       NGramVectors(*source.vectors.subwords(), question.words[0].text)) {
    double squares = 0;
    for (const float value : vector) squares += double{value} * value;
    const double norm = std::sqrt(squares);
    table.AddRow({absl::StrCat(labelled ? "  " : "", text),
                  DecimalText(norm, source.digits)});
    list.push_back(
        {{"ngram", text}, {"norm", NumberJson(static_cast<float>(norm))}});
  }
  return {absl::StrCat(labelled ? Label(question) : "", table.ToString()),
          {{"ngrams", std::move(list)}}};
}

template <WordsAnswer (*kAnswer)(const Source&, const Question&, bool)>
std::vector<WordsAnswer> OneByOne(const Source& source,
                                  absl::Span<const Question> questions,
                                  bool labelled) {
  std::vector<WordsAnswer> answers;
  answers.reserve(questions.size());
  for (const Question& question : questions) {
    answers.push_back(kAnswer(source, question, labelled));
  }
  return answers;
}

constexpr QuestionKind kAnalogy = {
    .command = "analogy",
    .summary = "solve \"A is to B as C is to ?\"",
    .synopsis = "VECTORS [A B C]",
    .description =
        "Prints the best answers; A, B and C themselves are excluded. A sum of "
        "any number of words, such as king - man + woman, is also accepted. "
        "Without words, reads three words or one sum per line from standard "
        "input.\n\n"
        "  firth analogy model.safetensors man king woman\n"
        "  firth analogy model.safetensors king - man + woman",
    .prompt = "a b c> ",
    .low = 3,
    .high = 3,
    .asks = Asks::kNeighbors,
    .sums = true,
    .by_method = true,
    .decimals = true,
    .answer = &OneByOne<&Analogy>};

constexpr QuestionKind kSimilarity = {
    .command = "similarity",
    .summary = "compute the cosine similarity of words",
    .synopsis = "VECTORS [WORD WORD...]",
    .description =
        "Prints the cosine of the vectors of two words, from -1 to 1. For up "
        "to 1000 words, prints the matrix of all cosines. Without words, reads "
        "them from standard input, one question per line.\n\n"
        "  firth similarity model.safetensors cup mug\n"
        "  firth similarity model.safetensors cup mug bottle coffee",
    .prompt = "words> ",
    .low = 2,
    .high = 1000,
    .decimals = true,
    .answer = &OneByOne<&SimilarityOf>};

constexpr QuestionKind kOdd = {
    .command = "odd",
    .summary = "find the word that does not match the others",
    .synopsis = "VECTORS [WORD...]",
    .description =
        "Given three or more words, prints the one whose vector is farthest "
        "from the mean of all. Without words, reads them from standard input, "
        "one question per line. With --json, also prints the cosine of each "
        "word with the mean, its centrality.\n\n"
        "  firth odd model.safetensors breakfast cereal dinner lunch",
    .prompt = "words> ",
    .low = 3,
    .high = std::numeric_limits<size_t>::max(),
    .answer = &OneByOne<&OddOne>};

constexpr QuestionKind kRank = {
    .command = "rank",
    .summary = "find the rank of a word among the neighbors of another",
    .synopsis = "VECTORS [WORD OTHER]",
    .description =
        "Prints the rank of OTHER among the neighbors of WORD; 1 is the "
        "nearest. Without words, reads two words per line from standard "
        "input.\n\n"
        "  firth rank model.safetensors king queen",
    .prompt = "word other> ",
    .low = 2,
    .high = 2,
    .asks = Asks::kOrder,
    .answer = &OneByOne<&RankOfWord>};

constexpr QuestionKind kCloser = {
    .command = "closer",
    .summary = "find all words that are closer to a word than another word is",
    .synopsis = "VECTORS [WORD OTHER]",
    .description =
        "Prints all words whose cosine with WORD is higher than that of OTHER, "
        "best first. Without words, reads two words per line from standard "
        "input.\n\n"
        "  firth closer model.safetensors king queen",
    .prompt = "word other> ",
    .low = 2,
    .high = 2,
    .asks = Asks::kOrder,
    .decimals = true,
    .answer = &OneByOne<&CloserWords>};

constexpr QuestionKind kNGrams = {
    .command = "ngrams",
    .summary = "list the n-grams of words and the norms of their vectors",
    .synopsis = "VECTORS [WORD...]",
    .description =
        "Prints the character n-grams of <WORD> in order, each with the norm "
        "of its vector; n-grams that do not occur in the model have norm 0. "
        "Without WORD, reads words from standard input.\n\n"
        "  firth ngrams model.safetensors unhappiness",
    .prompt = "word> ",
    .low = 1,
    .high = 1,
    .asks = Asks::kNGrams,
    .decimals = true,
    .answer = &OneByOne<&NGrams>};

constexpr QuestionKind kVectors = {
    .command = "vectors",
    .summary = "print the vectors of words",
    .synopsis = "VECTORS [WORD...]",
    .description =
        "Prints each WORD with its vector; unknown words get a vector from "
        "their n-grams if the model has them. Without WORD, reads words from "
        "standard input.\n\n"
        "  firth vectors model.safetensors king queen\n"
        "  firth vectors model.safetensors --ngrams unhappiness\n"
        "  firth vectors model.safetensors --output rows.npy <words.txt",
    .prompt = "word> ",
    .low = 1,
    .high = 1,
    .asks = Asks::kVectors,
    .answer = &OneByOne<&VectorsOf>};

}  // namespace

std::unique_ptr<Command> MakeAnalogyCommand() { return MakeQuery(kAnalogy); }
std::unique_ptr<Command> MakeSimilarityCommand() {
  return MakeQuery(kSimilarity);
}
std::unique_ptr<Command> MakeOddCommand() { return MakeQuery(kOdd); }
std::unique_ptr<Command> MakeRankCommand() { return MakeQuery(kRank); }
std::unique_ptr<Command> MakeCloserCommand() { return MakeQuery(kCloser); }
std::unique_ptr<Command> MakeNgramsCommand() { return MakeQuery(kNGrams); }
std::unique_ptr<Command> MakeVectorsCommand() { return MakeQuery(kVectors); }

}  // namespace firth::tools
