#include "firth/span_corruption.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/check.h"
#include "base/rng.h"
#include "firth/fields.h"

namespace firth {
namespace {

constexpr absl::string_view kMarkBegin = "<extra_id_";
constexpr absl::string_view kMarkEnd = ">";

std::string MarkOf(size_t span) {
  return absl::StrCat(kMarkBegin, span, kMarkEnd);
}

// Cuts so many words into non-empty parts. Every set of positions to cut at is
// equally likely, and so is every result.
std::vector<size_t> DrawParts(size_t words, size_t parts, Rng& rng) {
  std::vector<size_t> lengths = {1};
  for (size_t left = words - 1; left > 0; --left) {
    const size_t cuts = parts - lengths.size();
    if (rng.Below(static_cast<uint32_t>(left)) < cuts) {
      lengths.push_back(1);
    } else {
      ++lengths.back();
    }
  }
  return lengths;
}

size_t Rounded(double value, size_t least, size_t most) {
  return std::clamp(static_cast<size_t>(std::llround(value)), least, most);
}

}  // namespace

FieldTable SpanOptions::Fields() {
  FieldsOf<SpanOptions> fields;
  fields.Add(
      "share", &SpanOptions::share,
      "set the fraction of words that are removed; each sentence loses at "
      "least one word, but never all",
      Field().Range(0.01, 0.99).Everyday());
  fields.Add("mean-length", &SpanOptions::mean_length,
             "set the mean length of the removed spans, in words",
             Field().Range(1, 1000).Everyday());
  fields.Add("seed", &SpanOptions::seed,
             "set the random seed; the same seed gives the same spans");
  return fields;
}

absl::Status SpanOptions::Validate() const { return CheckFields(*this); }

std::vector<WordSpan> DrawSpans(size_t words, const SpanOptions& options,
                                uint64_t sentence) {
  std::vector<WordSpan> spans;
  if (words < 2) return spans;
  const size_t out =
      Rounded(options.share * static_cast<double>(words), 1, words - 1);
  const size_t stays = words - out;
  const size_t count = Rounded(static_cast<double>(out) / options.mean_length,
                               1, std::min(out, stays));
  Rng rng(CombineKeys(options.seed, sentence));
  const std::vector<size_t> between = DrawParts(stays, count, rng);
  const std::vector<size_t> lengths = DrawParts(out, count, rng);
  size_t at = 0;
  for (size_t span = 0; span < count; ++span) {
    at += between[span];
    spans.push_back({at, at + lengths[span]});
    at += lengths[span];
  }
  return spans;
}

CorruptedSentence CorruptSpans(absl::Span<const absl::string_view> words,
                               absl::Span<const WordSpan> spans) {
  CorruptedSentence result;
  size_t at = 0;
  const auto move = [&](size_t end, std::vector<std::string>* to) {
    for (; at < end; ++at) to->emplace_back(words[at]);
  };
  for (size_t span = 0; span < spans.size(); ++span) {
    FIRTH_CHECK(at <= spans[span].begin && spans[span].begin < spans[span].end);
    FIRTH_CHECK(spans[span].end <= words.size());
    move(spans[span].begin, &result.input);
    result.input.push_back(MarkOf(span));
    result.target.push_back(MarkOf(span));
    move(spans[span].end, &result.target);
  }
  move(words.size(), &result.input);
  result.target.push_back(MarkOf(spans.size()));
  return result;
}

bool IsSpanMark(absl::string_view word) {
  return absl::ConsumePrefix(&word, kMarkBegin) &&
         absl::ConsumeSuffix(&word, kMarkEnd) && !word.empty() &&
         std::all_of(word.begin(), word.end(), absl::ascii_isdigit);
}

}  // namespace firth
