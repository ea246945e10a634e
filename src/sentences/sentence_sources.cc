// Files are read line by line, and only the ids of their words are kept. An
// epoch draws its own order of the examples of each kind, cuts it into batches
// without a repeated text, and mixes the batches of all kinds.

#include "sentences/sentence_sources.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/json.h"
#include "base/mapped_file.h"
#include "base/parallel_exceptions.h"
#include "base/quote.h"
#include "base/rng.h"
#include "base/threads.h"
#include "corpus/byte_source.h"
#include "firth/status_macros.h"
#include "firth/thousands.h"
#include "io/tensors/npy_header.h"
#include "nlohmann/json.hpp"

namespace firth {
namespace {

constexpr size_t kManyLines = 4096;
// A longer text is not a paragraph, but a document without line ends.
constexpr size_t kMostTextBytes = size_t{1} << 20;
constexpr size_t kMostParaphrases = 1000;

// Keys that are combined with the seed, one for each kind of random numbers.
enum OrderDraw : uint64_t { kOrder = 100, kMix };

// The texts of one line, with its place for messages.
struct Line {
  uint64_t number = 0;
  std::string file;
  std::vector<std::string> texts;
  std::string Place() const { return absl::StrCat(file, ":", number); }
};

// Counts lines that are left out for one reason.
class LeftOut {
 public:
  explicit LeftOut(const char* reason) : reason_(reason) {}
  void Add(const Line& line) {
    if (count_++ == 0) first_ = line.Place();
  }
  void Report(const Hooks& hooks) const {
    if (count_ == 0 || hooks.progress == nullptr) return;
    hooks.progress->OnWarning(
        count_ == 1 ? absl::StrCat(first_, ": left out, because ", reason_)
                    : absl::StrCat(first_, " and ", Thousands(count_ - 1),
                                   count_ == 2 ? " other line" : " other lines",
                                   ": left out, because ", reason_));
  }

