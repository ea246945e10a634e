// firth index: builds an HNSW index and measures its recall and speed.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "ask/open_models.h"
#include "cli/console.h"
#include "cli/human.h"
#include "cli/json.h"
#include "cli/vector_files.h"
#include "command.h"
#include "firth/query.h"
#include "firth/status_macros.h"

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
    "  firth nn vectors.bin --index hnsw king"};

class IndexCommand : public Command {
 public:
  IndexCommand() : Command(kIndexText) {}

  void Declare(OptionSet* options) override {
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
      return arguments_.empty() ? "" : HnswPath(arguments_[0]);
    });
    options->Arguments("VECTORS", 1, 1, &arguments_, {{"VECTORS", Reads()}});
  }

  absl::Status Check(const OptionSet&) override {
    const std::string path = HnswPath(arguments_[0]);
    std::error_code error;
    if (std::filesystem::exists(path, error) && !IsHnswIndex(path)) {
      return absl::FailedPreconditionError(absl::StrCat(
          path,
          ": this file is not an index and will not be replaced; move it"));
    }
    return options_.Validate();
  }

  absl::StatusOr<ExitCode> Run(const OptionSet&) override {
    FIRTH_ASSIGN_OR_RETURN(const WordVectors vectors,
                           LoadVectorsToAsk(arguments_[0]));
    const std::string path = search_.path = HnswPath(arguments_[0]);
    const Stopwatch stopwatch;
    FIRTH_RETURN_IF_ERROR(BuildHnswIndex(vectors, options_, path));
    const double seconds = stopwatch.Seconds();
    FIRTH_RETURN_IF_ERROR(Measure(vectors));
    WarnOfRecall();
    json_ ? PrintJson(path, seconds) : PrintText(vectors, path, seconds);
    return ExitCode::kDone;
  }

 private:
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
        recall += Recall(exact[i], found[i]);
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
        "wrote ", path, ": ", Counted(vectors.size(), "word"), ", ",
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

  HnswOptions options_;
  HnswSearch search_;
  uint64_t top_ = 10;
  uint64_t sample_ = 1000;
  bool json_ = false;
  std::vector<std::string> arguments_;
  std::vector<Measurement> measurements_;
};

}  // namespace

CommandPtr MakeIndex() { return std::make_unique<IndexCommand>(); }

}  // namespace firth::tools
