// Runs the real program, as a user would, and looks at what it did.

#ifndef FIRTH_TESTS_SUPPORT_RUN_PROGRAM_H_
#define FIRTH_TESTS_SUPPORT_RUN_PROGRAM_H_

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "support/temp_files.h"

namespace firth {

// $FIRTH_PROGRAM; empty if it is not set.
std::string ProgramPath();

struct Outcome {
  int code = 0;     // exit code; 128 + signal when a signal ended it
  std::string out;  // standard output
  std::string err;  // standard error
  // The most memory it had resident, looked up every few milliseconds.
  uint64_t peak_bytes = 0;
};

struct ProgramOptions {
  std::string input = {};        // what the program reads at standard input
  std::string input_path = {};   // a file or pipe to read there instead
  uint64_t file_size_limit = 0;  // bytes a file may grow to; 0: no limit
  uint64_t address_limit = 0;    // bytes of addresses (ulimit -v); 0: no limit
};

// Runs $FIRTH_PROGRAM with `arguments` and waits for its end.
Outcome RunFirth(const std::vector<std::string>& arguments,
                 const ProgramOptions& options = {});

// Waits until `done` is true. False after minutes, which no load of a machine
// takes: a test that waits for something says what it is, and never how long
// it takes.
bool Eventually(const std::function<bool()>& done);

// A program that is still running. Its output goes to files.
class RunningFirth {
 public:
  explicit RunningFirth(const std::vector<std::string>& arguments,
                        const ProgramOptions& options = {});
  ~RunningFirth();
  RunningFirth(const RunningFirth&) = delete;
  RunningFirth& operator=(const RunningFirth&) = delete;

  void Signal(int signal) const;
  // What it wrote to standard output and to standard error so far.
  std::string OutputSoFar() const;
  std::string ErrorsSoFar() const;
  // Wait as Eventually() does: until standard error holds `text`, until there
  // is something at standard output.
  bool WaitForError(const std::string& text) const;
  bool WaitForOutput() const;
  // Waits for its end as Eventually() does, and kills it if it does not come.
  Outcome Wait();

 private:
  std::string folder_;
  pid_t pid_ = -1;
};

// The end of a named pipe that a program reads. Once it is made the program
// has opened the pipe; until it goes the program can expect more.
class PipeWriter {
 public:
  explicit PipeWriter(const std::string& path);
  ~PipeWriter();
  PipeWriter(const PipeWriter&) = delete;
  PipeWriter& operator=(const PipeWriter&) = delete;

  void Write(const std::string& text) const;

 private:
  int fd_ = -1;
};

// A new empty folder below testing::TempDir().
std::string MakeTestFolder();

void WriteWholeFile(const std::string& path, const std::string& text);

// Sentences about animals and about tools; a word never meets one of the other
// topic. "cat", "dog", ... and "hammer", "saw", ....
std::string TwoTopicText(int lines);

// A test with a folder of its own that is removed afterwards. Skips where the
// program's place is not known: `make test` sets $FIRTH_PROGRAM.
class ProgramTest : public testing::Test {
 protected:
  void SetUp() override;
  void TearDown() override;

  // A path in the test's folder.
  std::string Path(const std::string& name) const {
    return folder_ + "/" + name;
  }
  // The same with `text` in it.
  std::string File(const std::string& name, const std::string& text) const;

 private:
  std::string folder_;
};

}  // namespace firth

#endif  // FIRTH_TESTS_SUPPORT_RUN_PROGRAM_H_
