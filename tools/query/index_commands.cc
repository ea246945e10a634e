// Commands that prepare vectors: firth index builds an HNSW index of words or
// texts and measures its recall and speed, and firth map lays out words in two
// dimensions.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "ask/open_models.h"
#include "ask/text_asker.h"
#include "cli/console.h"
#include "cli/human.h"
#include "cli/interrupt.h"
#include "cli/json.h"
#include "cli/progress_printer.h"
#include "cli/used_files.h"
#include "cli/vector_files.h"
#include "command.h"
#include "firth/ask.h"
#include "firth/layout.h"
#include "firth/postprocess.h"
#include "firth/query.h"
#include "firth/sentence_vectors.h"
#include "firth/status_macros.h"
#include "firth/text_file.h"
#include "firth/vector_io.h"

namespace firth::tools {
namespace {

// The command prints a warning if the recall is lower.
constexpr double kGoodRecall = 0.8;

class Stopwatch {
 public:
  double Seconds() const {
    return std::chrono::duration<double>(Clock::now() - start_).count();
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
};

// Returns words spread evenly over the vocabulary, from frequent to rare.
std::vector<WordId> SampleWords(size_t vocab_size, size_t count) {
  count = std::min(count, vocab_size);
  std::vector<WordId> words;
  words.reserve(count);
  for (size_t i = 0; i < count; ++i) {
    words.push_back(ToWordId(i * vocab_size / count));
  }
  return words;
}

// Returns the fraction of the exact neighbors that were found. Others that are
// as similar as the last of them count as well, since equal texts have equal
// vectors.
double RecallOf(const std::vector<Neighbor>& exact,
                const std::vector<Neighbor>& found) {
  if (exact.empty()) return 1;
  constexpr float kRounding = 1e-6f;
  const float least = exact.back().score - kRounding;
  const auto good = std::count_if(
      found.begin(), found.end(),
      [&](const Neighbor& other) { return other.score >= least; });
  return static_cast<double>(good) / static_cast<double>(exact.size());
}

uint64_t FileBytes(const std::string& path) {
  std::error_code ignored;
  const auto bytes = std::filesystem::file_size(path, ignored);
  return ignored ? 0 : bytes;
}

// Recall and speed of one search method on the sample.
struct Measurement {
  std::string search;
  double queries_per_second = 0;
  double recall = 0;
};

constexpr CommandText kIndexText = {
    "index", "build a search index for nn and analogy", "VECTORS [OPTION...]",
    "Builds a graph of the words (HNSW) for --index hnsw and writes it to "
    "VECTORS.hnsw. The index is valid only for these vectors; build it again "
    "when they change.\n\n"
    "Then measures each search method of nn on a sample of words, one word at "
    "a time, and prints its speed and its recall, the fraction of the true "
    "nearest neighbors that it finds. A graph that finds fewer than half of "
    "the ten nearest neighbors is not written, since the vectors are then too "
    "similar to each other for HNSW.\n\n"
    "  firth index vectors.bin\n"
    "  firth nn vectors.bin --index hnsw king\n\n"
    "With --texts, the vectors of texts are written to --output and indexed. "
    "The words of that file are the texts, or their ids.\n\n"
    "  firth index sentences.safetensors --texts questions.txt \\\n"
    "    --output questions.safetensors\n"
    "  echo \"how do I reset it\" | firth sentence-vectors "
    "sentences.safetensors |\n"
    "    firth nn questions.safetensors --index hnsw --by-vector"};

// Texts, and the names under which they are found.
struct NamedTexts {
  std::vector<std::string> names;
  std::vector<std::string> texts;
};

// Reads one text per line or, with ids, an id, a tab and a text. Skips empty
// lines and, without ids, texts that occurred before. Errors: InvalidArgument,
// with file and line.
absl::StatusOr<NamedTexts> ReadNamedTexts(const std::string& path,
                                          bool has_ids) {
  FIRTH_ASSIGN_OR_RETURN(const std::string bytes, ReadText(path));
  NamedTexts read;
  absl::flat_hash_set<absl::string_view> seen;
  size_t number = 0;
  for (absl::string_view line : absl::StrSplit(bytes, '\n')) {
    ++number;
    line = absl::StripSuffix(line, "\r");
    if (line.empty()) continue;
    const size_t tab = has_ids ? line.find('\t') : line.size();
    if (tab == absl::string_view::npos || tab == 0) {
      return absl::InvalidArgumentError(
          absl::StrCat(path, ":", number,
                       ": expected an id, a tab and a text, as --ids requires, "
                       "found \"",
                       Visible(line.substr(0, 60)), "\""));
    }
    const absl::string_view name = line.substr(0, tab);
    if (!seen.insert(name).second) {
      if (!has_ids) continue;
      return absl::InvalidArgumentError(
          absl::StrCat(path, ":", number,
                       ": expected an id that occurs only "
                       "once, found \"",
                       Visible(name), "\""));
    }
    read.names.emplace_back(name);
    read.texts.emplace_back(has_ids ? line.substr(tab + 1) : line);
  }
  return read;
}

// Returns the vectors of the texts. Leaves out and counts texts of which no
// word has a vector. Errors: InvalidArgument, there is no other text.
absl::StatusOr<WordVectors> VectorsOf(const NamedTexts& texts,
                                      const SentenceEncoder& encoder,
                                      const std::string& path,
                                      size_t* left_out) {
  std::vector<absl::string_view> names;
  std::vector<float> rows;
  std::vector<float> row(encoder.dim());
  for (size_t i = 0; i < texts.texts.size(); ++i) {
    FIRTH_ASSIGN_OR_RETURN(const size_t words,
                           encoder.Encode(texts.texts[i], absl::MakeSpan(row)));
    if (words == 0) continue;
    names.push_back(texts.names[i]);
    rows.insert(rows.end(), row.begin(), row.end());
  }
  *left_out = texts.texts.size() - names.size();
  if (names.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": no text contains a word that has a vector"));
  }
  FIRTH_ASSIGN_OR_RETURN(Vocabulary vocabulary, Vocabulary::Create(names, {}));
  return WordVectors::Create(std::move(vocabulary),
                             FloatTable(std::move(rows), encoder.dim()));
}

class IndexCommand : public CommandWith<kIndexText> {
 public:
  void Declare(OptionSet* options) override {
    options->Path("texts", "FILE", &texts_, Reads(),
                  "path to texts, one per line, compressed or not, or - for "
                  "standard input; their vectors, computed as by "
                  "\"firth sentence-vectors\", are indexed instead of those of "
                  "the words");
    options
        ->Path("output", "FILE", &output_, WritesVectors(&format_),
               "path to the file of the vectors of texts to write")
        .GoesWith({"texts"});
    options
        ->Switch("ids", &has_ids_,
                 "read an id and a tab before each text, and name the vectors "
                 "by the ids")
        .GoesWith({"texts"});
    options->Fields(&options_);
    options->Fields(&search_);
    options->At("breadth").help =
        "number of candidates in an HNSW search (ef) when recall is measured";
    options->Integer("top", &top_, 1, 1000000,
                     "number of neighbors per word when recall is measured");
    options->Integer("sample", &sample_, 0, 1000000000,
                     "number of words with which recall is measured; 0 skips "
                     "the measurement");
    options->Switch("json", &json_, "print one JSON object");
    options->AlsoUses("the index", Writes(), [this] {
      return arguments_.empty() ? "" : HnswPath(IndexedPath());
    });
    options->Arguments("VECTORS", 1, 1, &arguments_, {{"VECTORS", Reads()}});
  }

