// The header is text that Python would evaluate. Here it is parsed as one level
// of such a dict: names in quotes, and values that are a string, a number, a
// name or a tuple. Everything else that NumPy can describe (column order, other
// types, more dimensions) is rejected with a message that names it.

#include "io/tensors/npy_header.h"

#include <cstring>
#include <map>
#include <optional>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "base/newer_file.h"
#include "base/quote.h"
#include "firth/status_macros.h"
#include "io/codecs/vector_rows.h"

namespace firth {
namespace {

constexpr uint64_t kNewestVersion = 3;

absl::Status Corrupt(const MappedFile& file, absl::string_view expected,
                     absl::string_view found) {
  return absl::DataLossError(
      absl::StrCat(file.path(), ": expected ", expected, ", found ", found));
}

// The position of the dict in the file.
struct Extent {
  size_t begin = 0;
  size_t end = 0;
};

absl::StatusOr<Extent> FindDict(const MappedFile& file) {
  const absl::string_view bytes = file.bytes();
  const size_t version_at = kNpyMagic.size();
  const size_t length_at = version_at + 2;
  if (!absl::StartsWith(bytes, kNpyMagic) || bytes.size() < length_at) {
    return Corrupt(file, "a .npy header", Quote(bytes.substr(0, 16)));
  }
  const auto version = static_cast<unsigned char>(bytes[version_at]);
  if (version > kNewestVersion) {
    return NewerFile(file.path(), "a .npy array", kNewestVersion, version,
                     "NumPy");
  }
  if (version == 0) return Corrupt(file, "a version from 1 up", "0");
  const size_t begin = length_at + (version == 1 ? 2 : 4);
  if (bytes.size() < begin) {
    return Corrupt(file, "a .npy header", "the end of the file");
  }
  uint32_t length = 0;
  std::memcpy(&length, bytes.data() + length_at, begin - length_at);
  if (bytes.size() - begin < length) {
    return Corrupt(file, absl::StrCat("a header of ", length, " bytes"),
                   absl::StrCat(bytes.size() - begin, " bytes"));
  }
  return Extent{begin, begin + length};
}

// Reads one level of a dict: names in quotes, with values kept as text.
class DictReader {
 public:
  explicit DictReader(absl::string_view text) : rest_(text) {}

  std::optional<std::map<std::string, std::string>> Read() {
    std::map<std::string, std::string> entries;
    if (!Accept('{')) return std::nullopt;
    while (!Accept('}')) {
      const auto key = ReadQuoted();
      if (!key.has_value() || !Accept(':')) return std::nullopt;
      const auto value = ReadValue();
      if (!value.has_value()) return std::nullopt;
      entries[absl::StrCat(*key)] = absl::StrCat(*value);
      if (!Accept(',') && !absl::StartsWith(rest_, "}")) return std::nullopt;
    }
    return entries;
  }

 private:
  void SkipSpace() { rest_ = absl::StripLeadingAsciiWhitespace(rest_); }

  // Skips the character and the space around it, if it comes next.
  bool Accept(char expected) {
    SkipSpace();
    const bool there = !rest_.empty() && rest_.front() == expected;
    if (there) rest_.remove_prefix(1);
    SkipSpace();
    return there;
  }

  std::optional<absl::string_view> ReadUntil(size_t end) {
    if (end > rest_.size()) return std::nullopt;
    const absl::string_view taken = rest_.substr(0, end);
    rest_.remove_prefix(end);
    return absl::StripTrailingAsciiWhitespace(taken);
  }

  std::optional<absl::string_view> ReadQuoted() {
    if (rest_.empty()) return std::nullopt;
    const char quote = rest_.front();
    if (quote != '\'' && quote != '"') return std::nullopt;
    rest_.remove_prefix(1);
    const auto text = ReadUntil(rest_.find(quote));
    if (text.has_value()) rest_.remove_prefix(1);
    return text;
  }

  // Reads a string, a tuple with its parentheses, or a name such as True.
  std::optional<absl::string_view> ReadValue() {
    if (rest_.empty()) return std::nullopt;
    if (rest_.front() == '\'' || rest_.front() == '"') return ReadQuoted();
    if (rest_.front() != '(') return ReadUntil(rest_.find_first_of(",}"));
    const size_t close = rest_.find(')');
    return close == rest_.npos ? std::nullopt : ReadUntil(close + 1);
  }

