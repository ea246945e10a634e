// Reads the messages of an object header, of version 1 (a plain list) or 2
// (with flags that say which fields there are). A header may go on in other
// blocks of the file: their number is bounded, so that a ring of them ends.

#include "io/tensors/hdf5_header.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "firth/status_macros.h"

namespace firth {
namespace {

constexpr uint8_t kAddressBytes = 8;
// Version 1 cannot hold more. A header that goes round in a circle ends here.
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

absl::Status CheckAddressBytes(ByteReader& reader) {
  for (const char* what : {"the bytes of an address", "the bytes of a size"}) {
    FIRTH_RETURN_IF_ERROR(
        reader.ReadRange<uint8_t>(what, kAddressBytes, kAddressBytes).status());
  }
  return absl::OkStatus();
}

absl::Status CheckAddress(ByteReader& reader, absl::string_view what,
                          uint64_t expected, absl::string_view meaning) {
  const uint64_t at = reader.position();
  FIRTH_ASSIGN_OR_RETURN(const uint64_t found, reader.Read<uint64_t>(what));
  if (found == expected) return absl::OkStatus();
  return reader.ErrorAt(at, meaning, absl::StrCat(what, " ", found));
}

absl::Status CheckStart(ByteReader& reader) {
  return CheckAddress(reader, "the start of addresses", 0,
                      "an HDF5 file from its first byte on");
}

absl::Status CheckEnd(ByteReader& reader) {
  const uint64_t at = reader.position();
  FIRTH_ASSIGN_OR_RETURN(const uint64_t end,
                         reader.Read<uint64_t>("the end of the file"));
  if (end <= reader.file().size()) return absl::OkStatus();
  return reader.ErrorAt(at, absl::StrCat("a file of ", end, " bytes"),
                        absl::StrCat("one of ", reader.file().size()));
}

// Superblocks 0 and 1, from their fourth byte on.
absl::StatusOr<uint64_t> ReadOldSuperblock(ByteReader& reader, bool indexed) {
  FIRTH_RETURN_IF_ERROR(reader.Skip(4, "versions"));
  FIRTH_RETURN_IF_ERROR(CheckAddressBytes(reader));
  FIRTH_RETURN_IF_ERROR(reader.Skip(indexed ? 13 : 9, "the superblock"));
  FIRTH_RETURN_IF_ERROR(CheckStart(reader));
  FIRTH_RETURN_IF_ERROR(
      reader.Read<uint64_t>("the address of free space").status());
  FIRTH_RETURN_IF_ERROR(CheckEnd(reader));
  FIRTH_RETURN_IF_ERROR(CheckAddress(reader, "a driver's information at byte",
                                     kHdf5Nowhere, "an HDF5 file in one part"));
  FIRTH_RETURN_IF_ERROR(
      reader.Read<uint64_t>("the name of the root group").status());
  return reader.Read<uint64_t>("the address of the root group");
}

// Superblocks 2 and 3.
absl::StatusOr<uint64_t> ReadNewSuperblock(ByteReader& reader) {
  FIRTH_RETURN_IF_ERROR(CheckAddressBytes(reader));
  FIRTH_RETURN_IF_ERROR(reader.Read<uint8_t>("flags").status());
  FIRTH_RETURN_IF_ERROR(CheckStart(reader));
  FIRTH_RETURN_IF_ERROR(
      reader.Read<uint64_t>("the address of the extension").status());
  FIRTH_RETURN_IF_ERROR(CheckEnd(reader));
  return reader.Read<uint64_t>("the address of the root group");
}

// Reads the messages of one object header, chunk by chunk.
class MessageReader {
 public:
  explicit MessageReader(ByteReader& reader) : reader_(reader) {}

  absl::StatusOr<std::vector<Hdf5Message>> ReadAll(uint64_t address) {
    FIRTH_RETURN_IF_ERROR(GoToHdf5(reader_, address, "an object header"));
    FIRTH_ASSIGN_OR_RETURN(const uint8_t version,
                           reader_.Read<uint8_t>("an object header"));
    new_ = version != 1;
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
    FIRTH_RETURN_IF_ERROR(reader_.Skip(8, "an object header"));
    FIRTH_ASSIGN_OR_RETURN(const uint32_t bytes,
                           reader_.Read<uint32_t>("the bytes of messages"));
    FIRTH_RETURN_IF_ERROR(reader_.Skip(4, "an object header"));
    return AddChunk(reader_.position(), bytes);
  }

  absl::Status OpenNew() {
    FIRTH_RETURN_IF_ERROR(
        ReadHdf5Signature(reader_, kHeaderV2, "an object header"));
    FIRTH_RETURN_IF_ERROR(
        reader_.ReadRange<uint8_t>("an object header of version", 2, 2)
            .status());
    FIRTH_ASSIGN_OR_RETURN(const uint8_t flags, reader_.Read<uint8_t>("flags"));
    const size_t skipped =
        ((flags & kTimesFlag) ? 16 : 0) + ((flags & kPhaseFlag) ? 4 : 0);
    FIRTH_RETURN_IF_ERROR(reader_.Skip(skipped, "an object header"));
    head_bytes_ = (flags & kOrderFlag) ? 6 : 4;
    uint64_t bytes = 0;
    FIRTH_ASSIGN_OR_RETURN(
        const absl::string_view size,
        reader_.ReadBytes(size_t{1} << (flags & kChunkSizeBits),
                          "the bytes of messages"));
    std::memcpy(&bytes, size.data(), size.size());
    return AddChunk(reader_.position(), bytes);
  }