 private:
  const char* reason_;
  uint64_t count_ = 0;
  std::string first_;
};

absl::Status BadLine(const Line& line, absl::string_view message) {
  return absl::InvalidArgumentError(absl::StrCat(line.Place(), ": ", message));
}

// Sets line->texts to the members of a JSON object.
absl::Status ParseJsonPair(absl::string_view text, Line* line) {
  const Json object = ParseJson(text);
  if (!object.is_object()) {
    return BadLine(*line,
                   absl::StrCat("expected a JSON object with \"anchor\" and "
                                "\"positive\", found ",
                                Quote(text)));
  }
  for (const char* name : {"anchor", "positive", "negative"}) {
    const auto member = object.find(name);
    const bool is_optional = absl::string_view(name) == "negative";
    if (is_optional && (member == object.end() || member->is_null())) continue;
    if (member == object.end() || !member->is_string()) {
      return BadLine(*line,
                     absl::StrCat("expected a text as \"", name, "\", found ",
                                  member == object.end() ? "no such member"
                                                         : DumpJson(*member)));
    }
    line->texts.push_back(member->get<std::string>());
  }
  return absl::OkStatus();
}

absl::Status ParseLine(SourceKind kind, absl::string_view text, Line* line) {
  if (kind == SourceKind::kSpans || kind == SourceKind::kTeacher) {
    line->texts.emplace_back(text);
    return absl::OkStatus();
  }
  if (kind == SourceKind::kPairs && !text.empty() && text[0] == '{') {
    return ParseJsonPair(text, line);
  }
  line->texts = absl::StrSplit(text, '\t');
  const size_t most = kind == SourceKind::kPairs ? 3 : kMostParaphrases;
  if (line->texts.size() >= 2 && line->texts.size() <= most) {
    return absl::OkStatus();
  }
  return BadLine(
      *line, absl::StrCat(
                 "expected 2 ", kind == SourceKind::kPairs ? "or 3" : "or more",
                 " texts separated by tabs, found ", line->texts.size()));
}

// Reads all lines of these files, and calls take(lines) for some at a time.
absl::Status ReadLines(
    const std::vector<std::string>& paths, SourceKind kind, const Hooks& hooks,
    absl::FunctionRef<absl::Status(absl::Span<Line> lines)> take) {
  if (paths.empty()) return absl::OkStatus();
  LineReader reader(paths, hooks.stop, LongLines::kLeftOut);
  LeftOut too_long("a text has more than 1 MiB; write one paragraph per line");
  std::vector<Line> lines;
  ReadProgress progress;
  while (!reader.Done()) {
    absl::string_view text;
    FIRTH_ASSIGN_OR_RETURN(const bool got, reader.Next(&text));
    if (!got) {
      reader.NextFile();
      continue;
    }
    Line line{reader.line(), reader.file(), {}};
    const bool is_long = reader.IsLeftOut() || text.size() > kMostTextBytes;
    if (is_long) {
      too_long.Add(line);
      if (kind != SourceKind::kTeacher) continue;
      text = "";
    }
    progress.bytes += text.size() + 1;
    const bool is_empty = text.find_first_not_of(" \t") == text.npos;
    if (is_empty && kind != SourceKind::kTeacher) continue;
    FIRTH_RETURN_IF_ERROR(ParseLine(kind, text, &line));
    lines.push_back(std::move(line));
    if (lines.size() < kManyLines) continue;
    FIRTH_RETURN_IF_ERROR(take(absl::MakeSpan(lines)));
    lines.clear();
    if (hooks.progress != nullptr) hooks.progress->OnRead(progress);
    if (hooks.StopRequested()) return absl::CancelledError("interrupted");
  }
  FIRTH_RETURN_IF_ERROR(take(absl::MakeSpan(lines)));
  too_long.Report(hooks);
  return absl::OkStatus();
}

struct KindInputs {
  SourceKind kind;
  std::vector<std::string> paths;
};
std::vector<KindInputs> InputsByKind(const SentenceInputs& inputs) {
  std::vector<KindInputs> kinds = {
      {SourceKind::kSpans, inputs.texts},
      {SourceKind::kPairs, inputs.pairs},
      {SourceKind::kParaphrases, inputs.paraphrases},
      {SourceKind::kTeacher, {}}};
  if (!inputs.teacher_texts.empty()) {
    kinds.back().paths = {inputs.teacher_texts};
  }
  return kinds;
}

// The ids of the texts of one line.
struct Encoded {
  std::vector<std::vector<uint32_t>> texts;
  uint64_t unknown = 0;
  absl::Status status;
};

// Adds the examples of one kind.
class SourceBuilder {
 public:
  SourceBuilder(SourceKind kind, const SentenceTrainingOptions& options,
                const SentenceWords& words, ExampleSource* source,
                SentenceReport* report)
      : kind_(kind),
        options_(options),
        words_(words),
        source_(*source),
        report_(*report) {}

  absl::Status Add(absl::Span<Line> lines) {
    std::vector<Encoded> encoded(lines.size());
    ParallelExceptions exceptions;
#pragma omp parallel for schedule(dynamic, 64) \
    num_threads(NumThreads(options_.threads))
    for (size_t i = 0; i < lines.size(); ++i) {
      exceptions.Catch([&] {
        for (const std::string& text : lines[i].texts) {
          const auto unknown =
              words_.Append(text, &encoded[i].texts.emplace_back());
          encoded[i].status.Update(unknown.status());
          encoded[i].unknown += unknown.value_or(0);
        }
      });
    }
    exceptions.Rethrow();
    for (size_t i = 0; i < lines.size(); ++i) {
      FIRTH_RETURN_IF_ERROR(At(lines[i].Place(), encoded[i].status));
      AddLine(lines[i], encoded[i]);
    }
    return absl::OkStatus();
  }

  void Report(const Hooks& hooks) const {
    unknown_.Report(hooks);
    equal_.Report(hooks);
  }

