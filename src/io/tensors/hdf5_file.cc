// A dataset is an object header with messages for its type, its shape and the
// position of its values. Each is read as described in hdf5_header.h. Anything
// that leads outside this file or through a filter is rejected with its name.
//
// A name is looked up in a group of the old kind (a tree of nodes whose names
// are in a heap) or the new kind (a message for each link in the header). Every
// address is checked against the file, and every traversal is bounded, since a
// file may contain cycles.

#include "io/tensors/hdf5_file.h"

#include <cmath>
#include <cstring>
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "base/float16.h"
#include "base/quote.h"
#include "base/saturated.h"
#include "firth/status_macros.h"
#include "io/tensors/hdf5_header.h"

namespace firth {
namespace {

// Kinds of links in messages. All others belong to applications.
constexpr uint8_t kHardLink = 0;
constexpr uint8_t kSoftLinkMessage = 1;
constexpr uint8_t kExternalLink = 64;

// Bits of a link message's flags, which determine the fields before its name.
constexpr uint8_t kNameSizeBits = 3;
constexpr uint8_t kLinkOrderFlag = 4;
constexpr uint8_t kKindFlag = 8;
constexpr uint8_t kEncodingFlag = 16;

// An address, or nothing if the name differs.
using Found = std::optional<uint64_t>;

absl::Status RefuseLink(ByteReader& reader, uint64_t at, absl::string_view name,
                        absl::string_view what) {
  return reader.Fail(
      at, absl::StrCat("the dataset ", Quote(name), " in this file itself"),
      what);
}

// A group of the old kind.
class SymbolTable {
 public:
  SymbolTable(ByteReader& reader, absl::string_view name)
      : reader_(reader), name_(name), bytes_left_(reader.file().size()) {}

  // Finds the name. The message contains the addresses of tree and heap.
  absl::StatusOr<Found> Find(const Hdf5Message& message) {
    reader_.GoTo(message.begin);
    std::vector<uint64_t> nodes = {
        reader_.Read<uint64_t>("the address of a tree")};
    OpenHeap(reader_.Read<uint64_t>("the address of a heap"));
    while (!nodes.empty()) {
      const uint64_t node = nodes.back();
      nodes.pop_back();
      FIRTH_ASSIGN_OR_RETURN(const Found found, Visit(node, &nodes));
      if (found.has_value()) return found;
    }
    return Found();
  }

 private:
  void OpenHeap(uint64_t address) {
    GoToHdf5(reader_, address, "a heap");
    ReadHdf5Signature(reader_, kHdf5Heap, "a heap");
    reader_.Skip(4, "a heap");
    const auto bytes = reader_.Read<uint64_t>("the bytes of a heap");
    reader_.Skip(8, "a heap");
    GoToHdf5(reader_, reader_.Read<uint64_t>("the address of names"), "names");
    names_ = reader_.ReadBytes(bytes, "names");
  }

  // Searches a node of symbols, or adds the children of a tree node to `nodes`.
  absl::StatusOr<Found> Visit(uint64_t node, std::vector<uint64_t>* nodes) {
    GoToHdf5(reader_, node, "a node of a group");
    const absl::string_view signature =
        reader_.ReadBytes(kHdf5Tree.size(), "a node");
    if (signature == kHdf5Symbols) return FindInSymbols();
    if (signature != kHdf5Tree) {
      return reader_.Fail(node, "a node of a group", "something else");
    }
    reader_.ReadRange<uint8_t>("a tree of kind", 0, 0);
    reader_.Skip(1, "a level");
    const auto children = reader_.Read<uint16_t>("a number of nodes");
    reader_.Skip(16, "neighbours");
    FIRTH_RETURN_IF_ERROR(Spend(16 * uint64_t{children}));
    for (uint16_t i = 0; i < children; ++i) {
      reader_.Skip(8, "a name");
      nodes->push_back(reader_.Read<uint64_t>("the address of a node"));
    }
    FIRTH_RETURN_IF_ERROR(reader_.status());
    return Found();
  }

  absl::StatusOr<Found> FindInSymbols() {
    reader_.Skip(2, "a node");
    const auto symbols = reader_.Read<uint16_t>("a number of members");
    FIRTH_RETURN_IF_ERROR(Spend(kHdf5SymbolBytes * uint64_t{symbols}));
    for (uint16_t i = 0; i < symbols; ++i) {
      const uint64_t begin = reader_.position();
      const auto name = reader_.Read<uint64_t>("a name");
      const auto address = reader_.Read<uint64_t>("an address");
      const auto kind = reader_.Read<uint32_t>("a kind of member");
      reader_.Skip(20, "a member");
      FIRTH_RETURN_IF_ERROR(reader_.status());
      if (!IsName(name)) continue;
      if (kind != kHdf5SoftLink) return Found(address);
      return RefuseLink(reader_, begin, name_, "a soft link");
    }
    return Found();
  }

