#include "tools/cli/console.h"

#include <string>

#include "gtest/gtest.h"

namespace firth::tools {
namespace {

TEST(ConsoleTest, WhatATerminalObeysIsMadeVisible) {
  struct Case {
    const char* name;
    std::string text, visible;
  };
  const Case cases[] = {
      {"plain", "caf\u00e9 \u65e5\u672c\n\tx", "caf\u00e9 \u65e5\u672c\n\tx"},
      {"a title and a bell", "\x1b]0;x\x07", "\\x1b]0;x\\x07"},
      {"other C0 and DEL", std::string("a\rb\0c\x7f", 6), "a\\x0db\\x00c\\x7f"},
      {"C1", "\u009b31m", "\\u009b31m"},
      {"a direction", "\u202etxt\u2066", "\\u202etxt\\u2066"},
      {"joiners stay", "\u200d\u200c\u200f", "\u200d\u200c\u200f"},
      {"a line separator", "a\u2028b", "a\\u2028b"},
      {"invalid", "a\xff\xe2\x82z", "a\\xff\\xe2\\x82z"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(Visible(c.text), c.visible);
    EXPECT_EQ(Visible(c.visible), c.visible);
  }
}

}  // namespace
}  // namespace firth::tools
