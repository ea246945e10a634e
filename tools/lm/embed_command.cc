// firth embed: computes the vectors of tokens in their context.

#include <chrono>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "ask/text_asker.h"
#include "cli/console.h"
#include "cli/human.h"
#include "cli/interrupt.h"
#include "cli/line_reader.h"
#include "command.h"
#include "firth/contextualizer.h"
#include "firth/embedding_file.h"
#include "firth/fields.h"
#include "firth/file_info.h"
#include "firth/status_macros.h"
#include "firth/tagged_text.h"
#include "firth/tagger.h"
#include "firth/vector_io.h"
#include "lm/layer_choice.h"
#include "tag/tagging.h"

namespace firth::tools {
namespace {

constexpr std::pair<const char*, EmbeddingFormat> kEndings[] = {
    {".hdf5", EmbeddingFormat::kHdf5},
    {".h5", EmbeddingFormat::kHdf5},
    {".npy", EmbeddingFormat::kNpy},
    {".safetensors", EmbeddingFormat::kSafetensors}};

// Minimum ratio of output to text for a warning about the size.
constexpr uint64_t kMuchLarger = 100;
// Approximate bytes of a value as text, such as " -0.123456789".
constexpr uint64_t kTextValueBytes = 13;

constexpr CommandText kEmbedText = {
    "embed", "compute contextual vectors for the tokens of a text",
    "MODEL [OPTION...] <TEXT",
    "Reads sentences as they arrive, one per line, and writes the contextual "
    "vectors of their tokens. Text output has one token per line, and an empty "
    "line after each sentence. An HDF5 file has one dataset [layers, tokens, "
    "dimensions] for each line of the text, named \"0\", \"1\" and so on, as "
    "bilm-tf writes it, and one named \"sentence_to_index\", as AllenNLP "
    "writes it: a JSON object from sentences to these names. A .npy or "
    ".safetensors file has one array with all "
    "tokens, plus the offset at which each sentence starts; for x.npy, the "
    "offsets are in x.offsets.npy.\n\n"
    "A sentence of more than 65,536 tokens, or with a line of more than 16 "
    "MiB, is skipped with a warning: it has no tokens in the output.\n\n"
    "The vectors of a sentence do not depend on other sentences, unless "
    "--stateful is given. With --pool, each sentence gets a single vector: one "
    "line of text, or one row of the array.\n\n"
    "  firth embed model.safetensors --layers all --output text.hdf5 "
    "<text.txt\n"
    "  firth embed model.safetensors --layers mix --mix-of t.safetensors\n"
    "  firth embed model.safetensors --layers average --pool mean <text.txt"};

class EmbedCommand : public CommandWith<kEmbedText> {
 public:
  void Declare(OptionSet* options) override {
    DeclareTexts(&inputs_, options);
    text_.Declare(/*plain_text=*/true, options);
    layers_.Declare(/*all=*/true, options);
    options
        ->Choice<std::optional<Pooling>>(
            "pool", &pooling_,
            {{"mean", Pooling::kMean},
             {"max", Pooling::kMax},
             {"first", Pooling::kFirst},
             {"last", Pooling::kLast}},
            "write one vector per sentence instead of one per token: the mean "
            "of the token vectors (mean), their maximum in each dimension "
            "(max), or the vector of the first or last token (first, last)")
        .Everyday();
    options->Section("Running");
    options->Fields(&embed_);
    options->Section("Output");
    options
        ->Path("output", "FILE", &output_, WritesEmbeddings(),
               "path to the output file; without this option, text is written "
               "to standard output")
        .Everyday();
    options
        ->Choice<std::optional<EmbeddingFormat>>(
            "format", &format_,
            {{"text", std::nullopt},
             {"hdf5", EmbeddingFormat::kHdf5},
             {"npy", EmbeddingFormat::kNpy},
             {"safetensors", EmbeddingFormat::kSafetensors}},
            "set the format of --output; by default the extension determines "
            "it, and is text if the extension is unknown")
        .Everyday()
        .default_text = "";
    options
        ->Switch("float16", &float16_,
                 "write 16-bit instead of 32-bit values, which takes half the "
                 "space and keeps 3 significant digits")
        .GoesWith({"output"});
    options->Switch("json", &json_,
                    "print one JSON object per sentence, with its words and, "
                    "for each layer, one vector per word");
    options->Switch("quiet", &quiet_, "print only warnings and errors");
    options->Arguments("MODEL", 1, 1, &arguments_, {{"MODEL", Reads()}});
  }