  absl::Status Check(const OptionSet&) override {
    if (!texts_.empty() && output_.empty()) {
      return absl::InvalidArgumentError(
          "--texts requires --output, the file of their vectors");
    }
    if (!output_.empty()) {
      FIRTH_ASSIGN_OR_RETURN(format_, ChooseTextFormat(output_));
    }
    const std::string path = HnswPath(IndexedPath());
    std::error_code error;
    if (std::filesystem::exists(path, error) && !IsHnswIndex(path)) {
      return absl::FailedPreconditionError(absl::StrCat(
          path,
          ": this file is not an index and will not be replaced; move it"));
    }
    return options_.Validate();
  }

  absl::StatusOr<ExitCode> Run(const OptionSet&) override {
    if (!texts_.empty()) FIRTH_RETURN_IF_ERROR(WriteTexts());
    FIRTH_ASSIGN_OR_RETURN(const WordVectors vectors,
                           LoadVectorsToAsk(IndexedPath()));
    const std::string path = search_.path = HnswPath(IndexedPath());
    const Stopwatch stopwatch;
    FIRTH_RETURN_IF_ERROR(BuildHnswIndex(vectors, options_, path));
    const double seconds = stopwatch.Seconds();
    FIRTH_RETURN_IF_ERROR(Measure(vectors));
    WarnOfRecall();
    json_ ? PrintJson(path, seconds) : PrintText(vectors, path, seconds);
    return ExitCode::kDone;
  }

