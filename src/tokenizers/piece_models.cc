// WordLevel   a part is a token, or unknown.
// WordPiece   the longest token at the start of a part, then the longest ones
//             that begin with a prefix (vocab/piece_cutter.h).
// BPE         the characters of a part are tokens, which are merged pair by
//             pair (vocab/byte_pairs.h).
// Unigram     the tokens whose scores have the maximum sum (Kudo, "Subword
//             regularization: improving neural network translation models with
//             multiple subword candidates", 2018), found by dynamic
//             programming over the bytes of a part.
//
// BPE and Unigram spell a character that is no token by the tokens of its
// bytes, "<0x00>" to "<0xFF>", if the option byte_fallback is set.

#include "tokenizers/piece_models.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/unicode.h"
#include "firth/status_macros.h"
#include "nlohmann/json.hpp"
#include "tokenizers/byte_trie.h"
#include "vocab/piece_cutter.h"

namespace firth {
namespace {

constexpr size_t kMostRememberedParts = size_t{1} << 15;
constexpr size_t kMostRememberedIds = size_t{1} << 18;
constexpr size_t kLongestRememberedPart = 128;

// Tokens that a model may find in a text. Borrows them.
class ModelTokens {
 public:
  ModelTokens(const TokenIds& tokens, absl::Span<const uint32_t> outside)
      : tokens_(tokens), outside_(outside.begin(), outside.end()) {}

  std::optional<uint32_t> Find(absl::string_view token) const {
    const std::optional<uint32_t> id = tokens_.Find(token);
    return id.has_value() && !outside_.empty() &&
                   std::binary_search(outside_.begin(), outside_.end(), *id)
               ? std::nullopt
               : id;
  }

 private:
  const TokenIds& tokens_;
  std::vector<uint32_t> outside_;
};

// The ids of the tokens for bytes, if all bytes have one.
class ByteTokens {
 public:
  ByteTokens() = default;
  explicit ByteTokens(const ModelTokens& tokens) {
    for (size_t byte = 0; byte < ids_.size(); ++byte) {
      ids_[byte] = tokens.Find(absl::StrFormat("<0x%02X>", byte));
    }
  }

  // Returns false, and appends nothing, if a byte has no token.
  bool Append(absl::string_view bytes, std::vector<uint32_t>* ids) const {
    const size_t before = ids->size();
    for (const char byte : bytes) {
      const std::optional<uint32_t>& id =
          ids_[static_cast<unsigned char>(byte)];
      if (!id.has_value()) {
        ids->resize(before);
        return false;
      }
      ids->push_back(*id);
    }
    return true;
  }

 private:
  std::array<std::optional<uint32_t>, 256> ids_;
};

class WordLevelModel : public PieceModel {
 public:
  WordLevelModel(ModelTokens tokens, uint32_t unknown)
      : tokens_(std::move(tokens)), unknown_(unknown) {}

  void AppendTokens(const SplitText& text, ModelRoom*,
                    std::vector<uint32_t>* ids) const override {
    for (const TextPart& part : text.parts) {
      ids->push_back(tokens_.Find(text.Of(part)).value_or(unknown_));
    }
  }

 private:
  ModelTokens tokens_;
  uint32_t unknown_;
};

class WordPieceModel : public PieceModel {
 public:
  // `pieces` are the tokens with these ids, or if `ids` is empty, those of the
  // vocabulary.
  WordPieceModel(WordPieceMatcher matcher, std::vector<uint32_t> ids,
                 uint32_t unknown)
      : matcher_(std::move(matcher)), ids_(std::move(ids)), unknown_(unknown) {}

  void AppendTokens(const SplitText& text, ModelRoom* room,
                    std::vector<uint32_t>* ids) const override {
    for (const TextPart& part : text.parts) {
      const absl::string_view word = text.Of(part);
      // Most words are in the vocabulary.
      const std::optional<WordId> piece =
          word.size() <= matcher_.most_characters()
              ? matcher_.pieces().Find(word)
              : std::nullopt;
      if (piece.has_value()) {
        ids->push_back(IdOf(*piece));
      } else if (!room->Recall(word, ids)) {
        Divide(word, room, ids);
      }
    }
  }

 private:
  uint32_t IdOf(WordId piece) const {
    return ids_.empty() ? static_cast<uint32_t>(piece) : ids_[Index(piece)];
  }

