// Our reader and writer of HDF5 beside libhdf5, which makes and reads the files
// of these tests, and which follows what a file names. Ours must not.

#include "io/tensors/hdf5_file.h"

#include <hdf5.h>
#include <sys/stat.h>

#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/float16.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "io/tensors/hdf5_writer.h"
#include "lm/import/elmo_import.h"
#include "support/temp_files.h"

namespace firth {
namespace {

using testing::HasSubstr;

// A file that libhdf5 has open.
class LibraryFile {
 public:
  // Of the newest format, or of that which all versions read.
  LibraryFile(const std::string& path, bool newest) {
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    const auto version = newest ? H5F_LIBVER_LATEST : H5F_LIBVER_EARLIEST;
    H5Pset_libver_bounds(access, version, H5F_LIBVER_LATEST);
    file_ = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access);
    EXPECT_GE(file_, 0);
    H5Pclose(access);
    H5Pset_create_intermediate_group(with_groups_, 1);
  }
  ~LibraryFile() {
    H5Pclose(with_groups_);
    H5Pclose(layout_);
    H5Fclose(file_);
  }
  LibraryFile(const LibraryFile&) = delete;
  LibraryFile& operator=(const LibraryFile&) = delete;

  hid_t id() const { return file_; }
  // For the datasets that are added from now on.
  hid_t layout() const { return layout_; }

  void Add(const std::string& name, const std::vector<hsize_t>& shape,
           const std::vector<float>& values, hid_t type = H5T_IEEE_F32LE) {
    const hid_t space =
        H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr);
    const hid_t dataset = H5Dcreate2(file_, name.c_str(), type, space,
                                     with_groups_, layout_, H5P_DEFAULT);
    EXPECT_GE(dataset, 0) << name;
    if (!values.empty()) {
      EXPECT_GE(H5Dwrite(dataset, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL,
                         H5P_DEFAULT, values.data()),
                0);
    }
    H5Dclose(dataset);
    H5Sclose(space);
  }

 private:
  hid_t file_;
  hid_t with_groups_ = H5Pcreate(H5P_LINK_CREATE);
  hid_t layout_ = H5Pcreate(H5P_DATASET_CREATE);
};

std::vector<float> Numbered(size_t count, float from = 0) {
  std::vector<float> values(count);
  std::iota(values.begin(), values.end(), from);
  return values;
}

class Hdf5FileTest : public testing::TestWithParam<bool> {
 protected:
  bool newest() const { return GetParam(); }
  TempFolder folder;
  std::string path = folder.File("f.hdf5");
};

INSTANTIATE_TEST_SUITE_P(OldAndNew, Hdf5FileTest, testing::Bool(),
                         [](const testing::TestParamInfo<bool>& info) {
                           return info.param ? "Newest" : "Oldest";
                         });

TEST_P(Hdf5FileTest, ReadsWhatTheLibraryWrites) {
  {
    LibraryFile file(path, newest());
    file.Add("a", {2, 3}, Numbered(6));
    file.Add("CNN/deep/er", {4}, Numbered(4, 10), H5T_IEEE_F64LE);
    file.Add("none", {3, 0}, {});
  }
  const auto file = Hdf5File::Open(path);
  ASSERT_EQ(file.status(), absl::OkStatus());
  std::vector<float> values(6);
  EXPECT_EQ(file->Read("a", {2, 3}, values.data()), absl::OkStatus());
  EXPECT_EQ(values, Numbered(6));
  values.resize(4);
  EXPECT_EQ(file->Read("CNN/deep/er", {4}, values.data()), absl::OkStatus());
  EXPECT_EQ(values, Numbered(4, 10));
  EXPECT_EQ(*file->Shape("none"), (std::vector<uint64_t>{3, 0}));
  for (const char* name : {"b", "CNN/other", "CNN/deep/er/s", "", "a/", "/a"}) {
    EXPECT_FALSE(file->Shape(name).ok()) << name;
  }
  EXPECT_EQ(file->Shape("b").status().code(), absl::StatusCode::kNotFound);
}

