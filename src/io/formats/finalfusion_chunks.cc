#include "io/formats/finalfusion_chunks.h"

#include "absl/strings/str_cat.h"
#include "base/quote.h"
#include "firth/status_macros.h"

namespace firth {
namespace {

constexpr uint32_t kVersion = 0;
constexpr uint32_t kLastKind = static_cast<uint32_t>(FifuKind::kFloret);
constexpr uint32_t kMostChunks = 4;

// Returns the member for a chunk of this kind.
FifuChunk FifuChunks::*PlaceOf(FifuKind kind) {
  switch (kind) {
    case FifuKind::kArray:
    case FifuKind::kQuantizedArray:
      return &FifuChunks::array;
    case FifuKind::kMetadata:
      return &FifuChunks::metadata;
    case FifuKind::kNorms:
      return &FifuChunks::norms;
    case FifuKind::kWords:
    case FifuKind::kBucketWords:
    case FifuKind::kFasttextWords:
    case FifuKind::kExplicitWords:
    case FifuKind::kFloret:
      return &FifuChunks::vocabulary;
  }
  return &FifuChunks::vocabulary;
}

absl::StatusOr<std::vector<uint32_t>> ReadKinds(ByteReader& reader) {
  const uint64_t at = reader.position();
  const absl::string_view magic =
      reader.ReadBytes(kFifuMagic.size(), "the magic \"FiFu\"");
  if (magic != kFifuMagic) return reader.Fail(at, "\"FiFu\"", Quote(magic));
  reader.ReadRange<uint32_t>("a version", kVersion, kVersion);
  std::vector<uint32_t> kinds(
      reader.ReadRange<uint32_t>("a number of chunks", 2, kMostChunks));
  for (uint32_t& kind : kinds) {
    kind = reader.ReadRange<uint32_t>("a kind of chunk", 1, kLastKind);
  }
  FIRTH_RETURN_IF_ERROR(reader.status());
  return kinds;
}

// Reads the start of the next chunk, which must be of the kind given in the
// header, and skips its rest.
absl::StatusOr<FifuChunk> ReadChunk(ByteReader& reader, uint32_t kind) {
  reader.ReadRange<uint32_t>("a chunk of the kind in the header", kind, kind);
  FifuChunk chunk;
  chunk.kind = static_cast<FifuKind>(kind);
  chunk.bytes = reader.Read<uint64_t>("the length of a chunk");
  chunk.begin = reader.position();
  reader.Skip(chunk.bytes, "a chunk");
  FIRTH_RETURN_IF_ERROR(reader.status());
  return chunk;
}

// Returns whether norms follow that the header does not list. Takes the reader
// by value, so that its position does not change.
bool NormsFollow(ByteReader reader, const FifuChunks& chunks) {
  return chunks.norms.begin == 0 &&
         reader.Read<FifuKind>("a chunk") == FifuKind::kNorms;
}

}  // namespace

absl::StatusOr<FifuChunks> ReadFifuChunks(ByteReader& reader) {
  FIRTH_ASSIGN_OR_RETURN(const std::vector<uint32_t> kinds, ReadKinds(reader));
  FifuChunks chunks;
  for (const uint32_t kind : kinds) {
    const uint64_t at = reader.position();
    FIRTH_ASSIGN_OR_RETURN(const FifuChunk chunk, ReadChunk(reader, kind));
    FifuChunk& place = chunks.*PlaceOf(chunk.kind);
    if (place.begin > 0) {
      return reader.Fail(at, "each kind of chunk once",
                         absl::StrCat("kind ", kind, " after kind ",
                                      static_cast<uint32_t>(place.kind)));
    }
    place = chunk;
  }
  if (NormsFollow(reader, chunks)) {
    FIRTH_ASSIGN_OR_RETURN(
        chunks.norms,
        ReadChunk(reader, static_cast<uint32_t>(FifuKind::kNorms)));
  }
  FIRTH_RETURN_IF_ERROR(reader.CheckEnd());
  if (chunks.vocabulary.begin > 0 && chunks.array.begin > 0) return chunks;
  return reader.Fail(reader.position(),
                     "a vocabulary and an array before the end",
                     chunks.array.begin > 0 ? "no vocabulary" : "no array");
}

absl::Status CheckFifuEnd(ByteReader& reader, const FifuChunk& chunk) {
  if (reader.position() == chunk.begin + chunk.bytes) return reader.status();
  return reader.Fail(
      chunk.begin,
      absl::StrCat("a chunk of ", chunk.bytes, " bytes, as in its header"),
      absl::StrCat("one of ", reader.position() - chunk.begin));
}

void ReadFifuType(ByteReader& reader, uint32_t type) {
  reader.ReadRange<uint32_t>("a type of values", type, type);
}

void SkipFifuPadding(ByteReader& reader) {
  reader.Skip(FifuPadding(reader.position()), "padding");
}

absl::Status WriteFifuHeader(const std::vector<FifuKind>& kinds,
                             OutputFile& out) {
  FIRTH_RETURN_IF_ERROR(out.Write(kFifuMagic));
  FIRTH_RETURN_IF_ERROR(
      out.WriteNumbers(kVersion, static_cast<uint32_t>(kinds.size())));
  for (const FifuKind kind : kinds) {
    FIRTH_RETURN_IF_ERROR(out.WriteNumbers(kind));
  }
  return absl::OkStatus();
}

}  // namespace firth
