// The form of the texts is examined once, when the reader opens. After that, a
// source returns one text after another. The rules for labels and texts of all
// forms are here.

#include "firth/labelled_text.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "base/quote.h"
#include "base/unicode.h"
#include "classify/texts/labelled_forms.h"
#include "firth/fields.h"
#include "firth/status_macros.h"

namespace firth {
namespace {

constexpr size_t kMostLabelBytes = 1024;
constexpr size_t kMostLabelsOfText = 10000;
constexpr size_t kManyTexts = 1024;

absl::StatusOr<std::unique_ptr<LabelledSource>> OpenSource(
    const LabelledTextOptions& options, const std::atomic<bool>* stop,
    ProgressSink* progress) {
  return options.form == LabelledForm::kFolders
             ? OpenLabelledFolders(options, stop, progress)
             : OpenLabelledLines(options, stop);
}

// Checks that the text is one word, because it is searched for as a word, or
// the start of one.
absl::Status CheckIsWord(absl::string_view option, absl::string_view text) {
  if (!text.empty() && FindWhiteSpace(text) == text.size()) {
    return absl::OkStatus();
  }
  return Malformed(option, "a word", Quote(text));
}

}  // namespace

FieldTable LabelledTextOptions::Fields() {
  using Options = LabelledTextOptions;
  FieldsOf<Options> fields;
  fields.Section("Text");
  fields.Add("input", &Options::inputs,
             "path to labeled texts: files, folders (all files in them), or - "
             "for standard input; plain, gzip, bzip2, xz or zstd",
             Field().ValueName("FILE").Place().Everyday());
  fields.Choice(
      "form", &Options::form, {"prefix", "tsv", "csv", "json", "folders"},
      "choose how labels are stored: as words of the line that begin "
      "with --label-prefix (prefix), before a tab (tsv), in a column "
      "named in the header (csv), in one object per line (json), or as "
      "the name of the folder that contains each text (folders)",
      Field().Everyday());
  fields.Add("label-prefix", &Options::label_prefix,
             "prefix that marks a word of the line as a label",
             Field().Needs({"form"}, {"prefix"}));
  fields.Add("label-column", &Options::label_column,
             "name of the column or JSON member that contains the labels",
             Field().Needs({"form"}, {"csv", "json"}));
  fields.Add("text-column", &Options::text_column,
             "name of the column or JSON member that contains the text",
             Field().Needs({"form"}, {"csv", "json"}));
  fields.Add(
      "label-separator", &Options::label_separator,
      "string that separates several labels of one text",
      Field().Default("one label per text").Needs({"form"}, {"tsv", "csv"}));
  fields.Choice("utf8", &Options::utf8, {"keep", "replace", "error"},
                "choose what to do with bytes that are not valid UTF-8: keep "
                "them, replace them with U+FFFD, or fail (error)");
  return fields;
}

absl::Status LabelledTextOptions::Validate() const {
  if (inputs.empty()) {
    return absl::InvalidArgumentError(
        "inputs: give at least one file or folder, or \"-\" for standard "
        "input");
  }
  if (form == LabelledForm::kPrefix) {
    FIRTH_RETURN_IF_ERROR(CheckIsWord("label-prefix", label_prefix));
  }
  if (label_column == text_column) {
    return Malformed("label-column", "a column other than that of the text",
                     Quote(label_column));
  }
  return CheckFields(*this);
}

absl::Status Malformed(absl::string_view place, absl::string_view expected,
                       absl::string_view found) {
  return absl::InvalidArgumentError(
      absl::StrCat(place, ": expected ", expected, ", found ", found));
}

absl::Status AddLabel(TextPlace place, absl::string_view label,
                      LabelledText* text) {
  label = absl::StripAsciiWhitespace(label);
  std::vector<std::string>& labels = text->labels;
  if (label.empty() ||
      std::find(labels.begin(), labels.end(), label) != labels.end()) {
    return absl::OkStatus();
  }
  if (label.size() > kMostLabelBytes) {
    return Malformed(
        place(), absl::StrCat("a label of at most ", kMostLabelBytes, " bytes"),
        absl::StrCat(label.size(), " in ", Quote(label)));
  }
  if (FindInvalidUtf8(label) != label.npos ||
      std::any_of(label.begin(), label.end(), absl::ascii_iscntrl)) {
    return Malformed(place(), "a label in UTF-8, without control characters",
                     Quote(label));
  }
  if (labels.size() == kMostLabelsOfText) {
    return Malformed(
        place(),
        absl::StrCat("at most ", kMostLabelsOfText, " labels per text"),
        "more");
  }
  labels.emplace_back(label);
  return absl::OkStatus();
}

absl::Status AddLabels(TextPlace place, absl::string_view field,
                       const LabelledTextOptions& options, LabelledText* text) {
  if (options.label_separator.empty()) return AddLabel(place, field, text);
  for (const absl::string_view label :
       absl::StrSplit(field, options.label_separator)) {
    FIRTH_RETURN_IF_ERROR(AddLabel(place, label, text));
  }
  return absl::OkStatus();
}

absl::Status CleanUtf8(TextPlace place, const LabelledTextOptions& options,
                       std::string* text) {
  if (options.utf8 == Utf8Policy::kKeep) return absl::OkStatus();
  const size_t invalid = FindInvalidUtf8(*text);
  if (invalid == text->npos) return absl::OkStatus();
  if (options.utf8 == Utf8Policy::kError) {
    const auto byte = static_cast<unsigned char>((*text)[invalid]);
    return Malformed(
        place(), "valid UTF-8",
        absl::StrFormat("0x%02X at byte %d of the text", byte, invalid + 1));
  }
  std::string valid;
  AppendReplacingInvalid(*text, &valid);
  *text = std::move(valid);
  return absl::OkStatus();
}

// The source borrows the options, so neither may be moved.
class LabelledTextReader::Body {
 public:
  Body(const LabelledTextOptions& options, const std::atomic<bool>* stop)
      : options_(options), stop_(stop) {}

