// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// std::string::find says where.
#include "test/emulator/course/Program.h"
#include <cstring>
#include <string>
using namespace course;

int main(int argc, char **argv) {
  Program program(argc, argv);
  std::string text, pattern = "abab";
  Random random;
  for (int i = 0; i < 1500; ++i)
    text += "aabbab A,e."[random.bits() % (i % 100 < 80 ? 2 : 11)];
  for (int i = 0; i < 1500; i += 70)
    text.replace(size_t(i), 6, "ababab");
  std::vector<int> places, counts(5);
  for (size_t at = text.find(pattern); at != std::string::npos; at = text.find(pattern, at + 1))
    places.push_back(int(at));
  for (char c : text)
    ++counts[std::strchr("aeiou", c) ? 0
             : c == ' '              ? 1
             : std::strchr(",.", c)  ? 2
             : c >= 'A' && c <= 'Z'  ? 3
                                     : 4];
  int n = int(text.size()), m = int(pattern.size());
  Array<char> dText(std::vector<char>(text.begin(), text.end())),
      dPattern(std::vector<char>(pattern.begin(), pattern.end()));
  Array<int> dPlaces(text.size()), dCount(1), dCounts(5);
  program.launch("search", 1, 32, 0, dText.address, n, dPattern.address, m, dPlaces.address,
                 dCount.address);
  program.equal(dCount.read(), {int(places.size())}, "count");
  program.equal(dPlaces.read(), places, "places");
  program.launch("classify", (n + 127) / 128, 128, 0, dText.address, n, dCounts.address);
  program.equal(dCounts.read(), counts, "classify");
  return program.result();
}
