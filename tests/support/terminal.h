// The program at a terminal, as a person sees it.

#ifndef FIRTH_TESTS_SUPPORT_TERMINAL_H_
#define FIRTH_TESTS_SUPPORT_TERMINAL_H_

#include <sys/types.h>

#include <string>
#include <vector>

namespace firth {

// Runs $FIRTH_PROGRAM with a pseudo-terminal (xterm, 80 columns, UTF-8) as its
// standard input, output and error.
class FirthAtTerminal {
 public:
  // `environment`: of "NAME=VALUE", before that of the test.
  explicit FirthAtTerminal(const std::vector<std::string>& arguments,
                           const std::vector<std::string>& environment = {});
  ~FirthAtTerminal();
  FirthAtTerminal(const FirthAtTerminal&) = delete;
  FirthAtTerminal& operator=(const FirthAtTerminal&) = delete;

  void Type(const std::string& keys) const;
  // Waits, as Eventually() does, until `text` has been shown behind what was
  // waited for before; line ends are "\r\n".
  bool Shows(const std::string& text);
  // Waits for the end and returns the exit code; 128 + signal when a signal
  // ended it.
  int WaitForEnd();
  // All that was shown.
  const std::string& shown() const { return shown_; }

 private:
  // Takes what it has written; false at its end.
  bool Read();

  pid_t pid_ = -1;
  int fd_ = -1;
  std::string shown_;
  size_t seen_ = 0;  // what was waited for ends here
};

}  // namespace firth

#endif  // FIRTH_TESTS_SUPPORT_TERMINAL_H_