  void Divide(absl::string_view word, ModelRoom* room,
              std::vector<uint32_t>* ids) const {
    room->pieces.clear();
    const size_t before = ids->size();
    if (!matcher_.AppendPieces(word, &room->pieces)) ids->push_back(unknown_);
    for (const WordId piece : room->pieces) ids->push_back(IdOf(piece));
    room->Remember(word, absl::MakeConstSpan(*ids).subspan(before));
  }

  WordPieceMatcher matcher_;
  std::vector<uint32_t> ids_;
  uint32_t unknown_;
};

struct BpeOptions {
  std::optional<uint32_t> unknown;
  std::string inside_prefix;  // Of characters that do not begin a part.
  std::string end_suffix;     // Of the last character of a part.
  bool fuses_unknown = false;
  bool spells_bytes = false;
  bool whole_parts = false;  // Whether a part that is a token is not divided.
};

// Appends the tokens of each part: those that were kept for the same word, or
// those that divide(word) appends.
template <class Divide>
void AppendParts(const SplitText& text, ModelRoom* room,
                 std::vector<uint32_t>* ids, const Divide& divide) {
  for (const TextPart& part : text.parts) {
    const absl::string_view word = text.Of(part);
    if (room->Recall(word, ids)) continue;
    const size_t before = ids->size();
    divide(word);
    room->Remember(word, absl::MakeConstSpan(*ids).subspan(before));
  }
}

class BpeModel : public PieceModel {
 public:
  BpeModel(ModelTokens tokens, BpeOptions options, PairMerges merges)
      : tokens_(std::move(tokens)),
        options_(std::move(options)),
        merges_(std::move(merges)) {
    if (options_.spells_bytes) bytes_ = ByteTokens(tokens_);
  }

  void AppendTokens(const SplitText& text, ModelRoom* room,
                    std::vector<uint32_t>* ids) const override {
    AppendParts(text, room, ids, [&](absl::string_view word) {
      const size_t before = ids->size();
      const auto whole =
          options_.whole_parts ? tokens_.Find(word) : std::nullopt;
      if (whole.has_value()) {
        ids->push_back(*whole);
      } else {
        AppendCharacters(word, &room->text, ids);
        merges_.Apply(/*in_rounds=*/false, &room->merges, before, ids);
      }
    });
  }

 private:
  // Unknown characters become a token when the next known one appears, even if
  // others are spelled by bytes in between, as in tokenizers.
  void AppendCharacters(absl::string_view word, std::string* room,
                        std::vector<uint32_t>* ids) const {
    bool has_unknown = false;
    for (size_t i = 0; i < word.size();) {
      const size_t bytes = DecodeUtf8(word.substr(i)).bytes;
      room->clear();
      if (i > 0) absl::StrAppend(room, options_.inside_prefix);
      absl::StrAppend(room, word.substr(i, bytes));
      i += bytes;
      if (i == word.size()) absl::StrAppend(room, options_.end_suffix);
      if (const auto id = tokens_.Find(*room)) {
        if (has_unknown) ids->push_back(*options_.unknown);
        has_unknown = false;
        ids->push_back(*id);
      } else if (options_.spells_bytes && bytes_.Append(*room, ids)) {
        continue;
      } else if (options_.unknown.has_value()) {
        if (has_unknown && !options_.fuses_unknown) {
          ids->push_back(*options_.unknown);
        }
        has_unknown = true;
      }
    }
    if (has_unknown) ids->push_back(*options_.unknown);
  }

  ModelTokens tokens_;
  BpeOptions options_;
  ByteTokens bytes_;
  PairMerges merges_;
};

struct ScoredToken {
  std::string text;
  double score;
  uint32_t id;
};

class UnigramModel : public PieceModel {
 public:
  UnigramModel(const std::vector<ScoredToken>& tokens,
               std::optional<uint32_t> unknown, const ByteTokens* bytes)
      : trie_(EntriesOf(tokens)), unknown_(unknown) {
    double least = 0;
    for (const ScoredToken& token : tokens) {
      scores_.push_back(token.score);
      ids_.push_back(token.id);
      least = scores_.size() == 1 ? token.score : std::min(least, token.score);
    }
    unknown_score_ = least - kUnknownPenalty;
    if (bytes != nullptr) bytes_ = *bytes;
  }

  void AppendTokens(const SplitText& text, ModelRoom* room,
                    std::vector<uint32_t>* ids) const override {
    AppendParts(text, room, ids, [&](absl::string_view word) {
      FindBestPath(word, &room->nodes);
      AppendPath(word, &room->nodes, ids);
    });
  }

 private:
  using Nodes = std::vector<ModelRoom::Node>;

