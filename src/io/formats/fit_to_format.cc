// Decides what is dropped when a file is written in another format, by one rule
// for the program, the C interface and Python. Counts, the output table and
// metadata are dropped with a note. Words and n-grams are dropped only if the
// user allows it.

#include <string>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "firth/postprocess.h"
#include "firth/status_macros.h"
#include "firth/thousands.h"
#include "firth/vector_io.h"

namespace firth {
namespace {

constexpr size_t kMostBytesOfWord = 80;  // Limit for messages.

std::string CountOf(size_t number, absl::string_view thing) {
  return absl::StrCat(Thousands(number), " ", thing, number == 1 ? "" : "s");
}

// Returns whether queries have different answers without this part.
bool ChangesAnswers(VectorPart part) {
  return part == VectorPart::kWords || part == VectorPart::kSubwords;
}

// Describes a whole part that changes answers.
std::string DescribePart(VectorPart part, const std::string& source,
                         const VectorFile& file) {
  if (part == VectorPart::kWords) {
    return absl::StrCat("the ", CountOf(file.vectors.size(), "word"), " of ",
                        source);
  }
  return absl::StrCat(
      "the n-grams of ", source, " (",
      CountOf(file.vectors.subwords()->n_grams.rows(), "vector"), ")");
}

}  // namespace

std::string DescribeLostWords(absl::Span<const LostWord> lost,
                              absl::string_view source,
                              const VectorFile& file) {
  const absl::string_view word =
      file.vectors.vocabulary().Word(lost.front().word);
  return absl::StrCat(
      CountOf(lost.size(), "word"), " of ", source, ", such as \"",
      absl::Utf8SafeCHexEscape(word.substr(0, kMostBytesOfWord)),
      "\": ", lost.front().why);
}

absl::Status LeaveOut(absl::Span<const LostWord> words, VectorFile* file) {
  std::vector<absl::string_view> kept = file->vectors.vocabulary().Words();
  for (const LostWord& word : words) kept[Index(word.word)] = {};
  std::erase(kept, "");
  FIRTH_ASSIGN_OR_RETURN(const Vocabulary list, Vocabulary::Create(kept, {}));
  FIRTH_ASSIGN_OR_RETURN(file->vectors, SelectWords(file->vectors, list));
  file->output = file->output_bias = FloatTable();
  return absl::OkStatus();
}

absl::StatusOr<FitReport> FitToFormat(absl::string_view format,
                                      const FitOptions& options,
                                      VectorFile* file) {
  FIRTH_ASSIGN_OR_RETURN(const std::vector<LostWord> words,
                         LostWords(*file, format));
  FIRTH_ASSIGN_OR_RETURN(std::vector<VectorPart> parts,
                         LostParts(*file, format));
  std::vector<std::string> losses;
  for (const VectorPart part : parts) {
    if (!ChangesAnswers(part)) continue;
    losses.push_back(DescribePart(part, options.source, *file));
  }
  if (!words.empty()) {
    losses.push_back(DescribeLostWords(words, options.source, *file));
  }
  FitReport report;
  if (!losses.empty()) {
    report.warning =
        absl::StrCat(format, " cannot hold ", absl::StrJoin(losses, " and "));
    if (!options.lossy) {
      return absl::UnimplementedError(
          absl::StrCat(report.warning, "; ", options.way_out));
    }
    absl::StrAppend(&report.warning, "; they are left out");
  }
  if (!words.empty()) {
    if (!file->output.empty()) {
      absl::StrAppend(&report.warning, ", and the output table with them");
    }
    FIRTH_RETURN_IF_ERROR(LeaveOut(words, file));
    FIRTH_ASSIGN_OR_RETURN(parts, LostParts(*file, format));
  }
  std::erase_if(parts, ChangesAnswers);
  if (!parts.empty()) {
    report.note = absl::StrCat(format, " cannot hold ", NamesOf(parts), " of ",
                               options.source, "; they are left out");
  }
  return report;
}

}  // namespace firth
