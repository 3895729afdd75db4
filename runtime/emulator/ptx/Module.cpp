// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Look-ups in the parsed text.
#include "runtime/emulator/ptx/Module.h"
#include <algorithm>

namespace heddle::emulator::ptx {

bool Statement::has(const char *modifier) const {
  return std::find(modifiers.begin(), modifiers.end(), modifier) != modifiers.end();
}

std::string Statement::text() const {
  std::string result = opcode;
  for (const std::string &modifier : modifiers)
    (result += '.') += modifier;
  return result;
}

const RegisterType *Function::findRegister(const std::string &name) const {
  // "%r12" of a family is the usual case.
  size_t digits = name.size();
  while (digits > 0 && name[digits - 1] >= '0' && name[digits - 1] <= '9')
    --digits;
  if (digits > 0 && digits < name.size() && name.size() - digits <= 9 &&
      (name[digits] != '0' || digits + 1 == name.size())) {
    auto family = families.find(name.substr(0, digits));
    if (family != families.end() && std::stoul(name.substr(digits)) < family->second.count)
      return &family->second;
  }
  auto single = registers.find(name);
  return single == registers.end() ? nullptr : &single->second;
}

const Function *Module::findFunction(const std::string &name) const {
  auto alias = aliases.find(name);
  auto found = functionsByName.find(alias == aliases.end() ? name : alias->second);
  return found == functionsByName.end() ? nullptr : found->second;
}

static const std::unordered_map<std::string_view, uint32_t> &typeTable() {
  static const std::unordered_map<std::string_view, uint32_t> kBytes = {
      {"b8", 1},    {"u8", 1},   {"s8", 1},    {"b16", 2},   {"u16", 2},    {"s16", 2},
      {"b32", 4},   {"u32", 4},  {"s32", 4},   {"b64", 8},   {"u64", 8},    {"s64", 8},
      {"b128", 16}, {"f16", 2},  {"bf16", 2},  {"f16x2", 4}, {"bf16x2", 4}, {"f32", 4},
      {"f64", 8},   {"tf32", 4}, {"u16x2", 4}, {"s16x2", 4}, {"pred", 0}};
  return kBytes;
}

bool isType(std::string_view type) { return typeTable().count(type) != 0; }

uint32_t typeBytes(std::string_view type) {
  auto found = typeTable().find(type);
  return found == typeTable().end() ? 0 : found->second;
}

} // namespace heddle::emulator::ptx
