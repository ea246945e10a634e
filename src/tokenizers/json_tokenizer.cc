// A text is cut at its added tokens before and after normalization. The pieces
// between them go through the steps of the JSON, in buffers that threads borrow
// from a common stock, so that a text allocates nothing.

#include "tokenizers/json_tokenizer.h"

#include <algorithm>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "base/spares.h"
#include "base/spelling.h"
#include "base/unicode.h"
#include "firth/status_macros.h"
#include "nlohmann/json.hpp"
#include "tokenizers/byte_trie.h"
#include "tokenizers/json_options.h"
#include "tokenizers/normalizers.h"
#include "tokenizers/piece_models.h"
#include "tokenizers/splitters.h"
#include "tokenizers/token_table.h"

namespace firth {
namespace {

// A token that is found in the text itself.
struct FoundToken {
  std::string content;
  uint32_t id = 0;
  bool single_word = false;  // Whether word characters may not be next to it.
  bool takes_left = false;   // Whether it includes the white space before it.
  bool takes_right = false;
  bool normalized = false;  // Whether it is found after normalization.
};

// Returns the length of the white space at the end of the text.
size_t WhiteSpaceAtEnd(absl::string_view text) {
  size_t length = 0;
  for (size_t begin = text.size(); begin > 0;) {
    do {
      --begin;
    } while (begin > 0 && (text[begin] & 0xC0) == 0x80);
    if (WhiteSpaceBytes(text.substr(begin)) == 0) break;
    length = text.size() - begin;
  }
  return length;
}

bool BeginsWithWord(absl::string_view text) {
  return !text.empty() && IsWordCharacter(DecodeUtf8(text).value);
}

bool EndsWithWord(absl::string_view text) {
  size_t begin = text.size();
  while (begin > 0 && (text[begin - 1] & 0xC0) == 0x80) --begin;
  if (begin > 0) --begin;
  return BeginsWithWord(text.substr(begin));
}

// The added tokens that are found before, or after, normalization.
class AddedTokens {
 public:
  AddedTokens() = default;
  explicit AddedTokens(std::vector<FoundToken> tokens)
      : tokens_(std::move(tokens)) {
    std::vector<std::pair<std::string, uint32_t>> entries;
    for (size_t i = 0; i < tokens_.size(); ++i) {
      entries.emplace_back(tokens_[i].content, static_cast<uint32_t>(i));
    }
    trie_ = ByteTrie(std::move(entries));
  }

  // Appends the ids of the tokens in the text, the longest one at each
  // position, and calls visit(begin, end), which returns a status, for the text
  // between them.
  template <class Visit>
  absl::Status Split(absl::string_view text, std::vector<uint32_t>* ids,
                     const Visit& visit) const {
    size_t end = 0;  // Of the last token.
    size_t at = trie_.empty() ? text.size() : 0;
    while (at < text.size()) {
      const FoundToken* const token = Find(text.substr(at));
      if (token == nullptr) {
        ++at;
        continue;
      }
      const size_t begin = at;
      // Text that is not accepted as a token is not searched again.
      at += token->content.size();
      if (token->single_word && (EndsWithWord(text.substr(0, begin)) ||
                                 BeginsWithWord(text.substr(at)))) {
        continue;
      }
      size_t token_begin = begin;
      if (token->takes_left) {
        token_begin -= WhiteSpaceAtEnd(text.substr(0, begin));
      }
      token_begin = std::max(token_begin, end);
      if (token_begin > end) FIRTH_RETURN_IF_ERROR(visit(end, token_begin));
      ids->push_back(token->id);
      end = at;
      while (token->takes_right && WhiteSpaceBytes(text.substr(end)) > 0) {
        end += WhiteSpaceBytes(text.substr(end));
      }
    }
    return end < text.size() ? visit(end, text.size()) : absl::OkStatus();
  }

 private:
  // Returns the longest token at the start of the text, or null.
  const FoundToken* Find(absl::string_view text) const {
    if (!trie_.Begins(text[0])) return nullptr;
    const FoundToken* found = nullptr;
    trie_.ForEachPrefix(
        text, [&](size_t, uint32_t token) { found = &tokens_[token]; });
    return found;
  }

  std::vector<FoundToken> tokens_;
  ByteTrie trie_;
};

absl::StatusOr<FoundToken> ReadAddedToken(const JsonOptions& options,
                                          TokenIds* tokens) {
  FIRTH_RETURN_IF_ERROR(
      options.CheckNames({"id", "content", "single_word", "lstrip", "rstrip",
                          "normalized", "special", kOutsideVocabulary}));
  FoundToken token;
  FIRTH_ASSIGN_OR_RETURN(token.content, options.Text("content"));
  token.id = tokens->Add(token.content);
  FIRTH_ASSIGN_OR_RETURN(token.single_word, options.Flag("single_word", false));
  FIRTH_ASSIGN_OR_RETURN(token.takes_left, options.Flag("lstrip", false));
  FIRTH_ASSIGN_OR_RETURN(token.takes_right, options.Flag("rstrip", false));
  FIRTH_ASSIGN_OR_RETURN(token.normalized, options.Flag("normalized", false));
  return token;
}

}  // namespace

struct JsonTokenizer::Room {
  std::string valid;
  ChangedText changed;
  SplitText split;
  ModelRoom model;
};

struct JsonTokenizer::Body {
  explicit Body(Vocabulary vocabulary) : tokens(std::move(vocabulary)) {}

