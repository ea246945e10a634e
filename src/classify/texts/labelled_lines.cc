// Forms with one text per line (labels with a prefix, labels before a tab, a
// JSON object), and CSV.
//
// In the former, if labels are required, an empty line is not a text. Otherwise
// it is an empty text, so that there are as many predictions as lines; but not
// with JSON, because such a line has no object.
//
// CSV is as in RFC 4180. Fields are separated by commas. A field that starts
// with a quote ends with a quote, and contains commas and line ends as they
// are, and two quotes for one. The first record of each file names the columns.
// Unix line ends are allowed, and quotes within a field that does not start
// with one are literal, as in spreadsheets and other readers.

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/json.h"
#include "base/quote.h"
#include "base/unicode.h"
#include "classify/texts/labelled_forms.h"
#include "corpus/byte_source.h"
#include "corpus/input_files.h"
#include "firth/status_macros.h"
#include "nlohmann/json.hpp"

namespace firth {
namespace {

// Deep enough for a label in a list in an object.
constexpr int kMostJsonDepth = 2;

// Returns the length of the last white space character of `text`, or 0 if
// `text` does not end with one.
size_t LastWhiteSpaceBytes(absl::string_view text) {
  for (size_t bytes = 1; bytes <= std::min<size_t>(3, text.size()); ++bytes) {
    if (WhiteSpaceBytes(text.substr(text.size() - bytes)) == bytes) {
      return bytes;
    }
  }
  return 0;
}

absl::string_view Trimmed(absl::string_view text) {
  while (const size_t space = WhiteSpaceBytes(text)) text.remove_prefix(space);
  while (const size_t space = LastWhiteSpaceBytes(text)) {
    text.remove_suffix(space);
  }
  return text;
}

// Returns where the next word of `line` at or after `from` starts that has this
// prefix.
size_t FindPrefixed(absl::string_view line, absl::string_view prefix,
                    size_t from) {
  size_t found = line.find(prefix, from);
  while (found != line.npos && found > 0 &&
         LastWhiteSpaceBytes(line.substr(0, found)) == 0) {
    found = line.find(prefix, found + 1);
  }
  return found;
}

class LabelledLines final : public LabelledSource {
 public:
  LabelledLines(const LabelledTextOptions& options,
                std::vector<std::string> paths, const std::atomic<bool>* stop)
      : options_(options),
        lines_(std::move(paths), stop,
               options.skip_long ? LongLines::kLeftOut : LongLines::kRefused) {}

  bool Ready() const override { return lines_.Ready(); }

  absl::StatusOr<bool> Next(LabelledText* text) override {
    while (!lines_.Done()) {
      absl::string_view line;
      FIRTH_ASSIGN_OR_RETURN(const bool got, lines_.Next(&line));
      if (!got) {
        lines_.NextFile();
      } else if (lines_.IsLeftOut()) {
        text->left_out = lines_.LeftOutMessage();
        return true;
      } else if (!IsBlank(line) ||
                 (!options_.with_labels &&
                  options_.form != LabelledForm::kJsonLines)) {
        FIRTH_RETURN_IF_ERROR(Take(line, text));
        return true;
      }
    }
    return false;
  }

 private:
  auto Place() const {
    return [this] { return lines_.Place(); };
  }

  absl::Status Take(absl::string_view line, LabelledText* text) const {
    switch (options_.form) {
      case LabelledForm::kTsv:
        FIRTH_RETURN_IF_ERROR(TakeTsv(line, text));
        break;
      case LabelledForm::kJsonLines:
        FIRTH_RETURN_IF_ERROR(TakeJson(line, text));
        break;
      default:
        FIRTH_RETURN_IF_ERROR(TakePrefixed(line, text));
    }
    if (options_.with_labels && text->labels.empty()) {
      return Malformed(lines_.Place(), ExpectedLabel(), Quote(line));
    }
    return CleanUtf8(Place(), options_, &text->text);
  }

  std::string ExpectedLabel() const {
    if (options_.form != LabelledForm::kPrefix) return "a label";
    return absl::StrCat("a label, a word that starts with ",
                        Quote(options_.label_prefix));
  }

