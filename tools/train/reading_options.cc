#include "train/reading_options.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "cli/human.h"
#include "firth/vector_training.h"

namespace firth::tools {
namespace {

// Returns "" if the text is too short for a meaningful speed.
std::string Speed(const CorpusReport& report) {
  if (report.bytes < 1000000 || !(report.seconds > 0)) return "";
  return absl::StrFormat(
      " (%.0f MB/s)", static_cast<double>(report.bytes) / report.seconds / 1e6);
}

using Reason = std::pair<uint64_t, absl::string_view>;

std::string Dropped(const CorpusReport& report) {
  const Reason reasons[] = {
      {report.dropped_min_count, "of words below --min-count"},
      {report.dropped_max_vocab, "of words beyond --max-vocab"},
      {report.dropped_pruned, "of rare words to save memory (see --memory)"},
      {report.dropped_not_given, "outside of the given vocabulary"},
      {report.dropped_too_long, "longer than --max-word-bytes"},
  };
  std::string out;
  for (const auto& [tokens, reason] : reasons) {
    if (tokens == 0) continue;
    absl::StrAppend(&out, "  dropped  ", Counted(tokens, "token"), " ", reason,
                    " (", Percent(tokens, report.tokens), ")\n");
  }
  return out;
}

std::string Kept(const CorpusReport& report) {
  if (report.types_known == 0) {
    return absl::StrCat(", kept ", Thousands(report.types_kept));
  }
  return absl::StrCat("; ", Thousands(report.types_known), " already known, ",
                      Thousands(report.types_kept - report.types_known),
                      " added");
}

std::string Oddities(const CorpusReport& report) {
  std::string out;
  if (report.invalid_utf8 > 0) {
    absl::StrAppend(&out, "  noted    ",
                    Counted(report.invalid_utf8, "sequence"),
                    " of bytes that are not valid UTF-8 (see --utf8)\n");
  }
  if (report.tokens_with_nul > 0) {
    absl::StrAppend(&out, "  noted    ",
                    Counted(report.tokens_with_nul, "token"),
                    " with NUL bytes, kept as they are\n");
  }
  if (report.spooled_bytes > 0) {
    absl::StrAppend(&out, "  spooled  ", HumanBytes(report.spooled_bytes),
                    " of word ids to a temporary file (see --memory)\n");
  }
  return out;
}

const std::vector<std::string>& Names() {
  static const auto& names = *new std::vector<std::string>{
      "score", "threshold", "min-count", "delimiter", "connectors"};
  return names;
}

}  // namespace

void ReadingOptions::DeclareInput(OptionSet* options) {
  options->Section("Text");
  options->PathField(&corpus_fields_, "input", Reads());
  DeclareText(options);
}

void ReadingOptions::DeclareText(OptionSet* options) {
  options->Fields(&corpus_fields_,
                  {"utf8", "lowercase", "normalize", "split-punctuation",
                   "max-word-bytes", "memory"});
  options->PathField(&corpus_fields_, "temp-dir", NoFile());
}

void ReadingOptions::DeclareVocabulary(OptionSet* options) {
  options->Fields(&vocabulary_fields_);
}

void ReadingOptions::DeclareThreads(OptionSet* options) {
  options->Fields(&corpus_fields_, {"threads"});
}

absl::Status ReadingOptions::Check(const OptionSet& options) const {
  for (const absl::string_view limit : {"min-count", "max-vocab"}) {
    if (options.Given("vocab") && options.Given(limit)) {
      return absl::InvalidArgumentError(
          absl::StrCat("--", limit,
                       " cannot be combined with --vocab, since the file "
                       "determines the words"));
    }
  }
  // Without inputs, a vocabulary file is read.
  if (corpus.inputs.empty()) return vocabulary.Validate();
  const absl::Status status = corpus.Validate();
  return status.ok() ? vocabulary.Validate() : status;
}

std::string Account(const CorpusReport& report) {
  return absl::StrCat(
      "  read     ",
      report.files > 0 ? Counted(report.files, "file") + ", " : "",
      HumanBytes(report.bytes), ", ", Counted(report.lines, "line"), " in ",
      HumanSeconds(report.seconds), Speed(report), "\n  tokens   ",
      Thousands(report.tokens), ", kept ", Thousands(report.words_kept), " (",
      Percent(report.words_kept, report.tokens), ")\n", "  words    ",
      Thousands(report.types_seen), " different", Kept(report), "\n",
      Dropped(report), Oddities(report));
}

Json AccountJson(const CorpusReport& report) {
  return Json::parse(ReportJson(report));
}

void PhraseSettings::Declare(OptionSet* set) {
  set->Fields(&fields_, Names());
  set->Fields(&fields_, {"passes"});
}

void PhraseSettings::DeclareForTraining(OptionSet* set) {
  constexpr absl::string_view kPrefix = "phrase-";
  set->Fields(&fields_, Names(), kPrefix);
  for (const std::string& name : Names()) {
    set->At(absl::StrCat(kPrefix, name)).GoesWith({"phrases"});
  }
}

void PhraseSettings::Finish(const CorpusOptions& reading) {
  options.threads = reading.threads;
  options.memory_bytes = reading.memory_bytes;
  options.temp_dir = reading.temp_dir;
}

}  // namespace firth::tools