  static constexpr double kUnknownPenalty = 10;  // Below all other scores.
  static constexpr uint32_t kUnknownToken = 0xFFFFFFFFu;

  static std::vector<std::pair<std::string, uint32_t>> EntriesOf(
      const std::vector<ScoredToken>& tokens) {
    std::vector<std::pair<std::string, uint32_t>> entries;
    for (size_t i = 0; i < tokens.size(); ++i) {
      entries.emplace_back(tokens[i].text, static_cast<uint32_t>(i));
    }
    return entries;
  }

  static void Reach(double score, size_t begin, uint32_t token,
                    ModelRoom::Node* node) {
    if (node->reached && !(score > node->score)) return;
    *node = {score, begin, token, true};
  }

  void FindBestPath(absl::string_view word, Nodes* nodes) const {
    nodes->assign(word.size() + 1, ModelRoom::Node{0, 0, 0, false});
    for (size_t i = 0; i < word.size();) {
      const double score = (*nodes)[i].score;
      const size_t bytes = DecodeUtf8(word.substr(i)).bytes;
      bool has_character = false;
      trie_.ForEachPrefix(word.substr(i), [&](size_t length, uint32_t token) {
        Reach(score + scores_[token], i, token, &(*nodes)[i + length]);
        has_character |= length == bytes;
      });
      if (!has_character) {
        Reach(score + unknown_score_, i, kUnknownToken, &(*nodes)[i + bytes]);
      }
      i += bytes;
    }
  }

  bool IsUnknown(uint32_t token) const {
    return token == kUnknownToken || token == unknown_;
  }

  // Follows the path back, and then appends its tokens. Adjacent unknown
  // characters are one token.
  void AppendPath(absl::string_view word, Nodes* nodes,
                  std::vector<uint32_t>* ids) const {
    size_t first = nodes->size();  // Nodes of the path are moved to the end.
    for (size_t end = word.size(); end > 0;) {
      const ModelRoom::Node node = (*nodes)[end];
      (*nodes)[--first] = node;
      end = node.begin;
    }
    for (size_t i = first; i < nodes->size(); ++i) {
      const ModelRoom::Node& node = (*nodes)[i];
      if (!IsUnknown(node.id)) {
        ids->push_back(ids_[node.id]);
        continue;
      }
      while (i + 1 < nodes->size() && IsUnknown((*nodes)[i + 1].id)) ++i;
      const size_t end =
          i + 1 < nodes->size() ? (*nodes)[i + 1].begin : word.size();
      AppendUnknown(word.substr(node.begin, end - node.begin), ids);
    }
  }

  void AppendUnknown(absl::string_view text, std::vector<uint32_t>* ids) const {
    std::optional<uint32_t> token;
    trie_.ForEachPrefix(text, [&](size_t length, uint32_t found) {
      if (length == text.size()) token = found;
    });
    if (token.has_value()) {
      ids->push_back(ids_[*token]);
    } else if (!(bytes_.has_value() && bytes_->Append(text, ids)) &&
               unknown_.has_value()) {
      ids->push_back(ids_[*unknown_]);
    }
  }

