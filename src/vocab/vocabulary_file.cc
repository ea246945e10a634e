// Vocabulary files, based on word_lines.h.

#include <memory>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "base/foreign_content.h"
#include "base/mapped_file.h"
#include "base/output_file.h"
#include "base/quote.h"
#include "firth/status_macros.h"
#include "firth/vocabulary.h"
#include "vocab/word_lines.h"

namespace firth {
namespace {

// Vocabulary::Create() also rejects duplicates, but cannot name the lines.
absl::Status CheckDifferent(const WordLines& lines, const std::string& path) {
  absl::flat_hash_map<absl::string_view, size_t> first_lines;
  for (size_t i = 0; i < lines.words.size(); ++i) {
    const auto [first, inserted] = first_lines.emplace(lines.words[i], i + 1);
    if (inserted) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        path, ":", i + 1, ": duplicate word ", Quote(lines.words[i]),
        ", which is also in line ", first->second));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Vocabulary> LoadVocabulary(const std::string& path) {
  FIRTH_ASSIGN_OR_RETURN(const std::shared_ptr<const MappedFile> file,
                         MappedFile::Open(path));
  const std::string foreign = FindForeignContent(file->bytes());
  if (!foreign.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": expected one word per line, found ", foreign));
  }
  FIRTH_ASSIGN_OR_RETURN(WordLines lines, ParseWordLines(*file));
  if (lines.words.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        path, ": expected one word per line, found an empty file"));
  }
  FIRTH_RETURN_IF_ERROR(CheckDifferent(lines, path));
  return Vocabulary::Create(lines.words, std::move(lines.counts));
}

absl::Status SaveVocabulary(const Vocabulary& vocabulary,
                            const std::string& path) {
  FIRTH_ASSIGN_OR_RETURN(OutputFile file, OutputFile::Create(path));
  FIRTH_RETURN_IF_ERROR(WriteWordLines(vocabulary, path, file));
  return file.Commit();
}

}  // namespace firth
