// A table maps the name of each tensor to one of the opened files. Values are
// converted to floats only when they are copied.

#include "io/tensors/tensor_folder.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/float16.h"
#include "base/json.h"
#include "base/quote.h"
#include "firth/status_macros.h"
#include "nlohmann/json.hpp"

namespace firth {
namespace {

constexpr char kWhole[] = "model.safetensors";
constexpr char kIndex[] = "model.safetensors.index.json";

// Returns whether a name in the index refers to a file in the same folder.
bool IsNameOfFile(absl::string_view name) {
  return absl::EndsWith(name, ".safetensors") &&
         name.find_first_of(absl::string_view("/\\\0", 3)) == name.npos;
}

// Returns a file that another program would have loaded, or "" if there is
// none.
std::string OtherWeights(const std::string& folder) {
  std::error_code ignored;
  for (const auto& entry :
       std::filesystem::directory_iterator(folder, ignored)) {
    std::string name = entry.path().filename().string();
    for (const char* const ending :
         {".bin", ".pt", ".pth", ".ckpt", ".h5", ".msgpack", ".pkl"}) {
      if (absl::EndsWith(name, ending)) return name;
    }
  }
  return "";
}

absl::Status NoTensors(const std::string& folder) {
  std::error_code error;
  if (!std::filesystem::is_directory(folder, error)) {
    return absl::NotFoundError(
        absl::StrCat(folder, ": not a folder with a model",
                     std::filesystem::exists(folder, error)
                         ? " but a file"
                         : "; there is nothing with this name"));
  }
  const std::string other = OtherWeights(folder);
  return absl::NotFoundError(absl::StrCat(
      folder, ": the folder contains neither ", kWhole, " nor ", kIndex,
      other.empty()
          ? ""
          : absl::StrCat(", only ", Quote(other),
                         ", which is not read because it can run code; load it "
                         "in Python and save it with save_pretrained(FOLDER, "
                         "safe_serialization=True)")));
}

absl::Status BadIndex(const std::string& path, absl::string_view expected,
                      absl::string_view found) {
  return absl::InvalidArgumentError(
      absl::StrCat(path, ": expected ", expected, ", found ", found));
}

float OfFloat32(uint32_t bits) { return std::bit_cast<float>(bits); }
// Converts the upper half of a float.
float OfBfloat16(uint16_t bits) {
  return std::bit_cast<float>(uint32_t{bits} << 16);
}

// Copies values until one is not finite. Returns the number of values copied.
template <class Bits>
uint64_t CopyFinite(const char* from, uint64_t count, float (*value_of)(Bits),
                    float* to) {
  for (uint64_t i = 0; i < count; ++i) {
    Bits bits;
    std::memcpy(&bits, from + i * sizeof(bits), sizeof(bits));
    to[i] = value_of(bits);
    if (!std::isfinite(to[i])) return i;
  }
  return count;
}

}  // namespace

absl::StatusOr<TensorFolder> TensorFolder::Open(const std::string& folder) {
  TensorFolder tensors(folder);
  const auto path_of = [&](const char* name) {
    return (std::filesystem::path(folder) / name).string();
  };
  std::error_code error;
  if (std::filesystem::exists(path_of(kWhole), error)) {
    FIRTH_RETURN_IF_ERROR(tensors.AddFile(path_of(kWhole), nullptr));
  } else if (std::filesystem::exists(path_of(kIndex), error)) {
    FIRTH_RETURN_IF_ERROR(tensors.AddIndexed(path_of(kIndex)));
  } else {
    return NoTensors(folder);
  }
  return tensors;
}

absl::Status TensorFolder::AddFile(const std::string& path,
                                   const std::vector<std::string>* only) {
  FIRTH_ASSIGN_OR_RETURN(const MappedFilePtr file, MappedFile::Open(path));
  FIRTH_ASSIGN_OR_RETURN(const SafetensorsHeader header,
                         ReadSafetensorsHeader(*file));
  for (const TensorEntry& tensor : header.tensors) {
    if (only == nullptr) tensors_[tensor.name] = {file, tensor};
  }
  if (only == nullptr) return absl::OkStatus();
  for (const std::string& name : *only) {
    const TensorEntry* const tensor = header.Find(name);
    if (tensor == nullptr) {
      return absl::InvalidArgumentError(
          absl::StrCat(path, ": the tensor ", Quote(name), ", which ", kIndex,
                       " names, is missing"));
    }
    tensors_[name] = {file, *tensor};
  }
  return absl::OkStatus();
}

absl::Status TensorFolder::AddIndexed(const std::string& index_path) {
  FIRTH_ASSIGN_OR_RETURN(const MappedFilePtr index,
                         MappedFile::Open(index_path));
  constexpr int kMostDepth = 8;
  const Json json = ParseJson(index->bytes(), kMostDepth);
  const auto map = json.is_object() ? json.find("weight_map") : json.end();
  if (!json.is_object() || map == json.end() || !map->is_object()) {
    return BadIndex(index_path, "an object with \"weight_map\"",
                    "something else");
  }
  // Grouped by file, so that each is opened once.
  std::map<std::string, std::vector<std::string>> tensors_of;
  for (const auto& [tensor, file] : map->items()) {
    const std::string name = file.is_string() ? file.get<std::string>() : "";
    if (!IsNameOfFile(name)) {
      return BadIndex(
          index_path,
          absl::StrCat(
              "the name of a .safetensors file in the same folder for tensor ",
              Quote(tensor)),
          file.is_string() ? Quote(name) : "no name");
    }
    tensors_of[name].push_back(tensor);
  }
  for (const auto& [name, tensors] : tensors_of) {
    FIRTH_RETURN_IF_ERROR(
        AddFile((std::filesystem::path(path_) / name).string(), &tensors));
  }
  return absl::OkStatus();
}

const TensorFolder::Place* TensorFolder::Find(absl::string_view name) const {
  const auto found = tensors_.find(name);
  return found == tensors_.end() ? nullptr : &found->second;
}

std::vector<std::string> TensorFolder::Names() const {
  std::vector<std::string> names;
  for (const auto& [name, place] : tensors_) names.push_back(name);
  return names;
}

uint64_t TensorFolder::size() const {
  uint64_t bytes = 0;
  for (const auto& [name, place] : tensors_) {
    bytes += place.tensor.end - place.tensor.begin;
  }
  return bytes;
}

absl::Status TensorFolder::Check(absl::string_view name,
                                 absl::Span<const uint64_t> shape) const {
  const Place* const place = Find(name);
  for (const char* const dtype : {"F32", "F16", "BF16"}) {
    if (place != nullptr && IsOfShape(&place->tensor, dtype, shape)) {
      return absl::OkStatus();
    }
  }
  const std::string expected =
      absl::StrCat("F32, F16 or BF16 [", absl::StrJoin(shape, ", "), "]");
  if (place != nullptr) {
    return BadTensor(*place->file, name, expected, &place->tensor);
  }
  return absl::InvalidArgumentError(absl::StrCat(path_, ": tensor ",
                                                 Quote(name), ": expected ",
                                                 expected, ", found none"));
}

absl::Status TensorFolder::Read(absl::string_view name,
                                absl::Span<const uint64_t> shape,
                                float* to) const {
  FIRTH_RETURN_IF_ERROR(Check(name, shape));
  const Place& place = *Find(name);
  const std::string& dtype = place.tensor.dtype;
  const uint64_t count =
      (place.tensor.end - place.tensor.begin) / BytesPerValue(dtype);
  const char* const from = place.file->data() + place.tensor.begin;
  const uint64_t copied =
      dtype == "F32"   ? CopyFinite<uint32_t>(from, count, OfFloat32, to)
      : dtype == "F16" ? CopyFinite<uint16_t>(from, count, FromFloat16Bits, to)
                       : CopyFinite<uint16_t>(from, count, OfBfloat16, to);
  if (copied == count) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(place.file->path(), ": tensor ", Quote(name), ", value ",
                   copied, ": expected a finite number, found ", to[copied]));
}

}  // namespace firth
