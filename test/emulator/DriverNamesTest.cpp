// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The emulated device exports every function that cuda.h declares; the header is read here a second
// time, by other means than the build's. And errors by name, and cuGetProcAddress.
#include "test/emulator/DriverRig.h"
#include <cstdlib>
#include <dlfcn.h>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

namespace heddle::emulator::test {
namespace {

std::string header() {
  std::ifstream file(HEDDLE_CUDA_HEADER);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

/// The words behind CUDAAPI, and both sides of the lines that map a name to another.
std::set<std::string> declaredNames() {
  std::set<std::string> names;
  std::istringstream text(header());
  for (std::string line; std::getline(text, line);) {
    std::istringstream words(line);
    for (std::string word, before; words >> word; before = word)
      if (before == "CUDAAPI" && word.rfind("cu", 0) == 0 && word.find('(') != std::string::npos)
        names.insert(word.substr(0, word.find('(')));
    std::istringstream again(line);
    std::string hash, from, to;
    if (again >> hash >> from >> to && hash == "#define" && from.rfind("cu", 0) == 0 &&
        (to.rfind("cu", 0) == 0 || to.rfind("__CUDA_API_PT", 0) == 0)) {
      names.insert(from);
      size_t open = to.find('(');
      names.insert(open == std::string::npos ? to : to.substr(open + 1, to.size() - open - 2));
    }
  }
  return names;
}

TEST(DriverNames, EveryFunctionOfTheHeaderIsThere) {
  std::set<std::string> names = declaredNames();
  EXPECT_GT(names.size(), 500u);
  void *library = dlopen(HEDDLE_EMU_LIBRARY, RTLD_NOW);
  ASSERT_NE(library, nullptr) << dlerror();
  for (const std::string &name : names)
    EXPECT_NE(dlsym(library, name.c_str()), nullptr) << name;
  for (const char *name : {"cuMemAlloc", "cuMemAlloc_v2", "cuCtxCreate", "cuCtxCreate_v2",
                           "cuCtxCreate_v4", "cuEventElapsedTime", "cuEventElapsedTime_v2",
                           "cuStreamSynchronize_ptsz", "cuMemcpyHtoD_v2_ptds"})
    EXPECT_NE(dlsym(library, name), nullptr) << name;
}

/// Calls every function with zeros and null pointers, with a context and without; exits with 0.
void callAllWithNulls() {
  using Any = CUresult (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *,
                           void *, void *, void *);
  void *library = dlopen(HEDDLE_EMU_LIBRARY, RTLD_NOW);
  for (int round = 0; round < 2; ++round) {
    for (const std::string &name : declaredNames()) {
      if (round)
        useDevice(0);
      std::fprintf(stderr, "%s\n", name.c_str());
      if (void *function = dlsym(library, name.c_str()))
        reinterpret_cast<Any>(function)(nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
                                        nullptr, nullptr, nullptr, nullptr, nullptr, nullptr);
    }
  }
  std::exit(0);
}

TEST(DriverNamesAlone, NullsAreRefused) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(callAllWithNulls(), ::testing::ExitedWithCode(0), "");
}

// The unversioned name and the versioned one do the same.
TEST(DriverNames, OldNamesWork) {
  useDevice(0);
  void *library = dlopen(HEDDLE_EMU_LIBRARY, RTLD_NOW);
  auto allocate =
      reinterpret_cast<CUresult (*)(CUdeviceptr *, size_t)>(dlsym(library, "cuMemAlloc"));
  auto release = reinterpret_cast<CUresult (*)(CUdeviceptr)>(dlsym(library, "cuMemFree"));
  CUdeviceptr address = 0;
  ASSERT_EQ(allocate(&address, 1000), CUDA_SUCCESS);
  EXPECT_EQ(release(address), CUDA_SUCCESS);
  auto create = reinterpret_cast<CUresult (*)(CUcontext *, unsigned, CUdevice)>(
      dlsym(library, "cuCtxCreate_v2"));
  CUcontext context;
  ASSERT_EQ(create(&context, 0, 0), CUDA_SUCCESS);
  EXPECT_EQ(cuCtxDestroy(context), CUDA_SUCCESS);
}

TEST(DriverNames, WhatIsNotThereNamesItself) {
  useDevice(0);
  CUarray array;
  CUDA_ARRAY_DESCRIPTOR shape = {16, 16, CU_AD_FORMAT_FLOAT, 1};
  EXPECT_EQ(cuArrayCreate(&array, &shape), CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_NE(report().find("cuArrayCreate_v2 is not supported"), std::string::npos) << report();
}

TEST(DriverNames, ProcAddressChoosesVersions) {
  void *function = nullptr;
  CUdriverProcAddressQueryResult status;
  void *library = dlopen(HEDDLE_EMU_LIBRARY, RTLD_NOW);
  auto find = [&](const char *name, int version) {
    EXPECT_EQ(cuGetProcAddress(name, &function, version, CU_GET_PROC_ADDRESS_DEFAULT, &status),
              CUDA_SUCCESS);
    return function;
  };
  EXPECT_EQ(find("cuCtxCreate", 11000), dlsym(library, "cuCtxCreate_v2"));
  EXPECT_EQ(find("cuCtxCreate", 11040), dlsym(library, "cuCtxCreate_v3"));
  EXPECT_EQ(find("cuCtxCreate", 13000), dlsym(library, "cuCtxCreate_v4"));
  EXPECT_EQ(status, CU_GET_PROC_ADDRESS_SUCCESS);
  EXPECT_NE(find("cuMemAlloc", 12000), nullptr);
  EXPECT_EQ(find("cuNoSuchThing", 12000), nullptr);
  EXPECT_EQ(status, CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
  EXPECT_EQ(find("cuGraphAddNode", 12000), nullptr);
  EXPECT_EQ(status, CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT);
  EXPECT_EQ(cuGetProcAddress("cuInit", &function, 99000, 0, &status), CUDA_ERROR_INVALID_VALUE);
  int version = 0;
  EXPECT_EQ(cuDriverGetVersion(&version), CUDA_SUCCESS);
  EXPECT_EQ(version, 13000);
}

// Every value of CUresult has its name and a text.
TEST(DriverNames, ErrorsHaveNames) {
  std::string text = header();
  std::regex row("(CUDA_(SUCCESS|ERROR_[A-Z0-9_]+))\\s*=\\s*([0-9]+)");
  int count = 0;
  for (std::sregex_iterator i(text.begin(), text.end(), row), end; i != end; ++i, ++count) {
    auto code = static_cast<CUresult>(std::stoi((*i)[3]));
    const char *name = nullptr, *words = nullptr;
    EXPECT_EQ(cuGetErrorName(code, &name), CUDA_SUCCESS) << (*i)[1];
    EXPECT_STREQ(name, (*i)[1].str().c_str());
    EXPECT_EQ(cuGetErrorString(code, &words), CUDA_SUCCESS);
    EXPECT_TRUE(words && *words) << name;
  }
  EXPECT_GT(count, 80);
  const char *name;
  EXPECT_EQ(cuGetErrorName(static_cast<CUresult>(12345), &name), CUDA_ERROR_INVALID_VALUE);
}

} // namespace
} // namespace heddle::emulator::test
