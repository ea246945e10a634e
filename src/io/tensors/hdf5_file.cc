// A dataset is an object header with messages for its type, its shape and the
// position of its values. Each is read as described in hdf5_format.h. Anything
// that leads outside this file or through a filter is rejected with its name.

#include "io/tensors/hdf5_file.h"

#include <cmath>
#include <cstring>
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/float16.h"
#include "base/quote.h"
#include "base/saturated.h"
#include "firth/status_macros.h"
#include "io/codecs/byte_reader.h"
#include "io/tensors/hdf5_format.h"
#include "io/tensors/hdf5_group.h"
#include "io/tensors/hdf5_header.h"

namespace firth {
namespace {

constexpr uint8_t kMostDimensions = 32;
constexpr char kInThisFile[] = "values that are in this file";
constexpr char kInOnePiece[] =
    "values in one piece and without filters (\"h5repack --layout CONTI "
    "--filter NONE\" converts them)";

std::string ShapeText(absl::Span<const uint64_t> shape) {
  return absl::StrCat("[", absl::StrJoin(shape, ", "), "]");
}

struct Layout {
  uint64_t begin = kHdf5Nowhere;
  uint64_t bytes = 0;
};

std::vector<uint64_t> ReadShape(ByteReader& reader) {
  const auto version =
      reader.ReadRange<uint8_t>("a dataspace of version", 1, 2);
  std::vector<uint64_t> shape(
      reader.ReadRange<uint8_t>("dimensions", 0, kMostDimensions));
  reader.Skip(version == 1 ? 6 : 2, "a dataspace");
  for (uint64_t& size : shape) size = reader.Read<uint64_t>("a size");
  return shape;
}

// Returns the bytes per value.
absl::StatusOr<uint64_t> ReadType(ByteReader& reader,
                                  const Hdf5Message& message) {
  const absl::string_view found =
      reader.ReadBytes(kHdf5Float32.size(), "a type of values");
  FIRTH_RETURN_IF_ERROR(reader.status());
  constexpr uint8_t kClassBits = 15;
  for (const absl::string_view type :
       {kHdf5Float16, kHdf5Float32, kHdf5Float64}) {
    // The version, stored next to the class, does not matter for these types.
    if ((found[0] & kClassBits) == (type[0] & kClassBits) &&
        found.substr(1) == type.substr(1)) {
      return static_cast<uint64_t>(type[4]);
    }
  }
  return reader.Fail(message.begin,
                     "little-endian floating-point numbers of 16, 32 or 64 "
                     "bits",
                     message.shared ? "a type with a name" : "another type");
}

absl::StatusOr<Layout> ReadLayout(ByteReader& reader) {
  const uint64_t at = reader.position();
  reader.ReadRange<uint8_t>("a layout of version", kHdf5LayoutVersion,
                            kHdf5LayoutVersion + 1);
  const auto kind = reader.Read<uint8_t>("a kind of layout");
  if (kind == kHdf5Virtual) {
    return reader.Fail(at, kInThisFile, "a virtual dataset of other files");
  }
  if (kind != kHdf5Contiguous) {
    return reader.Fail(at, kInOnePiece,
                       kind == kHdf5Chunked   ? "values in chunks"
                       : kind == kHdf5Compact ? "values inside the header"
                                              : absl::StrCat("kind ", kind));
  }
  Layout layout;
  layout.begin = reader.Read<uint64_t>("the address of values");
  layout.bytes = reader.Read<uint64_t>("the bytes of values");
  return layout;
}

float ReadFloat(const char* from, uint64_t bytes) {
  const auto read = [&](auto value) {
    std::memcpy(&value, from, sizeof(value));
    return value;
  };
  if (bytes == sizeof(uint16_t)) return FromFloat16Bits(read(uint16_t{}));
  if (bytes == sizeof(float)) return read(float{});
  return static_cast<float>(read(double{}));
}

// Checks that the layout has the bytes that the shape requires, and lies in the
// file.
absl::Status CheckLayout(ByteReader& reader, uint64_t at, const Layout& layout,
                         uint64_t bytes) {
  if (bytes == 0) return absl::OkStatus();  // It may have no position.
  const uint64_t size = reader.file().size();
  if (layout.bytes == bytes && layout.begin <= size &&
      bytes <= size - layout.begin) {
    return absl::OkStatus();
  }
  return reader.Fail(
      at, absl::StrCat(bytes, " bytes of values in a file of ", size),
      layout.begin == kHdf5Nowhere
          ? "none"
          : absl::StrCat(layout.bytes, " from byte ", layout.begin));
}

}  // namespace

absl::StatusOr<Hdf5File> Hdf5File::Open(const std::string& path) {
  FIRTH_ASSIGN_OR_RETURN(std::shared_ptr<const MappedFile> file,
                         MappedFile::Open(path));
  ByteReader reader(*file);
  FIRTH_ASSIGN_OR_RETURN(const uint64_t root, ReadHdf5Superblock(reader));
  return Hdf5File(std::move(file), root);
}

absl::StatusOr<Hdf5File::Dataset> Hdf5File::Find(
    const std::string& name) const {
  ByteReader reader(*file_);
  FIRTH_ASSIGN_OR_RETURN(const uint64_t address,
                         FindHdf5Object(reader, root_, name));
  absl::StatusOr<Dataset> dataset = ReadDataset(reader, address);
  if (dataset.ok()) return dataset;
  return absl::Status(
      dataset.status().code(),
      absl::StrCat(dataset.status().message(), ", in dataset ", Quote(name)));
}

absl::StatusOr<Hdf5File::Dataset> Hdf5File::ReadDataset(ByteReader& reader,
                                                        uint64_t address) {
  FIRTH_ASSIGN_OR_RETURN(const std::vector<Hdf5Message> messages,
                         ReadHdf5Messages(reader, address));
  std::optional<std::vector<uint64_t>> shape;
  std::optional<uint64_t> value_bytes;
  std::optional<Layout> layout;
  for (const Hdf5Message& message : messages) {
    reader.GoTo(message.begin);
    if (message.type == Hdf5MessageType::kExternalFiles) {
      return reader.Fail(message.begin, kInThisFile,
                         "names of other files (external storage)");
    }
    if (message.type == Hdf5MessageType::kDataspace) {
      shape = ReadShape(reader);
    } else if (message.type == Hdf5MessageType::kDatatype) {
      FIRTH_ASSIGN_OR_RETURN(value_bytes, ReadType(reader, message));
    } else if (message.type == Hdf5MessageType::kLayout) {
      FIRTH_ASSIGN_OR_RETURN(layout, ReadLayout(reader));
    }
  }
  FIRTH_RETURN_IF_ERROR(reader.status());
  if (!shape || !value_bytes || !layout) {
    return reader.Fail(address, "a dataset",
                       "a header without sizes, type or address");
  }
  Dataset dataset{*std::move(shape), 1, *value_bytes, layout->begin};
  for (const uint64_t size : dataset.shape) {
    dataset.count = MultiplySaturated(dataset.count, size);
  }
  const uint64_t bytes = MultiplySaturated(dataset.count, dataset.value_bytes);
  FIRTH_RETURN_IF_ERROR(CheckLayout(reader, address, *layout, bytes));
  return dataset;
}

absl::StatusOr<std::vector<uint64_t>> Hdf5File::Shape(
    const std::string& name) const {
  FIRTH_ASSIGN_OR_RETURN(Dataset dataset, Find(name));
  return std::move(dataset.shape);
}

absl::StatusOr<Hdf5File::Dataset> Hdf5File::FindOfShape(
    const std::string& name, absl::Span<const uint64_t> shape) const {
  FIRTH_ASSIGN_OR_RETURN(Dataset dataset, Find(name));
  if (absl::MakeConstSpan(dataset.shape) == shape) return dataset;
  return absl::DataLossError(
      absl::StrCat(path(), ": dataset ", Quote(name), ": expected the shape ",
                   ShapeText(shape), ", found ", ShapeText(dataset.shape)));
}

absl::Status Hdf5File::CheckShape(const std::string& name,
                                  absl::Span<const uint64_t> shape) const {
  return FindOfShape(name, shape).status();
}

absl::Status Hdf5File::Read(const std::string& name,
                            absl::Span<const uint64_t> shape,
                            float* values) const {
  FIRTH_ASSIGN_OR_RETURN(const Dataset dataset, FindOfShape(name, shape));
  for (uint64_t i = 0; i < dataset.count; ++i) {
    const char* const value =
        file_->data() + dataset.begin + i * dataset.value_bytes;
    values[i] = ReadFloat(value, dataset.value_bytes);
    if (!std::isfinite(values[i])) {
      return absl::DataLossError(absl::StrCat(path(), ": dataset ", Quote(name),
                                              ": value ", i, " is not finite"));
    }
  }
  return absl::OkStatus();
}

}  // namespace firth
