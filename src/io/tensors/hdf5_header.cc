// Reads the messages of an object header, of version 1 (a plain list) or 2
// (with flags that determine which fields are present). A header may continue
// in other blocks of the file. Their number is limited, so that a cycle of
// blocks ends.

#include "io/tensors/hdf5_header.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "firth/status_macros.h"

namespace firth {
namespace {

constexpr uint8_t kAddressBytes = 8;
// Version 1 cannot contain more. The limit also ends a cycle of blocks.
constexpr size_t kMostMessages = 65535;
constexpr uint8_t kSharedFlag = 2;

constexpr absl::string_view kHeaderV2 = "OHDR";
constexpr absl::string_view kContinuationV2 = "OCHK";
constexpr size_t kChecksumBytes = 4;

// Bits of the flags of an object header of version 2.
constexpr uint8_t kChunkSizeBits = 3;
constexpr uint8_t kOrderFlag = 4;
constexpr uint8_t kPhaseFlag = 16;
constexpr uint8_t kTimesFlag = 32;

void CheckAddressBytes(ByteReader& reader) {
  for (const char* what : {"the bytes of an address", "the bytes of a size"}) {
    reader.ReadRange<uint8_t>(what, kAddressBytes, kAddressBytes);
  }
}

void CheckAddress(ByteReader& reader, absl::string_view what, uint64_t expected,
                  absl::string_view meaning) {
  const uint64_t at = reader.position();
  const auto found = reader.Read<uint64_t>(what);
  if (found == expected) return;
  reader.Fail(at, meaning, absl::StrCat(what, " ", found));
}

void CheckStart(ByteReader& reader) {
  CheckAddress(reader, "the start of addresses", 0,
               "an HDF5 file that begins at the first byte");
}

void CheckEnd(ByteReader& reader) {
  const uint64_t at = reader.position();
  const auto end = reader.Read<uint64_t>("the end of the file");
  if (end <= reader.file().size()) return;
  reader.Fail(at, absl::StrCat("a file of ", end, " bytes"),
              absl::StrCat("one of ", reader.file().size()));
}

// Reads superblocks of versions 0 and 1, from the fourth byte on.
void SkipToRootOfOld(ByteReader& reader, bool indexed) {
  reader.Skip(4, "versions");
  CheckAddressBytes(reader);
  reader.Skip(indexed ? 13 : 9, "the superblock");
  CheckStart(reader);
  reader.Skip(8, "the address of free space");
  CheckEnd(reader);
  CheckAddress(reader, "a driver's information at byte", kHdf5Nowhere,
               "an HDF5 file in one part");
  reader.Skip(8, "the name of the root group");
}

// Reads superblocks of versions 2 and 3.
void SkipToRootOfNew(ByteReader& reader) {
  CheckAddressBytes(reader);
  reader.Skip(1, "flags");
  CheckStart(reader);
  reader.Skip(8, "the address of the extension");
  CheckEnd(reader);
}

// Reads the messages of one object header, chunk by chunk.
class MessageReader {
 public:
  explicit MessageReader(ByteReader& reader) : reader_(reader) {}

  absl::StatusOr<std::vector<Hdf5Message>> ReadAll(uint64_t address) {
    GoToHdf5(reader_, address, "an object header");
    new_ = reader_.Read<uint8_t>("an object header") != 1;
    reader_.GoTo(address);
    FIRTH_RETURN_IF_ERROR(new_ ? OpenNew() : OpenOld());
    for (size_t i = 0; i < chunks_.size(); ++i) {
      FIRTH_RETURN_IF_ERROR(ReadChunk(chunks_[i]));
    }
    return std::move(messages_);
  }

 private:
  struct Chunk {
    uint64_t begin;
    uint64_t bytes;
  };

  absl::Status OpenOld() {
    reader_.Skip(8, "an object header");
    const auto bytes = reader_.Read<uint32_t>("the bytes of messages");
    reader_.Skip(4, "an object header");
    return AddChunk(reader_.position(), bytes);
  }

  absl::Status OpenNew() {
    ReadHdf5Signature(reader_, kHeaderV2, "an object header");
    reader_.ReadRange<uint8_t>("an object header of version", 2, 2);
    const auto flags = reader_.Read<uint8_t>("flags");
    const size_t skipped =
        ((flags & kTimesFlag) ? 16 : 0) + ((flags & kPhaseFlag) ? 4 : 0);
    reader_.Skip(skipped, "an object header");
    head_bytes_ = (flags & kOrderFlag) ? 6 : 4;
    const uint64_t bytes = reader_.ReadNumber(
        size_t{1} << (flags & kChunkSizeBits), "the bytes of messages");
    return AddChunk(reader_.position(), bytes);
  }

