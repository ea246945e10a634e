#include "c/word_list.h"

#include "absl/strings/string_view.h"

namespace firth::c {

void WordList::Lend(const Vocabulary& vocabulary, const char** bytes,
                    const int64_t** offsets) const {
  std::call_once(made_, [&] {
    offsets_.assign(1, 0);
    offsets_.reserve(vocabulary.size() + 1);
    for (const absl::string_view word : vocabulary.Words()) {
      bytes_.append(word.data(), word.size());
      offsets_.push_back(static_cast<int64_t>(bytes_.size()));
    }
  });
  *bytes = bytes_.data();
  *offsets = offsets_.data();
}

}  // namespace firth::c
