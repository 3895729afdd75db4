// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Broken twins: each .ptx file in this folder is a kernel with a planted fault and its sound twin.
// The broken one must be reported by the named check in the marked line, the sound one must run in
// silence, in every schedule, eager and lazy.
//
// A file says in comments at its top how it is launched, and marks lines:
//   // check: race           HEDDLE_EMU_CHECK (all if it is not said)
//   // block: 64             threads; "grid:", "cluster:" and "shared:" (dynamic bytes) likewise
//   // setup: free           frees %in before the launch; "timeout": HEDDLE_EMU_TIMEOUT=1
//   // finds: PATTERN        in the report of the broken one
//   //!broken TEXT           a line of the broken twin alone
//   //!sound TEXT            a line of the sound twin alone
//   ... //!here              where the fault is reported
// Kernels are called k and take the addresses of two buffers of 64 KiB: the first holds ones,
// nobody has written the second.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cuda.h>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <sstream>

extern "C" const char *heddle_emu_last_report();

namespace {

constexpr size_t kBufferBytes = 1 << 16;

struct Twin {
  std::string name;
  std::map<std::string, std::string> settings;
  std::string text[2]; ///< sound, broken
  int line = 0;        ///< of the report

  std::string get(const char *key, const char *otherwise) const {
    auto found = settings.find(key);
    return found == settings.end() ? otherwise : found->second;
  }
  unsigned number(const char *key, const char *otherwise) const {
    return static_cast<unsigned>(std::strtoul(get(key, otherwise).c_str(), nullptr, 10));
  }
};

Twin load(const std::string &path) {
  Twin twin;
  twin.name = std::filesystem::path(path).stem().string();
  std::ifstream file(path);
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    size_t colon = line.find(": ");
    if (line.starts_with("// ") && colon != std::string::npos)
      twin.settings[line.substr(3, colon - 3)] = line.substr(colon + 2);
    if (line.ends_with("//!here"))
      twin.line = number;
    bool isBroken = line.starts_with("//!broken"), isSound = line.starts_with("//!sound");
    std::string rest = isBroken ? line.substr(9) : isSound ? line.substr(8) : line;
    twin.text[0] += (isBroken ? "" : rest) + "\n";
    twin.text[1] += (isSound ? "" : rest) + "\n";
  }
  return twin;
}

/// In a process of its own: a fault breaks the context, as on a GPU.
[[noreturn]] void launchAndExit(const Twin &twin, bool isBroken) {
  setenv("HEDDLE_EMU_GPU", "h100", 1);
  setenv("HEDDLE_EMU_CHECK", twin.get("check", "all").c_str(), 1);
  std::string setup = twin.get("setup", "");
  setenv("HEDDLE_EMU_TIMEOUT", setup == "timeout" ? "1" : "20", 1);
  CUcontext context;
  CUmodule module;
  CUfunction function;
  CUdeviceptr in, out;
  void *arguments[] = {&in, &out};
  if (cuInit(0) || cuDevicePrimaryCtxRetain(&context, 0) || cuCtxSetCurrent(context) ||
      cuMemAlloc(&in, kBufferBytes) || cuMemAlloc(&out, kBufferBytes) ||
      cuMemsetD32(in, 1, kBufferBytes / 4) ||
      cuModuleLoadData(&module, twin.text[isBroken].c_str()) ||
      cuModuleGetFunction(&function, module, "k")) {
    std::fprintf(stderr, "set-up: %s\n", heddle_emu_last_report());
    std::exit(3);
  }
  if (setup == "free" && isBroken)
    cuMemFree(in);
  CUlaunchAttribute attribute{};
  attribute.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
  attribute.value.clusterDim.x = twin.number("cluster", "1");
  attribute.value.clusterDim.y = attribute.value.clusterDim.z = 1;
  CUlaunchConfig config{};
  config.gridDimX = twin.number("grid", "1");
  config.blockDimX = twin.number("block", "64");
  config.gridDimY = config.gridDimZ = config.blockDimY = config.blockDimZ = 1;
  config.sharedMemBytes = twin.number("shared", "0");
  config.attrs = &attribute;
  config.numAttrs = attribute.value.clusterDim.x > 1 ? 1 : 0;
  CUresult status = cuLaunchKernelEx(&config, function, arguments, nullptr);
  if (status == CUDA_SUCCESS)
    status = cuCtxSynchronize();
  std::fprintf(stderr, "%s\n", status == CUDA_SUCCESS ? "silent" : heddle_emu_last_report());
  std::exit(status == CUDA_SUCCESS ? 0 : 1);
}

void setMode(const char *schedule, const char *async) {
  setenv("HEDDLE_EMU_SCHEDULE", schedule, 1);
  setenv("HEDDLE_EMU_ASYNC", async, 1);
}

std::vector<std::string> findTwins() {
  std::vector<std::string> result;
  for (const auto &entry : std::filesystem::directory_iterator(HEDDLE_TWINS_FOLDER))
    if (entry.path().extension() == ".ptx")
      result.push_back(entry.path().string());
  std::sort(result.begin(), result.end());
  return result;
}

class EmulatorTwins : public testing::TestWithParam<std::string> {};

} // namespace

TEST_P(EmulatorTwins, BrokenIsReported) {
  Twin twin = load(GetParam());
  ASSERT_GT(twin.line, 0) << "no line is marked with //!here";
  std::string pattern =
      "PTX line " + std::to_string(twin.line) + ",.*" + twin.get("finds", "no pattern");
  setMode("", "eager");
  EXPECT_EXIT(launchAndExit(twin, true), testing::ExitedWithCode(1), pattern);
}

TEST_P(EmulatorTwins, SoundIsSilent) {
  Twin twin = load(GetParam());
  for (const char *schedule : {"", "reverse", "random", "interleave"})
    for (const char *async : {"eager", "lazy"}) {
      setMode(schedule, async);
      EXPECT_EXIT(launchAndExit(twin, false), testing::ExitedWithCode(0), "silent")
          << schedule << " " << async;
    }
}

INSTANTIATE_TEST_SUITE_P(All, EmulatorTwins, testing::ValuesIn(findTwins()), [](const auto &info) {
  return std::filesystem::path(info.param).stem().string();
});