  // Removes the labels and the white space after each. The rest is the text.
  absl::Status TakePrefixed(absl::string_view line, LabelledText* text) const {
    const absl::string_view prefix = options_.label_prefix;
    // Bytes of the line already copied to the text or read as labels.
    size_t kept = 0;
    for (size_t at; (at = FindPrefixed(line, prefix, kept)) != line.npos;) {
      absl::StrAppend(&text->text, line.substr(kept, at - kept));
      absl::string_view rest = line.substr(at);
      const size_t size = FindWhiteSpace(rest);
      FIRTH_RETURN_IF_ERROR(
          AddLabel(Place(),
                   rest.substr(prefix.size(),
                               std::max(size, prefix.size()) - prefix.size()),
                   text));
      rest.remove_prefix(size);
      while (const size_t space = WhiteSpaceBytes(rest)) {
        rest.remove_prefix(space);
      }
      kept = line.size() - rest.size();
    }
    absl::StrAppend(&text->text, line.substr(kept));
    const absl::string_view trimmed = Trimmed(text->text);
    if (trimmed.size() < text->text.size()) text->text = std::string(trimmed);
    return absl::OkStatus();
  }

  absl::Status TakeTsv(absl::string_view line, LabelledText* text) const {
    const size_t tab = line.find('\t');
    if (tab == line.npos) {
      if (options_.with_labels) {
        return Malformed(lines_.Place(), "labels, a tab and a text",
                         Quote(line));
      }
      text->text = std::string(line);
      return absl::OkStatus();
    }
    text->text = std::string(line.substr(tab + 1));
    return AddLabels(Place(), line.substr(0, tab), options_, text);
  }

  absl::Status TakeJson(absl::string_view line, LabelledText* text) const {
    std::string clean(line);
    FIRTH_RETURN_IF_ERROR(CleanUtf8(Place(), options_, &clean));
    JsonFaults faults;
    const Json json = ParseJson(clean, kMostJsonDepth, &faults);
    if (!json.is_object()) {
      return Malformed(lines_.Place(), "a JSON object", Quote(line));
    }
    if (!faults.twice.empty()) {
      return Malformed(lines_.Place(),
                       absl::StrCat("the name ", Quote(faults.twice), " once"),
                       "it twice");
    }
    const auto found = json.find(options_.text_column);
    if (found == json.end() || !found->is_string()) {
      return Malformed(lines_.Place(),
                       absl::StrCat("a text ", Quote(options_.text_column)),
                       Quote(line));
    }
    text->text = found->get<std::string>();
    const auto labels = json.find(options_.label_column);
    if (labels == json.end()) return absl::OkStatus();
    if (!labels->is_array()) return TakeJsonLabel(*labels, text);
    for (const Json& label : *labels) {
      FIRTH_RETURN_IF_ERROR(TakeJsonLabel(label, text));
    }
    return absl::OkStatus();
  }

  // Whole numbers of classes are also accepted as labels.
  absl::Status TakeJsonLabel(const Json& label, LabelledText* text) const {
    if (label.is_null()) return absl::OkStatus();
    if (label.is_number_integer()) {
      return AddLabel(Place(), DumpJson(label), text);
    }
    if (label.is_string()) {
      return AddLabel(Place(), label.get<std::string>(), text);
    }
    return Malformed(
        lines_.Place(),
        absl::StrCat("a text, a whole number or a list of these as ",
                     Quote(options_.label_column)),
        Quote(DumpJson(label)));
  }

  const LabelledTextOptions& options_;
  LineReader lines_;
};

class LabelledCsv final : public LabelledSource {
 public:
  LabelledCsv(const LabelledTextOptions& options,
              std::vector<std::string> paths, const std::atomic<bool>* stop)
      : options_(options), lines_(std::move(paths), stop) {}

  bool Ready() const override { return lines_.Ready(); }

  absl::StatusOr<bool> Next(LabelledText* text) override {
    while (!lines_.Done()) {
      FIRTH_ASSIGN_OR_RETURN(const bool got, NextRecord());
      if (!got) {
        lines_.NextFile();
        columns_ = 0;
      } else if (columns_ == 0) {
        FIRTH_RETURN_IF_ERROR(TakeHeader());
      } else {
        FIRTH_RETURN_IF_ERROR(TakeRecord(text));
        return true;
      }
    }
    return false;
  }

 private:
  static constexpr size_t kNone = SIZE_MAX;

  // Returns the place of the line in which the record starts.
  std::string Place() const {
    return absl::StrCat(lines_.file(), ":", record_line_);
  }

  // Replaces the fields by those of the next record. Returns false at the end
  // of the file. Empty lines are not records.
  absl::StatusOr<bool> NextRecord() {
    fields_.clear();
    absl::string_view line;
    do {
      FIRTH_ASSIGN_OR_RETURN(const bool got, lines_.Next(&line));
      if (!got) return false;
    } while (line.empty());
    record_line_ = lines_.line();
    FIRTH_RETURN_IF_ERROR(AddFields(line));
    while (in_quotes_) {
      if (fields_.back().size() > kMostLineBytes) {
        return Malformed(
            Place(),
            absl::StrCat("a field of at most ", kMostLineBytes, " bytes"),
            "a longer one; a closing quote is probably missing");
      }
      absl::StrAppend(&fields_.back(), lines_.line_end());
      FIRTH_ASSIGN_OR_RETURN(const bool got, lines_.Next(&line));
      if (!got) {
        return Malformed(
            Place(), absl::StrCat("a closing quote of field ", fields_.size()),
            "the end of the file");
      }
      FIRTH_RETURN_IF_ERROR(AddFields(line));
    }
    return true;
  }