TEST_P(Hdf5FileTest, RefusesValuesThatAreNotFinite) {
  {
    LibraryFile file(path, newest());
    file.Add("a", {1}, {1e38F * 10});
    file.Add("b", {1}, {0});
    const double large = 1e300;
    const hid_t scalar = H5Screate(H5S_SCALAR);
    const hid_t wide = H5Dcreate2(file.id(), "wide", H5T_IEEE_F64LE, scalar,
                                  H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Dwrite(wide, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, &large);
    H5Dclose(wide);
    H5Sclose(scalar);
  }
  const auto file = Hdf5File::Open(path);
  ASSERT_TRUE(file.ok());
  float value = 0;
  EXPECT_FALSE(file->Read("a", {1}, &value).ok());
  EXPECT_FALSE(file->Read("wide", {}, &value).ok());
  EXPECT_TRUE(file->Read("b", {1}, &value).ok());
}

TEST_P(Hdf5FileTest, RefusesANewerSuperblock) {
  { LibraryFile(path, newest()).Add("a", {1}, {1}); }
  std::string bytes = ReadWholeFile(path);
  bytes[8] = 4;  // After the signature.
  folder.Write("f.hdf5", bytes);
  const absl::Status status = Hdf5File::Open(path).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(status.message(),
            path +
                ": byte 8: expected an HDF5 superblock of at most version 3, "
                "found version 4, written by a newer version of HDF5; upgrade "
                "Firth to read it");
}

struct RefusedCase {
  const char* name;
  const char* message;
  // Adds "x" to a file in a folder with the file "secret".
  std::function<void(LibraryFile&, const std::string& secret)> add;
};

const RefusedCase kRefused[] = {
    {"external storage", "names of other files",
     [](LibraryFile& file, const std::string& secret) {
       H5Pset_external(file.layout(), secret.c_str(), 0, 64);
       file.Add("x", {16}, {});
     }},
    {"external link", "an external link",
     [](LibraryFile& file, const std::string& secret) {
       H5Lcreate_external(secret.c_str(), "/x", file.id(), "x", H5P_DEFAULT,
                          H5P_DEFAULT);
     }},
    {"virtual dataset", "a virtual dataset",
     [](LibraryFile& file, const std::string& secret) {
       const hsize_t size = 16;
       const hid_t space = H5Screate_simple(1, &size, nullptr);
       H5Pset_virtual(file.layout(), space, secret.c_str(), "/x", space);
       file.Add("x", {16}, {});
       H5Sclose(space);
     }},
    {"soft link", "a soft link",
     [](LibraryFile& file, const std::string&) {
       file.Add("y", {16}, Numbered(16));
       H5Lcreate_soft("/y", file.id(), "x", H5P_DEFAULT, H5P_DEFAULT);
     }},
    {"chunks", "values in chunks",
     [](LibraryFile& file, const std::string&) {
       const hsize_t size = 4;
       H5Pset_chunk(file.layout(), 1, &size);
       H5Pset_deflate(file.layout(), 1);
       file.Add("x", {16}, Numbered(16));
     }},
    {"compact values", "values inside the header",
     [](LibraryFile& file, const std::string&) {
       H5Pset_layout(file.layout(), H5D_COMPACT);
       file.Add("x", {16}, Numbered(16));
     }},
    {"whole numbers", "another type",
     [](LibraryFile& file, const std::string&) {
       file.Add("x", {16}, Numbered(16), H5T_STD_I32LE);
     }},
    {"big-endian numbers", "another type",
     [](LibraryFile& file, const std::string&) {
       file.Add("x", {16}, Numbered(16), H5T_IEEE_F32BE);
     }},
    {"named type", "a type with a name",
     [](LibraryFile& file, const std::string&) {
       const hid_t type = H5Tcopy(H5T_IEEE_F32LE);
       H5Tcommit2(file.id(), "type", type, H5P_DEFAULT, H5P_DEFAULT,
                  H5P_DEFAULT);
       file.Add("x", {16}, Numbered(16), type);
       H5Tclose(type);
     }},
    {"never written", "found none",
     [](LibraryFile& file, const std::string&) { file.Add("x", {16}, {}); }},
    {"group", "without sizes",
     [](LibraryFile& file, const std::string&) {
       file.Add("x/y", {16}, Numbered(16));
     }},
};

TEST_P(Hdf5FileTest, RefusesWhatIsNotThereAsItself) {
  const std::string secret = folder.Write("secret", std::string(64, '@'));
  for (const RefusedCase& refused : kRefused) {
    SCOPED_TRACE(refused.name);
    {
      LibraryFile file(path, newest());
      refused.add(file, secret);
    }
    const auto file = Hdf5File::Open(path);
    ASSERT_EQ(file.status(), absl::OkStatus());
    std::vector<float> values(16, -1);
    const absl::Status status = file->Read("x", {16}, values.data());
    EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
    EXPECT_THAT(std::string(status.message()), HasSubstr(refused.message));
    EXPECT_THAT(std::string(status.message()), HasSubstr("\"x\""));
    EXPECT_THAT(std::string(status.message()), HasSubstr(path));
    EXPECT_EQ(values, std::vector<float>(16, -1));
  }
}

TEST_P(Hdf5FileTest, ManyMembersAreFoundOrTheKindOfGroupIsNamed) {
  {
    LibraryFile file(path, newest());
    for (int i = 0; i < 1000; ++i) {
      file.Add(absl::StrCat("g/", i), {1}, {static_cast<float>(i)});
    }
  }
  const auto file = Hdf5File::Open(path);
  ASSERT_TRUE(file.ok());
  if (newest()) {
    EXPECT_THAT(std::string(file->Shape("g/1").status().message()),
                HasSubstr("fractal heap"));
    return;
  }
  for (int i = 0; i < 1000; ++i) {
    float value = -1;
    ASSERT_EQ(file->Read(absl::StrCat("g/", i), {1}, &value), absl::OkStatus());
    ASSERT_EQ(value, i);
  }
}

constexpr char kSmallOptions[] = R"({
  "lstm": {"dim": 2, "projection_dim": 1, "n_layers": 1, "cell_clip": 3,
           "proj_clip": 3, "use_skip_connections": true},
  "char_cnn": {"embedding": {"dim": 1}, "filters": [[1, 2]], "n_highway": 0,
               "max_characters_per_token": 50, "activation": "relu"}})";

