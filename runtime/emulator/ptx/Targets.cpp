// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Targets and their versions (PTX ISA 9.0, 11.1.2 and 13).
#include "runtime/emulator/ptx/Targets.h"

namespace heddle::emulator::ptx {

namespace {

struct TargetVersion {
  uint32_t number;
  char suffix;
  uint32_t version;
};

/// PTX ISA 9.0, table of release notes: the version that introduced a target.
constexpr TargetVersion kVersions[] = {
    {20, 0, 20},  {30, 0, 30},    {32, 0, 40},    {35, 0, 31},  {37, 0, 41},    {50, 0, 40},
    {52, 0, 41},  {53, 0, 42},    {60, 0, 50},    {61, 0, 50},  {62, 0, 50},    {70, 0, 60},
    {72, 0, 61},  {75, 0, 63},    {80, 0, 70},    {86, 0, 71},  {87, 0, 74},    {88, 0, 90},
    {89, 0, 78},  {90, 0, 78},    {90, 'a', 80},  {100, 0, 86}, {100, 'a', 86}, {100, 'f', 88},
    {103, 0, 88}, {103, 'a', 88}, {103, 'f', 88}, {110, 0, 90}, {110, 'a', 90}, {110, 'f', 90},
    {120, 0, 87}, {120, 'a', 87}, {120, 'f', 88}, {121, 0, 88}, {121, 'a', 88}, {121, 'f', 88}};

/// Calls `visit(number, suffix)` for each of "90a|100f"; stops at true.
template <typename Visit> bool anyOf(const char *targets, Visit visit) {
  for (const char *c = targets; *c;) {
    uint32_t number = 0;
    for (; *c >= '0' && *c <= '9'; ++c)
      number = number * 10 + static_cast<uint32_t>(*c - '0');
    char suffix = *c && *c != '|' ? *c++ : '\0';
    if (visit(number, suffix))
      return true;
    if (*c == '|')
      ++c;
  }
  return false;
}

} // namespace

bool parseTarget(std::string_view text, TargetName &target) {
  if (!text.starts_with("sm_"))
    return false;
  text.remove_prefix(3);
  target = {};
  while (!text.empty() && text[0] >= '0' && text[0] <= '9' && target.number < 1000) {
    target.number = target.number * 10 + static_cast<uint32_t>(text[0] - '0');
    text.remove_prefix(1);
  }
  if (text.size() > 1 || (text.size() == 1 && text[0] != 'a' && text[0] != 'f'))
    return false;
  target.suffix = text.empty() ? '\0' : text[0];
  return target.number >= 10;
}

bool hasForm(const char *targets, TargetName target) {
  if (!*targets)
    return true;
  return anyOf(targets, [&](uint32_t number, char suffix) {
    if (suffix == 'a')
      return target.number == number && target.suffix == 'a';
    // A family is one generation: sm_100f is sm_100 and sm_103, of which an "a" is the superset.
    if (suffix == 'f')
      return target.number / 10 == number / 10 && target.number >= number && target.suffix != 0;
    return target.number >= number;
  });
}

uint32_t firstVersion(TargetName target) {
  for (const TargetVersion &row : kVersions)
    if (row.number == target.number && row.suffix == target.suffix)
      return row.version;
  return 0;
}

std::string describeTargets(const char *targets) {
  std::string result;
  anyOf(targets, [&](uint32_t number, char suffix) {
    result += result.empty() ? "" : " or ";
    result += "sm_" + std::to_string(number);
    if (suffix)
      result += suffix;
    else
      result += " and later";
    return false;
  });
  return result;
}

} // namespace heddle::emulator::ptx