 private:
  void AddLine(const Line& line, const Encoded& encoded) {
    report_.unknown += encoded.unknown;
    const auto& texts = encoded.texts;
    const bool is_empty =
        std::any_of(texts.begin(), texts.end(),
                    [](const auto& text) { return text.empty(); });
    if (is_empty) unknown_.Add(line);
    // Rows of a teacher belong to lines, so all are kept.
    if (is_empty && kind_ != SourceKind::kTeacher) return;
    if (kind_ == SourceKind::kSpans && texts[0].size() < 2) return;
    if (kind_ == SourceKind::kPairs && texts[0] == texts[1]) {
      equal_.Add(line);
      return;
    }
    for (const auto& text : texts) {
      source_.texts.Add(text);
      report_.words += text.size();
    }
    source_.begins.push_back(source_.texts.size());
  }

  const SourceKind kind_;
  const SentenceTrainingOptions& options_;
  const SentenceWords& words_;
  ExampleSource& source_;
  SentenceReport& report_;
  LeftOut unknown_{"a text has no known word"};
  LeftOut equal_{"its two texts are equal"};
};

// Returns the rows as unit vectors.
absl::StatusOr<FloatTable> ReadTeacher(const std::string& path,
                                       uint64_t lines) {
  FIRTH_ASSIGN_OR_RETURN(const MappedFilePtr file, MappedFile::Open(path));
  FIRTH_ASSIGN_OR_RETURN(const NpyHeader header, ParseNpyHeader(*file));
  if (header.rows != lines || header.cols == 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        path, ": expected one row for each of the ", lines,
        " texts, found an array [", header.rows, ", ", header.cols, "]"));
  }
  std::vector<float> values(header.rows * header.cols);
  for (uint64_t row = 0; row < header.rows; ++row) {
    double sum = 0;
    float* const to = &values[row * header.cols];
    for (uint64_t col = 0; col < header.cols; ++col) {
      const char* const at = file->data() + header.data_begin +
                             (row * header.cols + col) * header.value_bytes;
      double value = 0;
      if (header.value_bytes == sizeof(float)) {
        float single = 0;
        std::memcpy(&single, at, sizeof(single));
        value = single;
      } else {
        std::memcpy(&value, at, sizeof(value));
      }
      to[col] = static_cast<float>(value);
      sum += value * value;
    }
    if (!std::isfinite(sum)) {
      return absl::InvalidArgumentError(
          absl::StrCat(path, ": row ", row,
                       ": expected finite values whose squares have a finite "
                       "sum, found the sum ",
                       sum));
    }
    const double scale = sum > 0 ? 1 / std::sqrt(sum) : 0;
    for (uint64_t col = 0; col < header.cols; ++col) {
      to[col] = static_cast<float>(to[col] * scale);
    }
  }
  return FloatTable(std::move(values), header.cols);
}

// Draws `count` different numbers below `size`, sorted.
std::vector<uint32_t> DrawOrder(size_t size, uint64_t key) {
  std::vector<uint32_t> order(size);
  for (size_t i = 0; i < size; ++i) order[i] = static_cast<uint32_t>(i);
  Rng rng(key);
  for (size_t i = size; i > 1; --i) {
    std::swap(order[i - 1], order[rng.Below(static_cast<uint32_t>(i))]);
  }
  return order;
}

// Cuts examples in a drawn order into batches in which no text occurs twice. An
// example whose text is in the batch waits for the next one.
class BatchCutter {
 public:
  BatchCutter(const ExampleSource& source, SourceKind kind, size_t most,
              std::vector<ExampleBatch>* batches)
      : source_(source), kind_(kind), most_(most), batches_(*batches) {}

  void Add(uint32_t example) {
    Take(example);
    if (batch_.size() == most_) EndBatch();
  }
  // A batch of one example has no negatives.
  void Finish() {
    while (!batch_.empty() || !waiting_.empty()) {
      const size_t before = waiting_.size();
      EndBatch();
      if (waiting_.size() >= before && batch_.empty()) break;
    }
  }