  absl::string_view rest_;
};

// Parses "(3, 4)" and "(5,)".
bool ParseShape(absl::string_view tuple, std::vector<uint64_t>* shape) {
  if (tuple.size() < 2 || tuple.front() != '(') return false;
  for (const absl::string_view size : absl::StrSplit(
           tuple.substr(1, tuple.size() - 2), ',', absl::SkipWhitespace())) {
    if (!absl::SimpleAtoi(size, &shape->emplace_back())) return false;
  }
  return true;
}

using Entries = std::map<std::string, std::string>;

// Reads the entries of the dict at this position.
absl::StatusOr<Entries> ReadEntries(const MappedFile& file,
                                    const Extent& extent) {
  const absl::string_view dict =
      file.bytes().substr(extent.begin, extent.end - extent.begin);
  auto entries = DictReader(dict).Read();
  if (entries.has_value()) return *std::move(entries);
  return Corrupt(file, "a dict as .npy header", Quote(dict));
}

absl::StatusOr<NpyHeader> InterpretDict(const MappedFile& file,
                                        Entries entries) {
  const auto unsupported = [&](absl::string_view key,
                               absl::string_view expected) {
    return absl::InvalidArgumentError(
        absl::StrCat(file.path(), ": expected ", key, " ", expected, ", found ",
                     Quote(entries[absl::StrCat(key)])));
  };
  NpyHeader header;
  const std::string& type = entries["descr"];
  if (type == "<f4") header.value_bytes = 4;
  if (type == "<f8") header.value_bytes = 8;
  if (header.value_bytes == 0) return unsupported("descr", "'<f4' or '<f8'");
  if (entries["fortran_order"] != "False") {
    return unsupported("fortran_order", "False");
  }
  std::vector<uint64_t> shape;
  if (!ParseShape(entries["shape"], &shape) || shape.size() != 2 ||
      shape[1] == 0) {
    return unsupported("shape", "(words, dim)");
  }
  header.rows = shape[0];
  header.cols = shape[1];
  return header;
}

absl::Status CheckBytes(const MappedFile& file, size_t data_begin,
                        uint64_t promised) {
  const uint64_t available = file.size() - data_begin;
  if (promised == available) return absl::OkStatus();
  return Corrupt(file, absl::StrCat(promised, " bytes after the header"),
                 absl::StrCat(available));
}

absl::Status CheckLength(const MappedFile& file, const NpyHeader& header) {
  FIRTH_RETURN_IF_ERROR(CheckPromisedSize(
      absl::StatusCode::kDataLoss, file.path(), header.rows, header.cols,
      header.value_bytes, 0, file.size() - header.data_begin));
  return CheckBytes(file, header.data_begin,
                    header.rows * header.cols * header.value_bytes);
}

// Returns the bytes of a number of this type, such as 4 for '<f4', or 0 if the
// type is not numeric.
size_t BytesPerNumber(absl::string_view type) {
  constexpr absl::string_view kNumbers = "biufc";
  size_t bytes = 0;
  const bool is_number = type.size() > 2 &&
                         kNumbers.find(type[1]) != kNumbers.npos &&
                         absl::SimpleAtoi(type.substr(2), &bytes);
  return is_number ? bytes : 0;
}

}  // namespace

absl::StatusOr<NpyArray> ReadNpyArray(const MappedFile& file) {
  FIRTH_ASSIGN_OR_RETURN(const Extent extent, FindDict(file));
  FIRTH_ASSIGN_OR_RETURN(Entries entries, ReadEntries(file, extent));
  NpyArray array;
  array.type = entries["descr"];
  if (!ParseShape(entries["shape"], &array.shape)) {
    return Corrupt(file, "a tuple of sizes as shape", Quote(entries["shape"]));
  }
  uint64_t bytes = BytesPerNumber(array.type);
  if (bytes == 0) return array;
  for (const uint64_t size : array.shape) {
    bytes = MultiplySaturated(bytes, size);
  }
  FIRTH_RETURN_IF_ERROR(CheckBytes(file, extent.end, bytes));
  return array;
}

absl::StatusOr<NpyHeader> ParseNpyHeader(const MappedFile& file) {
  FIRTH_ASSIGN_OR_RETURN(const Extent extent, FindDict(file));
  FIRTH_ASSIGN_OR_RETURN(Entries entries, ReadEntries(file, extent));
  FIRTH_ASSIGN_OR_RETURN(NpyHeader header,
                         InterpretDict(file, std::move(entries)));
  header.data_begin = extent.end;
  FIRTH_RETURN_IF_ERROR(CheckLength(file, header));
  return header;
}

std::string MakeNpyHeader(absl::string_view type,
                          absl::Span<const uint64_t> shape,
                          size_t least_bytes) {
  std::string dict = absl::StrCat(
      "{'descr': '", type, "', 'fortran_order': False, 'shape': (",
      absl::StrJoin(shape, ", "), shape.size() == 1 ? "," : "", "), }");
  std::string header = absl::StrCat(kNpyMagic, absl::string_view("\1\0", 2));
  const size_t around = header.size() + 2 + 1;
  if (dict.size() + around < least_bytes) {
    dict.resize(least_bytes - around, ' ');
  }
  const size_t unpadded = around + dict.size();
  dict.append(
      (kTensorAlignment - unpadded % kTensorAlignment) % kTensorAlignment, ' ');
  dict.push_back('\n');
  header.push_back(static_cast<char>(dict.size() & 0xff));
  header.push_back(static_cast<char>(dict.size() >> 8));
  return header + dict;
}

}  // namespace firth
