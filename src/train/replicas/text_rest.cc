#include "train/replicas/text_rest.h"

#include <algorithm>
#include <numeric>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/json.h"
#include "distributed/agreement.h"
#include "firth/status_macros.h"

namespace firth {

absl::StatusOr<SharedText> SharedTextOf(Ranks* ranks, const TokenStream& own) {
  SharedText text{.words = own.num_words(), .tokens = own.tokens().size()};
  if (ranks == nullptr) return text;
  const auto size = static_cast<size_t>(ranks->size());
  const auto rank = static_cast<size_t>(ranks->rank());
  std::vector<uint64_t> words(size + 1);
  words[rank] = text.words;
  words[size] = text.tokens;
  FIRTH_RETURN_IF_ERROR(ranks->Sum(absl::MakeSpan(words)));
  const auto before = words.begin() + ranks->rank();
  text.tokens = words[size];
  text.words_before = std::accumulate(words.begin(), before, uint64_t{0});
  text.words = std::accumulate(before, words.end() - 1, text.words_before);
  return text;
}

absl::StatusOr<std::shared_ptr<const TokenStream>> PlaceStream(
    Ranks& ranks, const std::shared_ptr<const TokenStream>& own) {
  std::vector<uint64_t> sizes(static_cast<size_t>(ranks.size()));
  sizes[static_cast<size_t>(ranks.rank())] = own->tokens().size();
  FIRTH_RETURN_IF_ERROR(ranks.Sum(absl::MakeSpan(sizes)));
  StreamPlace place = own->place();
  place.first_position =
      std::accumulate(sizes.begin(), sizes.begin() + ranks.rank(), uint64_t{0});
  return std::make_shared<const TokenStream>(own->tokens(), own->num_words(),
                                             own, place);
}

absl::StatusOr<TextRest> RestOfAll(Ranks* ranks, const TextRest& own,
                                   uint64_t first) {
  std::string packed;
  for (const StreamPiece& piece : own) {
    Pack(StreamPiece{first + piece.begin, first + piece.end}, &packed);
  }
  std::vector<std::string> texts = {packed};
  if (ranks != nullptr) {
    FIRTH_ASSIGN_OR_RETURN(texts, GatherTexts(*ranks, packed));
  }
  TextRest all;
  for (const std::string& text : texts) {
    absl::string_view left = text;
    while (!left.empty()) all.push_back(Unpack<StreamPiece>(&left));
  }
  return all;
}

TextRest RestInShare(const TextRest& all, uint64_t first, uint64_t size) {
  TextRest own;
  for (const StreamPiece& piece : all) {
    const uint64_t begin = std::max(piece.begin, first);
    const uint64_t end = std::min(piece.end, first + size);
    if (begin < end) own.push_back({begin - first, end - first});
  }
  return own;
}

nlohmann::json JsonOfRest(const TextRest& rest) {
  nlohmann::json json = nlohmann::json::array();
  for (const StreamPiece& piece : rest) {
    json.push_back({piece.begin, piece.end});
  }
  return json;
}

absl::StatusOr<TextRest> RestOfJson(const nlohmann::json& json, uint64_t size) {
  TextRest rest;
  uint64_t last = 0;
  for (const nlohmann::json& pair : json) {
    const StreamPiece piece{CountAt(pair, 0), CountAt(pair, 1)};
    if (piece.begin < last || piece.end <= piece.begin || piece.end > size) {
      return absl::DataLossError(
          absl::StrCat("state: rest: expected consecutive pieces of a text of ",
                       size, " tokens, found ", json.dump()));
    }
    last = piece.end;
    rest.push_back(piece);
  }
  return rest;
}

}  // namespace firth
