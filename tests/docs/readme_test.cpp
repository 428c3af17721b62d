// The code that the pages show is code that is compiled and run.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

namespace {

std::string file(const std::string& path) {
  std::ifstream in(WEFT_SOURCE_DIR "/" + path);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

TEST(Readme, theProgramIsTheFirstExample) {
  const std::string readme = file("README.md"), program = file("examples/01_first_kernel.cpp");
  ASSERT_FALSE(program.empty());
  EXPECT_NE(readme.find("```cpp\n" + program + "```\n"), std::string::npos)
      << "README.md and 01_first_kernel.cpp differ";
}

TEST(Mapping, theProgramIsTheExampleOfTensors) {
  const std::string page = file("docs/mapping.md"), program = file("examples/04_tensors.cpp");
  std::string printed = file("examples/04_tensors.out");
  printed.erase(printed.find_last_not_of(" \n") + 1);
  ASSERT_FALSE(program.empty());
  EXPECT_NE(page.find("```cpp\n" + program + "```\n"), std::string::npos)
      << "docs/mapping.md and 04_tensors.cpp differ";
  EXPECT_NE(page.find("It prints `" + printed + "`"), std::string::npos);
}

TEST(Readme, whatItSaysIsPrintedIsWhatTheExamplePrints) {
  std::string printed = file("examples/01_first_kernel.out");
  printed.erase(printed.find_last_not_of(" \n") + 1);
  ASSERT_FALSE(printed.empty());
  EXPECT_NE(file("README.md").find("It prints `" + printed + "`"), std::string::npos);
}

TEST(Readme, everyBlockOfCppIsAnExample) {
  const std::string readme = file("README.md");
  std::size_t blocks = 0;
  for (std::size_t at = readme.find("```cpp"); at != std::string::npos; at = readme.find("```cpp", at + 1)) ++blocks;
  EXPECT_EQ(blocks, 1u);
}

}  // namespace
