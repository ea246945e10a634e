#include "firth/layout.h"
#include "firth/vector_io.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "support/temp_files.h"
#include "support/tiny_vectors.h"

namespace firth {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

WordMap SmallMap() {
  WordMap map;
  map.points = MakeVectors(
      {{"king", {1.5f, -2}}, {"queen", {1.25f, -2}}, {"été", {1e-3f, 7}}});
  map.clusters = {{1.4f, -2, 0, {"king", "queen"}},
                  {0, 6, 0, {"été"}},
                  {0.01f, 7, 1, {"queen"}}};
  map.method = "umap";
  map.source = "v.bin";
  map.seed = UINT64_MAX;
  return map;
}

TEST(MapFileTest, AModelHoldsAllOfIt) {
  const TempFolder folder;
  const WordMap map = SmallMap();
  const std::string path = folder.File("m.safetensors");
  ASSERT_TRUE(SaveMap(map, path).ok());
  const auto loaded = LoadMap(path);
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_EQ(loaded->method, "umap");
  EXPECT_EQ(loaded->source, "v.bin");
  EXPECT_EQ(loaded->seed, UINT64_MAX);
  EXPECT_EQ(loaded->points.vocabulary().Word(ToWordId(2)), "été");
  EXPECT_THAT(loaded->points.CopyVector(ToWordId(1)), ElementsAre(1.25f, -2));
  ASSERT_EQ(loaded->clusters.size(), 3u);
  EXPECT_EQ(loaded->clusters[0].x, 1.4f);
  EXPECT_EQ(loaded->clusters[2].level, 1);
  EXPECT_THAT(loaded->clusters[0].words, ElementsAre("king", "queen"));
  // And it is a file of vectors like others.
  EXPECT_EQ(DescribeVectorFile(path)->dim, 2u);
}

TEST(MapFileTest, ATableHasWordsPlacesAndTheNearestCluster) {
  const TempFolder folder;
  const std::string path = folder.File("m.tsv");
  ASSERT_TRUE(SaveMap(SmallMap(), path).ok());
  EXPECT_EQ(ReadWholeFile(path),
            "king\t1.5\t-2\tking\n"
            "queen\t1.25\t-2\tking\n"
            "été\t0.001\t7\tété\n");
  WordMap bare = SmallMap();
  bare.clusters.clear();
  ASSERT_TRUE(SaveMap(bare, path).ok());
  EXPECT_THAT(ReadWholeFile(path), HasSubstr("king\t1.5\t-2\t\n"));
}

TEST(MapFileTest, WhatAFileCannotHoldIsRefused) {
  const TempFolder folder;
  EXPECT_THAT(
      std::string(SaveMap(SmallMap(), folder.File("m.png")).message()),
      HasSubstr("m.png: the name of a map must end in .safetensors or .tsv"));
  WordMap map = SmallMap();
  map.points = MakeVectors({{"a\tb", {1, 2}}});
  EXPECT_THAT(std::string(SaveMap(map, folder.File("m.tsv")).message()),
              HasSubstr("m.tsv: the word"));
  EXPECT_TRUE(SaveMap(map, folder.File("m.safetensors")).ok());
  map.points = MakeVectors({{"a\nb", {1, 2}}});
  const std::string path = folder.File("n.safetensors");
  EXPECT_THAT(std::string(SaveMap(map, path).message()), HasSubstr("line end"));
  EXPECT_EQ(ReadWholeFile(path), "");
}

std::string LoadError(const VectorFile& file) {
  const TempFolder folder;
  const std::string path = folder.File("m.safetensors");
  EXPECT_TRUE(SaveVectorFile(file, path, "safetensors").ok());
  return std::string(LoadMap(path).status().message());
}

VectorFile WithMetadata(const std::string& json) {
  VectorFile file;
  file.vectors = SmallMap().points;
  file.metadata["firth.map"] = json;
  return file;
}

TEST(MapFileTest, WhatIsNoMapIsRefused) {
  VectorFile file;
  file.vectors = RandomVectors(4, 3, 1);
  EXPECT_THAT(LoadError(file),
              HasSubstr("m.safetensors: not a map, since its vectors have 3 "
                        "dimensions instead of 2"));
  for (const char* json :
       {"", "[]", "{}", "{\"method\": 3}", "{\"method\": \"umap\"}",
        "{\"method\":\"umap\",\"source\":\"\",\"seed\":-1,\"clusters\":[]}",
        "{\"method\":\"umap\",\"source\":\"\",\"seed\":1,\"clusters\":[1]}",
        "{\"method\":\"umap\",\"source\":\"\",\"seed\":1,\"clusters\":[{\"x\":"
        "1,\"y\":1,\"level\":1e9,\"words\":[\"a\"]}]}",
        "{\"method\":\"umap\",\"source\":\"\",\"seed\":1,\"clusters\":[{\"x\":"
        "1e39,\"y\":1,\"level\":1,\"words\":[\"a\"]}]}",
        "{\"method\":\"umap\",\"source\":\"\",\"seed\":1,\"clusters\":[{\"x\":"
        "1,\"y\":1,\"level\":1,\"words\":[]}]}"}) {
    EXPECT_THAT(LoadError(WithMetadata(json)),
                AllOf(HasSubstr("m.safetensors: metadata \"firth.map\": "),
                      HasSubstr("not a map as \"firth map\" writes it: ")))
        << json;
  }
  EXPECT_EQ(LoadError(WithMetadata("{\"method\":\"umap\",\"source\":\"\","
                                   "\"seed\":1,\"clusters\":[]}")),
            "");
  file.vectors = SmallMap().points;
  EXPECT_EQ(LoadError(file), "");  // a map of points alone
  EXPECT_TRUE(absl::IsNotFound(LoadMap("/nowhere/m.safetensors").status()));
}

}  // namespace
}  // namespace firth
