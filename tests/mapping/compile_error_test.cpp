// What must not compile (MAP-SYN-01, -08), with each compiler that is here: the first lines of its output show the
// expression and the reason.
#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

namespace weft {
namespace {

struct Outcome {
  int code;
  std::string output;
};

Outcome compile(const std::string& compiler, const std::string& line) {
  const std::string file = testing::TempDir() + "weft_compile_error." + std::to_string(getpid()) + ".cpp";
  std::ofstream(file)
      << "#include <weft/mapping.hpp>\nnamespace author {\nWEFT_AXES(A = 8, B = 10)\nWEFT_MAPPING(L, A, B)\nWEFT_CONSTANT(N, 4)\n"
      << line << "\n}\n";
  FILE* pipe = popen(
      (compiler + " -std=c++20 -fsyntax-only -Wall -Wextra -Werror -I " WEFT_SOURCE_DIR "/include " + file + " 2>&1")
          .c_str(),
      "r");
  Outcome r{0, ""};
  char buffer[4096];
  for (std::size_t n; (n = fread(buffer, 1, sizeof buffer, pipe)) > 0;) r.output.append(buffer, n);
  r.code = WEXITSTATUS(pclose(pipe));
  std::remove(file.c_str());
  return r;
}

std::vector<std::string> compilers() {
  std::vector<std::string> here;
  for (const char* c : {"g++", "clang++-19"})
    if (std::system((std::string("command -v ") + c + " > /dev/null").c_str()) == 0) here.push_back(c);
  return here;
}

// What tells of the fault stands in the first error and the line below it, before any notes.
std::string beginning(const std::string& output) {
  std::size_t end = output.find("error:");
  for (int lines = 0; lines < 4 && end != std::string::npos; ++lines) end = output.find('\n', end + 1);
  return output.substr(0, end);
}

TEST(CompileError, showsExpressionAndReason) {
  struct Case {
    const char *expression, *kind, *reason;
  };
  for (const std::string& compiler : compilers()) {
    for (const Case& c :
         {Case{"B / 4", "stride-not-divisible", "the size 10 is not divisible by 4"},
          Case{"A, Q", "unknown-axis", "Q is no axis here"}, Case{"A #", "syntax", "expected a factor, found the end"},
          Case{"A / 0", "zero-factor", "the size 8 is split by the factor 0"},
          Case{"{ N }", "escape-not-a-mapping", "N is no name of a mapping here"},
          Case{"A / { L }", "escape-not-a-constant", "L is no named constant here"},
          Case{"A / (A, B)", "factor-not-count", "the factor is no count"},
          Case{"8589934592, 8589934592", "size-overflow", "8589934592"}}) {
      const Outcome r = compile(compiler, std::string("constexpr weft::Mapping E = WEFT_M(") + c.expression + ");");
      SCOPED_TRACE(compiler + ": " + r.output);
      EXPECT_NE(r.code, 0);
      const std::string shown = beginning(r.output);
      for (const char* part : {c.expression, c.kind, c.reason}) EXPECT_NE(shown.find(part), std::string::npos) << part;
    }
    EXPECT_EQ(compile(compiler, "static_assert(WEFT_M(A, B) == L);").code, 0) << "the control";
  }
}

TEST(CompileError, declarationsAndValues) {
  for (const std::string& compiler : compilers())
    for (const char* line :
         {"WEFT_AXES(A = 4)", "WEFT_AXES(C = 2, C = 3)", "WEFT_AXES(C = -1)", "WEFT_AXES(C = \"x\")",
          "constexpr auto c = WEFT_I(A: \"x\");", "constexpr auto c = WEFT_I(A: -1);", "constexpr auto m = A / 3;",
          "auto m = WEFT_M(A # -1);", "WEFT_AXES(A2345678901234567890123456789012 = 2)",
          "constexpr weft::Mapping M = WEFT_M(4294967296, 4294967296);"})
      EXPECT_NE(compile(compiler, line).code, 0) << compiler << ": " << line;
}

TEST(CompileError, deepAndLongExpressionsEnd) {
  std::string deep, many = "A";
  for (int i = 0; i < 200; ++i) deep += "(";
  deep += "A";
  for (int i = 0; i < 200; ++i) deep += ")";
  while (many.size() < 10000) many += " / 1";
  for (const std::string& compiler : compilers()) {
    EXPECT_EQ(compile(compiler, "static_assert(WEFT_M(" + deep + ").size() == 8);").code, 0) << compiler;
    const Outcome r = compile(compiler, "auto m = WEFT_M(" + many + ");");
    EXPECT_NE(r.code, 0) << compiler;
    EXPECT_NE(r.output.find("too-many-nodes"), std::string::npos) << compiler << ": " << r.output.substr(0, 2000);
  }
}

}  // namespace
}  // namespace weft
