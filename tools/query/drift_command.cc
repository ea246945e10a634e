// firth drift: how words moved between two models.

#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "cli/console.h"
#include "cli/human.h"
#include "cli/json.h"
#include "cli/vector_files.h"
#include "command.h"
#include "firth/drift.h"
#include "firth/status_macros.h"

namespace firth::tools {
namespace {

// Neighbours in a line of the table.
constexpr size_t kShownNeighbors = 4;

std::string Words(const Vocabulary& vocabulary,
                  absl::Span<const Neighbor> neighbors, size_t most) {
  std::vector<absl::string_view> words;
  for (const Neighbor& neighbor : neighbors.subspan(0, most)) {
    words.push_back(vocabulary.Word(neighbor.word));
  }
  return absl::StrJoin(words, ", ");
}

Json NeighborsJson(const Vocabulary& vocabulary,
                   const std::vector<Neighbor>& neighbors) {
  Json json = Json::array();
  for (const Neighbor& neighbor : neighbors) {
    json.push_back({{"word", vocabulary.Word(neighbor.word)},
                    {"score", Rounded(neighbor.score)}});
  }
  return json;
}

class DriftCommand : public Command {
 public:
  absl::string_view name() const override { return "drift"; }
  absl::string_view summary() const override {
    return "find the words that moved between two models";
  }
  absl::string_view synopsis() const override {
    return "OLD NEW [WORD...] [OPTION...]";
  }
  absl::string_view description() const override {
    return "Rotates the vectors of OLD into the space of NEW, using the words "
           "that both contain, and prints the words that moved most: the "
           "cosine of a word's two vectors, and the neighbors that it kept, "
           "lost and gained (won). If WORDs are given, prints only these.\n\n"
           "  firth drift 1900.safetensors 2000.safetensors\n"
           "  firth drift 1900.safetensors 2000.safetensors gay broadcast\n\n"
           "Words also move by chance, and rare words move more than others. p "
           "therefore compares each word with words of similar frequency: it "
           "is the fraction of them that moved at least as far. --chance gives "
           "a second model of the old text, trained with another seed. p is "
           "then the fraction of words that moved at least as far between the "
           "two seeds, where all movement is due to chance:\n\n"
           "  firth train --input 1900.txt --seed 2 --output "
           "other.safetensors\n"
           "  firth drift 1900.safetensors 2000.safetensors \\\n"
           "    --chance other.safetensors";
  }

  void Declare(OptionSet* options) override {
    options->Path("chance", "FILE", &chance_, Reads(),
                  "path to vectors trained like OLD but with another seed, to "
                  "measure how far words move by chance");
    options->Integer("top", &top_, size_t{1}, size_t{1'000'000},
                     "print this many of the words that moved most");
    options->Fields(&options_);
    options->Switch("json", &json_, "print one JSON object");
    options->Arguments(
        "OLD and NEW", 2, SIZE_MAX, &arguments_,
        {{"OLD", Reads()}, {"NEW", Reads()}, {"WORD", NoFile()}});
  }

  absl::Status Check(const OptionSet& options) override {
    if (arguments_.size() == 2 || !options.Given("top")) {
      return absl::OkStatus();
    }
    return absl::InvalidArgumentError(
        "--top cannot be combined with words, since all given words are "
        "printed");
  }

  absl::StatusOr<ExitCode> Run(const OptionSet&) override {
    FIRTH_RETURN_IF_ERROR(Load());
    FIRTH_ASSIGN_OR_RETURN(const std::vector<WordDrift> words, ChooseWords());
    PrintMessage(absl::StrCat("compared ",
                              Counted(drift_->vocabulary().size(), "word"),
                              " that occur in all files"));
    if (json_) {
      PrintJson(words);
    } else if (arguments_.size() > 2) {
      for (const WordDrift& word : words) PrintWord(word);
    } else {
      PrintTable(words);
    }
    return ExitCode::kDone;
  }

 private:
  absl::Status Load() {
    FIRTH_ASSIGN_OR_RETURN(const WordVectors before,
                           LoadVectorsToAsk(arguments_[0]));
    FIRTH_ASSIGN_OR_RETURN(const WordVectors after,
                           LoadVectorsToAsk(arguments_[1]));
    if (chance_.empty()) {
      FIRTH_ASSIGN_OR_RETURN(drift_, Drift::Create(before, after, options_));
      return absl::OkStatus();
    }
    FIRTH_ASSIGN_OR_RETURN(const WordVectors other, LoadVectorsToAsk(chance_));
    FIRTH_ASSIGN_OR_RETURN(drift_,
                           Drift::Create(before, after, other, options_));
    return absl::OkStatus();
  }

