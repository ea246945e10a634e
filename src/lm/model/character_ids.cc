#include "lm/model/character_ids.h"

#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "base/check.h"
#include "base/check_range.h"
#include "firth/status_macros.h"

namespace firth {

void AppendCharacterIds(absl::string_view word, size_t max_characters,
                        std::vector<uint16_t>* ids) {
  FIRTH_CHECK(max_characters >= 3);
  const size_t end = ids->size() + max_characters;
  ids->push_back(kBeginWordCharacter);
  if (word == kBeginSentence) {
    ids->push_back(kBeginSentenceCharacter);
  } else if (word == kEndSentence) {
    ids->push_back(kEndSentenceCharacter);
  } else {
    for (const char byte : word.substr(0, max_characters - 2)) {
      ids->push_back(static_cast<unsigned char>(byte));
    }
  }
  ids->push_back(kEndWordCharacter);
  ids->resize(end, kPaddingCharacter);
}

std::string FiltersText(const FilterList& filters) {
  return absl::StrJoin(filters, ",", [](std::string* out, const auto& set) {
    absl::StrAppend(out, set.width, "x", set.count);
  });
}

bool ParseFilters(const std::string& text, FilterList* filters) {
  FilterList parsed;
  for (const absl::string_view set : absl::StrSplit(text, ',')) {
    const std::vector<absl::string_view> numbers = absl::StrSplit(set, 'x');
    CharacterOptions::Filters& one = parsed.emplace_back();
    if (numbers.size() != 2 || !absl::SimpleAtoi(numbers[0], &one.width) ||
        !absl::SimpleAtoi(numbers[1], &one.count)) {
      return false;
    }
  }
  *filters = std::move(parsed);
  return true;
}

absl::Status CheckFilters(const FilterList& filters, size_t max_characters) {
  if (filters.empty()) {
    return absl::InvalidArgumentError("char-filters: give one or more filters");
  }
  for (const CharacterOptions::Filters& set : filters) {
    FIRTH_RETURN_IF_ERROR(CheckRange<size_t>("char-filters: width", set.width,
                                             1, max_characters));
    FIRTH_RETURN_IF_ERROR(CheckRange<size_t>("char-filters: count", set.count,
                                             1, size_t{1} << 20));
  }
  return absl::OkStatus();
}

nn::CharCnnOptions CharCnnOf(const CharacterOptions& characters) {
  nn::CharCnnOptions cnn;
  cnn.num_characters = kNumCharacters;
  cnn.padding = kPaddingCharacter;
  cnn.max_characters = static_cast<size_t>(characters.max_characters);
  cnn.embedding_dim = static_cast<size_t>(characters.dim);
  for (const CharacterOptions::Filters& set : characters.filters) {
    cnn.filters.push_back({set.width, set.count});
  }
  return cnn;
}

}  // namespace firth
