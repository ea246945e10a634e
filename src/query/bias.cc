// p is computed from sums. A partition of the target words has a difference of
// means at least as large as the measured one if and only if the sum of s(w)
// over its first group is at least as large.

#include "firth/bias.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/types/span.h"
#include "base/quote.h"
#include "base/rng.h"
#include "firth/fields.h"
#include "firth/semantic_axis.h"
#include "firth/status_macros.h"
#include "query/test_set_lines.h"
#include "query/unit_rows.h"

namespace firth {
namespace {

constexpr double kMostDivisions = 100'000'000;
constexpr uint64_t kDivisionsBetweenChecks = 1024;

absl::StatusOr<WordGroup> ParseGroup(const TestSetLines& lines,
                                     absl::string_view line) {
  const size_t colon = line.find(':');
  WordGroup group;
  group.name = std::string(absl::StripAsciiWhitespace(line.substr(0, colon)));
  if (colon != absl::string_view::npos) {
    for (const absl::string_view part :
         absl::StrSplit(line.substr(colon + 1), ',')) {
      const absl::string_view word = absl::StripAsciiWhitespace(part);
      if (!word.empty()) group.words.emplace_back(word);
    }
  }
  if (!group.name.empty() && !group.words.empty()) return group;
  return lines.Error(
      "a line \"GROUP: WORD, WORD, ...\"",
      group.name.empty() ? "a line without a group" : "a group without words");
}

absl::StatusOr<WeatTest> ParseTest(TestSetLines* lines,
                                   absl::string_view header) {
  if (header[0] != ':') {
    return lines->Error("a line \": NAME\", which begins a test",
                        "another line");
  }
  WeatTest test;
  test.name = std::string(absl::StripAsciiWhitespace(header.substr(1)));
  for (WordGroup* group : {&test.x, &test.y, &test.a, &test.b}) {
    absl::string_view line;
    if (!lines->Next(&line)) {
      return lines->Error("two groups of targets and two groups of attributes",
                          "the end of the file");
    }
    FIRTH_ASSIGN_OR_RETURN(*group, ParseGroup(*lines, line));
  }
  return test;
}

absl::StatusOr<std::vector<WeatTest>> ParseTests(TestSetLines lines) {
  std::vector<WeatTest> tests;
  absl::string_view line;
  while (lines.Next(&line)) {
    FIRTH_ASSIGN_OR_RETURN(tests.emplace_back(), ParseTest(&lines, line));
  }
  if (!tests.empty()) return tests;
  return absl::InvalidArgumentError(
      absl::StrCat(lines.name(), ": the file contains no tests"));
}

std::vector<std::string> EachOnce(
    const std::vector<const std::vector<std::string>*>& lists) {
  absl::flat_hash_set<absl::string_view> seen;
  std::vector<std::string> words;
  for (const std::vector<std::string>* list : lists) {
    for (const std::string& word : *list) {
      if (seen.insert(word).second) words.push_back(word);
    }
  }
  return words;
}

// Returns the words of a group that have a vector, each once, since words can
// become equal in lower case.
absl::StatusOr<FoundWords> FindGroup(const WordVectors& vectors,
                                     const WordGroup& group,
                                     UnknownWords unknown) {
  FIRTH_ASSIGN_OR_RETURN(FoundWords all,
                         FindWords(vectors, group.words, unknown));
  FoundWords found;
  absl::flat_hash_set<absl::string_view> seen;
  for (size_t i = 0; i < all.words.size(); ++i) {
    if (!seen.insert(all.words[i]).second) continue;
    found.words.push_back(all.words[i]);
    found.vectors.push_back(std::move(all.vectors[i]));
  }
  found.unknown = std::move(all.unknown);
  if (!found.words.empty()) return found;
  return absl::InvalidArgumentError(
      absl::StrCat(Quote(group.name), ": no word of this group has a vector: ",
                   Quote(absl::StrJoin(found.unknown, ", "))));
}

// Checks that two groups share no word, because its contributions would cancel
// out. Words are compared as they were looked up.
absl::Status CheckDisjoint(const WordGroup& first, const FoundWords& in_first,
                           const WordGroup& second,
                           const FoundWords& in_second) {
  for (const auto& word : in_first.words) {
    if (!absl::c_linear_search(in_second.words, word)) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "groups must not share words, but ", Quote(word), " is in both ",
        Quote(first.name), " and ", Quote(second.name)));
  }
  return absl::OkStatus();
}

