// The list of export forms for other tools, and the public functions that use
// them.

#include <charconv>
#include <cmath>
#include <iterator>
#include <optional>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/quote.h"
#include "firth/export_vectors.h"
#include "firth/status_macros.h"
#include "io/exports/export_format.h"

namespace firth {

// A new form needs a line here and one in the table.
extern const ExportFormat kCsvExport;
extern const ExportFormat kJsonLinesExport;
extern const ExportFormat kPgvectorExport;
extern const ExportFormat kSqliteExport;
extern const ExportFormat kProjectorExport;

namespace {

// The first form whose extension the name has is used.
constexpr const ExportFormat* kExports[] = {&kCsvExport, &kJsonLinesExport,
                                            &kSqliteExport, &kPgvectorExport,
                                            &kProjectorExport};

std::string ListExports() {
  return absl::StrJoin(
      kExports, ", ", [](std::string* out, const ExportFormat* format) {
        absl::StrAppend(
            out, format->name, " (",
            format->extension.empty() ? "a folder" : format->extension, ")");
      });
}

absl::StatusOr<const ExportFormat*> FindExport(const std::string& path,
                                               absl::string_view name) {
  for (const ExportFormat* format : kExports) {
    if (name.empty() ? !format->extension.empty() &&
                           absl::EndsWithIgnoreCase(path, format->extension)
                     : format->name == name) {
      return format;
    }
  }
  return absl::InvalidArgumentError(
      name.empty() ? absl::StrCat(path,
                                  ": the name does not determine the format; "
                                  "give a format or an extension of ",
                                  ListExports())
                   : absl::StrCat("there is no format ", Quote(name),
                                  "; the formats are ", ListExports()));
}

const char* RefusedIn(const ExportFormat& format, absl::string_view word) {
  return word.empty() ? "an empty word" : format.refused_in_word(word);
}

// Returns the words that the format can store. Errors: Unimplemented, some
// words cannot be stored; InvalidArgument, no word can be stored.
absl::StatusOr<std::vector<WordId>> HeldWords(const WordVectors& vectors,
                                              const std::string& path,
                                              const ExportFormat& format,
                                              bool lossy) {
  std::vector<WordId> ids;
  std::optional<WordId> first_lost;
  for (size_t i = 0; i < vectors.size(); ++i) {
    const WordId id = ToWordId(i);
    if (RefusedIn(format, vectors.vocabulary().Word(id)) == nullptr) {
      ids.push_back(id);
    } else if (!first_lost.has_value()) {
      first_lost = id;
    }
  }
  if (first_lost.has_value() && !lossy) {
    const absl::string_view word = vectors.vocabulary().Word(*first_lost);
    return absl::UnimplementedError(
        absl::StrCat(path, ": not written: ", format.name, " cannot hold ",
                     RefusedIn(format, word), "; this concerns ",
                     vectors.size() - ids.size(), " of ", vectors.size(),
                     " words, such as ", Quote(word)));
  }
  if (!ids.empty()) return ids;
  return absl::InvalidArgumentError(absl::StrCat(
      path, ": not written: ", format.name, " cannot hold any of the words"));
}

}  // namespace

absl::Status ExportedWords::CheckFiniteRow(const Row& row) {
  const auto bad = absl::c_find_if(
      row.vector, [](float value) { return !std::isfinite(value); });
  if (bad == row.vector.end()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "value ", bad - row.vector.begin() + 1, " of word ", Quote(row.word),
      ": expected a finite number, found ", *bad));
}

void AppendValues(absl::Span<const float> values, absl::string_view separator,
                  std::string* text) {
  char digits[32];
  for (size_t i = 0; i < values.size(); ++i) {
    if (i > 0) absl::StrAppend(text, separator);
    const auto end =
        std::to_chars(std::begin(digits), std::end(digits), values[i]).ptr;
    text->append(digits, end);
  }
}

std::vector<ExportFormatInfo> ExportFormats() {
  std::vector<ExportFormatInfo> infos;
  for (const ExportFormat* format : kExports) {
    infos.push_back(
        {format->name, format->extension, format->summary, format->files});
  }
  return infos;
}

absl::StatusOr<std::string> ChooseExportFormat(const std::string& path,
                                               absl::string_view format) {
  FIRTH_ASSIGN_OR_RETURN(const ExportFormat* chosen, FindExport(path, format));
  return std::string(chosen->name);
}

absl::StatusOr<ExportReport> ExportVectors(const WordVectors& vectors,
                                           const std::string& path,
                                           absl::string_view format,
                                           bool lossy) {
  FIRTH_ASSIGN_OR_RETURN(const ExportFormat* chosen, FindExport(path, format));
  if (vectors.dim() > chosen->most_dimensions) {
    return absl::InvalidArgumentError(absl::StrCat(
        path, ": not written: ", chosen->name, " supports at most ",
        chosen->most_dimensions, " dimensions, found ", vectors.dim()));
  }
  ExportedWords words{vectors, {}, vectors.vocabulary().total_count() > 0};
  FIRTH_ASSIGN_OR_RETURN(words.ids, HeldWords(vectors, path, *chosen, lossy));
  const absl::Status status = chosen->write(words, path);
  if (absl::IsInvalidArgument(status)) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": not written: ", status.message()));
  }
  FIRTH_RETURN_IF_ERROR(status);
  return ExportReport{words.ids.size(), vectors.size() - words.ids.size()};
}

}  // namespace firth
