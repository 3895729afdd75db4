// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rules that every artifact obeys. The reader applies them to untrusted files, the writer to
// what the compiler made, so that the executor can index without looking.
#include "heddle/Artifact.h"
#include <set>

namespace heddle::artifact {

namespace {

/// The limits of every architecture: CUDA C++ Programming Guide, "Technical Specifications per
/// Compute Capability".
constexpr uint64_t kMaxBlockThreads = 1024;
constexpr uint64_t kMaxBlockZ = 64;
constexpr uint32_t kMaxDynamicSharedBytes = 227 * 1024;
constexpr size_t kMaxParameterBytes = 32764;

std::string text(uint64_t number) { return std::to_string(number); }

bool isReadableOnHost(DType dtype) {
  return (isInteger(dtype) && bits(dtype) >= 8) || dtype == DType::kBool;
}

class VariantVerifier {
public:
  explicit VariantVerifier(const Variant &variant) : v(variant) {}

  Status run() {
    HEDDLE_TRY(code());
    HEDDLE_TRY(expressions());
    HEDDLE_TRY(symbols());
    for (size_t i = 0; i < v.buffers.size(); ++i)
      HEDDLE_TRY(buffer(v.buffers[i]).in("buffer " + text(i)));
    HEDDLE_TRY(values(v.inputs, BufferKind::kInput, "input"));
    HEDDLE_TRY(values(v.outputs, BufferKind::kOutput, "output"));
    for (size_t i = 0; i < v.kernels.size(); ++i)
      if (v.kernels[i].name.empty())
        return corrupt("kernel " + text(i) + " has no name");
    for (size_t i = 0; i < v.steps.size(); ++i) {
      auto visitStep = [&](const auto &concrete) { return step(concrete, i); };
      HEDDLE_TRY(std::visit(visitStep, v.steps[i]).in("step " + text(i)));
    }
    return Status::success();
  }

private:
  Status code() {
    if (v.target.empty())
      return corrupt("no target is named");
    if (v.ptx.empty() && v.cubin.empty() && !v.kernels.empty())
      return corrupt("there are kernels but neither PTX nor a cubin");
    return Status::success();
  }

  Status expr(uint32_t id, const char *what) {
    if (id < v.exprs.size())
      return Status::success();
    return corrupt(std::string(what) + " is expression " + text(id) + " of " +
                   text(v.exprs.size()));
  }

  Status bufferId(uint32_t id, const char *what) {
    if (id < v.buffers.size())
      return Status::success();
    return corrupt(std::string(what) + " is buffer " + text(id) + " of " + text(v.buffers.size()));
  }

  /// Also finds, per expression, how many symbols must be bound before it has a value.
  Status expressions() {
    neededSymbols.resize(v.exprs.size());
    for (size_t i = 0; i < v.exprs.size(); ++i) {
      const Expr &e = v.exprs[i];
      if (e.kind > ExprKind::kSelect)
        return corrupt("expression " + text(i) + " is of unknown kind " +
                       text(static_cast<uint8_t>(e.kind)));
      if (e.kind == ExprKind::kConstant)
        continue;
      if (e.kind == ExprKind::kSymbol) {
        if (e.a >= v.symbols.size())
          return corrupt("expression " + text(i) + " is symbol " + text(e.a) + " of " +
                         text(v.symbols.size()));
        neededSymbols[i] = e.a + 1;
        continue;
      }
      for (uint32_t operand : {e.a, e.b, e.kind == ExprKind::kSelect ? e.c : e.a}) {
        if (operand >= i)
          return corrupt("expression " + text(i) + " uses expression " + text(operand) +
                         ", which does not stand before it");
        neededSymbols[i] = std::max(neededSymbols[i], neededSymbols[operand]);
      }
    }
    return Status::success();
  }

  Status symbols() {
    for (size_t i = 0; i < v.symbols.size(); ++i) {
      const Symbol &s = v.symbols[i];
      std::string where = "symbol " + text(i) + " \"" + s.name + "\"";
      if (s.kind > SymbolKind::kDerived)
        return corrupt(where + " is of unknown kind " + text(static_cast<uint8_t>(s.kind)));
      if (s.kind == SymbolKind::kDerived) {
        HEDDLE_TRY(expr(s.expr, "its value").in(where));
        if (neededSymbols[s.expr] > i)
          return corrupt(where + " is made from symbols that do not stand before it");
        continue;
      }
      if (s.input >= v.inputs.size())
        return corrupt(where + " comes from input " + text(s.input) + " of " +
                       text(v.inputs.size()));
      const Value &input = v.inputs[s.input];
      if (s.kind == SymbolKind::kInputDim && s.index >= input.dims.size())
        return corrupt(where + " is dimension " + text(s.index) + " of input \"" + input.name +
                       "\", which has rank " + text(input.dims.size()));
      if (s.kind == SymbolKind::kInputElement && !isReadableOnHost(input.dtype))
        return corrupt(where + " is an element of input \"" + input.name + "\", which is " +
                       std::string(name(input.dtype)) + " and no integer");
    }
    return Status::success();
  }

  Status buffer(const Buffer &b) {
    HEDDLE_TRY(expr(b.size, "its size"));
    switch (b.kind) {
    case BufferKind::kInput:
    case BufferKind::kOutput:
      return Status::success();
    case BufferKind::kWeight: {
      const Expr &size = v.exprs[b.size];
      if (size.kind != ExprKind::kConstant || size.value < 0 ||
          static_cast<uint64_t>(size.value) != b.weight.size())
        return corrupt("its size is not the constant " + text(b.weight.size()) +
                       ", the bytes of its weight");
      return Status::success();
    }
    case BufferKind::kTemporary:
      if (b.first >= b.last || b.last > v.steps.size())
        return corrupt("its lifetime [" + text(b.first) + ", " + text(b.last) +
                       ") is not a part of the steps [0, " + text(v.steps.size()) + ")");
      return Status::success();
    }
    return corrupt("it is of unknown kind " + text(static_cast<uint8_t>(b.kind)));
  }