  absl::Status AddChunk(uint64_t begin, uint64_t bytes) {
    const uint64_t at = reader_.position();
    const uint64_t size = reader_.file().size();
    if (begin > size || bytes > size - begin) {
      return reader_.ErrorAt(
          at, absl::StrCat("messages within the ", size, " bytes of the file"),
          absl::StrCat(bytes, " bytes from byte ", begin, " on"));
    }
    chunks_.push_back({begin, bytes});
    return absl::OkStatus();
  }

  absl::Status ReadChunk(const Chunk& chunk) {
    reader_.GoTo(chunk.begin);
    const uint64_t end = chunk.begin + chunk.bytes;
    while (end - reader_.position() >= head_bytes_) {
      FIRTH_ASSIGN_OR_RETURN(const Hdf5Message message, ReadHead());
      if (message.bytes > end - message.begin) {
        return reader_.ErrorAt(message.begin,
                               absl::StrCat("a message of at most ",
                                            end - message.begin, " bytes"),
                               absl::StrCat("one of ", message.bytes));
      }
      if (message.type == Hdf5MessageType::kContinuation) {
        FIRTH_RETURN_IF_ERROR(Continue());
      }
      messages_.push_back(message);
      if (messages_.size() > kMostMessages) {
        return reader_.ErrorAt(
            message.begin, absl::StrCat("at most ", kMostMessages, " messages"),
            "more");
      }
      reader_.GoTo(message.begin + message.bytes);
    }
    return absl::OkStatus();
  }

  // Reads the fields that stand before the data of a message.
  absl::StatusOr<Hdf5Message> ReadHead() {
    FIRTH_ASSIGN_OR_RETURN(const absl::string_view head,
                           reader_.ReadBytes(head_bytes_, "a message"));
    Hdf5Message message{};
    const auto byte = [&head](size_t i) {
      return static_cast<uint8_t>(head[i]);
    };
    const size_t wide = new_ ? 0 : 1;  // old types have two bytes
    message.type =
        static_cast<Hdf5MessageType>(byte(0) | (wide ? byte(1) << 8 : 0));
    message.bytes = byte(wide + 1) | byte(wide + 2) << 8;
    message.shared = (byte(wide + 3) & kSharedFlag) != 0;
    message.begin = reader_.position();
    return message;
  }

  absl::Status Continue() {
    FIRTH_ASSIGN_OR_RETURN(uint64_t begin,
                           reader_.Read<uint64_t>("an address of messages"));
    FIRTH_ASSIGN_OR_RETURN(uint64_t bytes,
                           reader_.Read<uint64_t>("the bytes of messages"));
    if (new_) {
      FIRTH_RETURN_IF_ERROR(GoToHdf5(reader_, begin, "messages"));
      FIRTH_RETURN_IF_ERROR(
          ReadHdf5Signature(reader_, kContinuationV2, "messages"));
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
  const auto found = reader.ReadBytes(kHdf5Signature.size(), "a signature");
  if (!found.ok() || *found != kHdf5Signature) {
    return absl::DataLossError(absl::StrCat(
        reader.file().path(), ": expected an HDF5 file, found ",
        reader.file().size() == 0 ? "an empty one" : "something else"));
  }
  FIRTH_ASSIGN_OR_RETURN(
      const uint8_t version,
      reader.ReadRange<uint8_t>("a superblock of version", 0, 3));
  return version < 2 ? ReadOldSuperblock(reader, version == 1)
                     : ReadNewSuperblock(reader);
}

absl::StatusOr<std::vector<Hdf5Message>> ReadHdf5Messages(ByteReader& reader,
                                                          uint64_t address) {
  return MessageReader(reader).ReadAll(address);
}

absl::Status GoToHdf5(ByteReader& reader, uint64_t address,
                      absl::string_view what) {
  if (address < reader.file().size()) {
    reader.GoTo(address);
    return absl::OkStatus();
  }
  return reader.ErrorAt(
      reader.position(),
      absl::StrCat("the address of ", what, ", below ", reader.file().size()),
      address == kHdf5Nowhere ? "none" : absl::StrCat(address));
}

absl::Status ReadHdf5Signature(ByteReader& reader, absl::string_view signature,
                               absl::string_view what) {
  const uint64_t at = reader.position();
  FIRTH_ASSIGN_OR_RETURN(const absl::string_view found,
                         reader.ReadBytes(signature.size(), what));
  if (found == signature) return absl::OkStatus();
  return reader.ErrorAt(at,
                        absl::StrCat(what, " that begins \"", signature, "\""),
                        "something else");
}

}  // namespace firth
