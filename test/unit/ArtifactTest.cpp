// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The artifact's file: what is written is read, and nothing that is damaged gets past the reader.
#include "lib/artifact/ArtifactFile.h"
#include "test/unit/SampleProgram.h"
#include <filesystem>
#include <functional>
#include <gtest/gtest.h>
#include <sys/stat.h>

using namespace heddle;
using namespace heddle::artifact;
using namespace heddle::test;

static std::vector<uint8_t> sampleBytes() {
  std::string path = temporaryPath("sample.heddle");
  Status status = write(sampleProgram(), path);
  EXPECT_TRUE(status.ok()) << status.text();
  return readBytes(path);
}

// Everything that is written is read back.
TEST(Artifact, RoundTrip) {
  std::string path = temporaryPath("roundtrip.heddle");
  ArtifactData data = sampleProgram();
  ASSERT_TRUE(write(data, path).ok());
  Result<ArtifactFile> file = ArtifactFile::open(path);
  ASSERT_TRUE(file.ok()) << file.status().text();
  const ArtifactData &got = file->data();
  EXPECT_EQ(got.producer, "heddle test");
  EXPECT_EQ(got.model, "sample");
  ASSERT_EQ(got.variants.size(), 1u);
  const Variant &v = got.variants[0], &expected = data.variants[0];
  EXPECT_EQ(v.target, "sm_80");
  EXPECT_EQ(v.ptx, expected.ptx);
  EXPECT_EQ(v.ptxVersion, 80u);
  EXPECT_TRUE(v.cubin.empty());
  ASSERT_EQ(v.exprs.size(), expected.exprs.size());
  for (size_t i = 0; i < v.exprs.size(); ++i) {
    EXPECT_EQ(v.exprs[i].kind, expected.exprs[i].kind);
    EXPECT_EQ(v.exprs[i].a, expected.exprs[i].a);
    EXPECT_EQ(v.exprs[i].b, expected.exprs[i].b);
    EXPECT_EQ(v.exprs[i].value, expected.exprs[i].value);
  }
  ASSERT_EQ(v.outputs.size(), 4u);
  EXPECT_EQ(v.outputs[2].name, "shape");
  EXPECT_EQ(v.outputs[2].dtype, DType::kI64);
  EXPECT_EQ(v.buffers[6].first, 1u);
  EXPECT_EQ(v.buffers[6].last, 3u);
  ASSERT_EQ(v.buffers[7].weight.size(), 16u);
  EXPECT_EQ(std::memcmp(v.buffers[7].weight.data(), expected.buffers[7].weight.data(), 16), 0);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(v.buffers[7].weight.data()) % 64, 0u);
  ASSERT_EQ(v.steps.size(), 6u);
  const Launch &launch = std::get<Launch>(v.steps[1]);
  EXPECT_EQ(launch.block[0], 256u);
  ASSERT_EQ(launch.args.size(), 4u);
  EXPECT_EQ(launch.args[3].kind, ArgKind::kInt32);
  EXPECT_EQ(std::get<Check>(v.steps[0]).message, "at most 999 rows are supported");
}

// The same data give the same bytes.
TEST(Artifact, BytesAreDeterministic) { EXPECT_EQ(sampleBytes(), sampleBytes()); }

// Weights that are equal are stored once, also across variants.
TEST(Artifact, EqualWeightsShareASection) {
  ArtifactData data = sampleProgram();
  ArtifactData other = sampleProgram();
  constexpr size_t kWeightBytes = 1 << 20;
  for (ArtifactData *d : {&data, &other}) {
    Variant &v = d->variants[0];
    v.buffers[7].weight = d->own(std::vector<uint8_t>(kWeightBytes, 7));
    v.buffers[7].size = constant(v, kWeightBytes);
  }
  data.variants.push_back(other.variants[0]);
  data.variants[1].target = "sm_90a";
  std::string path = temporaryPath("shared.heddle");
  Status status = write(data, path);
  ASSERT_TRUE(status.ok()) << status.text();
  EXPECT_LT(std::filesystem::file_size(path), kWeightBytes + 16384);
  EXPECT_TRUE(ArtifactFile::open(path).ok());
}