  Status values(const std::vector<Value> &list, BufferKind kind, const char *what) {
    std::set<std::string_view> names;
    for (size_t i = 0; i < list.size(); ++i) {
      const Value &value = list[i];
      std::string where = std::string(what) + " " + text(i) + " \"" + value.name + "\"";
      if (value.name.empty())
        return corrupt(where + " has no name");
      if (!names.insert(value.name).second)
        return corrupt(where + " has the name of another " + what);
      if (!isValidDType(static_cast<uint8_t>(value.dtype)))
        return corrupt(where + " has the unknown element type " +
                       text(static_cast<uint8_t>(value.dtype)));
      for (uint32_t dim : value.dims)
        HEDDLE_TRY(expr(dim, "a dimension").in(where));
      HEDDLE_TRY(bufferId(value.buffer, "its memory").in(where));
      if (v.buffers[value.buffer].kind != kind)
        return corrupt(where + " is in buffer " + text(value.buffer) + ", which is no " + what);
      if (!valueBuffers.insert(value.buffer).second)
        return corrupt(where + " shares buffer " + text(value.buffer) + " with another");
    }
    return Status::success();
  }

  Status live(uint32_t id, size_t step, const char *what) {
    HEDDLE_TRY(bufferId(id, what));
    const Buffer &b = v.buffers[id];
    if (b.kind == BufferKind::kTemporary && (step < b.first || step >= b.last))
      return corrupt(std::string(what) + " is buffer " + text(id) + ", which lives in [" +
                     text(b.first) + ", " + text(b.last) + ") only");
    return Status::success();
  }

  Status written(uint32_t id, size_t step) {
    HEDDLE_TRY(live(id, step, "the destination"));
    BufferKind kind = v.buffers[id].kind;
    if (kind == BufferKind::kWeight || kind == BufferKind::kInput)
      return corrupt("the destination is buffer " + text(id) + ", which is read only");
    return Status::success();
  }

  Status step(const Launch &launch, size_t index) {
    if (launch.kernel >= v.kernels.size())
      return corrupt("it launches kernel " + text(launch.kernel) + " of " + text(v.kernels.size()));
    for (uint32_t extent : launch.grid)
      HEDDLE_TRY(expr(extent, "a grid size"));
    uint64_t threads = 1;
    for (uint32_t extent : launch.block) {
      if (extent < 1 || extent > kMaxBlockThreads)
        return corrupt("a block size is " + text(extent) + ", not in [1, 1024]");
      threads *= extent;
    }
    if (threads > kMaxBlockThreads || launch.block[2] > kMaxBlockZ)
      return corrupt("its block has " + text(threads) + " threads, " + text(launch.block[2]) +
                     " along z; at most 1024 and 64 are possible");
    if (launch.sharedBytes > kMaxDynamicSharedBytes)
      return corrupt("it wants " + text(launch.sharedBytes) +
                     " bytes of shared memory; at most 232448 are possible");
    if (launch.args.size() > kMaxParameterBytes / sizeof(int64_t))
      return corrupt("it has " + text(launch.args.size()) +
                     " arguments; at most 4095 are possible");
    for (const Arg &arg : launch.args) {
      if (arg.kind > ArgKind::kInt64)
        return corrupt("an argument is of unknown kind " + text(static_cast<uint8_t>(arg.kind)));
      if (arg.kind == ArgKind::kPointer)
        HEDDLE_TRY(live(arg.buffer, index, "an argument"));
      else
        HEDDLE_TRY(expr(arg.expr, "an argument"));
    }
    return Status::success();
  }

  Status step(const Copy &copy, size_t index) {
    HEDDLE_TRY(written(copy.dst, index));
    HEDDLE_TRY(live(copy.src, index, "the source"));
    if (copy.dst == copy.src)
      return corrupt("it copies buffer " + text(copy.dst) + " onto itself");
    return expr(copy.size, "its size");
  }

  Status step(const Store &store, size_t index) {
    HEDDLE_TRY(written(store.dst, index));
    bool known = isValidDType(static_cast<uint8_t>(store.dtype));
    if (!known || !(isReadableOnHost(store.dtype) || store.dtype == DType::kF32 ||
                    store.dtype == DType::kF64))
      return corrupt(
          "host numbers cannot be stored as element type " +
          (known ? std::string(name(store.dtype)) : text(static_cast<uint8_t>(store.dtype))));
    for (uint32_t value : store.values)
      HEDDLE_TRY(expr(value, "a value"));
    return Status::success();
  }

  Status step(const Check &check, size_t) {
    HEDDLE_TRY(expr(check.condition, "the condition"));
    for (uint32_t value : check.values)
      HEDDLE_TRY(expr(value, "a value"));
    return Status::success();
  }

  const Variant &v;
  std::vector<uint32_t> neededSymbols;
  std::set<uint32_t> valueBuffers;
};

} // namespace

Status verify(const ArtifactData &data) {
  if (data.variants.empty())
    return corrupt("there is no code for any target");
  std::set<std::string_view> targets;
  for (const Variant &variant : data.variants) {
    HEDDLE_TRY(VariantVerifier(variant).run().in("variant \"" + variant.target + "\""));
    if (!targets.insert(variant.target).second)
      return corrupt("target \"" + variant.target + "\" occurs twice");
  }
  return Status::success();
}

} // namespace heddle::artifact
