// A word of a corpus is cut once, and its pieces are copied for each of its
// tokens. Marks, such as the end of a sentence, are never cut.

#include "lm/model/model_pieces.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "absl/strings/str_split.h"
#include "corpus/token_stream.h"
#include "firth/status_macros.h"
#include "lm/model/language_model_options.h"
#include "nn/elementwise.h"

namespace firth {
namespace {

constexpr absl::string_view kPieceKinds[] = {"word-pieces", "byte-pairs"};

// Returns the position of the text in `all`, or all.size() if it is not there.
size_t PlaceOf(absl::string_view text, absl::Span<const std::string> all) {
  return static_cast<size_t>(std::find(all.begin(), all.end(), text) -
                             all.begin());
}

// Collects tokens without a limit on their memory.
class StreamBuilder {
 public:
  explicit StreamBuilder(size_t words) : counts_(words) {}

  void Add(absl::Span<const WordId> pieces) {
    for (const WordId piece : pieces) {
      tokens_->push_back(static_cast<uint32_t>(piece));
      ++counts_[Index(piece)];
    }
    num_words_ += pieces.size();
  }
  void EndSentence() { tokens_->push_back(TokenStream::kSentenceEnd); }

  std::vector<uint64_t>& counts() { return counts_; }
  std::shared_ptr<const TokenStream> Stream() const {
    return std::make_shared<TokenStream>(*tokens_, num_words_, tokens_);
  }

