// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// GPUs by name, with dense peak rates (many pages quote the sparse ones, twice as high). They feed
// the cost model and the emulated device's limits and estimates; the rates are second-hand, from
// public tables, and no measurement.
#include "heddle/Target.h"
#include <cctype>

namespace heddle {

static constexpr int64_t kKiB = 1024;
static constexpr int64_t kMiB = 1024 * kKiB;
static constexpr int64_t kGiB = 1024 * kMiB;

static constexpr Gpu kGpus[] = {
    {.name = "t4",
     .display = "Tesla T4",
     .target = "sm_75",
     .major = 7,
     .minor = 5,
     .sms = 40,
     .boostMHz = 1590,
     .f16TFlops = 65,
     .f8TFlops = 0,
     .i8TOps = 130,
     .tf32TFlops = 0,
     .f32TFlops = 8.1,
     .memoryBytes = 16 * kGiB,
     .bandwidthGBs = 320,
     .l2Bytes = 4 * kMiB,
     .sharedPerSmBytes = 64 * kKiB},
    {.name = "a100",
     .display = "NVIDIA A100-SXM4-80GB",
     .target = "sm_80",
     .major = 8,
     .minor = 0,
     .sms = 108,
     .boostMHz = 1410,
     .f16TFlops = 312,
     .f8TFlops = 0,
     .i8TOps = 624,
     .tf32TFlops = 156,
     .f32TFlops = 19.5,
     .memoryBytes = 80 * kGiB,
     .bandwidthGBs = 2000,
     .l2Bytes = 40 * kMiB,
     .sharedPerSmBytes = 164 * kKiB},
    {.name = "orin",
     .display = "Orin",
     .target = "sm_87",
     .major = 8,
     .minor = 7,
     .sms = 16,
     .boostMHz = 1300,
     .f16TFlops = 42.5,
     .f8TFlops = 0,
     .i8TOps = 85,
     .tf32TFlops = 21.2,
     .f32TFlops = 5.3,
     .memoryBytes = 64 * kGiB,
     .bandwidthGBs = 204.8,
     .l2Bytes = 4 * kMiB,
     .sharedPerSmBytes = 164 * kKiB},
    {.name = "l4",
     .display = "NVIDIA L4",
     .target = "sm_89",
     .major = 8,
     .minor = 9,
     .sms = 58,
     .boostMHz = 2040,
     .f16TFlops = 121,
     .f8TFlops = 242,
     .i8TOps = 242,
     .tf32TFlops = 60,
     .f32TFlops = 30.3,
     .memoryBytes = 24 * kGiB,
     .bandwidthGBs = 300,
     .l2Bytes = 48 * kMiB,
     .sharedPerSmBytes = 100 * kKiB},
    {.name = "l40s",
     .display = "NVIDIA L40S",
     .target = "sm_89",
     .major = 8,
     .minor = 9,
     .sms = 142,
     .boostMHz = 2520,
     .f16TFlops = 362,
     .f8TFlops = 733,
     .i8TOps = 733,
     .tf32TFlops = 183,
     .f32TFlops = 91.6,
     .memoryBytes = 48 * kGiB,
     .bandwidthGBs = 864,
     .l2Bytes = 96 * kMiB,
     .sharedPerSmBytes = 100 * kKiB},
    // The f16 and f8 rates are those with f32 accumulation.
    {.name = "rtx4090",
     .display = "NVIDIA GeForce RTX 4090",
     .target = "sm_89",
     .major = 8,
     .minor = 9,
     .sms = 128,
     .boostMHz = 2520,
     .f16TFlops = 165.2,
     .f8TFlops = 330.3,
     .i8TOps = 660.6,
     .tf32TFlops = 82.6,
     .f32TFlops = 82.6,
     .memoryBytes = 24 * kGiB,
     .bandwidthGBs = 1008,
     .l2Bytes = 72 * kMiB,
     .sharedPerSmBytes = 100 * kKiB},
    {.name = "h100",
     .display = "NVIDIA H100 80GB HBM3",
     .target = "sm_90a",
     .major = 9,
     .minor = 0,
     .sms = 132,
     .boostMHz = 1830,
     .f16TFlops = 989,
     .f8TFlops = 1979,
     .i8TOps = 1979,
     .tf32TFlops = 494.5,
     .f32TFlops = 67,
     .memoryBytes = 80 * kGiB,
     .bandwidthGBs = 3350,
     .l2Bytes = 50 * kMiB,
     .sharedPerSmBytes = 228 * kKiB},
    {.name = "h200",
     .display = "NVIDIA H200",
     .target = "sm_90a",
     .major = 9,
     .minor = 0,
     .sms = 132,
     .boostMHz = 1830,
     .f16TFlops = 989,
     .f8TFlops = 1979,
     .i8TOps = 1979,
     .tf32TFlops = 494.5,
     .f32TFlops = 67,
     .memoryBytes = 141 * kGiB,
     .bandwidthGBs = 4800,
     .l2Bytes = 50 * kMiB,
     .sharedPerSmBytes = 228 * kKiB},
    {.name = "b200",
     .display = "NVIDIA B200",
     .target = "sm_100a",
     .major = 10,
     .minor = 0,
     .sms = 148,
     .boostMHz = 1860,
     .f16TFlops = 2250,
     .f8TFlops = 4500,
     .i8TOps = 4500,
     .tf32TFlops = 1125,
     .f32TFlops = 80,
     .memoryBytes = 180 * kGiB,
     .bandwidthGBs = 8000,
     .l2Bytes = 126 * kMiB,
     .sharedPerSmBytes = 228 * kKiB},
};

std::span<const Gpu> gpus() { return kGpus; }

static std::string normalize(std::string_view name) {
  std::string result;
  for (char c : name)
    if (c != ' ' && c != '-' && c != '_')
      result += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

Result<const Gpu *> findGpu(std::string_view name) {
  std::string wanted = normalize(name);
  std::string known;
  for (const Gpu &row : kGpus) {
    if (row.name == wanted)
      return &row;
    known += (known.empty() ? "" : ", ") + std::string(row.name);
  }
  return notFound("GPU \"" + std::string(name) + "\" is not known; known GPUs: " + known);
}

} // namespace heddle