  absl::Status Check(const OptionSet& options) override {
    if (inputs_.empty()) inputs_.emplace_back("-");
    for (const absl::string_view other :
         {"pool", "stateful", "batch", "long-sentences", "pieces", "threads",
          "output", "format", "mix-of", "mix-weights"}) {
      if (!json_ || !options.Given(other)) continue;
      return absl::InvalidArgumentError(
          absl::StrCat("--", other, " cannot be combined with --json"));
    }
    if (embed_.stateful && options.Given("batch")) {
      return absl::InvalidArgumentError(
          "--batch cannot be combined with --stateful");
    }
    if (!options.Given("format")) format_ = FormatOf(output_);
    if (output_.empty() && format_.has_value()) {
      return absl::InvalidArgumentError(
          "give the output file with --output FILE");
    }
    if (!output_.empty() && !format_.has_value()) {
      return absl::InvalidArgumentError(
          "text is written to standard output only; omit --output, or name a "
          ".hdf5, .npy or .safetensors file");
    }
    return layers_.Check();
  }

  absl::StatusOr<ExitCode> Run(const OptionSet&) override {
    FIRTH_ASSIGN_OR_RETURN(Contextualizer model,
                           Contextualizer::Load(arguments_[0]));
    FIRTH_ASSIGN_OR_RETURN(auto mix,
                           layers_.Choose(model.num_layers(), arguments_[0]));
    if (json_) return AnswerAll(std::move(model));
    mix_ = std::move(mix);
    const InterruptGuard interrupt;
    const absl::Status status = EmbedAll(model, interrupt);
    if (!status.ok() && interrupt.Interrupted()) {
      return output_.empty() ? EndInterrupted("interrupted") : EndInterrupted();
    }
    if (!status.ok()) return status;
    if (!output_.empty() && !quiet_) {
      PrintNote(absl::StrCat("  wrote    ", output_, ": ",
                             Counted(tokens_, "token"), " in ",
                             Counted(sentences_, "sentence"), "\n"));
    }
    return ExitCode::kDone;
  }

 private:
  FileUse WritesEmbeddings() {
    FileUse use = Writes();
    use.beside = [this](const std::string& path) {
      return FilesBeside(path, FileFormat());
    };
    use.owns_beside = [](const std::string& path) {
      const absl::StatusOr<FileInfo> there = DescribeFile(path);
      return there.ok() && there->kind == "contextual vectors";
    };
    return use;
  }

  // Returns nothing for text.
  static std::optional<EmbeddingFormat> FormatOf(const std::string& path) {
    for (const auto& [ending, format] : kEndings) {
      if (absl::EndsWith(path, ending)) return format;
    }
    return std::nullopt;
  }

  absl::StatusOr<ExitCode> AnswerAll(Contextualizer contextualizer) const {
    const OpenedModel model{
        "", std::make_shared<OpenedLanguageModel>(std::move(contextualizer))};
    TextAsker asker("embed");
    *std::get<std::string*>(asker.fields().At("layers")) = layers_.text();
    TaggedTextOptions reading = text_.Of(inputs_, false);
    reading.skip_long = true;
    FIRTH_RETURN_IF_ERROR(ForEachBlock(
        reading, [&](const std::vector<TaggedSentence>& sentences) {
          asker.PrintAnswers(sentences, model);
          return absl::OkStatus();
        }));
    return asker.failed() ? ExitCode::kFailed : ExitCode::kDone;
  }