  absl::Status Open(ProgressSink* progress) {
    FIRTH_ASSIGN_OR_RETURN(source_, OpenSource(options_, stop_, progress));
    return absl::OkStatus();
  }

  absl::StatusOr<std::vector<LabelledText>> Next(size_t most) {
    if (stop_ != nullptr && stop_->load(std::memory_order_relaxed)) {
      return absl::CancelledError("reading the texts was stopped");
    }
    if (!failed_.ok()) return failed_;
    std::vector<LabelledText> texts;
    while (texts.size() < most && (texts.empty() || source_->Ready())) {
      LabelledText text;
      const absl::StatusOr<bool> got = source_->Next(&text);
      if (!got.ok()) {
        failed_ = got.status();
        if (texts.empty()) return failed_;
        break;  // the next call returns the error
      }
      if (!*got) break;
      texts.push_back(std::move(text));
    }
    return texts;
  }

 private:
  LabelledTextOptions options_;
  const std::atomic<bool>* stop_;
  std::unique_ptr<LabelledSource> source_;
  absl::Status failed_;  // the error that ended reading
};

LabelledTextReader::LabelledTextReader(std::unique_ptr<Body> body)
    : body_(std::move(body)) {}
LabelledTextReader::~LabelledTextReader() = default;
LabelledTextReader::LabelledTextReader(LabelledTextReader&&) noexcept = default;

absl::StatusOr<LabelledTextReader> LabelledTextReader::Open(
    const LabelledTextOptions& options, const std::atomic<bool>* stop,
    ProgressSink* progress) {
  FIRTH_RETURN_IF_ERROR(options.Validate());
  auto body = std::make_unique<Body>(options, stop);
  FIRTH_RETURN_IF_ERROR(body->Open(progress));
  return LabelledTextReader(std::move(body));
}

absl::StatusOr<std::vector<LabelledText>> LabelledTextReader::Next(
    size_t most) {
  return body_->Next(most);
}

absl::StatusOr<std::vector<LabelledText>> ReadLabelledText(
    const LabelledTextOptions& options, const std::atomic<bool>* stop,
    ProgressSink* progress) {
  FIRTH_ASSIGN_OR_RETURN(LabelledTextReader reader,
                         LabelledTextReader::Open(options, stop, progress));
  std::vector<LabelledText> all;
  for (;;) {
    FIRTH_ASSIGN_OR_RETURN(std::vector<LabelledText> some,
                           reader.Next(kManyTexts));
    if (some.empty()) break;
    std::move(some.begin(), some.end(), std::back_inserter(all));
  }
  if (!all.empty()) return all;
  return Malformed(absl::StrJoin(options.inputs, ", "), "texts", "none");
}

}  // namespace firth