 private:
  void Take(uint32_t example) {
    keys_of_example_.clear();
    for (uint64_t t = source_.begins[example]; t < source_.begins[example + 1];
         ++t) {
      keys_of_example_.push_back(TextKey(source_.texts.Text(t)));
    }
    const bool is_new =
        std::none_of(keys_of_example_.begin(), keys_of_example_.end(),
                     [&](uint64_t key) { return keys_.contains(key); });
    if (!is_new) {
      waiting_.push_back(example);
      return;
    }
    keys_.insert(keys_of_example_.begin(), keys_of_example_.end());
    batch_.push_back(example);
  }

  void EndBatch() {
    if (batch_.size() > 1) batches_.push_back({kind_, std::move(batch_)});
    batch_.clear();
    keys_.clear();
    std::vector<uint32_t> waiting;
    waiting.swap(waiting_);
    for (const uint32_t example : waiting) {
      if (batch_.size() < most_) {
        Take(example);
      } else {
        waiting_.push_back(example);
      }
    }
  }

  const ExampleSource& source_;
  const SourceKind kind_;
  const size_t most_;
  std::vector<ExampleBatch>& batches_;
  std::vector<uint32_t> batch_;
  absl::flat_hash_set<uint64_t> keys_;  // Of the texts of the batch.
  std::vector<uint64_t> keys_of_example_;
  std::vector<uint32_t> waiting_;
};

}  // namespace

size_t SentenceSources::size() const {
  size_t sum = 0;
  for (const ExampleSource& source : kinds) sum += source.size();
  return sum;
}

absl::StatusOr<SentenceSources> ReadSentenceSources(
    const SentenceInputs& inputs, const SentenceTrainingOptions& options,
    const SentenceWords& words, const Hooks& hooks, SentenceReport* report) {
  SentenceSources sources;
  for (const KindInputs& of_kind : InputsByKind(inputs)) {
    SourceBuilder builder(of_kind.kind, options, words, &sources[of_kind.kind],
                          report);
    FIRTH_RETURN_IF_ERROR(
        ReadLines(of_kind.paths, of_kind.kind, hooks,
                  [&](absl::Span<Line> lines) { return builder.Add(lines); }));
    builder.Report(hooks);
    if (sources[of_kind.kind].size() >= UINT32_MAX) {
      return absl::InvalidArgumentError(
          absl::StrCat(of_kind.paths[0],
                       ": expected fewer than 2^32 - 1 lines, found more"));
    }
  }
  report->texts = sources[SourceKind::kSpans].size();
  report->pairs = sources[SourceKind::kPairs].size();
  report->paraphrases = sources[SourceKind::kParaphrases].size();
  report->teacher_texts = sources[SourceKind::kTeacher].size();
  if (!inputs.teacher_texts.empty()) {
    FIRTH_ASSIGN_OR_RETURN(sources.teacher, ReadTeacher(inputs.teacher_vectors,
                                                        report->teacher_texts));
  }
  if (sources.size() > 1) return sources;
  return absl::InvalidArgumentError(absl::StrCat(
      "expected at least 2 examples of texts with known words, found ",
      sources.size()));
}

