#include "vector_files.h"

#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "closest_name.h"

namespace firth::tools {

void DeclareFormat(OptionSet* options, absl::string_view name,
                   std::string* target, absl::string_view help) {
  std::vector<std::pair<std::string, std::string>> names;
  for (const VectorFormatInfo& format : VectorFormats()) {
    names.emplace_back(format.name, format.name);
  }
  options->Choice(name, target, std::move(names), help);
}

void DeclareUnknownWords(OptionSet* options, UnknownWords* target) {
  options->Choice<UnknownWords>(
      "oov", target,
      {{"subword", UnknownWords::kSubword},
       {"skip", UnknownWords::kSkip},
       {"error", UnknownWords::kError}},
      "words that are not in the vocabulary: make their vectors from their "
      "n-grams, where the model has some; leave out what asks for them; or "
      "fail");
}

absl::StatusOr<WordVectors> LoadVectors(const std::string& path) {
  LoadOptions options;
  options.only_vectors = true;
  absl::StatusOr<VectorFile> file = LoadVectorFile(path, options);
  if (!file.ok()) return file.status();
  return std::move(file->vectors);
}

absl::StatusOr<WordId> FindWord(const Vocabulary& vocabulary,
                                absl::string_view word) {
  const std::optional<WordId> found = vocabulary.Find(word);
  if (found.has_value()) return *found;
  return absl::NotFoundError(absl::StrCat(
      "\"", word, "\" is not in the vocabulary", DidYouMean(vocabulary, word)));
}

}  // namespace firth::tools