 private:
  // Returns the path of the vectors that are indexed.
  const std::string& IndexedPath() const {
    return output_.empty() ? arguments_[0] : output_;
  }

  absl::Status WriteTexts() const {
    FIRTH_ASSIGN_OR_RETURN(const NamedTexts texts,
                           ReadNamedTexts(texts_, has_ids_));
    FIRTH_ASSIGN_OR_RETURN(WordVectors model,
                           LoadVectorsOfTexts(arguments_[0]));
    FIRTH_ASSIGN_OR_RETURN(const SentenceEncoder encoder,
                           SentenceEncoder::Create(std::move(model), {}));
    size_t left_out = 0;
    VectorFile file;
    FIRTH_ASSIGN_OR_RETURN(file.vectors,
                           VectorsOf(texts, encoder, texts_, &left_out));
    if (left_out > 0) {
      PrintMessage(absl::StrCat(texts_, ": left out ",
                                Counted(left_out, "text"),
                                " without a word that has a vector"));
    }
    return SaveVectorFile(file, output_, format_);
  }

  void WarnOfRecall() const {
    if (measurements_.empty() || measurements_.back().recall >= kGoodRecall) {
      return;
    }
    PrintMessage(
        absl::StrFormat("warning: --index hnsw misses %.0f%% of these "
                        "neighbors; larger values of --links, --build-breadth "
                        "or --breadth miss fewer, and --index int8 misses none",
                        100 * (1 - measurements_.back().recall)));
  }

  absl::Status Measure(const WordVectors& vectors) {
    if (sample_ == 0) return absl::OkStatus();
    const std::vector<WordId> words = SampleWords(vectors.size(), sample_);
    std::vector<std::vector<Neighbor>> exact;
    for (const SearchOptions& search :
         {SearchOptions(ExactSearch()), SearchOptions(Int8Search()),
          SearchOptions(search_)}) {
      FIRTH_ASSIGN_OR_RETURN(const NearestNeighbors neighbors,
                             NearestNeighbors::Create(vectors, search));
      std::vector<std::vector<Neighbor>> found;
      found.reserve(words.size());
      const Stopwatch stopwatch;
      for (const WordId word : words) {
        found.push_back(neighbors.FindWord(word, top_));
      }
      const double seconds = stopwatch.Seconds();
      if (exact.empty()) exact = found;
      double recall = 0;
      for (size_t i = 0; i < words.size(); ++i) {
        recall += RecallOf(exact[i], found[i]);
      }
      const auto count = static_cast<double>(words.size());
      measurements_.push_back(
          {std::visit([](const auto& s) { return std::string(s.kName); },
                      search),
           count / seconds, words.empty() ? 1 : recall / count});
    }
    return absl::OkStatus();
  }

  void PrintJson(const std::string& path, double seconds) const {
    Json searches = Json::array();
    for (const Measurement& measurement : measurements_) {
      searches.push_back(
          {{"search", measurement.search},
           {"queries_per_second", Rounded(measurement.queries_per_second)},
           {"recall", Rounded(measurement.recall)}});
    }
    Print(JsonLine({{"index", path},
                    {"seconds", Rounded(seconds)},
                    {"bytes", FileBytes(path)},
                    {"top", top_},
                    {"breadth", search_.breadth},
                    {"searches", searches}}));
  }

