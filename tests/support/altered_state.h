// Checkpoints that somebody has written to do harm: whole, with checksums.

#ifndef FIRTH_TESTS_SUPPORT_ALTERED_STATE_H_
#define FIRTH_TESTS_SUPPORT_ALTERED_STATE_H_

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/checksum.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "support/temp_files.h"
#include "support/trainings.h"

namespace firth {

// The file with `patch` merged into the state that is in its metadata.
inline std::string WithState(const std::string& file, const char* patch) {
  using Json = nlohmann::json;
  constexpr char kKind[] = "training_checkpoint";
  uint64_t size = 0;
  std::memcpy(&size, file.data(), sizeof(size));
  Json header = Json::parse(file.substr(sizeof(size), size));
  Json& metadata = header["__metadata__"];
  Json content = Json::parse(metadata[kKind].get<std::string>());
  content["state"].merge_patch(Json::parse(patch));
  const std::string text = content.dump();
  Json sums = Json::parse(metadata["checksums"].get<std::string>());
  sums[kKind] = absl::StrFormat("%016x", Checksum(text, 0));
  metadata[kKind] = text;
  metadata["checksums"] = sums.dump();
  std::string altered = header.dump();
  altered.resize((altered.size() + 15) / 8 * 8, ' ');
  const std::string tensors = file.substr(sizeof(size) + size);
  size = altered.size();
  return absl::StrCat(
      absl::string_view(reinterpret_cast<const char*>(&size), sizeof(size)),
      altered, tensors);
}

// Expects that no training goes on from a checkpoint whose state has one of
// these patches, and that the message names the file. train: saves or resumes.
inline void ExpectStatesAreRefused(
    const std::vector<const char*>& patches,
    const std::function<absl::Status(const Checkpointing&)>& train) {
  const TempFolder folder;
  ASSERT_EQ(train(Often(folder.path())), absl::OkStatus());
  RemoveNewest(folder);
  const std::string path =
      std::filesystem::directory_iterator(folder.path())->path().string();
  const std::string name = std::filesystem::path(path).filename().string();
  const std::string whole = ReadWholeFile(path);
  for (const char* const patch : patches) {
    SCOPED_TRACE(patch);
    folder.Write(name, WithState(whole, patch));
    const absl::Status status = train(Often(folder.path(), /*resume=*/true));
    EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss) << status;
    EXPECT_THAT(std::string(status.message()), testing::HasSubstr(path));
  }
  folder.Write(name, WithState(whole, "{}"));
  EXPECT_EQ(train(Often(folder.path(), /*resume=*/true)), absl::OkStatus());
}

}  // namespace firth

#endif  // FIRTH_TESTS_SUPPORT_ALTERED_STATE_H_
