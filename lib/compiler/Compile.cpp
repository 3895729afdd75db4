// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Drives the stages: model to graph to kernels, then for each target to code and plan, then to a
// file. What a stage does is in passes/Pipeline.cpp.
#include "heddle/Compiler.h"
#include "heddle/Target.h"
#include "lib/compiler/Diagnostics.h"
#include "lib/compiler/Disassemble.h"
#include "lib/compiler/MakeVariant.h"
#include "lib/compiler/Options.h"
#include "lib/compiler/Register.h"
#include "lib/compiler/Timing.h"
#include "lib/import/Import.h"
#include "lib/ptxas/Ptxas.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Parser/Parser.h"
#include "passes/Pipeline.h"
#include "passes/ptx/Translate.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SHA256.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace heddle::compiler {

namespace {

/// Remarks become diagnostics, which Diagnostics collects; there is no file of them.
struct NoRemarkFile : remark::detail::MLIRRemarkStreamerBase {
  void streamOptimizationRemark(const remark::detail::Remark &) override {}
};

/// One compile.
class Compilation {
public:
  Compilation(StringRef name, const CompileOptions &options, Stage last)
      : name(name), options(options), last(last), context(makeRegistry()),
        diagnostics(context, name, options.remarks) {
    // One thread, so that the same model gives the same bytes and the same order of errors.
    context.disableMultithreading();
  }

  /// `bytes` is the model; `folder` is where its tensors in other files are.
  Status run(StringRef bytes, StringRef folder, const std::string &outputPath);
  void fill(CompileReport &report) {
    report.diagnostics = diagnostics.text();
    if (options.timing)
      report.timing = timing.table();
  }

private:
  static DialectRegistry makeRegistry() {
    DialectRegistry registry;
    registerDialects(registry);
    return registry;
  }
  Status enableRemarks();
  Status load(StringRef bytes, StringRef folder);
  Status runPasses(ModuleOp onModule, const char *stage,
                   llvm::function_ref<void(OpPassManager &)> build);
  /// From kernels to a variant; text that is asked for goes to `text`.
  Status compileTarget(const Target &target);
  Status assemble(const Target &target, artifact::Variant &variant, StringRef ptx);
  Status emitText(const std::string &outputPath);
  /// What the passes have reported, or `otherwise` if they have not.
  Status failure(const std::string &otherwise);
  void printModule(ModuleOp printed);

  std::string name;
  const CompileOptions &options;
  Stage last;
  MLIRContext context;
  Diagnostics diagnostics;
  Timing timing;
  OwningOpRef<ModuleOp> module;
  // Weights point into modules.
  std::vector<OwningOpRef<ModuleOp>> targetModules;
  artifact::ArtifactData data;
  std::string text;
};

} // namespace

Status Compilation::failure(const std::string &otherwise) {
  if (!diagnostics.hasErrors())
    diagnostics.error(otherwise);
  std::string errors;
  for (StringRef line : llvm::split(diagnostics.text(), '\n'))
    if (line.consume_front("error: "))
      errors += (errors.empty() ? "" : "\n") + line.str();
  return unsupported(errors);
}

Status Compilation::enableRemarks() {
  if (!options.remarks)
    return Status::success();
  remark::RemarkCategories all{".*", ".*", ".*", ".*", ".*"};
  if (failed(remark::enableOptimizationRemarks(context, std::make_unique<NoRemarkFile>(),
                                               std::make_unique<remark::RemarkEmittingPolicyAll>(),
                                               all, /*printAsEmitRemarks=*/true)))
    return unsupported("remarks cannot be turned on");
  return Status::success();
}

Status Compilation::load(StringRef bytes, StringRef folder) {
  auto timer = timing.start("import");
  if (StringRef(name).ends_with(".mlir")) {
    module = parseSourceString<ModuleOp>(bytes, ParserConfig(&context), name);
  } else {
    import::ImportOptions importOptions;
    for (const auto &[dim, size] : options.dimSizes)
      importOptions.dimSizes[dim] = size;
    for (const auto &[input, value] : options.inputValues)
      importOptions.inputValues[input] = value;
    module = import::importOnnx(bytes, folder, context, importOptions);
  }
  return module ? Status::success() : failure("the model cannot be imported");
}

Status Compilation::runPasses(ModuleOp onModule, const char *stage,
                              llvm::function_ref<void(OpPassManager &)> build) {
  auto timer = timing.start(stage);
  PassManager manager(&context);
  build(manager);
  if (failed(manager.run(onModule)))
    return failure(std::string("the ") + stage +
                   " stage failed without a reason; please report this with the model");
  return Status::success();
}

void Compilation::printModule(ModuleOp printed) {
  llvm::raw_string_ostream stream(text);
  printed.print(stream, OpPrintingFlags());
  stream << "\n";
}

Status Compilation::assemble(const Target &target, artifact::Variant &variant, StringRef ptx) {
  auto timer = timing.start("ptxas");
  auto assembly = ptxas::assemble(ptx, target.name);
  if (!assembly.ok()) {
    diagnostics.error("ptxas for " + std::string(target.name) + ": " + assembly.status().text());
    return Status(assembly.status().code(), name + ": " + assembly.status().text());
  }
  for (artifact::Kernel &kernel : variant.kernels)
    for (const ptxas::KernelReport &report : assembly->kernels)
      if (report.name == kernel.name) {
        kernel.registers = report.registers;
        kernel.staticSharedBytes = report.sharedBytes;
        if (report.spillStoreBytes + report.spillLoadBytes > 0)
          emitRemark(module->getLoc())
              << "kernel '" << kernel.name << "' spills " << report.spillStoreBytes
              << " bytes of registers on " << target.name;
      }
  variant.cubin = data.own(std::move(assembly->cubin));
  return Status::success();
}