  absl::Status EmbedAll(Contextualizer& model,
                        const InterruptGuard& interrupt) {
    TaggedTextOptions reading = text_.Of(inputs_, false);
    reading.skip_long = true;
    FIRTH_ASSIGN_OR_RETURN(TaggedTextReader reader,
                           TaggedTextReader::Open(reading, interrupt.flag()));
    if (IsTyped()) typed_ = std::make_unique<LineReader>(PromptForText());
    std::optional<EmbeddingWriter> writer;
    if (!output_.empty()) {
      absl::StatusOr<EmbeddingWriter> created = EmbeddingWriter::Create(
          output_, FileFormat(), mix_.has_value() ? 1 : model.num_layers(),
          model.dim(),
          float16_ ? EmbeddingValues::kFloat16 : EmbeddingValues::kFloat32);
      if (!created.ok()) return created.status();
      writer.emplace(*std::move(created));
    }
    // A block is written while the next one is read and embedded, if the system
    // starts a thread for this. A typed sentence is answered before the next
    // prompt.
    const auto policy = embed_.threads == 1 || typed_ != nullptr
                            ? std::launch::deferred
                            : std::launch::async | std::launch::deferred;
    std::future<absl::Status> written;
    for (;;) {
      absl::StatusOr<Block> block = EmbedBlock(reader, model);
      if (written.valid()) {
        absl::Status status = written.get();
        // Errors of standard output are reported when the program ends.
        if (!status.ok()) return writer.has_value() ? status : absl::OkStatus();
      }
      if (!block.ok()) return block.status();
      if (interrupt.Interrupted()) return absl::CancelledError("interrupted");
      if (block->sentences.empty()) break;
      WarnOfSize(*block);
      written = std::async(policy, [this, &writer, done = *std::move(block)] {
        return writer.has_value() ? AddTo(&*writer, done) : PrintAll(done);
      });
      if (written.wait_for(std::chrono::seconds(0)) ==
          std::future_status::deferred) {
        written.wait();
      }
    }
    return writer.has_value() ? writer->Commit() : absl::OkStatus();
  }

  EmbeddingFormat FileFormat() const {
    return format_.value_or(EmbeddingFormat::kSafetensors);
  }

  bool IsTyped() const {
    return text_.form == TextForm::kText && inputs_.size() == 1 &&
           inputs_[0] == "-" && SomebodyTypes();
  }

  PromptOptions PromptForText() const {
    return {
        .text = "sentence> ",
        .help =
            "embed: write one sentence per line, with tokens separated by "
            "white space; the answer has one line per token with its vector.",
        .command_for_help =
            absl::StrCat("echo help | firth embed ", arguments_[0])};
  }

  absl::StatusOr<std::vector<TaggedSentence>> TypedSentences() {
    FIRTH_ASSIGN_OR_RETURN(auto lines, typed_->Next(kMostSentences));
    std::vector<TaggedSentence> sentences;
    for (const auto& line : lines) {
      if (!line.ok()) return line.status();
      sentences.emplace_back().tokens = SplitTokens(*line);
    }
    return sentences;
  }

  struct Block {
    std::vector<TaggedSentence> sentences;
    std::vector<TokenVectors> vectors;  // One per sentence.
  };

  // Reads and embeds the next sentences. Returns none at the end of the text.
  absl::StatusOr<Block> EmbedBlock(TaggedTextReader& reader,
                                   Contextualizer& model) {
    FIRTH_ASSIGN_OR_RETURN(auto sentences, typed_ != nullptr
                                               ? TypedSentences()
                                               : reader.Next(kMostSentences));
    std::vector<Contextualizer::Sentence> tokens;
    tokens.reserve(sentences.size());
    for (const TaggedSentence& sentence : sentences) {
      WarnOfLeftOut(sentence);
      tokens.emplace_back(sentence.tokens.begin(), sentence.tokens.end());
      tokens_ += sentence.tokens.size();
    }
    sentences_ += sentences.size();
    embed_.all_pieces = pooling_.has_value();
    FIRTH_ASSIGN_OR_RETURN(auto vectors, model.Embed(tokens, embed_));
    for (TokenVectors& of : vectors) {
      if (mix_.has_value()) of = MixLayers(of, *mix_);
      if (pooling_.has_value()) of = Pool(of, *pooling_);
    }
    return Block{std::move(sentences), std::move(vectors)};
  }

