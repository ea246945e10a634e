#include "base/shared_library.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace firth {
namespace {

TEST(SharedLibraryTest, ErrorsNameWhatWasTriedAndThePackage) {
  const auto library =
      LoadSharedLibrary("libcarried.so", "libinstalled.so.7", "libinstalled7");
  ASSERT_EQ(library.status().code(), absl::StatusCode::kFailedPrecondition);
  for (const char* const part :
       {"libcarried.so: cannot open", "libinstalled.so.7: cannot open",
        "lib/firth", "Debian's package libinstalled7"}) {
    EXPECT_THAT(library.status().message(), testing::HasSubstr(part));
  }
}

TEST(SharedLibraryTest, TheCarriedOneComesFirst) {
  const auto carried = LoadSharedLibrary("libm.so.6", "libnone.so", "none");
  ASSERT_TRUE(carried.ok()) << carried.status();
  EXPECT_EQ(*LoadSharedLibrary("libnone.so", "libm.so.6", "none"), *carried);
}

}  // namespace
}  // namespace firth