  void PrintText(const WordVectors& vectors, const std::string& path,
                 double seconds) const {
    PrintMessage(absl::StrCat(
        "wrote ", path, ": ",
        Counted(vectors.size(), texts_.empty() ? "word" : "text"), ", ",
        HumanBytes(FileBytes(path)), ", in ", HumanSeconds(seconds)));
    if (measurements_.empty()) return;
    TextTable table("lrr");
    table.AddRow({"search", absl::StrCat("recall@", top_), "queries/s"});
    for (const Measurement& measurement : measurements_) {
      table.AddRow(
          {measurement.search, absl::StrFormat("%.4f", measurement.recall),
           Thousands(static_cast<uint64_t>(measurement.queries_per_second))});
    }
    Print(table.ToString());
  }

  std::string texts_;
  std::string output_;
  std::string format_;
  bool has_ids_ = false;
  HnswOptions options_;
  HnswSearch search_;
  uint64_t top_ = 10;
  uint64_t sample_ = 1000;
  bool json_ = false;
  std::vector<std::string> arguments_;
  std::vector<Measurement> measurements_;
};

constexpr CommandText kMapText = {
    "map", "lay out words as points in two dimensions",
    "VECTORS (--output FILE | --json) [OPTION...]",
    "Gives each word a position close to the words with similar vectors, finds "
    "dense areas (clusters), and labels each with its most frequent words. The "
    "same seed gives the same map with any number of threads.\n\n"
    "A .safetensors map stores all of this. A .tsv file has lines of word, x, "
    "y and cluster for other programs.\n\n"
    "  firth map model.safetensors --output map.safetensors\n"
    "  firth map model.safetensors --output map.tsv --words 20000\n\n"
    "--onto places other vectors on an existing map: new words find positions "
    "among the old ones, which stay fixed. With --hold 0.3, old words also "
    "move toward their new neighbors, so that two maps show what has "
    "changed.\n\n"
    "  firth map new.safetensors --onto map.safetensors --output "
    "new-map.safetensors"};

class MapCommand : public CommandWith<kMapText> {
 public:
  void Declare(OptionSet* options) override {
    options
        ->Path("output", "FILE", &output_, Writes(),
               "path to the map file to write, .safetensors or .tsv")
        .Everyday();
    options
        ->Integer("words", &selection_.max_vocab, 0, UINT64_MAX,
                  "lay out this many of the most frequent words; 0 means all")
        .Everyday();
    options
        ->Path("word-list", "FILE", &word_list_, Reads(),
               "path to a list of words, one per line; only these are laid out")
        .Everyday();
    options
        ->Path("onto", "FILE", &onto_, Reads(),
               "path to a map of an earlier run (.safetensors) whose words "
               "keep their positions")
        .Everyday();
    options->Switch("json", &json_,
                    "print the map as one line of JSON instead of writing it");
    options->Fields(&fields_);
    options->At("hold").GoesWith({"onto"});
    options->Arguments("VECTORS", 1, 1, &arguments_, {{"VECTORS", Reads()}});
  }

  absl::Status Check(const OptionSet&) override {
    if (json_ && !(output_ + word_list_ + onto_).empty()) {
      return absl::InvalidArgumentError(
          "--json cannot be combined with --output, --word-list or --onto");
    }
    if (output_.empty() && !json_) {
      return absl::InvalidArgumentError("give the map file with --output FILE");
    }
    if (!json_) FIRTH_RETURN_IF_ERROR(CheckMapFile({}, output_));
    return options_.Validate();
  }

  absl::StatusOr<ExitCode> Run(const OptionSet&) override {
    if (json_) return PrintJson();
    const InterruptGuard interrupt;
    std::optional<WordMap> old_map;
    if (!onto_.empty()) {
      FIRTH_ASSIGN_OR_RETURN(old_map, LoadMap(onto_));
    }
    FIRTH_ASSIGN_OR_RETURN(const WordVectors vectors, LoadWords());
    FIRTH_RETURN_IF_ERROR(CheckMapFile(vectors.vocabulary(), output_));
    const auto begin = std::chrono::steady_clock::now();
    absl::StatusOr<WordMap> map = LayOut(vectors, old_map, interrupt);
    if (absl::IsCancelled(map.status())) return EndInterrupted();
    FIRTH_RETURN_IF_ERROR(map.status());
    map->source = std::filesystem::path(arguments_[0]).filename();
    FIRTH_RETURN_IF_ERROR(SaveMap(*map, output_));
    const std::chrono::duration<double> taken =
        std::chrono::steady_clock::now() - begin;
    TellWritten(*map, vectors.size(), taken.count());
    return ExitCode::kDone;
  }

