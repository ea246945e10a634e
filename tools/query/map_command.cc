// firth map: lays out words in two dimensions.

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "ask/open_models.h"
#include "ask/text_asker.h"
#include "cli/console.h"
#include "cli/human.h"
#include "cli/interrupt.h"
#include "cli/percent_sink.h"
#include "cli/vector_files.h"
#include "command.h"
#include "firth/ask.h"
#include "firth/layout.h"
#include "firth/postprocess.h"
#include "firth/status_macros.h"

namespace firth::tools {
namespace {

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

class MapCommand : public Command {
 public:
  MapCommand() : Command(kMapText) {}

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

  // Returns the vectors of the words that are laid out.
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

CommandPtr MakeMap() { return std::make_unique<MapCommand>(); }

}  // namespace firth::tools