  TokenIds tokens;
  AddedTokens original;
  AddedTokens normalized;
  TextSteps text_steps;
  SplitSteps split_steps;
  std::unique_ptr<PieceModel> model;
  Spares<Room> rooms;

  absl::Status Read(const Json& json);
  absl::Status ReadAdded(const JsonOptions& all,
                         std::vector<uint32_t>* outside);
};

absl::Status JsonTokenizer::Body::ReadAdded(const JsonOptions& all,
                                            std::vector<uint32_t>* outside) {
  if (all.Find("added_tokens") == nullptr) return absl::OkStatus();
  FIRTH_ASSIGN_OR_RETURN(const std::vector<JsonOptions> list,
                         all.Objects("added_tokens"));
  std::vector<FoundToken> before, after;
  for (const JsonOptions& options : list) {
    FIRTH_ASSIGN_OR_RETURN(FoundToken token, ReadAddedToken(options, &tokens));
    FIRTH_ASSIGN_OR_RETURN(const bool is_outside,
                           options.Flag(kOutsideVocabulary, false));
    if (is_outside) outside->push_back(token.id);
    if (token.content.empty()) continue;
    if (!token.normalized) {
      before.push_back(std::move(token));
      continue;
    }
    ChangedText content;
    content.Set(token.content, true);
    absl::Status changed = ChangeText(text_steps, &content);
    if (!changed.ok()) return At(options.path(), changed);
    token.content = content.text;
    after.push_back(std::move(token));
  }
  absl::c_sort(*outside);
  original = AddedTokens(std::move(before));
  normalized = AddedTokens(std::move(after));
  return absl::OkStatus();
}

absl::Status JsonTokenizer::Body::Read(const Json& json) {
  const JsonOptions all("", json);
  FIRTH_RETURN_IF_ERROR(all.CheckNames(
      {"version", "truncation", "padding", "added_tokens", "normalizer",
       "pre_tokenizer", "post_processor", "decoder", "model"}));
  if (const Json* const normalizer = all.Find("normalizer")) {
    FIRTH_RETURN_IF_ERROR(
        AddTextSteps(JsonOptions("normalizer", *normalizer), &text_steps));
  }
  if (const Json* const splitter = all.Find("pre_tokenizer")) {
    FIRTH_RETURN_IF_ERROR(
        AddSplitSteps(JsonOptions("pre_tokenizer", *splitter), &split_steps));
  }
  std::vector<uint32_t> outside;
  FIRTH_RETURN_IF_ERROR(ReadAdded(all, &outside));
  const Json* const found = all.Find("model");
  if (found == nullptr) return all.Expected("model", "an object");
  FIRTH_ASSIGN_OR_RETURN(
      model, MakePieceModel(JsonOptions("model", *found), outside, &tokens));
  return absl::OkStatus();
}

JsonTokenizer::JsonTokenizer(std::unique_ptr<Body> body)
    : body_(std::move(body)) {}

JsonTokenizer::~JsonTokenizer() = default;

absl::StatusOr<std::unique_ptr<JsonTokenizer>> JsonTokenizer::Create(
    const Json& json, Vocabulary tokens) {
  auto body = std::make_unique<Body>(std::move(tokens));
  FIRTH_RETURN_IF_ERROR(body->Read(json));
  return std::unique_ptr<JsonTokenizer>(new JsonTokenizer(std::move(body)));
}

const Vocabulary& JsonTokenizer::tokens() const {
  return body_->tokens.vocabulary();
}

absl::Status JsonTokenizer::Encode(absl::string_view text,
                                   std::vector<uint32_t>* ids) const {
  ids->clear();
  const auto room =
      body_->rooms.Borrow([] { return std::make_unique<Room>(); });
  if (IsAscii(text)) return EncodeIn(text, room.get(), ids);
  room->valid.clear();
  AppendReplacingInvalid(text, &room->valid);
  return EncodeIn(room->valid, room.get(), ids);
}

absl::Status JsonTokenizer::EncodeIn(absl::string_view text, Room* room,
                                     std::vector<uint32_t>* ids) const {
  const Body& body = *body_;
  return body.original.Split(text, ids, [&](size_t begin, size_t end) {
    ChangedText& changed = room->changed;
    changed.Set(text.substr(begin, end - begin), begin == 0);
    FIRTH_RETURN_IF_ERROR(ChangeText(body.text_steps, &changed));
    return body.normalized.Split(
        changed.text, ids, [&](size_t part_begin, size_t part_end) {
          room->split.Set(absl::string_view(changed.text)
                              .substr(part_begin, part_end - part_begin),
                          changed.starts_text && part_begin == 0);
          for (const auto& step : body.split_steps) {
            FIRTH_RETURN_IF_ERROR(step->Split(&room->split));
          }
          body.model->AppendTokens(room->split, &room->model, ids);
          return absl::OkStatus();
        });
  });
}

}  // namespace firth