// A file cut off anywhere is refused, and nothing is read behind its end.
TEST(Artifact, TruncatedAnywhere) {
  std::vector<uint8_t> bytes = sampleBytes();
  for (size_t size = 0; size < bytes.size(); ++size) {
    Result<ArtifactFile> file =
        ArtifactFile::fromBytes({bytes.begin(), bytes.begin() + static_cast<ptrdiff_t>(size)}, "t");
    ASSERT_FALSE(file.ok()) << "cut to " << size << " of " << bytes.size();
    ASSERT_FALSE(file.status().text().empty());
  }
}

// A flipped byte is refused or read as another valid program; it never crashes.
TEST(Artifact, FlippedByteAnywhere) {
  std::vector<uint8_t> bytes = sampleBytes();
  for (size_t i = 0; i < bytes.size(); ++i)
    for (uint8_t mask : {0x01, 0x80, 0xff}) {
      std::vector<uint8_t> damaged = bytes;
      damaged[i] = static_cast<uint8_t>(damaged[i] ^ mask);
      Result<ArtifactFile> file = ArtifactFile::fromBytes(damaged, "t");
      if (file.ok()) {
        EXPECT_TRUE(verify(file->data()).ok());
      }
    }
}

static std::string openText(const std::vector<uint8_t> &bytes) {
  std::string path = temporaryPath("bad.heddle");
  writeBytes(path, bytes);
  Result<ArtifactFile> file = ArtifactFile::open(path);
  EXPECT_FALSE(file.ok());
  return file.ok() ? "" : file.status().text();
}

// Each wrong file has a text that says what it is.
TEST(Artifact, WrongFiles) {
  EXPECT_NE(openText({}).find("the file is empty"), std::string::npos);
  std::string words = "this is a text file, not a model\n";
  EXPECT_NE(openText({words.begin(), words.end()}).find("no compiled model"), std::string::npos);
  std::vector<uint8_t> bytes = sampleBytes();
  bytes.resize(bytes.size() / 4);
  EXPECT_NE(openText(bytes).find("cut off"), std::string::npos);

  Result<ArtifactFile> missing = ArtifactFile::open(temporaryPath("absent.heddle"));
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.status().code(), StatusCode::kNotFound);
  Result<ArtifactFile> folder = ArtifactFile::open("/");
  ASSERT_FALSE(folder.ok());
  EXPECT_NE(folder.status().text().find("no regular file"), std::string::npos);
}

// A file of another format version is refused with both versions.
TEST(Artifact, OtherFormatVersion) {
  std::vector<uint8_t> bytes = sampleBytes();
  // The version is the only 32-bit 1 in the root table; find it by trying.
  bool seen = false;
  for (size_t i = 12; i + 4 <= bytes.size() && !seen; ++i) {
    std::vector<uint8_t> changed = bytes;
    if (changed[i] != 1 || changed[i + 1] || changed[i + 2] || changed[i + 3])
      continue;
    changed[i] = 77;
    Result<ArtifactFile> file = ArtifactFile::fromBytes(changed, "t");
    seen = !file.ok() && file.status().code() == StatusCode::kUnsupported &&
           file.status().text().find("version 77") != std::string::npos;
  }
  EXPECT_TRUE(seen);
}

// A path that cannot be written is an error and leaves nothing behind.
TEST(Artifact, UnwritablePath) {
  ArtifactData data = sampleProgram();
  Status status = write(data, temporaryPath("no/such/folder/x.heddle"));
  EXPECT_EQ(status.code(), StatusCode::kIo);
  EXPECT_NE(status.text().find("No such file"), std::string::npos);
  std::string folder = temporaryPath("folder");
  std::filesystem::create_directories(folder);
  EXPECT_NE(write(data, folder).text().find("it is a folder"), std::string::npos);
  EXPECT_TRUE(std::filesystem::is_empty(folder));
}

