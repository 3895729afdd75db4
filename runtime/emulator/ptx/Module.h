// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PTX text as data: what the parser makes and the lowering reads. Nothing here knows what an
// instruction means.
#ifndef HEDDLE_RUNTIME_EMULATOR_PTX_MODULE_H
#define HEDDLE_RUNTIME_EMULATOR_PTX_MODULE_H

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace heddle::emulator::ptx {

enum class Space : uint8_t { kGeneric, kGlobal, kShared, kLocal, kParam, kConst };

struct Operand {
  enum class Kind : uint8_t { kName, kInteger, kFloat32, kFloat64, kAddress, kVector, kSink };
  Kind kind = Kind::kSink;
  bool negated = false;         ///< "!%p1"
  std::string name;             ///< register, symbol or label; the base of an address
  std::string second;           ///< the register after '|'
  int64_t value = 0;            ///< an integer, the bits of a float, or an address's offset
  std::vector<Operand> members; ///< of "{a, b}"
};

struct Statement {
  enum class Kind : uint8_t { kInstruction, kLabel, kBranchTargets };
  Kind kind = Kind::kInstruction;
  uint32_t line = 0;
  std::string guard; ///< predicate register; empty: none
  bool guardNegated = false;
  std::string label;                  ///< of a label or a table of branch targets
  std::string opcode;                 ///< "ld"
  std::vector<std::string> modifiers; ///< "global", "v4", "b32"
  std::vector<Operand> operands;

  bool has(const char *modifier) const;
  std::string text() const; ///< "ld.global.v4.b32"
};

/// A variable in memory: of the module, of a function, or a parameter.
struct Variable {
  std::string name;
  Space space = Space::kGlobal;
  uint64_t align = 1;
  uint64_t bytes = 0;
  bool isExternal = false;
  bool isManaged = false;
  std::vector<uint8_t> init; ///< what follows it, up to `bytes`, is zero
  struct Reference {
    uint64_t offset;
    std::string symbol;
    int64_t addend = 0;
    bool generic = false;
    uint32_t bytes = 8;    ///< of the element
    uint64_t mask = ~0ull; ///< "0xFF00(name)": these bits of the address, moved down to bit 0
  };
  std::vector<Reference> references; ///< addresses of others among the initialisers
  uint32_t line = 0;
};

enum class RegisterKind : uint8_t { kBits, kInteger, kFloat, kPredicate };

/// What ".reg .b32" says of a register; `count` is that of a family, "%r" of "%r<10>".
struct RegisterType {
  uint32_t bytes; ///< 0: a predicate
  RegisterKind kind;
  uint32_t count = 0;
};

/// What a call through an address passes, as ".callprototype" declares it.
struct Prototype {
  std::vector<Variable> results, params;
  bool isNoReturn = false;
};

struct Function {
  std::string name;
  bool isEntry = false;
  bool hasBody = false;
  bool isExternal = false, isWeak = false, isVisible = false, isNoReturn = false;
  std::vector<Variable> params;
  std::vector<Variable> results;
  std::vector<Variable> variables; ///< .shared, .local and call .param
  std::unordered_map<std::string, RegisterType> registers, families;
  std::map<std::string, Prototype> prototypes;
  std::map<std::string, std::vector<std::string>> callTargets;
  std::vector<Statement> body;
  uint32_t maxThreads = 0; ///< of .maxntid or .reqntid; 0: not said
  uint32_t required[3] = {0, 0, 0};
  uint32_t cluster[3] = {0, 0, 0}; ///< .reqnctapercluster; 0: not said
  bool isExplicitCluster = false;  ///< a cluster of a size that the launch says
  bool blocksAreClusters = false;  ///< the launch's grid counts clusters
  uint32_t maxClusterRank = 0, minBlocksPerSm = 0, maxRegisters = 0; ///< 0: not said
  std::vector<std::string> directives; ///< ".maxntid", ... in the order of the text
  uint32_t line = 0;

  /// The register's type; null if it is not declared.
  const RegisterType *findRegister(const std::string &name) const;
};

struct Module {
  uint32_t version = 0; ///< 80 = 8.0
  std::string target;
  std::vector<std::string> targetOptions; ///< "debug", "texmode_unified", ...
  uint32_t versionLine = 0, targetLine = 0;
  std::vector<Variable> variables;
  std::vector<std::unique_ptr<Function>> functions;
  std::unordered_map<std::string, const Function *> functionsByName; ///< bodies before declarations
  std::map<std::string, std::string> aliases;
  std::unordered_map<std::string, const Variable *> sharedByName; ///< of `variables`
  /// What the lowering has made beyond the text: statements that calls brought into kernels,
  /// entries of copied branch tables. A few lines could become millions of them, so it counts and
  /// stops.
  mutable uint64_t expansion = 0;

  const Function *findFunction(const std::string &name) const;
};

/// Bytes of "b32", "f16x2", ...; 0: "pred" or no type.
uint32_t typeBytes(std::string_view type);
bool isType(std::string_view type);

} // namespace heddle::emulator::ptx

#endif // HEDDLE_RUNTIME_EMULATOR_PTX_MODULE_H