  absl::StatusOr<std::vector<WordDrift>> ChooseWords() const {
    if (arguments_.size() == 2) return drift_->MostMoved(top_);
    std::vector<WordDrift> words;
    for (size_t i = 2; i < arguments_.size(); ++i) {
      const absl::StatusOr<WordId> word =
          FindWord(drift_->vocabulary(), arguments_[i]);
      if (!word.ok()) {
        return absl::Status(
            word.status().code(),
            absl::StrCat(word.status().message(), "; only ",
                         Counted(drift_->vocabulary().size(), "word"),
                         " are compared (--restrict 0 compares all)"));
      }
      words.push_back(drift_->Measure(*word));
    }
    return words;
  }

  void PrintTable(const std::vector<WordDrift>& words) const {
    const bool chance = !chance_.empty();
    TextTable table(chance ? "lrrrll" : "lrrll");
    std::vector<std::string> header = {"word", "cosine"};
    if (chance) header.emplace_back("by chance");
    header.insert(header.end(), {"p", "lost", "won"});
    table.AddRow(std::move(header));
    const Vocabulary& vocabulary = drift_->vocabulary();
    for (const WordDrift& word : words) {
      const NeighborChange change = drift_->Neighbors(word.word);
      std::vector<std::string> row = {std::string(vocabulary.Word(word.word)),
                                      absl::StrFormat("%.3f", word.cosine)};
      if (chance) row.push_back(absl::StrFormat("%.3f", word.chance_cosine));
      row.push_back(absl::StrFormat("%.2g", word.p));
      row.push_back(Words(vocabulary, change.lost, kShownNeighbors));
      row.push_back(Words(vocabulary, change.won, kShownNeighbors));
      table.AddRow(std::move(row));
    }
    Print(table.ToString());
  }

  void PrintWord(const WordDrift& word) const {
    const Vocabulary& vocabulary = drift_->vocabulary();
    const NeighborChange change = drift_->Neighbors(word.word);
    std::string cosine = absl::StrFormat("%.3f", word.cosine);
    std::string kept = absl::StrFormat("%.0f%%", 100 * change.overlap);
    if (!chance_.empty()) {
      absl::StrAppendFormat(&cosine, " (between seeds %.3f)",
                            word.chance_cosine);
      absl::StrAppendFormat(&kept, " (between seeds %.0f%%)",
                            100 * change.chance_overlap);
    }
    Print(absl::StrCat(vocabulary.Word(word.word), "\n  cosine ", cosine,
                       ", p ", absl::StrFormat("%.2g", word.p), "\n  counts ",
                       Thousands(drift_->OldCount(word.word)), ", then ",
                       Thousands(vocabulary.Count(word.word)), "\n  kept   ",
                       kept, "  ", Words(vocabulary, change.kept, SIZE_MAX),
                       "\n  lost   ", Words(vocabulary, change.lost, SIZE_MAX),
                       "\n  won    ", Words(vocabulary, change.won, SIZE_MAX),
                       "\n"));
  }

  Json WordJson(const WordDrift& word) const {
    const Vocabulary& vocabulary = drift_->vocabulary();
    const NeighborChange change = drift_->Neighbors(word.word);
    Json json = {{"word", vocabulary.Word(word.word)},
                 {"cosine", Rounded(word.cosine)},
                 {"p", word.p},
                 {"overlap", Rounded(change.overlap)},
                 {"old_count", drift_->OldCount(word.word)},
                 {"new_count", vocabulary.Count(word.word)}};
    if (!chance_.empty()) {
      json["chance_cosine"] = Rounded(word.chance_cosine);
      json["chance_overlap"] = Rounded(change.chance_overlap);
    }
    json["lost"] = NeighborsJson(vocabulary, change.lost);
    json["won"] = NeighborsJson(vocabulary, change.won);
    json["kept"] = NeighborsJson(vocabulary, change.kept);
    return json;
  }

  void PrintJson(const std::vector<WordDrift>& words) const {
    Json list = Json::array();
    for (const WordDrift& word : words) list.push_back(WordJson(word));
    Print(OneLine({{"compared", drift_->vocabulary().size()},
                   {"words", std::move(list)}}) +
          "\n");
  }

  DriftOptions options_;
  std::string chance_;
  size_t top_ = 20;
  bool json_ = false;
  std::vector<std::string> arguments_;
  std::optional<Drift> drift_;
};

}  // namespace

std::unique_ptr<Command> MakeDriftCommand() {
  return std::make_unique<DriftCommand>();
}

}  // namespace firth::tools
