// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rules of modules and functions (PTX ISA 9.0, 11): versions and targets, directives, parameters,
// shared memory, labels.
#include "runtime/emulator/ptx/Verify.h"
#include "runtime/emulator/ptx/Verifier.h"
#include <algorithm>

namespace heddle::emulator::ptx {

namespace {

constexpr uint32_t kNewestVersion = 93;
constexpr uint64_t kMaxStaticShared = 48 << 10; // more must be dynamic, on every target
constexpr uint64_t kSmallParameters = 4352, kLargeParameters = 32764;
constexpr uint64_t kMaxConst = 64 << 10;
/// Functions looked at for shared memory, of all kernels; more are too many to be inlined.
constexpr uint64_t kMaxVisited = 1 << 20;

std::string versionText(uint32_t version) {
  return std::to_string(version / 10) + "." + std::to_string(version % 10);
}

struct Directive {
  const char *name;
  uint16_t version;
  const char *targets;
};

/// Directives that have not always been there.
constexpr Directive kDirectives[] = {{".noreturn", 64, ""},
                                     {".reqnctapercluster", 78, "90"},
                                     {".explicitcluster", 78, "90"},
                                     {".maxclusterrank", 78, "90"},
                                     {".blocksareclusters", 90, "90"},
                                     {".abi_preserve", 90, "80"},
                                     {".abi_preserve_control", 90, "80"}};

} // namespace

bool Verifier::failAt(uint32_t line, const std::string &what) {
  if (error.empty())
    error = "line " + std::to_string(line) + ": " + what;
  return false;
}

bool Verifier::fail(const Statement &statement, const std::string &what) {
  return failAt(statement.line,
                "\"" + statement.text() + "\": " + what + " (in \"" + current->name + "\")");
}

bool Verifier::available(const char *what, uint16_t version, const char *targets,
                         std::string &problem) {
  if (!hasForm(targets, target))
    problem = std::string(what) + " needs .target " + describeTargets(targets) +
              ", the text is for " + module.target;
  else if (module.version < version)
    problem = std::string(what) + " needs .version " + versionText(version) + ", the text has " +
              versionText(module.version);
  else
    return true;
  return false;
}

bool Verifier::header() {
  if (module.version > kNewestVersion)
    return failAt(module.versionLine, ".version " + versionText(module.version) +
                                          " is newer than what the emulated device knows (" +
                                          versionText(kNewestVersion) + ")");
  if (module.target.empty() && module.functions.empty() && module.variables.empty())
    return true;
  uint32_t first = parseTarget(module.target, target) ? firstVersion(target) : 0;
  if (first == 0)
    return failAt(module.targetLine, ".target \"" + module.target +
                                         "\" is not known; expected sm_75, sm_80, sm_90a, ...");
  if (module.version < first)
    return failAt(module.targetLine, ".target " + module.target + " needs .version " +
                                         versionText(first) + ", the text has " +
                                         versionText(module.version));
  return true;
}

bool Verifier::run() {
  if (!header())
    return false;
  uint64_t constBytes = 0;
  for (const Variable &variable : module.variables) {
    moduleVariables.emplace(variable.name, &variable);
    if (variable.space == Space::kConst)
      constBytes += variable.bytes;
  }
  if (constBytes > kMaxConst)
    return failAt(module.variables.front().line,
                  "variables in .const of " + std::to_string(constBytes) + " bytes, at most " +
                      std::to_string(kMaxConst) + " fit");
  if (!module.aliases.empty()) {
    std::string problem;
    if (!available(".alias", 63, "", problem))
      return failAt(module.targetLine, problem);
  }
  for (const auto &function : module.functions) {
    current = function.get();
    if (!directives(*function) || !parameters(*function))
      return false;
    if (function->hasBody && !body(*function))
      return false;
  }
  for (const auto &function : module.functions)
    if (function->isEntry && function->hasBody && !sharedBytes(*function))
      return false;
  return true;
}

bool Verifier::directives(const Function &function) {
  auto has = [&](const char *name) {
    return std::find(function.directives.begin(), function.directives.end(), name) !=
           function.directives.end();
  };
  std::string problem;
  for (const std::string &name : function.directives) {
    for (const Directive &directive : kDirectives)
      if (name == directive.name &&
          !available(directive.name, directive.version, directive.targets, problem))
        return failAt(function.line, problem);
    bool isOfFunction = name == ".noreturn" || name.starts_with(".abi_preserve");
    if (function.isEntry == isOfFunction)
      return failAt(function.line, "\"" + name + "\" is for " +
                                       (function.isEntry ? "functions, not for kernels"
                                                         : "kernels, not for functions"));
  }
  if (has(".reqntid") && has(".maxntid"))
    return failAt(function.line, "one of .maxntid and .reqntid, not both");
  if ((has(".reqntid") || has(".maxntid")) && function.maxThreads == 0)
    return failAt(function.line, "a block has at least one thread, the directive says 0");
  if (has(".reqntid") && function.maxThreads > 1024)
    return failAt(function.line, ".reqntid asks for " + std::to_string(function.maxThreads) +
                                     " threads, a block has at most 1024");
  bool isSized = has(".reqnctapercluster");
  uint64_t cluster = uint64_t(function.cluster[0]) * function.cluster[1] * function.cluster[2];
  if (isSized && (cluster == 0 || cluster > 16))
    return failAt(function.line, ".reqnctapercluster asks for " + std::to_string(cluster) +
                                     " blocks, a cluster has 1 to 16");
  if (isSized && has(".maxclusterrank"))
    return failAt(function.line, "one of .maxclusterrank and .reqnctapercluster, not both");
  if (function.blocksAreClusters && !(has(".reqntid") && isSized))
    return failAt(function.line, ".blocksareclusters needs .reqntid and .reqnctapercluster");
  return true;
}

bool Verifier::parameters(const Function &function) {
  uint64_t bytes = 0;
  for (const Variable &variable : function.params) {
    bytes = (bytes + variable.align - 1) / variable.align * variable.align + variable.bytes;
    if (bytes > kLargeParameters)
      break;
  }
  if (!function.isEntry)
    return true;
  if (bytes > kLargeParameters)
    return failAt(function.line,
                  "parameters of more than " + std::to_string(kLargeParameters) + " bytes");
  if (bytes > kSmallParameters && module.version < 81)
    return failAt(function.line, "parameters of " + std::to_string(bytes) + " bytes, more than " +
                                     std::to_string(kSmallParameters) + ", need .version 8.1");
  return true;
}

bool Verifier::declareVariables(const Function &function) {
  functionVariables.clear();
  auto declare = [&](const Variable &variable) {
    if (functionVariables.emplace(variable.name, &variable).second)
      return true;
    return failAt(variable.line, "\"" + variable.name + "\" is declared twice");
  };
  for (const auto *list : {&function.results, &function.params, &function.variables})
    for (const Variable &variable : *list) {
      if (!declare(variable))
        return false;
      if (current->findRegister(variable.name))
        return failAt(variable.line, "\"" + variable.name + "\" is a register, too");
    }
  return true;
}

bool Verifier::collectLabels(const Function &function) {
  labels.clear();
  branchTables.clear();
  for (const Statement &statement : function.body) {
    if (statement.kind == Statement::Kind::kInstruction)
      continue;
    bool isTable = statement.kind == Statement::Kind::kBranchTargets;
    bool isNew = (isTable ? branchTables : labels).insert(statement.label).second &&
                 !(isTable ? labels : branchTables).count(statement.label);
    if (!isNew)
      return failAt(statement.line, "label \"" + statement.label + "\" is defined twice (in \"" +
                                        function.name + "\")");
  }
  return true;
}

bool Verifier::body(Function &function) {
  if (!declareVariables(function) || !collectLabels(function))
    return false;
  for (const auto *list : {&function.registers, &function.families})
    for (const auto &[name, type] : *list) {
      std::string problem;
      if (type.bytes == 16 && !available("a register of 128 bits", 83, "70", problem))
        return failAt(function.line, problem);
    }
  for (Statement &each : function.body)
    if (!statement(each))
      return false;
  return true;
}

bool Verifier::statement(Statement &statement) {
  if (statement.kind == Statement::Kind::kLabel)
    return true;
  if (statement.kind == Statement::Kind::kBranchTargets) {
    for (const Operand &label : statement.operands)
      if (!labels.count(label.name))
        return failAt(statement.line,
                      "label \"" + label.name + "\" is not defined (in \"" + current->name + "\")");
    return true;
  }
  if (!statement.guard.empty()) {
    const RegisterType *guard = current->findRegister(statement.guard);
    if (!guard)
      return fail(statement, "the guard " + undeclared(statement.guard));
    if (guard->bytes != 0)
      return fail(statement, "the guard \"" + statement.guard + "\" must be a predicate");
  }
  if (statement.opcode == "mov")
    return move(statement);
  if (statement.opcode == "call")
    return call(statement);
  return instruction(statement);
}

/// Static shared memory of a kernel and of what it calls.
bool Verifier::sharedBytes(const Function &function) {
  std::set<const Function *> seen{&function};
  std::vector<const Function *> open{&function};
  std::set<const Variable *> named;
  while (!open.empty() && visited++ < kMaxVisited) {
    const Function *next = open.back();
    open.pop_back();
    for (const Variable &variable : next->variables)
      if (variable.space == Space::kShared)
        named.insert(&variable);
    if (auto shared = sharedOf.find(next); shared != sharedOf.end())
      named.insert(shared->second.begin(), shared->second.end());
    if (auto callees = calleesOf.find(next); callees != calleesOf.end())
      for (const Function *callee : callees->second)
        if (seen.insert(callee).second)
          open.push_back(callee);
  }
  uint64_t bytes = 0;
  for (const Variable *variable : named)
    bytes += variable->bytes;
  if (bytes <= kMaxStaticShared)
    return true;
  return failAt(function.line, "kernel \"" + function.name + "\" has " + std::to_string(bytes) +
                                   " bytes of static shared memory, at most " +
                                   std::to_string(kMaxStaticShared) +
                                   " fit; declare it .extern and give its size at the launch");
}

bool verify(Module &module, std::string &error) {
  error.clear();
  return Verifier(module, error).run();
}

} // namespace heddle::emulator::ptx
