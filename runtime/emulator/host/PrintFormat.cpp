// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Formats of printf: each conversion is taken apart, its argument is read from the device, and the
// C library makes its text. Widths are bounded; what is no conversion stays as it is.
#include "runtime/emulator/host/PrintFormat.h"
#include <cstdio>
#include <cstring>

namespace heddle::emulator {

namespace {

constexpr int kWidestField = 4096;

/// A conversion of a format: what stands between '%' and its letter.
struct Conversion {
  std::string text = "%"; ///< without the length
  bool isLong = false;    ///< 8 bytes
  char letter = 0;
};

/// Reads digits or '*'; false: the argument cannot be read.
bool readNumber(std::string_view format, size_t &at, std::string &text, const ReadArgument &read) {
  int value = 0;
  bool isAny = false;
  if (at < format.size() && format[at] == '*') {
    ++at;
    int32_t given = 0;
    if (!read(&given, 4))
      return false;
    value = given, isAny = true;
  } else {
    for (; at < format.size() && format[at] >= '0' && format[at] <= '9'; ++at, isAny = true)
      value = value > kWidestField ? value : value * 10 + (format[at] - '0');
  }
  value = value > kWidestField ? kWidestField : value < -kWidestField ? -kWidestField : value;
  if (isAny)
    text += std::to_string(value);
  return true;
}

template <typename T> void append(std::string &result, const std::string &format, T value) {
  char buffer[512];
  int length = std::snprintf(buffer, sizeof buffer, format.c_str(), value);
  if (length < 0)
    return;
  if (size_t(length) < sizeof buffer) {
    result.append(buffer, length);
    return;
  }
  std::string longer(size_t(length) + 1, '\0');
  std::snprintf(longer.data(), longer.size(), format.c_str(), value);
  result.append(longer, 0, length);
}

bool convert(const Conversion &c, const ReadArgument &read, const ReadText &string,
             std::string &result) {
  switch (c.letter) {
  case 'd':
  case 'i':
  case 'u':
  case 'o':
  case 'x':
  case 'X':
  case 'c': {
    if (c.isLong && c.letter != 'c') {
      long long value = 0;
      if (!read(&value, 8))
        return false;
      append(result, c.text + "ll" + c.letter, value);
      return true;
    }
    int32_t value = 0;
    if (!read(&value, 4))
      return false;
    append(result, c.text + c.letter, value);
    return true;
  }
  case 's': {
    uint64_t address = 0;
    std::string text;
    if (!read(&address, 8))
      return false;
    if (address == 0)
      text = "(null)";
    else if (!string(address, text))
      return false;
    append(result, c.text + "s", text.c_str());
    return true;
  }
  case 'p': {
    void *address = nullptr;
    if (!read(&address, 8))
      return false;
    append(result, c.text + "p", address);
    return true;
  }
  default: { // a, e, f, g
    double value = 0;
    if (!read(&value, 8))
      return false;
    append(result, c.text + c.letter, value);
    return true;
  }
  }
}

} // namespace

bool formatPrint(std::string_view format, const ReadArgument &read, const ReadText &string,
                 std::string &result, int &count) {
  count = 0;
  for (size_t at = 0; at < format.size();) {
    size_t start = at;
    if (format[at++] != '%') {
      result += format[start];
      continue;
    }
    Conversion c;
    while (at < format.size() && std::strchr("-+ #0", format[at]))
      c.text += format[at++];
    if (!readNumber(format, at, c.text, read))
      return false;
    if (at < format.size() && format[at] == '.') {
      c.text += format[at++];
      if (!readNumber(format, at, c.text, read))
        return false;
    }
    for (; at < format.size() && std::strchr("hlLqjzt", format[at]); ++at)
      c.isLong |= format[at] != 'h';
    c.letter = at < format.size() ? format[at++] : 0;
    if (c.letter == '%') {
      result += '%';
    } else if (c.letter == 0 || !std::strchr("diouxXcspaAeEfFgG", c.letter)) {
      result.append(format.substr(start, at - start)); // as it is
    } else {
      if (!convert(c, read, string, result))
        return false;
      ++count;
    }
  }
  return true;
}

} // namespace heddle::emulator
