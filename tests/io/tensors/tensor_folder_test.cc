#include "io/tensors/tensor_folder.h"

#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "io/tensors/safetensors_header.h"
#include "support/temp_files.h"

namespace firth {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr char kWhole[] = "model.safetensors";
constexpr char kIndex[] = "model.safetensors.index.json";

// A file of F32 tensors [1, values].
void WriteTensors(const std::string& path,
                  const std::map<std::string, std::vector<float>>& tensors) {
  SafetensorsWriter writer;
  for (const auto& tensor : tensors) {
    const std::vector<float>& values = tensor.second;
    writer.Add(tensor.first, "F32", {1, values.size()},
               [&values](OutputFile& out) {
                 return out.Write(BytesOf(absl::MakeConstSpan(values)));
               });
  }
  ASSERT_EQ(std::move(writer).Write(path), absl::OkStatus());
}

std::vector<float> Values(const TensorFolder& folder, const char* name,
                          std::vector<uint64_t> shape) {
  uint64_t count = 1;
  for (const uint64_t size : shape) count *= size;
  std::vector<float> values(count);
  EXPECT_EQ(folder.Read(name, shape, values.data()), absl::OkStatus());
  return values;
}

std::string Message(const absl::Status& status) {
  return std::string(status.message());
}

TEST(TensorFolderTest, ReadsOneFile) {
  const TempFolder folder;
  WriteTensors(folder.File(kWhole), {{"b", {1, 2}}, {"a", {3}}});
  const auto tensors = TensorFolder::Open(folder.path());
  ASSERT_EQ(tensors.status(), absl::OkStatus());
  EXPECT_THAT(tensors->Names(), ElementsAre("a", "b"));
  EXPECT_EQ(tensors->size(), 3 * sizeof(float));
  EXPECT_THAT(Values(*tensors, "b", {1, 2}), ElementsAre(1, 2));
}

TEST(TensorFolderTest, ReadsTheFilesOfAnIndex) {
  const TempFolder folder;
  WriteTensors(folder.File("m-1.safetensors"), {{"a", {1}}, {"c", {7}}});
  WriteTensors(folder.File("m-2.safetensors"), {{"b", {2}}, {"a", {9}}});
  folder.Write(kIndex, R"({"metadata": {"total_size": 8}, "weight_map":
      {"a": "m-1.safetensors", "b": "m-2.safetensors"}})");
  const auto tensors = TensorFolder::Open(folder.path());
  ASSERT_EQ(tensors.status(), absl::OkStatus());
  // Of what stands in several files, the index says which counts.
  EXPECT_THAT(tensors->Names(), ElementsAre("a", "b"));
  EXPECT_THAT(Values(*tensors, "a", {1, 1}), ElementsAre(1));
  EXPECT_THAT(Values(*tensors, "b", {1, 1}), ElementsAre(2));
}

TEST(TensorFolderTest, WidensHalfFloats) {
  const TempFolder folder;
  const uint16_t halves[] = {0x3C00, 0xC000, 0x0001};  // 1, -2, 2^-24
  const uint16_t brains[] = {0x3F80, 0xC000, 0x4049};  // 1, -2, 3.140625
  SafetensorsWriter writer;
  writer.AddNumbers<uint16_t>("half", "F16", halves);
  writer.AddNumbers<uint16_t>("brain", "BF16", brains);
  ASSERT_EQ(std::move(writer).Write(folder.File(kWhole)), absl::OkStatus());
  const auto tensors = TensorFolder::Open(folder.path());
  ASSERT_EQ(tensors.status(), absl::OkStatus());
  EXPECT_THAT(Values(*tensors, "half", {3}), ElementsAre(1, -2, 0x1p-24f));
  EXPECT_THAT(Values(*tensors, "brain", {3}), ElementsAre(1, -2, 3.140625f));
}

TEST(TensorFolderTest, ATensorThatDoesNotFitIsRefusedByName) {
  const TempFolder folder;
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  WriteTensors(folder.File(kWhole), {{"a", {1, 2}}, {"b", {1, kInfinity}}});
  const auto tensors = TensorFolder::Open(folder.path());
  ASSERT_EQ(tensors.status(), absl::OkStatus());
  float values[2];
  EXPECT_THAT(Message(tensors->Check("a", {2, 1})),
              HasSubstr("model.safetensors: tensor \"a\": expected F32, F16 or "
                        "BF16 [2, 1], found F32 [1, 2]"));
  EXPECT_THAT(Message(tensors->Read("c", {2}, values)),
              HasSubstr("tensor \"c\": expected F32, F16 or BF16 [2], found "
                        "none"));
  EXPECT_EQ(tensors->Check("b", {1, 2}), absl::OkStatus());
  EXPECT_THAT(Message(tensors->Read("b", {1, 2}, values)),
              HasSubstr("tensor \"b\", value 1: expected a finite number, "
                        "found inf"));
}

