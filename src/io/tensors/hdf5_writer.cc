// The file consists of, in this order: the superblock, whose space is reserved
// until everything else is written; for each dataset, its header and its
// values; and the root group, which has the names, the nodes with its members
// sorted by name, the tree of these nodes, and its header.

#include "io/tensors/hdf5_writer.h"

#include <algorithm>
#include <limits>

#include "base/check.h"
#include "firth/status_macros.h"
#include "io/tensors/hdf5_header.h"

namespace firth {
namespace {

constexpr size_t kSuperblockBytes = 96;
constexpr size_t kAlignment = 8;

// Nodes have room for twice as many. These are the values that libhdf5 uses.
constexpr uint16_t kLeafRank = 4;
constexpr uint16_t kTreeRank = 16;
constexpr size_t kMostSymbols = size_t{2} * kLeafRank;
constexpr size_t kMostChildren = size_t{2} * kTreeRank;
constexpr size_t kTreeNodeBytes = 24 + 16 * kMostChildren + 8;

constexpr uint64_t kNoFreeSpace = 1;  // Marks a heap without free space.

template <class Number>
void Put(Number number, std::string* to) {
  to->append(reinterpret_cast<const char*>(&number), sizeof(number));
}

void Align(std::string* bytes) {
  bytes->resize((bytes->size() + kAlignment - 1) / kAlignment * kAlignment);
}

void PutMessage(Hdf5MessageType type, std::string data, std::string* to) {
  Align(&data);
  Put(type, to);
  Put(static_cast<uint16_t>(data.size()), to);
  Put(uint32_t{0}, to);  // Flags.
  *to += data;
}

template <class Value>
absl::string_view BytesOf(const Value* values,
                          absl::Span<const uint64_t> shape) {
  uint64_t bytes = sizeof(Value);
  for (const uint64_t size : shape) bytes *= size;
  return {reinterpret_cast<const char*>(values), bytes};
}

// Returns an object header of version 1 with these messages.
std::string ObjectHeader(uint16_t count, const std::string& messages) {
  std::string header;
  Put(uint16_t{1}, &header);
  Put(count, &header);
  Put(uint32_t{1}, &header);  // Number of links to it.
  Put(static_cast<uint32_t>(messages.size()), &header);
  Align(&header);
  return header + messages;
}

std::string DatasetHeader(absl::string_view type,
                          absl::Span<const uint64_t> shape, uint64_t begin,
                          uint64_t bytes) {
  std::string messages, data;
  Put(uint8_t{1}, &data);
  Put(static_cast<uint8_t>(shape.size()), &data);
  Align(&data);
  for (const uint64_t size : shape) Put(size, &data);
  PutMessage(Hdf5MessageType::kDataspace, data, &messages);
  PutMessage(Hdf5MessageType::kDatatype, std::string(type), &messages);
  // Version 2; space is allocated late; written if defined; not defined.
  PutMessage(Hdf5MessageType::kFillValue, std::string("\2\2\2\1\0\0\0\0", 8),
             &messages);
  data.clear();
  Put(kHdf5LayoutVersion, &data);
  Put(kHdf5Contiguous, &data);
  Put(begin, &data);
  Put(bytes, &data);
  PutMessage(Hdf5MessageType::kLayout, data, &messages);
  return ObjectHeader(4, messages);
}

std::string GroupHeader(uint64_t tree, uint64_t heap) {
  std::string message, messages;
  Put(tree, &message);
  Put(heap, &message);
  PutMessage(Hdf5MessageType::kSymbolTable, message, &messages);
  return ObjectHeader(1, messages);
}

std::string Superblock(uint64_t end, uint64_t root, uint64_t tree,
                       uint64_t heap) {
  std::string bytes(kHdf5Signature);
  Put(uint32_t{0}, &bytes);  // Versions.
  // Bytes of an address and of a size.
  bytes += std::string("\0\x08\x08\0", 4);
  Put(kLeafRank, &bytes);
  Put(kTreeRank, &bytes);
  Put(uint32_t{0}, &bytes);  // Flags.
  for (const uint64_t address :
       {uint64_t{0}, kHdf5Nowhere, end, kHdf5Nowhere}) {
    Put(address, &bytes);
  }
  Put(uint64_t{0}, &bytes);  // The root has no name.
  Put(root, &bytes);
  Put(kHdf5GroupSymbol, &bytes);
  Put(uint32_t{0}, &bytes);
  Put(tree, &bytes);
  Put(heap, &bytes);
  return bytes;
}

std::string Heap(uint64_t begin, const std::string& names) {
  std::string heap(kHdf5Heap);
  Put(uint32_t{0}, &heap);  // Version.
  Put(static_cast<uint64_t>(names.size()), &heap);
  Put(kNoFreeSpace, &heap);
  Put(begin + 32, &heap);
  return heap + names;
}

}  // namespace

absl::StatusOr<Hdf5Writer> Hdf5Writer::Create(const std::string& path) {
  FIRTH_ASSIGN_OR_RETURN(OutputFile out, OutputFile::Create(path));
  const std::string superblock(kSuperblockBytes, '\0');
  FIRTH_RETURN_IF_ERROR(out.Write(superblock));
  // Checks that overwriting is possible here.
  FIRTH_RETURN_IF_ERROR(out.Overwrite(0, superblock));
  return Hdf5Writer(std::move(out));
}

absl::Status Hdf5Writer::Add(const std::string& name,
                             absl::Span<const uint64_t> shape,
                             const float* values) {
  return AddValues(name, kHdf5Float32, shape, BytesOf(values, shape));
}

absl::Status Hdf5Writer::Add(const std::string& name,
                             absl::Span<const uint64_t> shape,
                             const uint16_t* values) {
  return AddValues(name, kHdf5Float16, shape, BytesOf(values, shape));
}

absl::Status Hdf5Writer::AddText(const std::string& name,
                                 absl::string_view text) {
  FIRTH_CHECK(!text.empty() &&
              text.size() <= std::numeric_limits<uint32_t>::max());
  return AddValues(name, Hdf5Text(static_cast<uint32_t>(text.size())), {1},
                   text);
}

absl::Status Hdf5Writer::AddValues(const std::string& name,
                                   absl::string_view type,
                                   absl::Span<const uint64_t> shape,
                                   absl::string_view values) {
  FIRTH_CHECK(!name.empty() && name.find('/') == name.npos);
  const uint64_t bytes = values.size();
  std::string header(-out_.position() % kAlignment, '\0');
  const uint64_t at = out_.position() + header.size();
  const uint64_t begin = at + DatasetHeader(type, shape, 0, 0).size();
  header += DatasetHeader(type, shape, bytes > 0 ? begin : kHdf5Nowhere, bytes);
  FIRTH_RETURN_IF_ERROR(out_.Write(header));
  FIRTH_RETURN_IF_ERROR(out_.Write(values));
  members_.push_back({name, at});
  return absl::OkStatus();
}

absl::Status Hdf5Writer::Commit() {
  std::sort(members_.begin(), members_.end(),
            [](const Member& a, const Member& b) { return a.name < b.name; });
  std::string names(kAlignment, '\0');  // Begins with the empty name.
  std::vector<uint64_t> name_places;
  for (const Member& member : members_) {
    name_places.push_back(names.size());
    names += member.name;
    names += '\0';
  }
  Align(&names);
  FIRTH_RETURN_IF_ERROR(
      out_.Write(std::string(-out_.position() % kAlignment, '\0')));
  const uint64_t heap = out_.position();
  FIRTH_RETURN_IF_ERROR(out_.Write(Heap(heap, names)));
  FIRTH_ASSIGN_OR_RETURN(std::vector<Child> nodes, WriteSymbols(name_places));
  FIRTH_ASSIGN_OR_RETURN(const uint64_t tree, WriteTree(std::move(nodes)));
  const uint64_t root = out_.position();
  FIRTH_RETURN_IF_ERROR(out_.Write(GroupHeader(tree, heap)));
  FIRTH_RETURN_IF_ERROR(
      out_.Overwrite(0, Superblock(out_.position(), root, tree, heap)));
  return out_.Commit();
}

// Writes the bottom nodes, which contain the members with these names.
absl::StatusOr<std::vector<Hdf5Writer::Child>> Hdf5Writer::WriteSymbols(
    absl::Span<const uint64_t> names) {
  std::vector<Child> nodes;
  for (size_t first = 0; first < members_.size(); first += kMostSymbols) {
    const size_t end = std::min(first + kMostSymbols, members_.size());
    std::string node(kHdf5Symbols);
    Put(uint16_t{1}, &node);  // Version.
    Put(static_cast<uint16_t>(end - first), &node);
    for (size_t i = first; i < end; ++i) {
      Put(names[i], &node);
      Put(members_[i].header, &node);
      Put(uint64_t{kHdf5NothingKnown}, &node);
      node.append(16, '\0');
    }
    node.resize(8 + kMostSymbols * kHdf5SymbolBytes);
    nodes.push_back({out_.position(), names[end - 1]});
    FIRTH_RETURN_IF_ERROR(out_.Write(node));
  }
  return nodes;
}

// Writes one level after the other, up to a single node. Returns its address.
absl::StatusOr<uint64_t> Hdf5Writer::WriteTree(std::vector<Child> children) {
  for (uint8_t level = 0;; ++level) {
    const uint64_t begin = out_.position();
    const size_t count = std::max<size_t>(
        1, (children.size() + kMostChildren - 1) / kMostChildren);
    std::vector<Child> nodes;
    for (size_t i = 0; i < count; ++i) {
      const auto below = absl::MakeConstSpan(children).subspan(
          i * kMostChildren, kMostChildren);
      const uint64_t at = begin + i * kTreeNodeBytes;
      FIRTH_RETURN_IF_ERROR(
          WriteTreeNode(below, level, i == 0 ? 0 : nodes.back().last_name,
                        i == 0 ? kHdf5Nowhere : at - kTreeNodeBytes,
                        i + 1 == count ? kHdf5Nowhere : at + kTreeNodeBytes));
      nodes.push_back({at, below.empty() ? 0 : below.back().last_name});
    }
    if (count == 1) return begin;
    children = std::move(nodes);
  }
}

absl::Status Hdf5Writer::WriteTreeNode(absl::Span<const Child> children,
                                       uint8_t level, uint64_t first_name,
                                       uint64_t left, uint64_t right) {
  std::string node(kHdf5Tree);
  Put(uint8_t{0}, &node);  // A node of a group.
  Put(level, &node);
  Put(static_cast<uint16_t>(children.size()), &node);
  Put(left, &node);
  Put(right, &node);
  Put(first_name, &node);
  for (const Child& child : children) {
    Put(child.address, &node);
    Put(child.last_name, &node);
  }
  node.resize(kTreeNodeBytes);
  return out_.Write(node);
}

}  // namespace firth