 private:
  absl::StatusOr<ExitCode> PrintJson() {
    FIRTH_ASSIGN_OR_RETURN(
        const OpenedModel model,
        OpenModel("model", arguments_[0], &FindQuestion("map")->slots[0], {}));
    TextAsker asker("map");
    asker.SetFields(fields_);
    asker.fields().SetText("words", absl::StrCat(selection_.max_vocab));
    asker.Add();
    Print(asker.Answer(model)[0] + "\n");
    return asker.failed() ? ExitCode::kFailed : ExitCode::kDone;
  }

  // Returns the vectors of the words for the map.
  absl::StatusOr<WordVectors> LoadWords() const {
    FIRTH_ASSIGN_OR_RETURN(WordVectors vectors,
                           LoadVectorsToAsk(arguments_[0]));
    if (!word_list_.empty()) {
      FIRTH_ASSIGN_OR_RETURN(const Vocabulary wanted,
                             LoadVocabulary(word_list_));
      FIRTH_ASSIGN_OR_RETURN(vectors, SelectWords(vectors, wanted));
      TellOfMissing(wanted, vectors.vocabulary());
    }
    if (selection_.max_vocab > 0 && selection_.max_vocab < vectors.size()) {
      PrintMessage(absl::StrCat(
          "using the first ", Thousands(selection_.max_vocab), " of ",
          Counted(vectors.size(), "word"), "; --words 0 uses all"));
    }
    return Postprocess(vectors, selection_);
  }

  // Prints the words of the list that have no vector.
  void TellOfMissing(const Vocabulary& wanted, const Vocabulary& found) const {
    constexpr size_t kMostNamed = 10;
    if (found.size() == wanted.size()) return;
    std::vector<absl::string_view> missing;
    for (size_t i = 0; i < wanted.size() && missing.size() < kMostNamed; ++i) {
      const absl::string_view word = wanted.Word(ToWordId(i));
      if (!found.Find(word).has_value()) missing.push_back(word);
    }
    const size_t count = wanted.size() - found.size();
    PrintMessage(absl::StrCat(
        word_list_, ": no vector for ", Counted(count, "word"), ": ",
        absl::StrJoin(missing, ", "), count > missing.size() ? ", ..." : ""));
  }

  absl::StatusOr<WordMap> LayOut(const WordVectors& vectors,
                                 const std::optional<WordMap>& old_map,
                                 const InterruptGuard& interrupt) const {
    PercentSink progress;
    return MakeMap(vectors, options_, old_map.has_value() ? &*old_map : nullptr,
                   {.progress = &progress, .stop = interrupt.flag()});
  }

  void TellWritten(const WordMap& map, size_t num_words, double seconds) const {
    if (map.points.size() < num_words) {
      PrintMessage(absl::StrCat(
          Counted(num_words - map.points.size(), "word"),
          " left out because the vectors are zero and have no direction"));
    }
    PrintMessage(absl::StrCat(
        "wrote ", output_, ": ", Counted(map.points.size(), "word"), ", ",
        Counted(map.clusters.size(), "label"), ", in ", HumanSeconds(seconds)));
  }

  PostprocessOptions selection_{.max_vocab = 100'000, .drop_subwords = true};
  std::string output_;
  std::string word_list_;
  std::string onto_;
  MapOptions options_;
  FieldEditor fields_{&options_};
  bool json_ = false;
  std::vector<std::string> arguments_;
};

}  // namespace

CommandPtr MakeIndex() { return std::make_unique<IndexCommand>(); }

CommandPtr MakeMap() { return std::make_unique<MapCommand>(); }

}  // namespace firth::tools
