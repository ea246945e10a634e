// firth plot: draws pictures of vectors, training runs and evaluations.

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cli/console.h"
#include "cli/human.h"
#include "cli/interrupt.h"
#include "cli/progress_printer.h"
#include "cli/used_files.h"
#include "cli/vector_files.h"
#include "command.h"
#include "firth/layout.h"
#include "firth/postprocess.h"
#include "firth/query.h"
#include "firth/semantic_axis.h"
#include "firth/status_macros.h"
#include "firth/text_file.h"
#include "firth/vector_io.h"
#include "plot/pictures.h"
#include "plot/plot_inputs.h"
#include "plot/png.h"

namespace firth::tools {
namespace {

// A matrix of more words would not be readable.
constexpr size_t kMostMatrixWords = 500;
// Number of words of a map that is laid out for a picture.
constexpr size_t kMappedWords = 20'000;

std::string FileName(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

bool WritesPng(const std::string& path) {
  return absl::EndsWithIgnoreCase(path, ".png");
}

AxisEnds EndsOf(const SemanticAxis& axis) {
  return {absl::StrJoin(axis.from.words, ", "),
          absl::StrJoin(axis.to.words, ", ")};
}

constexpr CommandText kPlotText = {
    "plot", "draw vectors, training runs and evaluations",
    "FILE [WORD|FILE...] --output FILE [OPTION...]",
    "Draws the content of FILE as SVG or PNG:\n\n"
    "  firth plot model.safetensors --axis man:woman --axis poor:rich \\\n"
    "    --output axes.svg                    # words on two axes\n"
    "  firth plot model.safetensors red green apple --output matrix.svg\n"
    "  firth plot model.safetensors --map --color cluster --output map.svg\n"
    "  firth plot map.safetensors --output map.png\n"
    "  firth plot run.jsonl other.jsonl --output loss.svg\n"
    "  firth plot eval.json --output eval.svg\n\n"
    "Vectors are drawn on the axes given by --axis, as a similarity matrix of "
    "the given words, or, with --map, as a map. A map that \"firth map\" wrote "
    "is drawn as labeled "
    "points. Logs that \"firth train --log\" wrote, even while training runs, "
    "and reports of \"train --report\" and \"lm train --report\" are drawn as "
    "curves. Results that \"firth eval --json\" printed are drawn with their "
    "95% confidence intervals, attention that \"firth seq2seq apply --json "
    "--attention\" printed as a heat map, and gradients that \"firth lm "
    "gradients --json\" printed as curves."};

class PlotCommand : public CommandWith<kPlotText> {
 public:
  void Declare(OptionSet* options) override {
    options->Path(
        "output", "FILE", &output_, Writes(),
        "path to the image file to write, .svg or .png; PNG requires librsvg");
    Option& axis = options->Paths(
        "axis", "FROM:TO", &axes_, NoFile(),
        "draw words on an axis between two groups of words, such as "
        "man,boy:woman,girl; give the option twice for a plane");
    axis.is_path = false;
    axis.one_each = true;
    options
        ->Integer("top", &top_, size_t{1}, size_t{100'000},
                  "draw this many of the most frequent words on the axes if no "
                  "words are given")
        .GoesWith({"axis", "map"});
    options->Switch("map", &map_,
                    "lay out the most frequent words as a map, 20,000 or --top "
                    "of them");
    options->Choice<bool>(
        "color", &by_cluster_, {{"one", false}, {"cluster", true}},
        "draw a map in one color, or color words by the cluster that is "
        "nearest, with a legend");
    options->Section("Appearance");
    options->Choice<bool>("theme", &dark_, {{"light", false}, {"dark", true}},
                          "choose a light or dark background");
    options->Text("title", "TEXT", &title_,
                  "set the title above the picture; by default it describes "
                  "the content");
    options->Real(
        "scale", &scale_, 0.1, 20,
        "set the scale of a PNG, in pixels per pixel of the SVG picture");
    options->Arguments("FILE", 1, SIZE_MAX, &arguments_,
                       {{"FILE", Reads()}, {"WORD", NoFile()}});
  }

  absl::Status Check(const OptionSet& options) override {
    if (output_.empty()) {
      return absl::InvalidArgumentError(
          "give the picture file with --output FILE");
    }
    if (!WritesPng(output_) && !absl::EndsWithIgnoreCase(output_, ".svg")) {
      return absl::InvalidArgumentError(absl::StrCat(
          "--output: the name must end in .svg or .png, found ", output_));
    }
    if (options.Given("scale") && !WritesPng(output_)) {
      return absl::InvalidArgumentError("--scale requires a .png file");
    }
    if (map_ && (!axes_.empty() || arguments_.size() > 1)) {
      return absl::InvalidArgumentError(
          "--map draws the most frequent words of one file; it cannot be "
          "combined with --axis or further arguments");
    }
    if (axes_.size() > 2) {
      return absl::InvalidArgumentError(
          absl::StrCat("--axis: must be given once or twice, but was given ",
                       axes_.size(), " times"));
    }
    std::vector<UsedFile> files = {{"--output", output_, Writes()}};
    for (const std::string& argument : arguments_) {
      std::error_code error;  // Set if a word is too long for a file name.
      if (std::filesystem::exists(argument, error)) {
        files.push_back({"FILE", argument, Reads()});
      }
    }
    FIRTH_RETURN_IF_ERROR(CheckNoneIsReadAndWritten(files));
    for (const std::string& axis : axes_) {
      const absl::StatusOr<AxisWords> words = ParseAxis(axis);
      if (!words.ok()) {
        return absl::InvalidArgumentError(
            absl::StrCat("--axis: ", words.status().message()));
      }
    }
    return absl::OkStatus();
  }

  absl::StatusOr<ExitCode> Run(const OptionSet& options) override {
    FIRTH_ASSIGN_OR_RETURN(const PlotInput input, TellPlotInput(arguments_[0]));
    const bool is_map =
        input == PlotInput::kVectors && axes_.empty() && arguments_.size() == 1;
    for (const absl::string_view name : {"map", "color"}) {
      if (is_map || !options.Given(name)) continue;
      return absl::InvalidArgumentError(absl::StrCat(
          "--", name,
          " requires one file of vectors and nothing else to draw"));
    }
    absl::StatusOr<Svg> picture;
    if (input == PlotInput::kVectors) {
      picture = DrawVectors(options.Given("top"));
    } else if (!axes_.empty()) {
      return absl::InvalidArgumentError(absl::StrCat(
          arguments_[0], ": --axis requires vectors, but this file is JSON"));
    } else if (input == PlotInput::kTraining) {
      picture = DrawAllTrainings();
    } else if (input == PlotInput::kAttention) {
      if (arguments_.size() > 1) {
        return absl::InvalidArgumentError(
            absl::StrCat(arguments_[1],
                         ": attention is drawn alone; give one "
                         "file without words"));
      }
      picture = DrawFirstAttention();
    } else if (input == PlotInput::kGradients) {
      picture = DrawAllGradients();
    } else {
      picture = DrawAllEvaluations();
    }
    FIRTH_RETURN_IF_ERROR(picture.status());
    FIRTH_RETURN_IF_ERROR(Write(*picture));
    return ExitCode::kDone;
  }

 private:
  const Theme& theme() const { return dark_ ? DarkTheme() : LightTheme(); }
  std::vector<std::string> Words() const {
    return {arguments_.begin() + 1, arguments_.end()};
  }
  Headline Titled(const std::string& title, std::string subtitle) const {
    return {title_.empty() ? title : title_, std::move(subtitle)};
  }

  absl::StatusOr<Svg> DrawVectors(bool has_top) const {
    FIRTH_ASSIGN_OR_RETURN(
        const VectorFile file,
        LoadAndWarn(arguments_[0], {.only_vectors = true, .keep_form = true}));
    if (!axes_.empty()) return DrawOnAxes(file.vectors);
    if (map_ && !IsMap(file)) return DrawNewMap(file.vectors, has_top);
    if (arguments_.size() > 1) return DrawSimilarities(file.vectors);
    if (IsMap(file)) return DrawWholeMap(file);
    return absl::InvalidArgumentError(
        absl::StrCat(arguments_[0], ": these vectors of ",
                     Counted(file.vectors.dim(), "dimension"),
                     " need --axis FROM:TO or words to compare; \"firth map\" "
                     "makes a map of two dimensions"));
  }

  // Returns the words of the arguments, or the most frequent ones. Errors:
  // NotFound, none has a vector.
  absl::StatusOr<FoundWords> AskedWords(const WordVectors& vectors) const {
    std::vector<std::string> words = Words();
    for (size_t i = 0;
         arguments_.size() == 1 && i < std::min(top_, vectors.size()); ++i) {
      words.emplace_back(vectors.vocabulary().Word(ToWordId(i)));
    }
    FIRTH_ASSIGN_OR_RETURN(FoundWords found,
                           FindWords(vectors, words, UnknownWords::kSubword));
    TellUnknown(found);
    if (!found.words.empty()) return found;
    return absl::NotFoundError(
        absl::StrCat(arguments_[0], ": none of these words has a vector: ",
                     absl::StrJoin(found.unknown, ", ")));
  }

  static void TellUnknown(const FoundWords& found) {
    if (found.unknown.empty()) return;
    PrintMessage(
        absl::StrCat("no vector for ", absl::StrJoin(found.unknown, ", ")));
  }

  absl::StatusOr<Svg> DrawOnAxes(const WordVectors& vectors) const {
    FIRTH_ASSIGN_OR_RETURN(const FoundWords found, AskedWords(vectors));
    ProjectedWords words;
    for (const std::string& word : found.words) words.words.push_back({word});
    std::vector<std::string> names;
    for (const std::string& text : axes_) {
      FIRTH_ASSIGN_OR_RETURN(const AxisWords ends, ParseAxis(text));
      FIRTH_ASSIGN_OR_RETURN(const SemanticAxis axis,
                             MakeAxis(vectors, ends, UnknownWords::kSubword));
      TellUnknown(axis.from);
      TellUnknown(axis.to);
      for (size_t i = 0; i < found.words.size(); ++i) {
        const double cosine = Similarity(axis.direction, found.vectors[i]);
        (words.axes.empty() ? words.words[i].x : words.words[i].y) = cosine;
      }
      words.axes.push_back(EndsOf(axis));
      names.push_back(absl::StrCat(words.axes.back().from, " \xe2\x80\x93 ",
                                   words.axes.back().to));
    }
    size_t unnamed = 0;
    Svg svg = DrawAxes(
        words,
        Titled(absl::StrJoin(names, " \xc3\x97 "),
               absl::StrCat("Cosines of ", Counted(words.words.size(), "word"),
                            " of ", FileName(arguments_[0]), " with ",
                            axes_.size() > 1 ? "both axes" : "the axis")),
        theme(), &unnamed);
    if (unnamed > 0) {
      PrintMessage(absl::StrCat("no room for the names of ",
                                Counted(unnamed, "word"),
                                "; they are drawn as dots"));
    }
    return svg;
  }

  absl::StatusOr<Svg> DrawSimilarities(const WordVectors& vectors) const {
    FIRTH_ASSIGN_OR_RETURN(const FoundWords found, AskedWords(vectors));
    const size_t size = found.words.size();
    if (size < 2 || size > kMostMatrixWords) {
      return absl::InvalidArgumentError(
          absl::StrCat("a matrix needs 2 to ", kMostMatrixWords,
                       " words with vectors, found ", size));
    }
    const std::vector<absl::Span<const float>> rows(found.vectors.begin(),
                                                    found.vectors.end());
    return DrawMatrix(
        found.words, SimilarityMatrix(rows),
        Titled("Similarity of words",
               absl::StrCat("Cosines in ", FileName(arguments_[0]),
                            ", similar words next to each other")),
        theme());
  }

  absl::StatusOr<Svg> DrawWholeMap(const VectorFile& file) const {
    FIRTH_ASSIGN_OR_RETURN(const WordMap read, AsMap(file, arguments_[0]));
    return Draw(read);
  }

  absl::StatusOr<Svg> DrawNewMap(const WordVectors& vectors,
                                 bool has_top) const {
    const InterruptGuard interrupt;
    PercentSink progress;
    FIRTH_ASSIGN_OR_RETURN(
        const WordVectors shown,
        Postprocess(vectors, {.max_vocab = has_top ? top_ : kMappedWords}));
    FIRTH_ASSIGN_OR_RETURN(
        const WordMap map,
        MakeMap(shown, {}, nullptr,
                {.progress = &progress, .stop = interrupt.flag()}));
    return Draw(map);
  }

  Svg Draw(const WordMap& made) const {
    const PlottedMap map = ToPlot(made);
    if (by_cluster_ && map.clusters.empty()) {
      PrintMessage(
          "this map has no clusters, so all words have the same color");
    }
    return DrawMap(
        map,
        Titled(absl::StrCat("Map of ", Counted(map.words.size(), "word")),
               FileName(arguments_[0])),
        theme(), by_cluster_);
  }

  absl::StatusOr<Svg> DrawAllTrainings() const {
    std::vector<LoggedTraining> trainings;
    for (const std::string& path : arguments_) {
      FIRTH_ASSIGN_OR_RETURN(trainings.emplace_back(), ReadTraining(path));
    }
    return DrawTrainings(trainings, Titled("Training", ""), theme());
  }

  absl::StatusOr<Svg> DrawAllEvaluations() const {
    FIRTH_ASSIGN_OR_RETURN(const Evaluations evaluations,
                           ReadEvaluations(arguments_));
    return DrawEvaluations(evaluations.models, evaluations.groups,
                           Titled("Evaluation", "Lines are 95% intervals"),
                           theme());
  }

  absl::StatusOr<Svg> DrawFirstAttention() const {
    FIRTH_ASSIGN_OR_RETURN(const AttentionTable attention,
                           ReadAttention(arguments_[0]));
    return DrawAttention(
        attention, Titled("Attention", "Rows were written, columns were read"),
        theme());
  }

  absl::StatusOr<Svg> DrawAllGradients() const {
    FIRTH_ASSIGN_OR_RETURN(const std::vector<GradientCurve> curves,
                           ReadGradients(arguments_));
    return DrawGradients(
        curves,
        Titled("Gradients by distance",
               "How much an output depends on earlier tokens and states"),
        theme());
  }

  absl::Status Write(const Svg& svg) const {
    std::string bytes = svg.Document();
    if (WritesPng(output_)) {
      FIRTH_ASSIGN_OR_RETURN(
          bytes, RenderPng(bytes, svg.width(), svg.height(), scale_));
    }
    FIRTH_RETURN_IF_ERROR(WriteTextFile(output_, bytes));
    PrintMessage(absl::StrCat("wrote ", output_, ": ", svg.width(), " x ",
                              svg.height(), ", ", HumanBytes(bytes.size())));
    return absl::OkStatus();
  }

  std::string output_;
  std::vector<std::string> axes_;
  size_t top_ = 60;
  bool map_ = false;
  bool by_cluster_ = false;
  bool dark_ = false;
  std::string title_;
  double scale_ = 2;
  std::vector<std::string> arguments_;
};

}  // namespace

CommandPtr MakePlot() { return std::make_unique<PlotCommand>(); }

}  // namespace firth::tools
