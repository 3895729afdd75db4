// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the parts of Heddle that are free of MLIR report failure: a code for programs, a text for
// people. Nothing here throws, and a Status that is dropped is a warning at compile time.
#ifndef HEDDLE_STATUS_H
#define HEDDLE_STATUS_H

#include <cassert>
#include <optional>
#include <string>
#include <utility>

namespace heddle {

/// The values are part of the C API (`heddle_status` in heddle-c/runtime.h).
enum class StatusCode : int {
  kOk = 0,
  kInvalidArgument = 1, ///< The caller passed something that cannot be used.
  kNotFound = 2,        ///< A file, device, name or library does not exist.
  kIo = 3,              ///< Reading or writing a file failed.
  kCorrupt = 4,         ///< A file's contents break its format.
  kUnsupported = 5,     ///< Valid, but this version, device or build cannot do it.
  kOutOfMemory = 6,     ///< The host or the device has too little memory.
  kDevice = 7,          ///< A CUDA driver call failed.
  kFailedCheck = 8,     ///< A condition that the program states about its inputs does not hold.
};

class [[nodiscard]] Status {
public:
  Status() = default;
  Status(StatusCode code, std::string text) : failureCode(code), failureText(std::move(text)) {
    assert(code != StatusCode::kOk && "a failure needs a code that says which");
  }

  static Status success() { return {}; }
  bool ok() const { return failureCode == StatusCode::kOk; }
  StatusCode code() const { return failureCode; }
  /// Empty on success.
  const std::string &text() const { return failureText; }
  /// The same failure with "where: " in front of its text.
  Status in(const std::string &where) && {
    if (!ok())
      failureText = where + ": " + failureText;
    return std::move(*this);
  }

private:
  StatusCode failureCode = StatusCode::kOk;
  std::string failureText;
};

inline Status invalidArgument(std::string text) {
  return {StatusCode::kInvalidArgument, std::move(text)};
}
inline Status notFound(std::string text) { return {StatusCode::kNotFound, std::move(text)}; }
inline Status ioError(std::string text) { return {StatusCode::kIo, std::move(text)}; }
inline Status corrupt(std::string text) { return {StatusCode::kCorrupt, std::move(text)}; }
inline Status unsupported(std::string text) { return {StatusCode::kUnsupported, std::move(text)}; }
inline Status outOfMemory(std::string text) { return {StatusCode::kOutOfMemory, std::move(text)}; }

/// A value, or the Status that says why there is none.
template <typename T> class [[nodiscard]] Result {
public:
  Result(T value) : content(std::move(value)) {}
  Result(Status status) : failure(std::move(status)) {
    assert(!failure.ok() && "a Result without a value needs a failure");
  }

  bool ok() const { return content.has_value(); }
  explicit operator bool() const { return ok(); }
  const Status &status() const { return failure; }
  /// Hands the failure out, to be returned further up.
  Status takeStatus() { return std::move(failure); }

  T &operator*() {
    assert(ok() && "value of a failed Result");
    return *content;
  }
  const T &operator*() const {
    assert(ok() && "value of a failed Result");
    return *content;
  }
  T *operator->() { return &**this; }
  const T *operator->() const { return &**this; }

private:
  std::optional<T> content;
  Status failure;
};

} // namespace heddle

/// Returns from the enclosing function if `expression`, a Status, is a failure.
#define HEDDLE_TRY(expression)                                                                     \
  do {                                                                                             \
    if (::heddle::Status heddleTryStatus = (expression); !heddleTryStatus.ok())                    \
      return heddleTryStatus;                                                                      \
  } while (false)

#define HEDDLE_CONCAT_INNER(a, b) a##b
#define HEDDLE_CONCAT(a, b) HEDDLE_CONCAT_INNER(a, b)
/// HEDDLE_TRY_ASSIGN(auto value, expression): value of a Result, or return its failure.
#define HEDDLE_TRY_ASSIGN(declaration, expression)                                                 \
  auto HEDDLE_CONCAT(heddleResult, __LINE__) = (expression);                                       \
  if (!HEDDLE_CONCAT(heddleResult, __LINE__).ok())                                                 \
    return HEDDLE_CONCAT(heddleResult, __LINE__).takeStatus();                                     \
  declaration = std::move(*HEDDLE_CONCAT(heddleResult, __LINE__))

#endif // HEDDLE_STATUS_H