TEST(TensorFolderTest, NumbersOfAnotherTypeAreRefused) {
  const TempFolder folder;
  const int64_t ids[] = {0, 1};
  SafetensorsWriter writer;
  writer.AddNumbers<int64_t>("ids", "I64", ids);
  ASSERT_EQ(std::move(writer).Write(folder.File(kWhole)), absl::OkStatus());
  const auto tensors = TensorFolder::Open(folder.path());
  ASSERT_EQ(tensors.status(), absl::OkStatus());
  EXPECT_THAT(Message(tensors->Check("ids", {2})), HasSubstr("found I64 [2]"));
}

struct BadIndexCase {
  const char* name;
  absl::string_view index;
  const char* message;
};

TEST(TensorFolderTest, AnIndexThatLeadsElsewhereIsRefused) {
  constexpr BadIndexCase kCases[] = {
      {"a folder above", R"({"weight_map": {"a": "../m.safetensors"}})",
       "the name of a .safetensors file in the same folder for tensor \"a\", "
       "found \"../m.safetensors\""},
      {"a whole path", R"({"weight_map": {"a": "/etc/m.safetensors"}})",
       "\"/etc/m.safetensors\""},
      {"a folder below", R"({"weight_map": {"a": "x/m.safetensors"}})",
       "\"x/m.safetensors\""},
      {"a path of Windows", R"({"weight_map": {"a": "x\\m.safetensors"}})",
       "same folder"},
      {"NUL", "{\"weight_map\": {\"a\": \"m\\u0000.safetensors\"}}",
       "same folder"},
      {"another file", R"({"weight_map": {"a": "passwd"}})", "\"passwd\""},
      {"no name", R"({"weight_map": {"a": ""}})", "same folder"},
      {"no text", R"({"weight_map": {"a": 1}})", "found no name"},
      {"no map", R"({"weight_map": []})", "\"weight_map\""},
      {"no object", "[1]", "\"weight_map\""},
      {"no JSON", "weights", "\"weight_map\""},
      {"nothing", "", "\"weight_map\""},
      {"a tensor that the file lacks",
       R"({"weight_map": {"x": "m.safetensors"}})",
       "the tensor \"x\", which model.safetensors.index.json names, is "
       "missing"},
  };
  for (const BadIndexCase& test : kCases) {
    const TempFolder folder;
    WriteTensors(folder.File("m.safetensors"), {{"a", {1}}});
    folder.Write(kIndex, test.index);
    const absl::Status status = TensorFolder::Open(folder.path()).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << test.name;
    EXPECT_THAT(Message(status), HasSubstr(test.message)) << test.name;
  }
}

TEST(TensorFolderTest, AFileThatTheIndexNamesMustBeThere) {
  const TempFolder folder;
  folder.Write(kIndex, R"({"weight_map": {"a": "m.safetensors"}})");
  const absl::Status status = TensorFolder::Open(folder.path()).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(Message(status), HasSubstr("m.safetensors"));
}

TEST(TensorFolderTest, ATruncatedFileIsRefused) {
  const TempFolder folder;
  WriteTensors(folder.File("whole"), {{"a", {1, 2, 3}}});
  const std::string whole = ReadWholeFile(folder.File("whole"));
  for (size_t bytes = 0; bytes < whole.size(); ++bytes) {
    folder.Write(kWhole, whole.substr(0, bytes));
    EXPECT_EQ(TensorFolder::Open(folder.path()).status().code(),
              absl::StatusCode::kDataLoss)
        << bytes;
  }
}

TEST(TensorFolderTest, SaysWhatIsThereInstead) {
  const TempFolder folder;
  const auto message = [&](const std::string& path) {
    const absl::Status status = TensorFolder::Open(path).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kNotFound) << path;
    return Message(status);
  };
  EXPECT_THAT(message(folder.path()), HasSubstr("contains neither"));
  EXPECT_THAT(message(folder.File("none")),
              HasSubstr("there is nothing with this name"));
  EXPECT_THAT(message(folder.Write("file", "")), HasSubstr("but a file"));
  folder.Write("pytorch_model.bin", "PK");
  EXPECT_THAT(message(folder.path()),
              HasSubstr("only \"pytorch_model.bin\", which is not read"));
}

}  // namespace
}  // namespace firth
