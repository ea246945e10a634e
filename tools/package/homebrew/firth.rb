# tools/package/fill_in fills in the names between @.
class Firth < Formula
  desc "Trains word embeddings and uses them in language models and taggers"
  homepage "https://github.com/@OWNER@/firth"
  url "https://github.com/@OWNER@/firth/releases/download/v@VERSION@/firth-@VERSION@.tar.gz"
  sha256 "@SHA256@"
  license "Apache-2.0"

  depends_on "esbuild" => :build
  depends_on "nlohmann-json" => :build
  depends_on "pkgconf" => :build
  depends_on "abseil"
  depends_on "boost"
  depends_on "highway"
  depends_on "icu4c@78"
  depends_on "libedit"
  depends_on "libmicrohttpd"
  # The library uses system calls of Linux.
  depends_on :linux
  depends_on "openblas"
  depends_on "utf8proc"
  depends_on "zstd"

  # Homebrew has no formulae for these two.
  resource "hnswlib" do
    url "https://github.com/nmslib/hnswlib/archive/refs/tags/v0.8.0.tar.gz"
    sha256 "cf61d7dd8dc9bfba7f4abe0ed26698e90ac9f49a0badb2e1b0f3ba89b72cf3bb"
  end

  resource "libmurmurhash" do
    url "https://github.com/kloetzl/libmurmurhash/archive/refs/tags/v1.5.tar.gz"
    sha256 "723f75ed5463b6a0f65853fd10db18d10a62a0a265c9fd57e8002de665dba4a0"
  end

  def install
    # Homebrew's compiler drops -march and -O. The kernels have code for each
    # instruction set above the baseline that -march names, and are loops for -O3.
    ENV.runtime_cpu_detection
    ENV.O3

    resource("hnswlib").stage { (buildpath/"headers").install "hnswlib" }
    firth = buildpath
    resource("libmurmurhash").stage { system firth/"tools/package/murmurhash", ".", prefix }
    ENV.prepend_path "PKG_CONFIG_PATH", lib/"pkgconfig"

    # These are loaded by name when they are needed.
    loaded = %w[icu4c@78 libmicrohttpd openblas].map { |name| "-Wl,-rpath,#{Formula[name].opt_lib}" }
    system "make", "DEPS=skip", "CXX=#{ENV.cxx}", "CC=#{ENV.cc}", "PREFIX=#{prefix}",
                   "CXXFLAGS=-I#{buildpath}/headers", "LDFLAGS=#{loaded.join(" ")}", "install"
  end

  test do
    system bin/"firth", "demo", "--output", testpath/"demo.safetensors"
    assert_match "anchor", shell_output("#{bin}/firth nn demo.safetensors ship")
  end
end