Status Compilation::compileTarget(const Target &target) {
  targetModules.emplace_back(module->clone());
  ModuleOp code = *targetModules.back();
  PipelineOptions pipeline{std::string(target.name), options.precision};
  HEDDLE_TRY(runPasses(code, "kernel",
                       [&](OpPassManager &manager) { buildKernelPipeline(manager, pipeline); }));
  if (last == Stage::kKernel)
    return printModule(code), Status::success();

  std::string ptx;
  {
    auto timer = timing.start("ptx");
    auto translated = ptx::translateToPtx(code, target);
    if (failed(translated))
      return failure("translation to PTX failed; please report this with the model");
    ptx = std::move(*translated);
  }
  if (last == Stage::kPtx) {
    text += ptx;
    return Status::success();
  }
  HEDDLE_TRY(runPasses(code, "plan", [](OpPassManager &manager) { buildPlanPipeline(manager); }));
  if (last == Stage::kPlan)
    return printModule(code), Status::success();

  HEDDLE_TRY_ASSIGN(artifact::Variant variant, makeVariant(code, data));
  variant.target = std::string(target.name);
  variant.ptxVersion = static_cast<uint32_t>(target.ptxVersion);
  if (!ptx.empty())
    HEDDLE_TRY(assemble(target, variant, ptx));
  if (last == Stage::kSass && !ptx.empty()) {
    HEDDLE_TRY_ASSIGN(std::string sass, disassemble(variant.cubin));
    text += sass;
  }
  variant.ptx = data.own(std::move(ptx));
  data.variants.push_back(std::move(variant));
  return Status::success();
}

Status Compilation::emitText(const std::string &outputPath) {
  if (outputPath == "-") {
    llvm::outs() << text;
    llvm::outs().flush();
    return Status::success();
  }
  std::error_code error;
  llvm::raw_fd_ostream file(outputPath, error);
  if (!error) {
    file << text;
    file.close();
    error = file.error();
    file.clear_error();
  }
  return error ? ioError("cannot write \"" + outputPath + "\": " + error.message())
               : Status::success();
}

static std::string describeModel(StringRef name, StringRef bytes) {
  auto digest = llvm::SHA256::hash(llvm::arrayRefFromStringRef(bytes));
  return llvm::sys::path::filename(name).str() +
         " sha256:" + llvm::toHex(digest, /*LowerCase=*/true);
}

Status Compilation::run(StringRef bytes, StringRef folder, const std::string &outputPath) {
  HEDDLE_TRY(enableRemarks());
  HEDDLE_TRY(load(bytes, folder));
  PipelineOptions pipeline{options.targets.front(), options.precision};
  if (last >= Stage::kGraph)
    HEDDLE_TRY(runPasses(*module, "graph",
                         [&](OpPassManager &manager) { buildGraphPipeline(manager, pipeline); }));
  if (last <= Stage::kGraph)
    printModule(*module);
  else
    for (const std::string &target : options.targets)
      HEDDLE_TRY(compileTarget(**findTarget(target)));
  if (last != Stage::kArtifact)
    return emitText(outputPath);

  auto timer = timing.start("write");
  data.producer = "heddle " HEDDLE_VERSION;
  data.options = describe(options);
  data.model = describeModel(name, bytes);
  return artifact::write(data, outputPath);
}

static Status compile(StringRef bytes, StringRef name, StringRef folder,
                      const std::string &outputPath, const CompileOptions &options,
                      CompileReport &report) {
  HEDDLE_TRY_ASSIGN(Stage last, check(options));
  Compilation compilation(name, options, last);
  Status status = compilation.run(bytes, folder, outputPath);
  compilation.fill(report);
  return status;
}

} // namespace heddle::compiler

namespace heddle {

Status compileFile(const std::string &modelPath, const std::string &outputPath,
                   const CompileOptions &options, CompileReport &report) {
  if (llvm::sys::fs::is_directory(modelPath))
    return invalidArgument("\"" + modelPath + "\" is a folder, expected a model file");
  auto file = llvm::MemoryBuffer::getFile(modelPath, /*IsText=*/false,
                                          /*RequiresNullTerminator=*/false);
  if (!file)
    return notFound("cannot read the model \"" + modelPath + "\": " + file.getError().message());
  llvm::StringRef folder = llvm::sys::path::parent_path(modelPath);
  return compiler::compile((*file)->getBuffer(), modelPath, folder.empty() ? "." : folder,
                           outputPath, options, report);
}

Status compileBytes(std::span<const uint8_t> model, const std::string &name,
                    const std::string &outputPath, const CompileOptions &options,
                    CompileReport &report) {
  llvm::StringRef bytes(reinterpret_cast<const char *>(model.data()), model.size());
  return compiler::compile(bytes, name, "", outputPath, options, report);
}

} // namespace heddle