  // Adds the fields of a line. If a quote is open, the first field continues
  // the last one. The last field leaves a quote open if it continues on the
  // next line.
  absl::Status AddFields(absl::string_view line) {
    size_t at = 0;
    if (!in_quotes_) StartField(line, &at);
    for (;;) {
      FIRTH_RETURN_IF_ERROR(AddToField(line, &at));
      if (in_quotes_ || at == line.size()) return absl::OkStatus();
      ++at;  // skip the comma
      StartField(line, &at);
    }
  }

  void StartField(absl::string_view line, size_t* at) {
    fields_.emplace_back();
    in_quotes_ = *at < line.size() && line[*at] == '"';
    *at += in_quotes_ ? 1 : 0;
  }

  // Moves *at to the comma after the field, or to the end of the line.
  absl::Status AddToField(absl::string_view line, size_t* at) {
    std::string& field = fields_.back();
    if (!in_quotes_) {
      const size_t end = std::min(line.find(',', *at), line.size());
      absl::StrAppend(&field, line.substr(*at, end - *at));
      *at = end;
      return absl::OkStatus();
    }
    for (;;) {
      const size_t quote = std::min(line.find('"', *at), line.size());
      absl::StrAppend(&field, line.substr(*at, quote - *at));
      *at = std::min(quote + 1, line.size());
      if (quote == line.size()) return absl::OkStatus();
      if (*at == line.size() || line[*at] != '"') break;
      field.push_back('"');
      ++*at;
    }
    in_quotes_ = false;
    if (*at == line.size() || line[*at] == ',') return absl::OkStatus();
    return Malformed(lines_.Place(),
                     absl::StrCat("a comma after the closing quote of field ",
                                  fields_.size()),
                     Quote(line.substr(*at)));
  }

  absl::Status TakeHeader() {
    columns_ = fields_.size();
    FIRTH_RETURN_IF_ERROR(FindColumn(options_.text_column, true, &text_));
    return FindColumn(options_.label_column, options_.with_labels, &labels_);
  }

  absl::Status FindColumn(const std::string& name, bool needed,
                          size_t* column) const {
    const auto found = std::find(fields_.begin(), fields_.end(), name);
    *column = found == fields_.end()
                  ? kNone
                  : static_cast<size_t>(found - fields_.begin());
    if (*column == kNone && !needed) return absl::OkStatus();
    if (std::count(fields_.begin(), fields_.end(), name) == 1) {
      return absl::OkStatus();
    }
    return Malformed(Place(), absl::StrCat("one column ", Quote(name)),
                     Quote(absl::StrJoin(fields_, ",")));
  }

  absl::Status TakeRecord(LabelledText* text) {
    if (fields_.size() != columns_) {
      return Malformed(Place(),
                       absl::StrCat(columns_, " fields, as in the header"),
                       absl::StrCat(fields_.size(), " in ",
                                    Quote(absl::StrJoin(fields_, ","))));
    }
    if (labels_ != kNone) {
      FIRTH_RETURN_IF_ERROR(AddLabels([this] { return Place(); },
                                      fields_[labels_], options_, text));
    }
    if (options_.with_labels && text->labels.empty()) {
      return Malformed(
          Place(), absl::StrCat("a label in ", Quote(options_.label_column)),
          Quote(fields_[labels_]));
    }
    text->text = std::move(fields_[text_]);
    return CleanUtf8([this] { return Place(); }, options_, &text->text);
  }

  const LabelledTextOptions& options_;
  LineReader lines_;
  std::vector<std::string> fields_;  // of the current record
  uint64_t record_line_ = 0;         // the line in which it starts
  bool in_quotes_ = false;
  // Set from the header of the file. It is still to be read if this is 0.
  size_t columns_ = 0;
  size_t labels_ = kNone;
  size_t text_ = kNone;
};

}  // namespace

LabelledSourceOr OpenLabelledLines(const LabelledTextOptions& options,
                                   const std::atomic<bool>* stop) {
  FIRTH_ASSIGN_OR_RETURN(auto paths, ExpandInputs(options.inputs));
  if (options.form == LabelledForm::kCsv) {
    return std::make_unique<LabelledCsv>(options, std::move(paths), stop);
  }
  return std::make_unique<LabelledLines>(options, std::move(paths), stop);
}

}  // namespace firth
