#include "vocab/stream_rewriter.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "base/rng.h"
#include "corpus/token_stream.h"
#include "gtest/gtest.h"

namespace firth {
namespace {

constexpr uint32_t kEnd = TokenStream::kSentenceEnd;

TEST(IdMapTest, TranslatesLowAndHighIds) {
  constexpr uint32_t kSize = 3000000;
  IdMap map(kSize);
  std::vector<uint32_t> expected(kSize, kEnd);
  uint32_t new_id = 0;
  for (uint32_t old_id = 0; old_id < kSize;
       old_id += 1 + static_cast<uint32_t>(Mix64(old_id) % 200)) {
    expected[old_id] = ++new_id * 3;
    map.Add(old_id, expected[old_id]);
  }
  map.Seal();
  for (uint32_t old_id = 0; old_id < kSize; ++old_id) {
    uint32_t id = old_id;
    ASSERT_EQ(map.Translate(&id), expected[old_id] != kEnd) << old_id;
    if (expected[old_id] != kEnd) {
      ASSERT_EQ(id, expected[old_id]);
    }
  }
}

struct Rewritten {
  std::vector<uint32_t> ids;
  uint64_t num_words;
};

Rewritten PlainRewrite(const std::vector<uint32_t>& ids, const IdMap* map,
                       EmptySentences empty) {
  Rewritten result = {{}, 0};
  for (uint32_t id : ids) {
    if (id == kEnd) {
      if (empty == EmptySentences::kKeep ||
          (!result.ids.empty() && result.ids.back() != kEnd)) {
        result.ids.push_back(kEnd);
      }
    } else if (map == nullptr || map->Translate(&id)) {
      result.ids.push_back(id);
      ++result.num_words;
    }
  }
  return result;
}

TEST(StreamRewriterTest, AgreesWithAPlainLoopOnAnyNumberOfThreads) {
  IdMap map(1000);
  for (uint32_t id = 100; id < 1000; id += 2) map.Add(id, 1000 - id);
  map.Seal();
  for (const size_t size : {0, 1, 5, 1000, 262144, 262145, 1500000}) {
    for (const uint32_t distinct : {90u, 101u, 1000u}) {
      Rng rng(size + distinct);
      std::vector<uint32_t> ids(size);
      for (uint32_t& id : ids) {
        id = rng.Below(4) == 0 ? kEnd : rng.Below(distinct);
      }
      for (const IdMap* with : {static_cast<const IdMap*>(&map),
                                static_cast<const IdMap*>(nullptr)}) {
        for (const EmptySentences empty :
             {EmptySentences::kDrop, EmptySentences::kKeep}) {
          const Rewritten expected = PlainRewrite(ids, with, empty);
          for (const int threads : {1, 3}) {
            std::vector<uint32_t> copy = ids;
            const RewrittenStream stream = RewriteStream(
                absl::MakeSpan(copy), with, threads, false, empty);
            EXPECT_EQ(stream.num_words, expected.num_words);
            copy.resize(stream.size);
            ASSERT_EQ(copy, expected.ids) << size << ' ' << threads;
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace firth
