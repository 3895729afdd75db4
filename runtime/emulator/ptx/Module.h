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
  std::vector<uint8_t> init;
  struct Reference {
    uint64_t offset;
    std::string symbol;
    int64_t addend;
    bool generic;
  };
  std::vector<Reference> references; ///< addresses of others among the initialisers
  uint32_t line = 0;
};

struct Function {
  std::string name;
  bool isEntry = false;
  bool hasBody = false;
  std::vector<Variable> params;
  std::vector<Variable> results;
  std::vector<Variable> variables;           ///< .shared, .local and call .param
  std::map<std::string, uint32_t> registers; ///< width in bytes; 0: a predicate
  /// "%r" of "%r<10>": width and count.
  struct Family {
    uint32_t bytes;
    uint32_t count;
  };
  std::map<std::string, Family> families;
  std::vector<Statement> body;
  uint32_t maxThreads = 0; ///< of .maxntid or .reqntid; 0: not said
  uint32_t required[3] = {0, 0, 0};
  uint32_t line = 0;
};

struct Module {
  uint32_t version = 0; ///< 80 = 8.0
  std::string target;
  std::vector<Variable> variables;
  std::vector<std::unique_ptr<Function>> functions;

  const Function *findFunction(const std::string &name) const;
};

/// Bytes of "b32", "f16x2", ...; 0: "pred" or no type.
uint32_t typeBytes(const std::string &type);
bool isType(const std::string &type);

} // namespace heddle::emulator::ptx

#endif // HEDDLE_RUNTIME_EMULATOR_PTX_MODULE_H