 private:
  std::shared_ptr<std::vector<uint32_t>> tokens_ =
      std::make_shared<std::vector<uint32_t>>();
  std::vector<uint64_t> counts_;
  uint64_t num_words_ = 0;
};

}  // namespace

nlohmann::ordered_json PiecesJson(const PieceOptions& options) {
  nlohmann::ordered_json json = {
      {"kind", kPieceKinds[options.kind.index() - 1]}};
  if (const auto* words = std::get_if<WordPieceOptions>(&options.kind)) {
    json["lowercase"] = words->lowercase;
    json["strip_accents"] = words->strip_accents;
    json["part_ideographs"] = words->part_ideographs;
  } else {
    json["space_first"] = std::get<BytePairOptions>(options.kind).space_first;
  }
  json["mark_names"] = options.mark_names;
  return json;
}

absl::StatusOr<PieceOptions> ReadPieces(const JsonSection& section) {
  PieceOptions options;
  FIRTH_ASSIGN_OR_RETURN(const size_t kind,
                         section.Choice("kind", kPieceKinds));
  if (kind == 0) {
    WordPieceOptions words;
    FIRTH_ASSIGN_OR_RETURN(words.lowercase, section.Flag("lowercase"));
    FIRTH_ASSIGN_OR_RETURN(words.strip_accents, section.Flag("strip_accents"));
    FIRTH_ASSIGN_OR_RETURN(words.part_ideographs,
                           section.Flag("part_ideographs"));
    options.kind = words;
  } else {
    BytePairOptions pairs;
    FIRTH_ASSIGN_OR_RETURN(pairs.space_first, section.Flag("space_first"));
    options.kind = pairs;
  }
  const auto names = section.json.find("mark_names");
  const auto is_text = [](const nlohmann::json& name) {
    return name.is_string();
  };
  if (names == section.json.end() || !names->is_array() ||
      !std::all_of(names->begin(), names->end(), is_text)) {
    return section.Bad("mark_names", "a list of texts");
  }
  options.mark_names = names->get<std::vector<std::string>>();
  return options;
}

absl::StatusOr<std::shared_ptr<const TextCutter>> TextCutter::Create(
    const PieceOptions& options, const std::vector<std::string>& marks,
    const Vocabulary& words, const Vocabulary& merges) {
  // std::make_shared() cannot be used because the constructor is private.
  std::shared_ptr<TextCutter> cutter(new TextCutter);
  if (const auto* pairs = std::get_if<BytePairOptions>(&options.kind)) {
    // Bytes without a piece become the end of text, as in the published code.
    FIRTH_ASSIGN_OR_RETURN(
        cutter->cutter_,
        MakeBytePairs(*pairs, words, ToWordId(kEndSentenceId), merges));
  } else {
    cutter->cutter_ = MakeWordPieces(std::get<WordPieceOptions>(options.kind),
                                     words, ToWordId(kUnknownId));
  }
  cutter->words_ = words;
  cutter->merges_ = merges;
  cutter->marks_ = marks;
  cutter->mark_names_ = options.mark_names;
  cutter->mark_names_.resize(std::min(marks.size(), options.mark_names.size()));
  return cutter;
}

void TextCutter::CutWord(absl::string_view word, bool starts_text,
                         std::vector<WordId>* pieces) const {
  const size_t mark = PlaceOf(word, marks_);
  const size_t named =
      word.empty() ? mark_names_.size() : PlaceOf(word, mark_names_);
  if (mark < marks_.size() || named < mark_names_.size()) {
    pieces->push_back(ToWordId(mark < marks_.size() ? mark : named));
    return;
  }
  const size_t before = pieces->size();
  cutter_->Cut(word, starts_text, pieces);
  if (pieces->size() == before) pieces->push_back(ToWordId(kUnknownId));
}

CutSentences TextCutter::Cut(absl::Span<const Sentence> sentences) const {
  CutSentences cut;
  cut.pieces.resize(sentences.size());
  cut.first.resize(sentences.size());
  std::vector<WordId> ids;
  for (size_t s = 0; s < sentences.size(); ++s) {
    ids.clear();
    for (const absl::string_view word : sentences[s]) {
      const bool starts_text = cut.first[s].empty();
      cut.first[s].push_back(ids.size());
      CutWord(word, starts_text, &ids);
    }
    cut.first[s].push_back(ids.size());
    for (const WordId id : ids) cut.pieces[s].push_back(words_.Word(id));
  }
  return cut;
}

Corpus TextCutter::Cut(const Corpus& text) const {
  // A word is cut once, and a second time if it begins a sentence.
  std::vector<std::vector<WordId>> cut[2] = {
      std::vector<std::vector<WordId>>(text.vocabulary.size()),
      std::vector<std::vector<WordId>>(text.vocabulary.size())};
  StreamBuilder stream(words_.size());
  bool starts_text = true;
  for (const uint32_t token : text.tokens->tokens()) {
    if (token == TokenStream::kSentenceEnd) {
      stream.EndSentence();
      starts_text = true;
      continue;
    }
    std::vector<WordId>& pieces = cut[starts_text ? 1 : 0][token];
    if (pieces.empty()) {
      CutWord(text.vocabulary.Word(ToWordId(token)), starts_text, &pieces);
    }
    stream.Add(pieces);
    starts_text = false;
  }
  return {*Vocabulary::Create(words_.Words(), std::move(stream.counts())),
          stream.Stream(), text.report};
}

TokenVectors JoinPieces(const TokenVectors& pieces,
                        absl::Span<const size_t> first, PieceVectors how) {
  const size_t words = first.size() - 1;
  TokenVectors joined = {pieces.layers, words, pieces.dim, {}};
  joined.values.resize(pieces.layers * words * pieces.dim);
  float* to = joined.values.data();
  for (size_t layer = 0; layer < pieces.layers; ++layer) {
    for (size_t w = 0; w < words; ++w, to += pieces.dim) {
      const size_t begin =
          how == PieceVectors::kLast ? first[w + 1] - 1 : first[w];
      const size_t end =
          how == PieceVectors::kFirst ? first[w] + 1 : first[w + 1];
      const auto share = 1 / static_cast<float>(end - begin);
      for (size_t piece = begin; piece < end; ++piece) {
        nn::AddScaled(pieces.dim, share, pieces.Vector(layer, piece).data(),
                      to);
      }
    }
  }
  return joined;
}

std::vector<std::string> TextCutter::Join(
    absl::Span<const std::string> pieces) const {
  std::vector<WordId> ids;
  ids.reserve(pieces.size());
  for (const std::string& piece : pieces) {
    ids.push_back(words_.Find(piece).value_or(ToWordId(kUnknownId)));
  }
  return absl::StrSplit(cutter_->Join(ids), ' ', absl::SkipEmpty());
}

}  // namespace firth