  ByteTrie trie_;
  std::vector<double> scores_;  // Of the tokens in the order of the file.
  std::vector<uint32_t> ids_;
  std::optional<uint32_t> unknown_;  // Index of the token.
  double unknown_score_ = 0;
  std::optional<ByteTokens> bytes_;
};

absl::StatusOr<std::unique_ptr<PieceModel>> MakeWordLevel(
    const JsonOptions& model, absl::Span<const uint32_t> outside,
    TokenIds* tokens) {
  FIRTH_RETURN_IF_ERROR(model.CheckNames({"vocab", "unk_token"}));
  FIRTH_ASSIGN_OR_RETURN(const std::string unknown,
                         model.Text("unk_token", "<unk>"));
  const uint32_t id = tokens->Add(unknown);
  return std::make_unique<WordLevelModel>(ModelTokens(*tokens, outside), id);
}

absl::StatusOr<std::unique_ptr<PieceModel>> MakeWordPiece(
    const JsonOptions& model, absl::Span<const uint32_t> outside,
    TokenIds* tokens) {
  FIRTH_RETURN_IF_ERROR(
      model.CheckNames({"vocab", "unk_token", "continuing_subword_prefix",
                        "max_input_chars_per_word"}));
  FIRTH_ASSIGN_OR_RETURN(const std::string unknown,
                         model.Text("unk_token", "[UNK]"));
  FIRTH_ASSIGN_OR_RETURN(
      const std::string prefix,
      model.Text("continuing_subword_prefix", std::string(kInsideWord)));
  FIRTH_ASSIGN_OR_RETURN(const uint64_t most,
                         model.Count("max_input_chars_per_word", 100));
  const uint32_t unknown_id = tokens->Add(unknown);
  Vocabulary pieces = tokens->vocabulary();
  std::vector<uint32_t> ids;
  if (!outside.empty()) {
    std::vector<absl::string_view> kept;
    for (uint32_t id = 0; id < pieces.size(); ++id) {
      if (absl::c_binary_search(outside, id)) continue;
      ids.push_back(id);
      kept.push_back(tokens->vocabulary().Word(ToWordId(id)));
    }
    FIRTH_ASSIGN_OR_RETURN(pieces, Vocabulary::CreateLazily(kept, {}));
  }
  return std::make_unique<WordPieceModel>(
      WordPieceMatcher(std::move(pieces), most, prefix), std::move(ids),
      unknown_id);
}

absl::StatusOr<PairMerges> MergesOf(const JsonOptions& model,
                                    const std::string& prefix,
                                    TokenIds* tokens) {
  const Json* const list = model.Find("merges");
  if (list == nullptr || !list->is_array()) {
    return model.Expected("merges", "an array");
  }
  PairMerges merges;
  for (size_t i = 0; i < list->size(); ++i) {
    const JsonOptions merge(absl::StrCat(model.PathOf("merges"), "[", i, "]"),
                            (*list)[i]);
    if (IsMergesComment(merge.json())) continue;
    FIRTH_ASSIGN_OR_RETURN(const auto texts, TokensOfMerge(merge, prefix));
    std::array<uint32_t, 3> ids;
    absl::c_transform(texts, ids.begin(), [tokens](const std::string& text) {
      return tokens->Add(text);
    });
    merges.Add(ids[0], ids[1], ids[2]);
  }
  return merges;
}

absl::StatusOr<std::unique_ptr<PieceModel>> MakeBpe(
    const JsonOptions& model, absl::Span<const uint32_t> outside,
    TokenIds* tokens) {
  FIRTH_RETURN_IF_ERROR(model.CheckNames(
      {"vocab", "merges", "dropout", "unk_token", "continuing_subword_prefix",
       "end_of_word_suffix", "fuse_unk", "byte_fallback", "ignore_merges"}));
  const Json* const dropout = model.Find("dropout");
  if (dropout != nullptr && *dropout != 0) {
    return model.Expected("dropout", "null or 0, as texts have one vector");
  }
  BpeOptions options;
  FIRTH_ASSIGN_OR_RETURN(options.inside_prefix,
                         model.Text("continuing_subword_prefix", ""));
  FIRTH_ASSIGN_OR_RETURN(options.end_suffix,
                         model.Text("end_of_word_suffix", ""));
  FIRTH_ASSIGN_OR_RETURN(options.fuses_unknown, model.Flag("fuse_unk", false));
  FIRTH_ASSIGN_OR_RETURN(options.spells_bytes,
                         model.Flag("byte_fallback", false));
  FIRTH_ASSIGN_OR_RETURN(options.whole_parts,
                         model.Flag("ignore_merges", false));
  FIRTH_ASSIGN_OR_RETURN(const std::string unknown,
                         model.Text("unk_token", ""));
  if (model.Find("unk_token") != nullptr) {
    options.unknown = tokens->Add(unknown);
  }
  FIRTH_ASSIGN_OR_RETURN(PairMerges merges,
                         MergesOf(model, options.inside_prefix, tokens));
  return std::make_unique<BpeModel>(ModelTokens(*tokens, outside),
                                    std::move(options), std::move(merges));
}

absl::StatusOr<std::vector<ScoredToken>> ScoredTokens(const JsonOptions& model,
                                                      TokenIds* tokens) {
  const Json* const list = model.Find("vocab");
  if (list == nullptr || !list->is_array()) {
    return model.Expected("vocab", "an array of tokens and scores");
  }
  std::vector<ScoredToken> scored;
  for (const Json& entry : *list) {
    if (!entry.is_array() || entry.size() != 2 || !entry[0].is_string() ||
        !entry[1].is_number()) {
      return JsonOptions(
                 absl::StrCat(model.PathOf("vocab"), "[", scored.size(), "]"),
                 entry)
          .Expected("a token and its score, such as [\"a\", -1.5]");
    }
    const auto& token = entry[0].get_ref<const std::string&>();
    scored.push_back({token, entry[1].get<double>(), tokens->Add(token)});
  }
  return scored;
}

absl::StatusOr<std::unique_ptr<PieceModel>> MakeUnigram(
    const JsonOptions& model, absl::Span<const uint32_t> /*outside*/,
    TokenIds* tokens) {
  FIRTH_RETURN_IF_ERROR(model.CheckNames({"vocab", "unk_id", "byte_fallback"}));
  FIRTH_ASSIGN_OR_RETURN(const std::vector<ScoredToken> scored,
                         ScoredTokens(model, tokens));
  std::optional<uint32_t> unknown;
  if (model.Find("unk_id") != nullptr) {
    FIRTH_ASSIGN_OR_RETURN(const uint64_t id, model.Count("unk_id"));
    if (id >= scored.size()) {
      return model.Expected(
          "unk_id", absl::StrCat("null or an index below ", scored.size()));
    }
    unknown = static_cast<uint32_t>(id);
  }
  FIRTH_ASSIGN_OR_RETURN(const bool spells_bytes,
                         model.Flag("byte_fallback", false));
  const ByteTokens bytes(ModelTokens(*tokens, {}));
  return std::make_unique<UnigramModel>(scored, unknown,
                                        spells_bytes ? &bytes : nullptr);
}

constexpr absl::string_view kModelTypes[] = {"WordLevel", "WordPiece", "BPE",
                                             "Unigram"};
// Factories of the kinds, in the order of kModelTypes.
constexpr absl::StatusOr<std::unique_ptr<PieceModel>> (*kMakeModel[])(
    const JsonOptions&, absl::Span<const uint32_t>, TokenIds*) = {
    MakeWordLevel, MakeWordPiece, MakeBpe, MakeUnigram};

}  // namespace

std::optional<uint32_t> TokenIds::Find(absl::string_view token) const {
  if (const auto id = vocabulary_.Find(token)) {
    return static_cast<uint32_t>(Index(*id));
  }
  const auto other = others_.find(token);
  if (other == others_.end()) return std::nullopt;
  return other->second;
}

uint32_t TokenIds::Add(absl::string_view token) {
  if (const auto id = Find(token)) return *id;
  const auto next = static_cast<uint32_t>(vocabulary_.size() + others_.size());
  others_.emplace(token, next);
  return next;
}

bool ModelRoom::Recall(absl::string_view part,
                       std::vector<uint32_t>* ids) const {
  const auto found = parts_.find(part);
  if (found == parts_.end()) return false;
  const auto begin = ids_.begin() + static_cast<ptrdiff_t>(found->second.begin);
  ids->insert(ids->end(), begin,
              begin + static_cast<ptrdiff_t>(found->second.count));
  return true;
}

void ModelRoom::Remember(absl::string_view part,
                         absl::Span<const uint32_t> ids) {
  if (part.size() > kLongestRememberedPart) return;
  if (parts_.size() >= kMostRememberedParts ||
      ids_.size() + ids.size() > kMostRememberedIds) {
    parts_.clear();
    ids_.clear();
  }
  parts_.emplace(part, Stored{ids_.size(), ids.size()});
  ids_.insert(ids_.end(), ids.begin(), ids.end());
}

absl::StatusOr<std::array<std::string, 3>> TokensOfMerge(
    const JsonOptions& merge, absl::string_view prefix) {
  const Json& json = merge.json();
  std::vector<std::string> tokens;
  if (json.is_string()) {
    tokens = absl::StrSplit(json.get_ref<const std::string&>(), ' ');
  } else if (json.is_array() && json.size() == 2) {
    for (const Json& token : json) {
      if (token.is_string()) tokens.push_back(token.get<std::string>());
    }
  }
  if (tokens.size() != 2 || tokens[0].empty() || tokens[1].empty()) {
    return merge.Expected("two tokens, \"a b\" or [\"a\", \"b\"]");
  }
  absl::string_view rest = tokens[1];
  absl::ConsumePrefix(&rest, prefix);
  std::string merged = absl::StrCat(tokens[0], rest);
  return std::array{std::move(tokens[0]), std::move(tokens[1]),
                    std::move(merged)};
}

bool IsMergesComment(const Json& merge) {
  return merge.is_string() &&
         absl::StartsWith(merge.get_ref<const std::string&>(), "#version");
}

absl::StatusOr<std::unique_ptr<PieceModel>> MakePieceModel(
    const JsonOptions& model, absl::Span<const uint32_t> outside,
    TokenIds* tokens) {
  FIRTH_ASSIGN_OR_RETURN(const size_t type, model.Choice("type", kModelTypes));
  return kMakeModel[type](model, outside, tokens);
}

}  // namespace firth
