// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rows (PTX ISA 9.0, 10).
#include "runtime/emulator/ptx/SpecialRegisters.h"
#include <string>
#include <unordered_map>

namespace heddle::emulator::ptx {

namespace {

struct Row {
  const char *name;
  bool hasAxes; ///< .x, .y, .z and .w
  SpecialRegister what;
};

// clang-format off
constexpr Row kRows[] = {
    {"%tid", true, {4, 2, 0, ""}},
    {"%ntid", true, {4, 2, 0, ""}},
    {"%ctaid", true, {4, 2, 0, ""}},
    {"%nctaid", true, {4, 2, 0, ""}},
    {"%laneid", false, {4, 4, 0, ""}},
    {"%warpid", false, {4, 4, 0, ""}},
    {"%nwarpid", false, {4, 4, 0, ""}},
    {"%smid", false, {4, 4, 0, ""}},
    {"%nsmid", false, {4, 4, 0, ""}},
    {"%gridid", false, {8, 4, 0, ""}},
    {"%lanemask_eq", false, {4, 4, 0, ""}},
    {"%lanemask_le", false, {4, 4, 0, ""}},
    {"%lanemask_lt", false, {4, 4, 0, ""}},
    {"%lanemask_ge", false, {4, 4, 0, ""}},
    {"%lanemask_gt", false, {4, 4, 0, ""}},
    {"%clock", false, {4, 4, 0, ""}},
    {"%clock_hi", false, {4, 4, 50, ""}},
    {"%clock64", false, {8, 8, 0, ""}},
    {"%globaltimer", false, {8, 8, 31, ""}},
    {"%globaltimer_lo", false, {4, 4, 31, ""}},
    {"%globaltimer_hi", false, {4, 4, 31, ""}},
    {"%total_smem_size", false, {4, 4, 41, ""}},
    {"%dynamic_smem_size", false, {4, 4, 41, ""}},
    {"%aggr_smem_size", false, {4, 4, 81, "90"}},
    {"%reserved_smem_offset_begin", false, {4, 4, 76, "80"}},
    {"%reserved_smem_offset_end", false, {4, 4, 76, "80"}},
    {"%reserved_smem_offset_cap", false, {4, 4, 76, "80"}},
    {"%reserved_smem_offset_0", false, {4, 4, 76, "80"}},
    {"%reserved_smem_offset_1", false, {4, 4, 76, "80"}},
    {"%current_graph_exec", false, {8, 8, 80, ""}},
    {"%clusterid", true, {4, 4, 78, "90"}},
    {"%nclusterid", true, {4, 4, 78, "90"}},
    {"%cluster_ctaid", true, {4, 4, 78, "90"}},
    {"%cluster_nctaid", true, {4, 4, 78, "90"}},
    {"%cluster_ctarank", false, {4, 4, 78, "90"}},
    {"%cluster_nctarank", false, {4, 4, 78, "90"}},
    {"%is_explicit_cluster", false, {0, 0, 78, "90"}}};
// clang-format on

} // namespace

const SpecialRegister *findSpecialRegister(std::string_view name) {
  static const std::unordered_map<std::string, const SpecialRegister *> kByName = [] {
    std::unordered_map<std::string, const SpecialRegister *> result;
    for (const Row &row : kRows) {
      if (!row.hasAxes)
        result.emplace(row.name, &row.what);
      for (const char *axis : {".x", ".y", ".z", ".w"})
        if (row.hasAxes)
          result.emplace(std::string(row.name) + axis, &row.what);
    }
    static constexpr SpecialRegister kEnvironment = {4, 4, 21, ""};
    for (int i = 0; i < 32; ++i)
      result.emplace("%envreg" + std::to_string(i), &kEnvironment);
    return result;
  }();
  if (name.empty() || name[0] != '%')
    return nullptr;
  auto found = kByName.find(std::string(name));
  return found == kByName.end() ? nullptr : found->second;
}

} // namespace heddle::emulator::ptx
