// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What printf of device code makes of its format and arguments.
#ifndef HEDDLE_RUNTIME_EMULATOR_HOST_PRINTFORMAT_H
#define HEDDLE_RUNTIME_EMULATOR_HOST_PRINTFORMAT_H

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace heddle::emulator {

/// Copies the bytes of the next argument, which is aligned to their number; false: there is none.
using ReadArgument = std::function<bool(void *, size_t)>;
/// Reads a text of the device; false: it cannot be read.
using ReadText = std::function<bool(uint64_t, std::string &)>;

/// Appends to `result`; `count` arguments were used. False: one of them cannot be read.
bool formatPrint(std::string_view format, const ReadArgument &read, const ReadText &string,
                 std::string &result, int &count);

} // namespace heddle::emulator

#endif // HEDDLE_RUNTIME_EMULATOR_HOST_PRINTFORMAT_H