absl::StatusOr<Vocabulary> CountSentenceWords(
    const SentenceInputs& inputs, const SentenceTrainingOptions& options,
    const Hooks& hooks) {
  const SentenceForm form{options.lowercase, options.split_punctuation};
  absl::flat_hash_map<std::string, std::pair<uint64_t, uint64_t>> counts;
  std::string scratch;
  for (const KindInputs& of_kind : InputsByKind(inputs)) {
    FIRTH_RETURN_IF_ERROR(ReadLines(
        of_kind.paths, of_kind.kind, hooks, [&](absl::Span<Line> lines) {
          for (const Line& line : lines) {
            for (const std::string& text : line.texts) {
              form.ForEachWord(text, &scratch, [&](absl::string_view word) {
                auto& [count, first] = counts[word];
                if (count++ == 0) first = counts.size();
              });
            }
          }
          return absl::OkStatus();
        }));
  }
  struct Counted {
    absl::string_view word;
    uint64_t count;
    uint64_t first;
  };
  std::vector<Counted> kept;
  for (const auto& [word, count] : counts) {
    if (count.first >= options.min_count) {
      kept.push_back({word, count.first, count.second});
    }
  }
  std::sort(kept.begin(), kept.end(), [](const Counted& a, const Counted& b) {
    return a.count != b.count ? a.count > b.count : a.first < b.first;
  });
  if (counts.empty()) {
    return absl::InvalidArgumentError("the texts contain no words");
  }
  if (kept.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "min-count: none of the ", Thousands(counts.size()),
        " different words occurs ", options.min_count, " times or more"));
  }
  std::vector<absl::string_view> words;
  std::vector<uint64_t> word_counts;
  for (const Counted& word : kept) {
    words.push_back(word.word);
    word_counts.push_back(word.count);
  }
  return Vocabulary::Create(words, std::move(word_counts));
}

std::vector<ExampleBatch> BatchesOfEpoch(const SentenceSources& sources,
                                         const HeldOutExamples& held_out,
                                         const SentenceTrainingOptions& options,
                                         uint64_t epoch) {
  const uint64_t key = CombineKeys(CombineKeys(options.seed, kOrder), epoch);
  double all = 0, shares = 0;
  std::array<double, kSourceKinds> share{};
  for (size_t kind = 0; kind < kSourceKinds; ++kind) {
    const size_t size = sources.kinds[kind].size() - held_out[kind].size();
    all += static_cast<double>(size);
    share[kind] = size == 0             ? 0
                  : options.mix.empty() ? static_cast<double>(size)
                                        : options.mix[kind];
    shares += share[kind];
  }
  std::vector<ExampleBatch> batches;
  for (size_t kind = 0; kind < kSourceKinds; ++kind) {
    const ExampleSource& source = sources.kinds[kind];
    auto wanted = static_cast<uint64_t>(
        shares > 0 ? std::llround(all * share[kind] / shares) : 0);
    BatchCutter cutter(source, static_cast<SourceKind>(kind), options.batch,
                       &batches);
    // A source with few examples is used several times.
    for (uint64_t pass = 0; wanted > 0; ++pass) {
      const uint64_t pass_key = CombineKeys(CombineKeys(key, kind), pass);
      for (const uint32_t example : DrawOrder(source.size(), pass_key)) {
        if (wanted == 0) break;
        if (std::binary_search(held_out[kind].begin(), held_out[kind].end(),
                               example)) {
          continue;
        }
        cutter.Add(example);
        --wanted;
      }
    }
    cutter.Finish();
  }
  std::vector<ExampleBatch> ordered;
  for (const uint32_t b :
       DrawOrder(batches.size(), CombineKeys(CombineKeys(key, kMix), 0))) {
    ordered.push_back(std::move(batches[b]));
  }
  return ordered;
}

TwoSpans DrawTwoSpans(size_t words, const SentenceTrainingOptions& options,
                      uint64_t key) {
  Rng rng(key);
  const size_t half = words / 2;
  const auto draw_length = [&] {
    const size_t most = std::min<size_t>(half, options.max_span);
    const size_t least = std::min<size_t>(options.min_span, most);
    return least + rng.Below(static_cast<uint32_t>(most - least + 1));
  };
  const size_t a = draw_length();
  const size_t b = draw_length();
  // Two places among the words that remain, in order.
  const auto places = static_cast<uint32_t>(words - a - b + 1);
  size_t first = rng.Below(places);
  size_t second = rng.Below(places);
  if (first > second) std::swap(first, second);
  TwoSpans spans{{first, a}, {second + a, b}};
  if (rng.Below(2) == 1) std::swap(spans.first, spans.second);
  return spans;
}

}  // namespace firth
