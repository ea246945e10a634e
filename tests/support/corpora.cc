#include "support/corpora.h"

#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/rng.h"
#include "corpus/token_stream.h"

namespace firth::testing {

Corpus MakeCorpus(const std::vector<std::vector<uint32_t>>& sentences,
                  size_t vocab_size) {
  auto ids = std::make_shared<std::vector<uint32_t>>();
  std::vector<uint64_t> counts(vocab_size, 0);
  uint64_t num_words = 0;
  for (const std::vector<uint32_t>& sentence : sentences) {
    for (const uint32_t word : sentence) {
      ids->push_back(word);
      ++counts[word];
      ++num_words;
    }
    ids->push_back(TokenStream::kSentenceEnd);
  }
  std::vector<std::string> names;
  for (size_t i = 0; i < vocab_size; ++i) names.push_back(absl::StrCat("w", i));
  const std::vector<absl::string_view> words(names.begin(), names.end());
  Corpus corpus;
  corpus.vocabulary = Vocabulary::Create(words, std::move(counts)).value();
  corpus.tokens =
      std::make_shared<TokenStream>(absl::MakeConstSpan(*ids), num_words, ids);
  return corpus;
}

Corpus TwoTopicCorpus(size_t num_sentences, uint64_t seed) {
  Rng rng(seed);
  std::vector<std::vector<uint32_t>> sentences(num_sentences);
  for (size_t i = 0; i < num_sentences; ++i) {
    const uint32_t topic = i % 2 == 0 ? 0 : 10;
    for (int word = 0; word < 9; ++word) {
      sentences[i].push_back(topic + rng.Below(10));
    }
    sentences[i].push_back(20);
  }
  return MakeCorpus(sentences, 21);
}

}  // namespace firth::testing
