// One folder per label. Each file below the folder of a label is a text. The
// label is the path of its folder relative to the input, such as
// "sport/football". If labels are required, files outside these folders, such
// as a README, are not texts.

#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/types/span.h"
#include "base/unicode.h"
#include "classify/texts/labelled_forms.h"
#include "corpus/byte_source.h"
#include "corpus/input_files.h"
#include "firth/status_macros.h"

namespace firth {
namespace {

struct FileOfLabel {
  std::string path;
  std::string label;  // empty if in no folder
};

// Reads a file, but only slightly more than kMostLineBytes of a longer one.
absl::StatusOr<std::string> ReadTextFile(const std::string& path,
                                         const std::atomic<bool>* stop) {
  constexpr size_t kStep = size_t{64} << 10;
  FIRTH_ASSIGN_OR_RETURN(const auto source, OpenByteSource(path, stop));
  std::string text;
  for (size_t size = 0, got = 1; got > 0 && size <= kMostLineBytes;
       size += got) {
    text.resize(size + kStep);
    FIRTH_ASSIGN_OR_RETURN(
        got, source->Read(absl::MakeSpan(text.data() + size, kStep)));
    text.resize(size + got);
  }
  FIRTH_RETURN_IF_ERROR(CheckIsText(path, text));
  if (absl::StartsWith(text, kByteOrderMark)) {
    text.erase(0, kByteOrderMark.size());
  }
  return text;
}

// Returns, for example, "3 outside of the folders of labels, 1 hidden", or ""
// if no file was left out.
std::string LeftOutText(size_t in_no_folder, const LeftOutFiles& others) {
  std::vector<std::string> parts;
  const auto add = [&](size_t count, absl::string_view what) {
    if (count > 0) parts.push_back(absl::StrCat(count, " ", what));
  };
  add(in_no_folder, "outside of the folders of labels");
  add(others.special, "that are not regular files (links to folders, pipes)");
  add(others.hidden, "hidden");
  return absl::StrJoin(parts, ", ");
}

absl::Status AddFilesOf(const std::string& folder, bool with_labels,
                        ProgressSink* progress,
                        std::vector<FileOfLabel>* files) {
  std::error_code error;
  if (folder == "-" || (!std::filesystem::is_directory(folder, error) &&
                        std::filesystem::exists(folder, error))) {
    return Malformed(InputName(folder), "a folder with one subfolder per label",
                     "no subfolder");
  }
  LeftOutFiles others;
  FIRTH_ASSIGN_OR_RETURN(const auto paths, ExpandInputs({folder}, &others));
  const size_t before = files->size();
  for (const std::string& path : paths) {
    const std::filesystem::path inside =
        std::filesystem::path(path).lexically_relative(folder);
    std::string label = inside.parent_path().string();
    if (label.empty() && with_labels) continue;
    files->push_back({path, std::move(label)});
  }
  const size_t taken = files->size() - before;
  const std::string left_out = LeftOutText(paths.size() - taken, others);
  if (taken > 0) {
    if (progress != nullptr && !left_out.empty()) {
      progress->OnWarning(absl::StrCat(folder, ": left out ", left_out));
    }
    return absl::OkStatus();
  }
  return Malformed(folder, "one subfolder per label with its files",
                   absl::StrCat(paths.size(), " files outside of subfolders"));
}

class LabelledFolders final : public LabelledSource {
 public:
  LabelledFolders(const LabelledTextOptions& options,
                  std::vector<FileOfLabel> files, const std::atomic<bool>* stop)
      : options_(options), stop_(stop), files_(std::move(files)) {}

  bool Ready() const override { return true; }

  absl::StatusOr<bool> Next(LabelledText* text) override {
    if (next_ == files_.size()) return false;
    const FileOfLabel& file = files_[next_++];
    const auto place = [&] { return file.path; };
    FIRTH_RETURN_IF_ERROR(AddLabel(place, file.label, text));
    FIRTH_ASSIGN_OR_RETURN(text->text, ReadTextFile(file.path, stop_));
    text->file = file.path;
    if (text->text.size() > kMostLineBytes) {
      const absl::Status too_long = Malformed(
          file.path,
          absl::StrCat("a text of at most ", kMostLineBytes, " bytes"),
          "a longer one");
      if (!options_.skip_long) return too_long;
      text->text.clear();
      text->left_out = std::string(too_long.message());
    }
    FIRTH_RETURN_IF_ERROR(CleanUtf8(place, options_, &text->text));
    return true;
  }

 private:
  const LabelledTextOptions& options_;
  const std::atomic<bool>* stop_;
  std::vector<FileOfLabel> files_;
  size_t next_ = 0;
};

}  // namespace

LabelledSourceOr OpenLabelledFolders(const LabelledTextOptions& options,
                                     const std::atomic<bool>* stop,
                                     ProgressSink* progress) {
  std::vector<FileOfLabel> files;
  for (const std::string& folder : options.inputs) {
    FIRTH_RETURN_IF_ERROR(
        AddFilesOf(folder, options.with_labels, progress, &files));
  }
  return std::make_unique<LabelledFolders>(options, std::move(files), stop);
}

}  // namespace firth