  // Warns once, based on the first block with tokens, if the output will be
  // much larger than the text.
  void WarnOfSize(const Block& block) {
    uint64_t text = 0, tokens = 0, values = 0;
    for (size_t i = 0; i < block.sentences.size(); ++i) {
      for (const std::string& token : block.sentences[i].tokens) {
        text += token.size() + 1;
      }
      tokens += block.sentences[i].tokens.size();
      values += block.vectors[i].values.size();
    }
    if (size_is_known_ || tokens == 0) return;
    size_is_known_ = true;
    const uint64_t bytes = values * (output_.empty() ? kTextValueBytes
                                     : float16_      ? 2
                                                     : 4);
    if (bytes <= kMuchLarger * text) return;
    std::vector<std::string> smaller;
    if (!pooling_.has_value()) smaller.emplace_back("--pool");
    if (!mix_.has_value()) smaller.emplace_back("--layers average");
    if (!output_.empty() && !float16_) smaller.emplace_back("--float16");
    PrintMessage(absl::StrCat(
        "warning: the vectors will need about ", Thousands(bytes / text),
        " times as many bytes as the text, ", HumanBytes(bytes / tokens),
        " per token",
        smaller.empty() ? ""
                        : absl::StrCat("; to reduce their size, use ",
                                       JoinAlternatives(smaller))));
  }

  static absl::Status AddTo(EmbeddingWriter* writer, const Block& block) {
    for (size_t i = 0; i < block.vectors.size(); ++i) {
      FIRTH_RETURN_IF_ERROR(writer->Add(
          block.vectors[i], absl::StrJoin(block.sentences[i].tokens, " ")));
    }
    return absl::OkStatus();
  }

  absl::Status PrintAll(const Block& block) const {
    for (size_t i = 0; i < block.sentences.size(); ++i) {
      if (pooling_.has_value()) {
        Print(Values(block.vectors[i], 0).substr(1) + "\n");
      } else {
        PrintVectors(block.sentences[i].tokens, block.vectors[i]);
      }
    }
    return FlushResults();
  }

  static void PrintVectors(const std::vector<std::string>& tokens,
                           const TokenVectors& vectors) {
    for (size_t token = 0; token < tokens.size(); ++token) {
      Print(absl::StrCat(tokens[token], Values(vectors, token), "\n"));
    }
    Print("\n");
  }

  // Returns the values of all layers, each after a space.
  static std::string Values(const TokenVectors& vectors, size_t token) {
    std::string text;
    for (size_t layer = 0; layer < vectors.layers; ++layer) {
      for (const float value : vectors.Vector(layer, token)) {
        absl::StrAppendFormat(&text, " %.9g", value);
      }
    }
    return text;
  }

  std::vector<std::string> inputs_;
  TaggedForm text_;
  LayerChoice layers_{"all"};
  EmbedOptions embed_;
  std::string output_;
  std::optional<EmbeddingFormat> format_;  // Nothing for text.
  std::optional<Pooling> pooling_;
  bool float16_ = false;
  bool json_ = false;
  bool quiet_ = false;
  std::vector<std::string> arguments_;

  std::unique_ptr<LineReader> typed_;  // Null if no user types.
  std::optional<MixWeights> mix_;      // Empty for all layers.
  uint64_t sentences_ = 0;
  uint64_t tokens_ = 0;
  bool size_is_known_ = false;
};

}  // namespace

CommandPtr MakeEmbed() { return std::make_unique<EmbedCommand>(); }

}  // namespace firth::tools
