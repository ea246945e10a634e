#include "io/tensors/safetensors_writer.h"

#include <algorithm>
#include <utility>

#include "firth/status_macros.h"
#include "io/tensors/safetensors_header.h"

namespace firth {

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
