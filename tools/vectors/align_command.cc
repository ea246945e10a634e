// firth align: maps two vector files into one space.

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "cli/console.h"
#include "cli/human.h"
#include "cli/json.h"
#include "cli/vector_files.h"
#include "command.h"
#include "firth/align.h"
#include "firth/proportions.h"
#include "firth/status_macros.h"
#include "firth/vector_io.h"
#include "query/evaluation_table.h"

namespace firth::tools {
namespace {

constexpr char kIdentical[] = "identical";

Json ToJson(const TranslationResult& result) {
  Json precision;
  for (size_t k = 0; k < result.correct.size(); ++k) {
    const std::string rank = absl::StrCat(TranslationResult::kRanks[k]);
    precision[rank] = nullptr;
    if (result.asked == 0) continue;
    precision[rank] = Rounded(Ratio(result.correct[k], result.asked));
  }
  return {{"file", result.file},   {"precision", std::move(precision)},
          {"asked", result.asked}, {"total", result.total},
          {"pairs", result.pairs}, {"total_pairs", result.total_pairs}};
}

constexpr CommandText kAlignText = {
    "align", "rotate vectors into the space of others, and translate words",
    "SOURCE TARGET [OPTION...]",
    "Estimates the rotation that brings the vectors of SOURCE closest to those "
    "of TARGET (orthogonal Procrustes). It uses a dictionary, which has a word "
    "of SOURCE and its translation per line, separated by a tab or spaces; "
    "without a dictionary, it uses the words that are spelled the same in both "
    "files. Lengths and angles do not change.\n\n"
    "  firth align de.bin en.bin --dictionary de-en.txt --output "
    "de-in-en.bin\n\n"
    "--test-dictionary measures the result on other pairs. It prints the "
    "fraction of words with a correct translation as the first answer, among "
    "the first 5, and among the first 10. CSLS corrects for words that are "
    "near very many other words (Conneau et al. 2018)."};

class AlignCommand : public CommandWith<kAlignText> {
 public:
  void Declare(OptionSet* options) override {
    DeclareLearning(options);
    options->Section("Measurement");
    options->Paths("test-dictionary", "FILE", &tests_, Reads(),
                   "path to a dictionary on which the accuracy of translation "
                   "is measured");
    options->Fields(&translate_, {"retrieval", "restrict"});
    options->At("retrieval").GoesWith({"test-dictionary"});
    options->At("restrict").GoesWith({"test-dictionary"});
    options->Switch("json", &json_, "print one JSON object");
    options->Section("Output");
    options->Path("output", "FILE", &output_, WritesVectors(&to_),
                  "path to a vector file for the vectors of SOURCE, rotated "
                  "into the space of TARGET");
    DeclareFormat(
        options, "to", &to_,
        "set the format of the output; by default the extension determines it");
    options->At("to").GoesWith({"output"});
    options->Path(
        "map", "FILE", &map_, Writes(),
        "path to a .npy file for the rotation W, which maps a vector x to W x");
    for (const absl::string_view name :
         {"dictionary", "center", "refine", "test-dictionary", "retrieval",
          "json", "output", "to", "map"}) {
      options->At(name).Everyday();
    }
    options->Arguments("SOURCE and TARGET", 2, 2, &paths_,
                       {{"SOURCE", Reads()}, {"TARGET", Reads()}});
  }

  absl::Status Check(const OptionSet&) override {
    if (output_.empty() && map_.empty() && tests_.empty()) {
      return absl::InvalidArgumentError(
          "give --output FILE, --map FILE or --test-dictionary FILE");
    }
    if (align_.center && !map_.empty()) {
      return absl::InvalidArgumentError(
          "--map cannot be combined with --center, which does more than "
          "rotate");
    }
    align_.unit_length = !keep_lengths_;
    translate_.neighbors = align_.neighbors;
    return ChooseFormat();
  }

  absl::StatusOr<ExitCode> Run(const OptionSet&) override {
    FIRTH_RETURN_IF_ERROR(Load());
    FIRTH_RETURN_IF_ERROR(Learn());
    FIRTH_RETURN_IF_ERROR(Save());
    FIRTH_RETURN_IF_ERROR(Measure());
    json_ ? PrintJson() : PrintTables();
    return ExitCode::kDone;
  }

 private:
  void DeclareLearning(OptionSet* options) {
    options->Section("Alignment");
    options->Path(
        "dictionary", "FILE", &dictionary_, NoFile(),
        "path to pairs of words from which the rotation is estimated; "
        "identical uses the words that are spelled the same in both files");
    options->AlsoUses("--dictionary", Reads(), [this]() -> std::string {
      return dictionary_ == kIdentical ? "" : dictionary_;
    });
    options->Fields(&align_, {"center"});
    options->Switch(
        "keep-lengths", &keep_lengths_,
        "estimate the rotation without scaling the vectors to length 1 first, "
        "so that long vectors have more weight than short ones");
    options->Fields(&align_, {"refine", "refine-words", "neighbors"});
  }

