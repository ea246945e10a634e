// Forms with one text per line: labels with a prefix, labels before a tab, and
// a JSON object.
//
// If labels are required, an empty line is not a text. Otherwise it is an empty
// text, so that there are as many predictions as lines; but not with JSON,
// because such a line has no object.

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "base/quote.h"
#include "base/unicode.h"
#include "classify/labelled_forms.h"
#include "corpus/input_files.h"
#include "corpus/line_reader.h"
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

}  // namespace

LabelledSourceOr OpenLabelledLines(const LabelledTextOptions& options,
                                   const std::atomic<bool>* stop) {
  FIRTH_ASSIGN_OR_RETURN(auto paths, ExpandInputs(options.inputs));
  return std::make_unique<LabelledLines>(options, std::move(paths), stop);
}

}  // namespace firth
