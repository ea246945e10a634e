#include "firth/text_file.h"

#include "base/output_file.h"
#include "firth/status_macros.h"

namespace firth {

absl::Status WriteTextFile(const std::string& path, absl::string_view text) {
  FIRTH_ASSIGN_OR_RETURN(OutputFile file, OutputFile::Create(path));
  FIRTH_RETURN_IF_ERROR(file.Write(text));
  return file.Commit();
}

}  // namespace firth