// Every rule of the verifier refuses its violation.
TEST(Artifact, VerifierRules) {
  struct Case {
    const char *expected;
    std::function<void(Variant &)> damage;
  };
  const Case cases[] = {
      {"no target is named", [](Variant &v) { v.target.clear(); }},
      {"neither PTX nor a cubin", [](Variant &v) { v.ptx = {}; }},
      {"unknown kind 99", [](Variant &v) { v.exprs[1].kind = static_cast<ExprKind>(99); }},
      {"does not stand before it", [](Variant &v) { v.exprs[3].a = 3; }},
      {"is symbol 9 of 1", [](Variant &v) { v.exprs[0].a = 9; }},
      {"input 5 of 2", [](Variant &v) { v.symbols[0].input = 5; }},
      {"dimension 2 of input \"x\", which has rank 2", [](Variant &v) { v.symbols[0].index = 2; }},
      {"is f32 and no integer", [](Variant &v) { v.symbols[0].kind = SymbolKind::kInputElement; }},
      {"symbols that do not stand before it",
       [](Variant &v) { v.symbols[0] = {"n", SymbolKind::kDerived, 0, 0, 0}; }},
      {"has no name", [](Variant &v) { v.inputs[0].name.clear(); }},
      {"has the name of another input", [](Variant &v) { v.inputs[1].name = "x"; }},
      {"unknown element type 200", [](Variant &v) { v.inputs[0].dtype = static_cast<DType>(200); }},
      {"a dimension is expression 1000", [](Variant &v) { v.inputs[0].dims[0] = 1000; }},
      {"is buffer 1000 of 8", [](Variant &v) { v.inputs[0].buffer = 1000; }},
      {"which is no output", [](Variant &v) { v.outputs[0].buffer = 0; }},
      {"shares buffer 2 with another", [](Variant &v) { v.outputs[1].buffer = 2; }},
      {"its lifetime [3, 3)", [](Variant &v) { v.buffers[6].first = 3; }},
      {"its lifetime [1, 100)", [](Variant &v) { v.buffers[6].last = 100; }},
      {"lives in [1, 2) only", [](Variant &v) { v.buffers[6].last = 2; }},
      {"the bytes of its weight", [](Variant &v) { v.buffers[7].size = 0; }},
      {"kernel 0 has no name", [](Variant &v) { v.kernels[0].name.clear(); }},
      {"kernel 3 of 1", [](Variant &v) { std::get<Launch>(v.steps[1]).kernel = 3; }},
      {"a block size is 0", [](Variant &v) { std::get<Launch>(v.steps[1]).block[1] = 0; }},
      {"its block has 2048", [](Variant &v) { std::get<Launch>(v.steps[1]).block = {256, 8, 1}; }},
      {"bytes of shared memory",
       [](Variant &v) { std::get<Launch>(v.steps[1]).sharedBytes = 1 << 20; }},
      {"onto itself", [](Variant &v) { std::get<Copy>(v.steps[3]) = {2, 2, 0}; }},
      {"read only", [](Variant &v) { std::get<Copy>(v.steps[3]).dst = 7; }},
      {"cannot be stored as element type f16",
       [](Variant &v) { std::get<Store>(v.steps[4]).dtype = DType::kF16; }},
      {"the condition is expression",
       [](Variant &v) { std::get<Check>(v.steps[0]).condition = 99; }},
  };
  for (const Case &c : cases) {
    ArtifactData data = sampleProgram();
    c.damage(data.variants[0]);
    Status status = verify(data);
    EXPECT_EQ(status.code(), StatusCode::kCorrupt) << c.expected;
    EXPECT_NE(status.text().find(c.expected), std::string::npos)
        << "expected: " << c.expected << "\ngot: " << status.text();
    EXPECT_FALSE(write(data, temporaryPath("never.heddle")).ok()) << c.expected;
  }
  ArtifactData twice = sampleProgram();
  twice.variants.push_back(twice.variants[0]);
  EXPECT_NE(verify(twice).text().find("occurs twice"), std::string::npos);
  EXPECT_NE(verify(ArtifactData()).text().find("no code for any target"), std::string::npos);
}
