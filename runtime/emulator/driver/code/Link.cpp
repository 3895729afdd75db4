// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cuLink*: what is linked is one PTX text, which becomes the linked image as it is. Texts are not
// joined, and machine code is not linked.
#include "runtime/emulator/driver/Handles.h"
#include "runtime/emulator/driver/code/Modules.h"
#include <cstring>

namespace heddle::emulator {

/// The program's log buffers are kept for errors that come later.
struct Link {
  Context *context = nullptr;
  std::vector<CUjit_option> options;
  std::vector<void *> values;
  std::string text;
};

} // namespace heddle::emulator

using namespace heddle::emulator;

static Link *linkOf(CUlinkState handle) { return Handles<Link>::get().find(handle); }

static CUresult fail(const Call &call, Link &link, CUresult code, const std::string &why) {
  writeLog(why, static_cast<unsigned>(link.options.size()), link.options.data(),
           link.values.data());
  return call.refuse(code, why);
}

HEDDLE_EMU_API CUresult cuLinkCreate(unsigned count, CUjit_option *options, void **values,
                                     CUlinkState *state) {
  Call call("cuLinkCreate");
  if (!call)
    return call.code;
  if (!state || (count && (!options || !values)))
    return CUDA_ERROR_INVALID_VALUE;
  auto link = std::make_unique<Link>();
  link->context = call.context;
  link->options.assign(options, options + count);
  link->values.assign(values, values + count);
  *state = reinterpret_cast<CUlinkState>(Handles<Link>::get().add(std::move(link)));
  return CUDA_SUCCESS;
}

static CUresult addText(const Call &call, Link &link, CUjitInputType type, const char *data,
                        size_t bytes) {
  if (type != CU_JIT_INPUT_PTX)
    return fail(call, link, CUDA_ERROR_NOT_SUPPORTED,
                "the emulated device links PTX text only; cubins, fatbins, objects and libraries "
                "are machine code");
  if (!link.text.empty())
    return fail(call, link, CUDA_ERROR_NOT_SUPPORTED,
                "the emulated device links one PTX text, but this is a second one; compile the "
                "program as a whole");
  link.text.assign(data, bytes);
  link.text = link.text.c_str(); // the size counts a final zero, or not
  CUresult code;
  std::string error;
  LoadedModule *module = loadText(*link.context, link.text, code, error);
  if (!module)
    return fail(call, link, code, error);
  unloadModule(module);
  return CUDA_SUCCESS;
}

HEDDLE_EMU_API CUresult cuLinkAddData(CUlinkState state, CUjitInputType type, void *data,
                                      size_t bytes, const char *, unsigned, CUjit_option *,
                                      void **) {
  Call call("cuLinkAddData");
  if (!call)
    return call.code;
  Link *link = linkOf(state);
  if (!link)
    return CUDA_ERROR_INVALID_HANDLE;
  if (!data || bytes == 0)
    return CUDA_ERROR_INVALID_VALUE;
  return addText(call, *link, type, static_cast<const char *>(data), bytes);
}

HEDDLE_EMU_API CUresult cuLinkAddFile(CUlinkState state, CUjitInputType type, const char *path,
                                      unsigned, CUjit_option *, void **) {
  Call call("cuLinkAddFile");
  if (!call)
    return call.code;
  Link *link = linkOf(state);
  if (!link)
    return CUDA_ERROR_INVALID_HANDLE;
  std::string bytes;
  if (!path)
    return CUDA_ERROR_INVALID_VALUE;
  if (!readImage(path, bytes))
    return call.refuse(CUDA_ERROR_FILE_NOT_FOUND, "cannot read \"" + std::string(path) + "\"");
  return addText(call, *link, type, bytes.data(), bytes.size());
}

HEDDLE_EMU_API CUresult cuLinkComplete(CUlinkState state, void **image, size_t *bytes) {
  Call call("cuLinkComplete");
  if (!call)
    return call.code;
  Link *link = linkOf(state);
  if (!link)
    return CUDA_ERROR_INVALID_HANDLE;
  if (!image)
    return CUDA_ERROR_INVALID_VALUE;
  if (link->text.empty())
    return fail(call, *link, CUDA_ERROR_INVALID_IMAGE, "nothing was added to the link");
  *image = link->text.data();
  if (bytes)
    *bytes = link->text.size() + 1;
  return CUDA_SUCCESS;
}

HEDDLE_EMU_API CUresult cuLinkDestroy(CUlinkState state) {
  Call call("cuLinkDestroy", Call::kDriver);
  if (!call)
    return call.code;
  return Handles<Link>::get().take(state) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}
