// Looks up a name in a group of the old kind (a tree of nodes whose names are
// in a heap) or the new kind (a message for each link in the header). Every
// address is checked against the file, and every traversal is bounded, since a
// file may contain cycles.

#include "io/tensors/hdf5_group.h"

#include <optional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/quote.h"
#include "firth/status_macros.h"
#include "io/tensors/hdf5_format.h"
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

}  // namespace

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

}  // namespace firth
