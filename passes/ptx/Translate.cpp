// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From the llvm dialect to PTX in process: translate, link the needed functions of libdevice,
// optimise, print.
#include "passes/ptx/Translate.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Linker/Linker.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include <mutex>

using namespace mlir;

namespace heddle::ptx {

/// libdevice.10.bc: where the environment says, where it was at build time, or in an installed
/// toolkit; "" if nowhere.
static std::string findLibdevice() {
  if (auto path = llvm::sys::Process::GetEnv("HEDDLE_LIBDEVICE"))
    return *path;
  for (const char *path : {HEDDLE_LIBDEVICE_PATH, "/usr/local/cuda/nvvm/libdevice/libdevice.10.bc"})
    if (*path && llvm::sys::fs::exists(path))
      return path;
  return "";
}

static LogicalResult linkLibdevice(llvm::Module &module, Location loc) {
  bool isNeeded = llvm::any_of(module, [](const llvm::Function &function) {
    return function.isDeclaration() && function.getName().starts_with("__nv_");
  });
  if (!isNeeded)
    return success();
  std::string path = findLibdevice();
  if (path.empty())
    return emitError(loc) << "libdevice.10.bc not found, the model needs its math functions; "
                             "install a CUDA toolkit or run "
                             "tools/setup.sh, or set HEDDLE_LIBDEVICE to the file";
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return emitError(loc) << "cannot read '" << path << "': " << buffer.getError().message();
  auto library = llvm::parseBitcodeFile(**buffer, module.getContext());
  if (!library)
    return emitError(loc) << "'" << path
                          << "' is no LLVM bitcode: " << llvm::toString(library.takeError());
  (*library)->setTargetTriple(module.getTargetTriple());
  (*library)->setDataLayout(module.getDataLayout());
  auto internalize = [](llvm::Module &linked, const llvm::StringSet<> &names) {
    for (llvm::Function &function : linked)
      if (names.contains(function.getName()) && !function.isDeclaration())
        function.setLinkage(llvm::GlobalValue::InternalLinkage);
  };
  if (llvm::Linker::linkModules(module, std::move(*library), llvm::Linker::LinkOnlyNeeded,
                                internalize))
    return emitError(loc) << "linking '" << path << "' failed";
  // Subnormals are kept: libdevice asks for this flag.
  module.addModuleFlag(llvm::Module::Override, "nvvm-reflect-ftz", uint32_t(0));
  return success();
}

static void optimize(llvm::Module &module, llvm::TargetMachine &machine) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O3).run(module, modules);
}

static llvm::TargetMachine *createMachine(const Target &target, std::string &error) {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
  });
  llvm::Triple triple("nvptx64-nvidia-cuda");
  const llvm::Target *backend = llvm::TargetRegistry::lookupTarget(triple, error);
  if (!backend)
    return nullptr;
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  return backend->createTargetMachine(triple, std::string(target.name), target.llvmFeatures(),
                                      options, std::nullopt, std::nullopt,
                                      llvm::CodeGenOptLevel::Aggressive);
}

/// LLVM's errors become text; without this it ends the process at the first.
static void collectErrors(const llvm::DiagnosticInfo *info, void *errors) {
  if (info->getSeverity() != llvm::DS_Error)
    return;
  llvm::raw_string_ostream stream(*static_cast<std::string *>(errors));
  llvm::DiagnosticPrinterRawOStream printer(stream);
  info->print(printer);
  stream << "; ";
}

static void registerTranslations(MLIRContext *context) {
  DialectRegistry registry;
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  registerNVVMDialectTranslation(registry);
  context->appendDialectRegistry(registry);
}

FailureOr<std::string> translateToPtx(ModuleOp module, const Target &target) {
  Location loc = module.getLoc();
  registerTranslations(module.getContext());
  // Only the kernels go on: `main` stays for the plan.
  OwningOpRef<ModuleOp> kernels = ModuleOp::create(loc);
  OpBuilder builder = OpBuilder::atBlockEnd(kernels->getBody());
  for (Operation &op : *module.getBody())
    if (isa<LLVM::LLVMFuncOp, LLVM::GlobalOp>(op))
      builder.clone(op);
  if (kernels->getBody()->empty())
    return std::string();
  if (failed(lowerToLlvm(*kernels)))
    return failure();

  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> code = translateModuleToLLVMIR(*kernels, context, "heddle");
  if (!code)
    return emitError(loc) << "translation to LLVM IR failed; please report this with the model",
           failure();
  std::string error;
  std::unique_ptr<llvm::TargetMachine> machine(createMachine(target, error));
  if (!machine)
    return emitError(loc) << "LLVM has no NVPTX back end: " << error, failure();
  code->setTargetTriple(machine->getTargetTriple());
  code->setDataLayout(machine->createDataLayout());
  if (failed(linkLibdevice(*code, loc)))
    return failure();
  llvm::SmallString<0> text;
  llvm::raw_svector_ostream stream(text);
  llvm::legacy::PassManager printer;
  if (machine->addPassesToEmitFile(printer, stream, nullptr, llvm::CodeGenFileType::AssemblyFile))
    return emitError(loc) << "LLVM cannot print PTX", failure();
  // Where the back end cannot select an instruction it reports an error or ends the process; here
  // both are errors of the compile.
  std::string errors;
  context.setDiagnosticHandlerCallBack(collectErrors, &errors);
  llvm::CrashRecoveryContext::Enable();
  bool isFinished = llvm::CrashRecoveryContext().RunSafely([&] {
    optimize(*code, *machine);
    printer.run(*code);
  });
  llvm::CrashRecoveryContext::Disable();
  if (!isFinished)
    (void)code.release(); // in an unknown state
  if (!isFinished || !errors.empty())
    return emitError(loc) << "LLVM cannot make code for " << target.name << ": "
                          << (errors.empty() ? "its back end gave up; " : errors)
                          << "please report this with the model",
           failure();
  return text.str().str();
}

} // namespace heddle::ptx