struct FoundGroups {
  FoundWords x, y, a, b;
};

absl::StatusOr<FoundGroups> FindGroups(const WordVectors& vectors,
                                       const WeatTest& test,
                                       UnknownWords unknown) {
  FoundGroups found;
  FIRTH_ASSIGN_OR_RETURN(found.x, FindGroup(vectors, test.x, unknown));
  FIRTH_ASSIGN_OR_RETURN(found.y, FindGroup(vectors, test.y, unknown));
  FIRTH_ASSIGN_OR_RETURN(found.a, FindGroup(vectors, test.a, unknown));
  FIRTH_ASSIGN_OR_RETURN(found.b, FindGroup(vectors, test.b, unknown));
  FIRTH_RETURN_IF_ERROR(CheckDisjoint(test.x, found.x, test.y, found.y));
  FIRTH_RETURN_IF_ERROR(CheckDisjoint(test.a, found.a, test.b, found.b));
  return found;
}

// Returns the mean of the unit vectors. The dot product with it is the mean of
// the cosines.
std::vector<double> MeanUnit(const FoundWords& group) {
  std::vector<double> mean(group.vectors[0].size());
  for (const std::vector<float>& vector : group.vectors) {
    const std::vector<float> unit = UnitVector(vector);
    for (size_t i = 0; i < mean.size(); ++i) {
      mean[i] += unit[i] / static_cast<double>(group.vectors.size());
    }
  }
  return mean;
}

std::vector<WeatAssociation> Associate(const FoundWords& targets,
                                       const std::vector<double>& a,
                                       const std::vector<double>& b) {
  std::vector<WeatAssociation> associations;
  for (size_t word = 0; word < targets.words.size(); ++word) {
    const std::vector<float> unit = UnitVector(targets.vectors[word]);
    double score = 0;
    for (size_t i = 0; i < unit.size(); ++i) score += unit[i] * (a[i] - b[i]);
    associations.push_back({targets.words[word], score});
  }
  return associations;
}

double Mean(absl::Span<const double> values) {
  return absl::c_accumulate(values, 0.0) / static_cast<double>(values.size());
}

double SampleDeviation(absl::Span<const double> values) {
  const double mean = Mean(values);
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return std::sqrt(squares / (static_cast<double>(values.size()) - 1));
}

// Returns the number of ways to choose k of n words, or any number above
// kMostDivisions if there are more.
double Divisions(size_t n, size_t k) {
  double ways = 1;
  for (size_t i = 1; i <= std::min(k, n - k) && ways <= kMostDivisions; ++i) {
    ways *= static_cast<double>(n - i + 1) / static_cast<double>(i);
  }
  return std::round(ways);
}

// Advances to the next choice of k of n positions in lexicographic order.
// Returns false after the last one.
bool NextChoice(size_t n, std::vector<size_t>* positions) {
  const size_t k = positions->size();
  for (size_t i = k; i-- > 0;) {
    if ((*positions)[i] == n - k + i) continue;
    ++(*positions)[i];
    for (size_t j = i + 1; j < k; ++j)
      (*positions)[j] = (*positions)[j - 1] + 1;
    return true;
  }
  return false;
}

struct Counted {
  uint64_t as_great = 0;
  uint64_t all = 0;
};

// Counts all partitions, and those with a sum of at least `least`. `scores` has
// the scores of X, then those of Y.
absl::StatusOr<Counted> CountAll(absl::Span<const double> scores, size_t size_x,
                                 double least, const Hooks& hooks) {
  Counted counted;
  std::vector<size_t> chosen(size_x);
  absl::c_iota(chosen, 0);
  do {
    double sum = 0;
    for (const size_t position : chosen) sum += scores[position];
    counted.as_great += sum >= least;
    if (++counted.all % kDivisionsBetweenChecks == 0 && hooks.StopRequested()) {
      return absl::CancelledError("interrupted");
    }
  } while (NextChoice(scores.size(), &chosen));
  return counted;
}