void AddWeights(LibraryFile& file) {
  file.Add("CNN/W_cnn_0", {1, 1, 1, 2}, Numbered(2));
  file.Add("CNN/b_cnn_0", {2}, Numbered(2));
  file.Add("CNN_proj/W_proj", {2, 1}, Numbered(2));
  file.Add("CNN_proj/b_proj", {1}, Numbered(1));
  for (const int direction : {0, 1}) {
    const std::string cell =
        absl::StrCat("RNN_", direction, "/RNN/MultiRNNCell/Cell0/LSTMCell/");
    file.Add(cell + "W_0", {2, 8}, Numbered(16));
    file.Add(cell + "B", {8}, Numbered(8));
    file.Add(cell + "W_P_0", {2, 1}, Numbered(2));
  }
}

TEST_P(Hdf5FileTest, ElmoIsReadUnlessItNamesAnotherFile) {
  const std::string options = folder.Write("options.json", kSmallOptions);
  {
    LibraryFile file(path, newest());
    AddWeights(file);
    file.Add("char_embed", {261, 1}, Numbered(261));
  }
  EXPECT_EQ(ReadElmo(options, path).status(), absl::OkStatus());
  // To read from this pipe would take for ever.
  const std::string pipe = folder.File("pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  {
    LibraryFile file(path, newest());
    AddWeights(file);
    H5Pset_external(file.layout(), pipe.c_str(), 0, 1044);
    file.Add("char_embed", {261, 1}, {});
  }
  EXPECT_THAT(std::string(ReadElmo(options, path).status().message()),
              HasSubstr("external storage"));
}

TEST(Hdf5SuperblockTest, FilesInPartsAndTruncatedOnesAreRefused) {
  const TempFolder folder;
  const std::string path = folder.File("f.hdf5");
  { LibraryFile(path, false).Add("x", {16}, Numbered(16)); }
  const std::string good = ReadWholeFile(path);
  std::string parts = good;
  parts.replace(48, 8, std::string(8, '\x10'));  // the driver's information
  folder.Write("parts", parts);
  EXPECT_THAT(
      std::string(Hdf5File::Open(folder.File("parts")).status().message()),
      HasSubstr("byte 48: expected an HDF5 file in one part"));
  folder.Write("short", good.substr(0, good.size() - 1));
  EXPECT_THAT(
      std::string(Hdf5File::Open(folder.File("short")).status().message()),
      HasSubstr("expected a file of"));
}