  absl::Status ChooseFormat() {
    if (output_.empty()) return absl::OkStatus();
    FIRTH_ASSIGN_OR_RETURN(to_, ChooseVectorFormat(output_, to_));
    return absl::OkStatus();
  }

  absl::StatusOr<BilingualDictionary> LoadPairs(const std::string& path) const {
    return LoadDictionary(path, source_.vocabulary(), target_.vocabulary());
  }

  absl::Status Load() {
    FIRTH_ASSIGN_OR_RETURN(source_, LoadVectors(paths_[0]));
    FIRTH_ASSIGN_OR_RETURN(target_, LoadVectors(paths_[1]));
    if (!output_.empty()) {
      FIRTH_RETURN_IF_ERROR(CheckWordsOf(source_, output_, to_));
    }
    if (source_.dim() != target_.dim()) {
      return absl::InvalidArgumentError(absl::StrCat(
          paths_[1], ": the vectors must have ", source_.dim(),
          " dimensions, as in ", paths_[0], ", found ", target_.dim()));
    }
    if (dictionary_ == kIdentical) {
      pairs_ = IdenticalWords(source_.vocabulary(), target_.vocabulary());
    } else {
      FIRTH_ASSIGN_OR_RETURN(pairs_, LoadPairs(dictionary_));
    }
    for (const std::string& path : tests_) {
      FIRTH_ASSIGN_OR_RETURN(test_pairs_.emplace_back(), LoadPairs(path));
    }
    return absl::OkStatus();
  }

  void SayFolded() const {
    bool folded = pairs_.folded;
    for (const auto& test : test_pairs_) folded |= test.folded;
    if (!folded) return;
    PrintMessage(
        "one of the vocabularies has no capital letters, so words of the "
        "dictionaries are looked up in lower case for it");
  }

  // Prints the source of the pairs.
  void Announce() const {
    const uint64_t known = pairs_.pairs.size();
    if (dictionary_ == kIdentical) {
      PrintMessage(absl::StrCat("learning from ", Counted(known, "word"),
                                " spelled the same in both files; --dictionary "
                                "FILE gives other pairs"));
    } else {
      PrintMessage(absl::StrCat(
          "learning from ", Counted(known, "pair"), " of ", dictionary_,
          "; pairs left out because a word has no vector: ",
          Thousands(pairs_.total_pairs - known)));
    }
    if (known > 0 && known < source_.dim()) {
      PrintMessage(absl::StrCat("too few pairs to determine a rotation of ",
                                Counted(source_.dim(), "dimension"),
                                "; the result will be poor"));
    }
  }

  absl::Status Learn() {
    SayFolded();
    Announce();
    FIRTH_ASSIGN_OR_RETURN(
        aligned_,
        At(dictionary_, AlignVectors(source_, target_, pairs_.pairs, align_)));
    for (size_t round = 1; round < aligned_.pairs.size(); ++round) {
      PrintMessage(absl::StrCat("refinement ", round, ": ",
                                Counted(aligned_.pairs[round], "pair")));
    }
    return absl::OkStatus();
  }

  absl::Status Save() const {
    if (!output_.empty()) {
      VectorFile file;
      file.vectors = aligned_.vectors;
      FIRTH_RETURN_IF_ERROR(SaveVectorFile(file, output_, to_));
      PrintMessage(absl::StrCat(
          "wrote ", output_, ": ", Counted(file.vectors.size(), "word"), " of ",
          Counted(file.vectors.dim(), "dimension"), ", ", to_));
    }
    return map_.empty() ? absl::OkStatus()
                        : SaveNpyArray(aligned_.rotation, map_);
  }

  absl::Status Measure() {
    if (tests_.empty()) return absl::OkStatus();
    FIRTH_ASSIGN_OR_RETURN(
        const Translator translator,
        Translator::Create(aligned_.vectors, target_, translate_));
    for (const BilingualDictionary& test : test_pairs_) {
      results_.push_back(EvaluateTranslations(translator, test));
    }
    return absl::OkStatus();
  }

  void PrintTables() const {
    for (size_t i = 0; i < results_.size(); ++i) {
      if (i > 0) Print("\n");
      Print(TranslationTable(results_[i]));
    }
  }

  void PrintJson() const {
    Json tests = Json::array();
    for (const TranslationResult& result : results_) {
      tests.push_back(ToJson(result));
    }
    Print(JsonLine({{"dictionary", dictionary_},
                    {"pairs", aligned_.pairs},
                    {"total_pairs", pairs_.total_pairs},
                    {"tests", std::move(tests)}}));
  }

  AlignOptions align_;
  TranslateOptions translate_;
  std::string dictionary_ = kIdentical;
  bool keep_lengths_ = false;
  std::vector<std::string> tests_;
  bool json_ = false;
  std::string output_;
  std::string to_;
  std::string map_;
  std::vector<std::string> paths_;

  WordVectors source_;
  WordVectors target_;
  BilingualDictionary pairs_;
  std::vector<BilingualDictionary> test_pairs_;
  AlignedVectors aligned_;
  std::vector<TranslationResult> results_;
};

}  // namespace

CommandPtr MakeAlign() { return std::make_unique<AlignCommand>(); }

}  // namespace firth::tools