  bool IsName(uint64_t position) const {
    if (position >= names_.size()) return false;
    const absl::string_view found = names_.substr(position);
    return found.size() > name_.size() && found[name_.size()] == '\0' &&
           found.substr(0, name_.size()) == name_;
  }

  // Returns an error if the nodes together are larger than the file, which
  // happens only if they form a cycle.
  absl::Status Spend(uint64_t bytes) {
    if (bytes > bytes_left_) {
      return reader_.Fail(reader_.position(), "a group within the file",
                          "one without an end");
    }
    bytes_left_ -= bytes;
    return reader_.status();
  }

  ByteReader& reader_;
  absl::string_view name_;
  absl::string_view names_;  // Each ends with a NUL.
  uint64_t bytes_left_;
};

// Compares the name with a link of the newer kind of group.
absl::StatusOr<Found> FindInLink(ByteReader& reader, const Hdf5Message& message,
                                 absl::string_view name) {
  reader.GoTo(message.begin);
  reader.ReadRange<uint8_t>("a link of version", 1, 1);
  const auto flags = reader.Read<uint8_t>("flags");
  const uint8_t kind =
      (flags & kKindFlag) ? reader.Read<uint8_t>("a kind of link") : kHardLink;
  reader.Skip(
      ((flags & kLinkOrderFlag) ? 8 : 0) + ((flags & kEncodingFlag) ? 1 : 0),
      "a link");
  const uint64_t bytes = reader.ReadNumber(size_t{1} << (flags & kNameSizeBits),
                                           "the bytes of a name");
  const absl::string_view found = reader.ReadBytes(bytes, "a name");
  FIRTH_RETURN_IF_ERROR(reader.status());
  if (found != name) return Found();
  if (kind == kHardLink) {
    const auto address = reader.Read<uint64_t>("an address");
    FIRTH_RETURN_IF_ERROR(reader.status());
    return address;
  }
  return RefuseLink(reader, message.begin, name,
                    kind == kExternalLink ? "an external link, to another file"
                    : kind == kSoftLinkMessage
                        ? "a soft link"
                        : absl::StrCat("a link of kind ", kind));
}

// Rejects a newer group that stores its members elsewhere because there are
// many.
absl::Status CheckNotDense(ByteReader& reader, const Hdf5Message& message) {
  reader.GoTo(message.begin);
  reader.ReadRange<uint8_t>("a group of version", 0, 0);
  const auto flags = reader.Read<uint8_t>("flags");
  reader.Skip((flags & 1) ? 8 : 0, "a group");
  const auto heap = reader.Read<uint64_t>("the address of a heap");
  if (heap == kHdf5Nowhere) return reader.status();
  return reader.Fail(message.begin, "a group that HDF5 1.6 can read",
                     "one in a fractal heap");
}

absl::StatusOr<Found> FindInGroup(ByteReader& reader, uint64_t group,
                                  absl::string_view name) {
  FIRTH_ASSIGN_OR_RETURN(const std::vector<Hdf5Message> messages,
                         ReadHdf5Messages(reader, group));
  for (const Hdf5Message& message : messages) {
    Found found;
    if (message.type == Hdf5MessageType::kSymbolTable) {
      FIRTH_ASSIGN_OR_RETURN(found, SymbolTable(reader, name).Find(message));
    } else if (message.type == Hdf5MessageType::kLink) {
      FIRTH_ASSIGN_OR_RETURN(found, FindInLink(reader, message, name));
    } else if (message.type == Hdf5MessageType::kLinkInfo) {
      FIRTH_RETURN_IF_ERROR(CheckNotDense(reader, message));
    }
    if (found.has_value()) return found;
  }
  return Found();
}

// Returns the address of the object header of `path`, such as "CNN/W_cnn_0",
// below the group whose header is at `root`. Takes time in proportion to the
// size of the groups. Errors: NotFound; DataLoss, also if the path leads
// through a soft or external link.
absl::StatusOr<uint64_t> FindHdf5Object(ByteReader& reader, uint64_t root,
                                        absl::string_view path) {
  uint64_t object = root;
  for (const absl::string_view name : absl::StrSplit(path, '/')) {
    FIRTH_ASSIGN_OR_RETURN(const Found found,
                           FindInGroup(reader, object, name));
    if (!found.has_value()) {
      return absl::NotFoundError(absl::StrCat(reader.file().path(),
                                              ": expected a dataset ",
                                              Quote(path), ", found none"));
    }
    object = *found;
  }
  return object;
}

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