  absl::Status AddChunk(uint64_t begin, uint64_t bytes) {
    const uint64_t at = reader_.position();
    const uint64_t size = reader_.file().size();
    if (begin > size || bytes > size - begin) {
      return reader_.Fail(
          at, absl::StrCat("messages within the ", size, " bytes of the file"),
          absl::StrCat(bytes, " bytes from byte ", begin));
    }
    chunks_.push_back({begin, bytes});
    return reader_.status();
  }

  absl::Status ReadChunk(const Chunk& chunk) {
    reader_.GoTo(chunk.begin);
    const uint64_t end = chunk.begin + chunk.bytes;
    while (end - reader_.position() >= head_bytes_) {
      FIRTH_ASSIGN_OR_RETURN(const Hdf5Message message, ReadHead());
      if (message.bytes > end - message.begin) {
        return reader_.Fail(message.begin,
                            absl::StrCat("a message of at most ",
                                         end - message.begin, " bytes"),
                            absl::StrCat("one of ", message.bytes));
      }
      if (message.type == Hdf5MessageType::kContinuation) {
        FIRTH_RETURN_IF_ERROR(Continue());
      }
      messages_.push_back(message);
      if (messages_.size() > kMostMessages) {
        return reader_.Fail(
            message.begin, absl::StrCat("at most ", kMostMessages, " messages"),
            "more");
      }
      reader_.GoTo(message.begin + message.bytes);
    }
    return absl::OkStatus();
  }

  // Reads the fields before the data of a message.
  absl::StatusOr<Hdf5Message> ReadHead() {
    const absl::string_view head = reader_.ReadBytes(head_bytes_, "a message");
    FIRTH_RETURN_IF_ERROR(reader_.status());
    Hdf5Message message{};
    const auto byte = [&head](size_t i) {
      return static_cast<uint8_t>(head[i]);
    };
    const size_t wide = new_ ? 0 : 1;  // Types in version 1 have two bytes.
    message.type =
        static_cast<Hdf5MessageType>(byte(0) | (wide ? byte(1) << 8 : 0));
    message.bytes = byte(wide + 1) | byte(wide + 2) << 8;
    message.shared = (byte(wide + 3) & kSharedFlag) != 0;
    message.begin = reader_.position();
    return message;
  }

  absl::Status Continue() {
    auto begin = reader_.Read<uint64_t>("an address of messages");
    auto bytes = reader_.Read<uint64_t>("the bytes of messages");
    if (new_) {
      GoToHdf5(reader_, begin, "messages");
      ReadHdf5Signature(reader_, kContinuationV2, "messages");
      const uint64_t frame = kContinuationV2.size() + kChecksumBytes;
      begin += kContinuationV2.size();
      bytes -= bytes < frame ? bytes : frame;
    }
    return AddChunk(begin, bytes);
  }

  ByteReader& reader_;
  bool new_ = false;
  uint64_t head_bytes_ = 8;
  std::vector<Chunk> chunks_;
  std::vector<Hdf5Message> messages_;
};

}  // namespace

absl::StatusOr<uint64_t> ReadHdf5Superblock(ByteReader& reader) {
  if (reader.ReadBytes(kHdf5Signature.size(), "a signature") !=
      kHdf5Signature) {
    return absl::DataLossError(absl::StrCat(
        reader.file().path(), ": expected an HDF5 file, found ",
        reader.file().size() == 0 ? "an empty one" : "something else"));
  }
  const auto version =
      reader.ReadVersion<uint8_t>("an HDF5 superblock", 0, 3, "HDF5");
  if (version < 2) {
    SkipToRootOfOld(reader, version == 1);
  } else {
    SkipToRootOfNew(reader);
  }
  const auto root = reader.Read<uint64_t>("the address of the root group");
  FIRTH_RETURN_IF_ERROR(reader.status());
  return root;
}

absl::StatusOr<std::vector<Hdf5Message>> ReadHdf5Messages(ByteReader& reader,
                                                          uint64_t address) {
  return MessageReader(reader).ReadAll(address);
}

void GoToHdf5(ByteReader& reader, uint64_t address, absl::string_view what) {
  if (address < reader.file().size()) return reader.GoTo(address);
  reader.Fail(
      reader.position(),
      absl::StrCat("the address of ", what, ", below ", reader.file().size()),
      address == kHdf5Nowhere ? "none" : absl::StrCat(address));
}

void ReadHdf5Signature(ByteReader& reader, absl::string_view signature,
                       absl::string_view what) {
  const uint64_t at = reader.position();
  if (reader.ReadBytes(signature.size(), what) == signature) return;
  reader.Fail(at, absl::StrCat(what, " that begins \"", signature, "\""),
              "something else");
}

}  // namespace firth
