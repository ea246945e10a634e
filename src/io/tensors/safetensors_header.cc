// A header is trusted only after it has been checked. Every tensor must have a
// known type, its shape must require the bytes that its offsets promise, and
// the tensors, in the order of their offsets, must be contiguous from the end
// of the header to the end of the file. After that, the position of a tensor
// can be used without comparing it with the size of the file.

#include "io/tensors/safetensors_header.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <tuple>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/json.h"
#include "base/newer_file.h"
#include "base/quote.h"
#include "firth/status_macros.h"

#ifndef FIRTH_VERSION
#error "the build defines FIRTH_VERSION"
#endif

namespace firth {
namespace {

// The limit of the format itself.
constexpr uint64_t kMostHeaderBytes = 100'000'000;
constexpr char kMetadata[] = "__metadata__";
constexpr char kFormat[] = "format";
constexpr char kFormatVersion[] = "format_version";

absl::Status Corrupt(const MappedFile& file, absl::string_view message) {
  return absl::DataLossError(absl::StrCat(file.path(), ": ", message));
}

uint64_t HeaderLength(absl::string_view bytes) {
  uint64_t length;
  std::memcpy(&length, bytes.data(), sizeof(length));
  return length;
}

absl::StatusOr<Json> ParseObject(const MappedFile& file) {
  const absl::string_view bytes = file.bytes();
  if (bytes.size() < sizeof(uint64_t)) {
    return Corrupt(file,
                   "expected 8 bytes for the length of the header, found "
                   "the end of the file");
  }
  const uint64_t length = HeaderLength(bytes);
  const uint64_t available = bytes.size() - sizeof(uint64_t);
  if (length > std::min(available, kMostHeaderBytes)) {
    return Corrupt(file, absl::StrCat("expected a header of at most ",
                                      std::min(available, kMostHeaderBytes),
                                      " bytes, found length ", length));
  }
  const absl::string_view text = bytes.substr(sizeof(uint64_t), length);
  Json json = ParseJson(text);
  if (json.is_object()) return json;
  return Corrupt(file, absl::StrCat("expected a JSON object as header, found ",
                                    Quote(text)));
}

absl::StatusOr<std::map<std::string, std::string>> ParseMetadata(
    const MappedFile& file, const Json& json) {
  std::map<std::string, std::string> metadata;
  if (!json.is_object()) {
    return Corrupt(file, "expected an object named __metadata__");
  }
  for (const auto& [key, value] : json.items()) {
    if (!value.is_string()) {
      return Corrupt(
          file, absl::StrCat("expected a string as metadata ", Quote(key)));
    }
    metadata[key] = value.get<std::string>();
  }
  return metadata;
}

std::optional<std::vector<uint64_t>> ParseNumbers(const Json& json) {
  std::vector<uint64_t> numbers;
  if (!json.is_array()) return std::nullopt;
  for (const Json& number : json) {
    if (!number.is_number_unsigned()) return std::nullopt;
    numbers.push_back(number.get<uint64_t>());
  }
  return numbers;
}

// Checks the version of a file of Firth. Other programs may use these keys
// differently.
absl::Status CheckVersion(const MappedFile& file,
                          const std::map<std::string, std::string>& metadata) {
  const auto format = metadata.find(kFormat);
  const auto version = metadata.find(kFormatVersion);
  if (format == metadata.end() || version == metadata.end() ||
      !absl::StartsWith(format->second, "firth")) {
    return absl::OkStatus();
  }
  uint64_t number = 0;
  if (!absl::SimpleAtoi(version->second, &number) || number == 0) {
    return Corrupt(file, absl::StrCat("metadata \"", kFormatVersion,
                                      "\": expected a number from 1 up, found ",
                                      Quote(version->second)));
  }
  if (number <= kNewestFormatVersion) return absl::OkStatus();
  return NewerFile(file.path(), "a .safetensors file of Firth",
                   kNewestFormatVersion, number);
}

// Returns nothing if a field is missing or has the wrong type.
std::optional<TensorEntry> ParseTensor(const std::string& name,
                                       const Json& json) {
  if (!json.is_object()) return std::nullopt;
  const auto dtype = json.find("dtype");
  const auto shape = json.find("shape");
  const auto offsets = json.find("data_offsets");
  if (dtype == json.end() || shape == json.end() || offsets == json.end() ||
      !dtype->is_string()) {
    return std::nullopt;
  }
  auto sizes = ParseNumbers(*shape);
  const auto range = ParseNumbers(*offsets);
  if (!sizes.has_value() || !range.has_value() || range->size() != 2) {
    return std::nullopt;
  }
  return TensorEntry{name, dtype->get<std::string>(), *std::move(sizes),
                     (*range)[0], (*range)[1]};
}

absl::Status CheckTensor(const MappedFile& file, const TensorEntry& tensor,
                         uint64_t expected_begin) {
  uint64_t bytes = BytesPerValue(tensor.dtype);
  if (bytes == 0) {
    return Corrupt(file, absl::StrCat("tensor ", Quote(tensor.name),
                                      ": expected a known type, found ",
                                      Quote(tensor.dtype)));
  }
  for (const uint64_t size : tensor.shape) {
    bytes = MultiplySaturated(bytes, size);
  }
  if (tensor.begin == expected_begin &&
      tensor.end == AddSaturated(expected_begin, bytes)) {
    return absl::OkStatus();
  }
  return Corrupt(
      file,
      absl::StrCat("tensor ", Quote(tensor.name), ": expected offsets [",
                   expected_begin, ", ", AddSaturated(expected_begin, bytes),
                   "], found [", tensor.begin, ", ", tensor.end, "]"));
}

// Sorts the tensors, checks that they are contiguous up to the end of the file,
// and changes their offsets to count from its start.
absl::Status PlaceTensors(const MappedFile& file, uint64_t data_begin,
                          std::vector<TensorEntry>& tensors) {
  std::sort(tensors.begin(), tensors.end(),
            [](const TensorEntry& a, const TensorEntry& b) {
              return std::tie(a.begin, a.end) < std::tie(b.begin, b.end);
            });
  uint64_t end = 0;
  for (const TensorEntry& tensor : tensors) {
    FIRTH_RETURN_IF_ERROR(CheckTensor(file, tensor, end));
    end = tensor.end;
  }
  if (end != file.size() - data_begin) {
    return Corrupt(file, absl::StrCat("expected ", end,
                                      " bytes of data after the header, found ",
                                      file.size() - data_begin));
  }
  for (TensorEntry& tensor : tensors) {
    tensor.begin += data_begin;
    tensor.end += data_begin;
  }
  return absl::OkStatus();
}

OrderedJson ToJson(const SafetensorsHeader& header) {
  OrderedJson json = OrderedJson::object();
  json[kMetadata] = header.metadata;
  for (const TensorEntry& tensor : header.tensors) {
    json[tensor.name] = {{"dtype", tensor.dtype},
                         {"shape", tensor.shape},
                         {"data_offsets", {tensor.begin, tensor.end}}};
  }
  return json;
}

}  // namespace

void MarkAsOwn(absl::string_view format,
               std::map<std::string, std::string>* metadata) {
  (*metadata)[kFormat] = std::string(format);
  (*metadata)[kFormatVersion] = "1";
  (*metadata)["firth_version"] = FIRTH_VERSION;
}

uint64_t BytesPerValue(absl::string_view dtype) {
  static constexpr std::pair<absl::string_view, uint64_t> kTypes[] = {
      {"F64", 8}, {"I64", 8}, {"U64", 8},  {"F32", 4},     {"I32", 4},
      {"U32", 4}, {"F16", 2}, {"BF16", 2}, {"I16", 2},     {"U16", 2},
      {"I8", 1},  {"U8", 1},  {"BOOL", 1}, {"F8_E4M3", 1}, {"F8_E5M2", 1}};
  for (const auto& [name, bytes] : kTypes) {
    if (name == dtype) return bytes;
  }
  return 0;
}

const TensorEntry* SafetensorsHeader::Find(absl::string_view name) const {
  for (const TensorEntry& tensor : tensors) {
    if (tensor.name == name) return &tensor;
  }
  return nullptr;
}

void SafetensorsHeader::Append(const char* name, const char* dtype,
                               std::vector<uint64_t> shape) {
  const uint64_t start = tensors.empty() ? 0 : tensors.back().end;
  uint64_t bytes = BytesPerValue(dtype);
  for (const uint64_t size : shape) bytes *= size;
  tensors.push_back({name, dtype, std::move(shape), start, start + bytes});
}

bool IsTable(const TensorEntry& tensor) {
  return IsOfShape(&tensor, "F32", {kAnySize, kAnySize}) && tensor.shape[1] > 0;
}

bool IsOfShape(const TensorEntry* tensor, absl::string_view dtype,
               absl::Span<const uint64_t> shape) {
  return tensor != nullptr && tensor->dtype == dtype &&
         std::equal(tensor->shape.begin(), tensor->shape.end(), shape.begin(),
                    shape.end(), [](uint64_t found, uint64_t expected) {
                      return expected == kAnySize || found == expected;
                    });
}

absl::Status BadTensor(const MappedFile& file, absl::string_view name,
                       absl::string_view expected, const TensorEntry* found) {
  return absl::InvalidArgumentError(absl::StrCat(
      file.path(), ": tensor ", Quote(name), ": expected ", expected,
      ", found ",
      found == nullptr ? "none"
                       : absl::StrCat(found->dtype, " [",
                                      absl::StrJoin(found->shape, ", "), "]")));
}

absl::StatusOr<std::vector<absl::string_view>> ReadTexts(
    const MappedFile& file, const TensorEntry& tensor, uint64_t count,
    absl::string_view rows) {
  absl::string_view rest =
      file.bytes().substr(tensor.begin, tensor.end - tensor.begin);
  const auto corrupt = [&](absl::string_view expected,
                           absl::string_view found) {
    return absl::DataLossError(
        absl::StrCat(file.path(), ": byte ", rest.data() - file.data(),
                     ": expected ", expected, ", found ", found));
  };
  if (rest.size() < count) {
    return corrupt(absl::StrCat(count, " words"),
                   absl::StrCat(rest.size(), " bytes"));
  }
  std::vector<absl::string_view> texts;
  texts.reserve(count);
  while (!rest.empty()) {
    const size_t newline = rest.find('\n');
    if (newline == rest.npos || newline == 0) {
      return corrupt("a word with a line end", Quote(rest.substr(0, newline)));
    }
    texts.push_back(rest.substr(0, newline));
    rest.remove_prefix(newline + 1);
  }
  if (texts.size() == count) return texts;
  return corrupt(
      absl::StrCat(count, " words, one for each row of ", Quote(rows)),
      absl::StrCat(texts.size()));
}

absl::StatusOr<FloatTable> ReadTable(const MappedFilePtr& file,
                                     const TensorEntry& tensor, uint64_t rows,
                                     uint64_t cols, bool all_finite) {
  FIRTH_ASSIGN_OR_RETURN(FloatTable table,
                         TableInFile(file, tensor.begin, rows, cols));
  if (!all_finite) return table;
  FIRTH_RETURN_IF_ERROR(CheckFinite(
      table, absl::StrCat(file->path(), ": tensor ", Quote(tensor.name))));
  return table;
}

bool StartsLikeSafetensors(absl::string_view head) {
  return head.size() > sizeof(uint64_t) && head[sizeof(uint64_t)] == '{' &&
         HeaderLength(head) <= kMostHeaderBytes;
}

// Quotes in JSON strings are escaped, so a value cannot look like a key.
bool HasKey(absl::string_view head, absl::string_view key) {
  if (!StartsLikeSafetensors(head)) return false;
  const absl::string_view text =
      head.substr(sizeof(uint64_t), HeaderLength(head));
  const std::string quoted = absl::StrCat("\"", key, "\"");
  for (size_t at = text.find(quoted); at != text.npos;
       at = text.find(quoted, at + 1)) {
    const absl::string_view rest =
        absl::StripLeadingAsciiWhitespace(text.substr(at + quoted.size()));
    if (absl::StartsWith(rest, ":")) return true;
  }
  return false;
}

absl::StatusOr<SafetensorsHeader> ReadSafetensorsHeader(
    const MappedFile& file) {
  FIRTH_ASSIGN_OR_RETURN(const Json json, ParseObject(file));
  SafetensorsHeader header;
  if (const auto metadata = json.find(kMetadata); metadata != json.end()) {
    FIRTH_ASSIGN_OR_RETURN(header.metadata, ParseMetadata(file, *metadata));
    FIRTH_RETURN_IF_ERROR(CheckVersion(file, header.metadata));
  }
  for (const auto& [name, value] : json.items()) {
    if (name == kMetadata) continue;
    std::optional<TensorEntry> tensor = ParseTensor(name, value);
    if (!tensor.has_value()) {
      return Corrupt(file,
                     absl::StrCat("tensor ", Quote(name),
                                  ": expected dtype, shape and data_offsets"));
    }
    header.tensors.push_back(*std::move(tensor));
  }
  const uint64_t data_begin = sizeof(uint64_t) + HeaderLength(file.bytes());
  FIRTH_RETURN_IF_ERROR(PlaceTensors(file, data_begin, header.tensors));
  return header;
}

std::string MakeSafetensorsHeader(const SafetensorsHeader& header,
                                  uint64_t aligned) {
  std::string json = DumpJson(ToJson(header));
  const uint64_t unpadded = sizeof(uint64_t) + json.size() + aligned;
  json.append(
      (kTensorAlignment - unpadded % kTensorAlignment) % kTensorAlignment, ' ');
  const uint64_t length = json.size();
  std::string bytes(sizeof(length), '\0');
  std::memcpy(bytes.data(), &length, sizeof(length));
  return bytes + json;
}

void SafetensorsWriter::Add(std::string name, const char* dtype,
                            std::vector<uint64_t> shape, WriteData write) {
  tensors_.push_back(
      {std::move(name), dtype, std::move(shape), std::move(write)});
}

void SafetensorsWriter::AddTexts(const char* name,
                                 std::vector<absl::string_view> texts) {
  uint64_t bytes = texts.size();
  for (const absl::string_view text : texts) bytes += text.size();
  Add(name, "U8", {bytes}, [texts = std::move(texts)](OutputFile& out) {
    for (const absl::string_view text : texts) {
      FIRTH_RETURN_IF_ERROR(out.Write(text));
      FIRTH_RETURN_IF_ERROR(out.Write("\n"));
    }
    return absl::OkStatus();
  });
}

absl::Status SafetensorsWriter::Write(const std::string& path,
                                      const Hooks& hooks) && {
  FIRTH_ASSIGN_OR_RETURN(OutputFile out, OutputFile::Create(path, hooks));
  FIRTH_RETURN_IF_ERROR(std::move(*this).WriteTo(out));
  return out.Commit();
}

absl::Status SafetensorsWriter::WriteTo(OutputFile& out) && {
  std::stable_sort(tensors_.begin(), tensors_.end(),
                   [](const Tensor& a, const Tensor& b) {
                     return BytesPerValue(a.dtype) > BytesPerValue(b.dtype);
                   });
  SafetensorsHeader header;
  header.metadata = std::move(metadata_);
  uint64_t aligned = 0;  // End of the tensors with values of 8 bytes.
  for (const Tensor& tensor : tensors_) {
    header.Append(tensor.name.c_str(), tensor.dtype, tensor.shape);
    if (BytesPerValue(tensor.dtype) == 8) aligned = header.tensors.back().end;
  }
  FIRTH_RETURN_IF_ERROR(out.Write(MakeSafetensorsHeader(header, aligned)));
  for (const Tensor& tensor : tensors_) {
    FIRTH_RETURN_IF_ERROR(tensor.write(out));
  }
  return absl::OkStatus();
}

}  // namespace firth
