#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "corpus/compressed_file.h"
#include "firth/status_macros.h"
#include "lm/model/language_model_options.h"
#include "lm/ngram/ngram_file.h"

namespace firth {
namespace {

// Appends the fewest digits from which the same number is read.
void AppendNumber(float number, std::string* text) {
  std::array<char, 32> digits;
  const auto end =
      std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  text->append(digits.data(), end);
}

class ArpaWriter {
 public:
  ArpaWriter(const NgramModelData& model, CompressedFile& out)
      : words_(model.words.Words()), trie_(model.trie), out_(out) {
    std::copy(kArpaMarks.begin(), kArpaMarks.end(), words_.begin());
  }

  absl::Status Write() {
    const std::vector<uint32_t>& begins = trie_.arrays().begins;
    std::string header = "\\data\\\n";
    for (int n = 1; n <= trie_.order(); ++n) {
      absl::StrAppend(&header, "ngram ", n, "=", begins[n + 1] - begins[n],
                      "\n");
    }
    FIRTH_RETURN_IF_ERROR(out_.Write(header));
    for (int n = 1; n <= trie_.order(); ++n) {
      FIRTH_RETURN_IF_ERROR(out_.Write(absl::StrCat("\n\\", n, "-grams:\n")));
      FIRTH_RETURN_IF_ERROR(WriteBelow(NgramTrie::kRoot, n, ""));
    }
    return out_.Write("\n\\end\\\n");
  }

 private:
  // Writes the n-grams `depth` levels below a node, whose words are `context`.
  absl::Status WriteBelow(uint32_t node, int depth,
                          const std::string& context) {
    const NgramArrays& arrays = trie_.arrays();
    std::string text;
    for (uint32_t i = arrays.children[node]; i < arrays.children[node + 1];
         ++i) {
      const absl::string_view word = words_[arrays.words[i]];
      if (depth > 1) {
        if (arrays.children[i] == arrays.children[i + 1]) continue;
        FIRTH_RETURN_IF_ERROR(
            WriteBelow(i, depth - 1, absl::StrCat(context, word, " ")));
        continue;
      }
      AppendNumber(arrays.log_probabilities[i], &text);
      absl::StrAppend(&text, "\t", context, word);
      if (trie_.IsInner(i)) {
        text.push_back('\t');
        AppendNumber(arrays.backoffs[i], &text);
      }
      text.push_back('\n');
    }
    return out_.Write(text);
  }

  std::vector<absl::string_view> words_;
  const NgramTrie& trie_;
  CompressedFile& out_;
};

}  // namespace

absl::Status WriteArpa(const NgramModelData& model, const std::string& path,
                       const Hooks& hooks) {
  if (model.trie.is_additive()) {
    return absl::InvalidArgumentError(absl::StrCat(
        path,
        ": an ARPA file cannot express add-k smoothing; write .safetensors"));
  }
  FIRTH_RETURN_IF_ERROR(CheckVocabularyWords(model.words, path));
  FIRTH_ASSIGN_OR_RETURN(CompressedFile out,
                         CompressedFile::Create(path, hooks));
  FIRTH_RETURN_IF_ERROR(ArpaWriter(model, out).Write());
  return out.Commit();
}

}  // namespace firth