// Counts random partitions. The measured partition is counted as one of them.
absl::StatusOr<Counted> CountSome(absl::Span<const double> scores,
                                  size_t size_x, double least,
                                  const WeatOptions& options,
                                  const Hooks& hooks) {
  Counted counted{1, options.permutations + 1};
  std::vector<double> shuffled(scores.begin(), scores.end());
  Rng rng(options.seed);
  for (uint64_t draw = 0; draw < options.permutations; ++draw) {
    if (draw % kDivisionsBetweenChecks == 0 && hooks.StopRequested()) {
      return absl::CancelledError("interrupted");
    }
    double sum = 0;
    for (size_t i = 0; i < size_x; ++i) {
      const auto rest = static_cast<uint32_t>(shuffled.size() - i);
      std::swap(shuffled[i], shuffled[i + rng.Below(rest)]);
      sum += shuffled[i];
    }
    counted.as_great += sum >= least;
  }
  return counted;
}

absl::Status MeasureEffect(const WeatOptions& options, const Hooks& hooks,
                           WeatResult* result) {
  std::vector<double> scores;
  for (const auto* group : {&result->x, &result->y}) {
    for (const WeatAssociation& word : *group) scores.push_back(word.score);
  }
  const size_t size_x = result->x.size();
  const auto x = absl::MakeConstSpan(scores).subspan(0, size_x);
  const auto y = absl::MakeConstSpan(scores).subspan(size_x);
  // Tolerance for rounding errors, so that equal sums are not counted as
  // smaller.
  constexpr double kRounding = 1e-12;
  const double deviation = SampleDeviation(scores);
  result->effect = deviation > kRounding
                       ? (Mean(x) - Mean(y)) / deviation
                       : std::numeric_limits<double>::quiet_NaN();
  const double least = absl::c_accumulate(x, 0.0) -
                       kRounding * static_cast<double>(scores.size());
  result->exact = Divisions(scores.size(), size_x) <=
                  static_cast<double>(options.permutations);
  FIRTH_ASSIGN_OR_RETURN(
      const Counted counted,
      result->exact ? CountAll(scores, size_x, least, hooks)
                    : CountSome(scores, size_x, least, options, hooks));
  result->p =
      static_cast<double>(counted.as_great) / static_cast<double>(counted.all);
  result->permutations = result->exact ? counted.all : options.permutations;
  return absl::OkStatus();
}

}  // namespace

FieldTable WeatOptions::Fields() {
  FieldsOf<WeatOptions> fields;
  fields.Add("permutations", &WeatOptions::permutations,
             "number of random partitions of the target words from which p is "
             "estimated; p is exact if there are at most this many partitions",
             Field().Range(1, kMostDivisions));
  fields.Add("seed", &WeatOptions::seed,
             "set the random seed for drawing partitions");
  fields.Choice(
      "oov", &WeatOptions::unknown, {"skip", "subword", "error"},
      "choose what to do with words that are not in the vocabulary: skip them, "
      "build their vectors from n-grams (subword), or fail (error)");
  return fields;
}

absl::Status WeatOptions::Validate() const { return CheckFields(*this); }

absl::StatusOr<std::vector<WeatTest>> LoadWeatTests(const std::string& path) {
  FIRTH_ASSIGN_OR_RETURN(TestSetLines lines, TestSetLines::Open(path));
  return ParseTests(std::move(lines));
}

absl::StatusOr<std::vector<WeatTest>> ParseWeatTests(absl::string_view text,
                                                     const std::string& name) {
  return ParseTests(TestSetLines(name, text));
}

absl::StatusOr<WeatResult> MeasureWeat(const WordVectors& vectors,
                                       const WeatTest& test,
                                       const WeatOptions& options,
                                       const Hooks& hooks) {
  FIRTH_RETURN_IF_ERROR(options.Validate());
  FIRTH_ASSIGN_OR_RETURN(const FoundGroups groups,
                         FindGroups(vectors, test, options.unknown));
  const std::vector<double> a = MeanUnit(groups.a);
  const std::vector<double> b = MeanUnit(groups.b);
  WeatResult result;
  result.x = Associate(groups.x, a, b);
  result.y = Associate(groups.y, a, b);
  result.num_a = groups.a.words.size();
  result.num_b = groups.b.words.size();
  result.unknown = EachOnce({&groups.x.unknown, &groups.y.unknown,
                             &groups.a.unknown, &groups.b.unknown});
  FIRTH_RETURN_IF_ERROR(MeasureEffect(options, hooks, &result));
  return result;
}

}  // namespace firth
