// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counters: JSON in, a table out.
#include "runtime/cli/CountersTable.h"
#include <gtest/gtest.h>

using heddle::runtime::cli::formatCounters;

// A list of objects is a table, other members are lines.
TEST(CountersTable, Formats) {
  std::string text = formatCounters(
      R"({"gpu": "h200", "kernels": [{"name": "a", "ops": 5}, {"name": "long", "ops": 1234}]})");
  EXPECT_EQ(text, "counters.gpu                    h200\n"
                  "counters.kernels\n"
                  "  name   ops\n"
                  "  a        5\n"
                  "  long  1234\n");
}

// Text that is no JSON is shown as it is.
TEST(CountersTable, NotJson) {
  EXPECT_EQ(formatCounters("{broken"), "{broken\n");
  EXPECT_EQ(formatCounters(std::string(1000, '[')), std::string(1000, '[') + "\n");
  EXPECT_NE(formatCounters("").find("none"), std::string::npos);
}
