// CSV as in RFC 4180. Fields are separated by commas. A field that starts with
// a quote ends with a quote, and contains commas and line ends as they are, and
// two quotes for one. The first record of each file names the columns. Unix
// line ends are allowed, and quotes within a field that does not start with one
// are literal, as in spreadsheets and other readers.

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/quote.h"
#include "classify/labelled_forms.h"
#include "corpus/input_files.h"
#include "corpus/line_reader.h"
#include "firth/status_macros.h"

namespace firth {
namespace {

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

LabelledSourceOr OpenLabelledCsv(const LabelledTextOptions& options,
                                 const std::atomic<bool>* stop) {
  FIRTH_ASSIGN_OR_RETURN(auto paths, ExpandInputs(options.inputs));
  return std::make_unique<LabelledCsv>(options, std::move(paths), stop);
}

}  // namespace firth