// What libhdf5 finds in a file of ours, by name.
std::vector<float> ValuesByLibrary(hid_t file, const std::string& name,
                                   std::vector<hsize_t>* shape) {
  const hid_t dataset = H5Dopen2(file, name.c_str(), H5P_DEFAULT);
  const hid_t space = H5Dget_space(dataset);
  EXPECT_GE(space, 0) << name;
  shape->resize(static_cast<size_t>(H5Sget_simple_extent_ndims(space)));
  H5Sget_simple_extent_dims(space, shape->data(), nullptr);
  std::vector<float> values(
      static_cast<size_t>(H5Sget_simple_extent_npoints(space)));
  EXPECT_GE(H5Dread(dataset, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT,
                    values.data()),
            0);
  H5Sclose(space);
  H5Dclose(dataset);
  return values;
}

// Up to trees of three levels.
TEST(Hdf5WriterTest, TheLibraryReadsIt) {
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  for (const size_t count : {0, 1, 8, 9, 256, 257, 8193}) {
    SCOPED_TRACE(count);
    const TempFolder folder;
    const std::string path = folder.File("f.hdf5");
    auto writer = Hdf5Writer::Create(path);
    ASSERT_EQ(writer.status(), absl::OkStatus());
    const auto value = [](size_t i) { return static_cast<float>(i); };
    for (size_t i = 0; i < count; ++i) {
      const std::vector<float> values = Numbered(3 * (i % 4), value(i));
      ASSERT_EQ(writer->Add(absl::StrCat(i), {i % 4, 3}, values.data()),
                absl::OkStatus());
    }
    ASSERT_EQ(writer->Commit(), absl::OkStatus());
    const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
    ASSERT_GE(file, 0);
    H5G_info_t info;
    ASSERT_GE(H5Gget_info(file, &info), 0);
    EXPECT_EQ(info.nlinks, count);
    for (size_t i = 0; i < count; ++i) {
      std::vector<hsize_t> shape;
      ASSERT_EQ(ValuesByLibrary(file, absl::StrCat(i), &shape),
                Numbered(3 * (i % 4), value(i)));
      ASSERT_EQ(shape, (std::vector<hsize_t>{i % 4, 3}));
    }
    H5Fclose(file);
  }
}

// libhdf5 widens numbers of 16 bits itself.
TEST(Hdf5WriterTest, TheLibraryReadsFloatsOf16Bits) {
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  const TempFolder folder;
  const std::string path = folder.File("f.hdf5");
  const std::vector<float> values = {0, -1.5F, 65504, 0x1p-24F,
                                     0.0999755859375F};
  std::vector<uint16_t> halves;
  for (const float value : values) halves.push_back(ToFloat16Bits(value));
  auto writer = Hdf5Writer::Create(path);
  ASSERT_EQ(writer.status(), absl::OkStatus());
  ASSERT_EQ(writer->Add("a", {5}, halves.data()), absl::OkStatus());
  ASSERT_EQ(writer->Add("b", {1, 5}, values.data()), absl::OkStatus());
  ASSERT_EQ(writer->Commit(), absl::OkStatus());
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  ASSERT_GE(file, 0);
  std::vector<hsize_t> shape;
  EXPECT_EQ(ValuesByLibrary(file, "a", &shape), values);
  EXPECT_EQ(shape, (std::vector<hsize_t>{5}));
  EXPECT_EQ(ValuesByLibrary(file, "b", &shape), values);
  const hid_t dataset = H5Dopen2(file, "a", H5P_DEFAULT);
  EXPECT_EQ(H5Dget_storage_size(dataset), 10u);
  H5Dclose(dataset);
  H5Fclose(file);
  const auto ours = Hdf5File::Open(path);
  ASSERT_EQ(ours.status(), absl::OkStatus());
  std::vector<float> read(5);
  EXPECT_EQ(ours->Read("a", {5}, read.data()), absl::OkStatus());
  EXPECT_EQ(read, values);
}

}  // namespace
}  // namespace firth
