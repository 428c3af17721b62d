// WEAK-TOOL-03, WEAK-TOOL-04: `weft ir`, as a user runs it.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <fstream>

#include "pass_text.hpp"

#ifdef WEFT_PROGRAM
namespace weft::ir {
namespace {

struct Outcome {
  int code;
  std::string output;
};

// What the program prints, standard error included, for an input on its standard input.
Outcome run(std::string_view input, const std::string& options) {
  const std::string file = testing::TempDir() + "weft_ir_input." + std::to_string(getpid());
  std::ofstream(file, std::ios::binary) << input;
  const std::string command = std::string(WEFT_PROGRAM) + " ir - " + options + " < " + file + " 2>&1";
  FILE* pipe = popen(command.c_str(), "r");
  Outcome r{0, ""};
  char buffer[4096];
  for (std::size_t n; (n = fread(buffer, 1, sizeof buffer, pipe)) > 0;) r.output.append(buffer, n);
  const int status = pclose(pipe);
  std::remove(file.c_str());
  r.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return r;
}

constexpr std::string_view graph =
    "%0 = PARAM weakint slot=0 space=alu min=0 max=9 name=\"n\"\n%1 = CONST weakint 3\n%2 = ADD weakint %0 %1\n%3 = SINK void %2\n";

TEST(IrCommand, runsThePassesAndPrintsTheGraph) {
  EXPECT_EQ(run(graph, "--passes none").output, graph);
  EXPECT_EQ(run(graph, "--passes commit,lower").output, after(commit | lower, graph));
  EXPECT_EQ(run(graph, "").output, after(every_pass, graph));
  EXPECT_NE(run(graph, "--passes commit,bogus").code, 0);
}

TEST(IrCommand, printsOtherForms) {
  EXPECT_EQ(run(graph, "--to json --passes none").output.substr(0, 9), "[{\"id\": 0");
  EXPECT_EQ(run(graph, "--to dot").output.substr(0, 7), "digraph");
  EXPECT_NE(run(graph, "--bounds --passes none").output.find("# bounds: [3, 12]"), std::string::npos);
  EXPECT_NE(run(graph, "--bounds --to json --passes none").output.find("\"bounds\": [\"i:3\", \"i:12\"]"),
            std::string::npos);
}

TEST(IrCommand, tracesEachRule) {
  EXPECT_NE(run(graph, "--trace").output.find("lower_weak: weak scalar: %0 = PARAM weakint"), std::string::npos);
}

TEST(IrCommand, takesADefaultFloat) {
  EXPECT_NE(
      run("%0 = CONST weakfloat 0x1p+0\n%1 = SINK void %0\n", "--default-float bfloat16").output.find("CAST bfloat16"),
      std::string::npos);
  EXPECT_NE(run(graph, "--default-float int32").code, 0);
}

TEST(IrCommand, reportsErrorsOnOneLine) {
  const std::string bad =
      R"([{"id":4,"op":"CONST","dtype":"weakint","src":[],"arg":"i:1"},{"id":9,"op":"WHERE","dtype":"?","src":[4,4,4]}])";
  EXPECT_EQ(
      run(bad, "").output,
      "{\"error\": \"construct\", \"node\": 9, \"message\": \"node 9: WHERE of (weakint, weakint, weakint) cannot be built: its "
      "condition is weakint, and a condition must be bool.\"}\n");
  const Outcome rule = run(
      R"([{"id":0,"op":"CONST","dtype":"weakint","src":[],"arg":"i:18446744073709551616"},{"id":1,"op":"SINK","dtype":"void","src":[0]}])",
      "");
  EXPECT_EQ(rule.code, 1);
  EXPECT_EQ(
      rule.output.find("{\"error\": \"rule\", \"node\": 1, \"message\": \"18446744073709551616 fits no integer type"),
      0u)
      << rule.output;
  EXPECT_EQ(run("%0 = FROB", "").output, "weft ir: line 1, column 6: \"FROB\" is no op.\n");
  EXPECT_EQ(run("%0 = FROB", "").code, 1);
}

TEST(IrCommand, warnsOfALiteralThatItsPeerDoesNotHold) {  // W-01
  const Outcome r = run("%0 = PARAM uint8 slot=0\n%1 = CONST weakint 256\n%2 = CMPLT bool %0 %1\n%3 = SINK void %2\n",
                        "--passes commit");
  EXPECT_EQ(r.code, 0);
  EXPECT_NE(r.output.find("warning: the literal 256 does not fit uint8, and wraps to 0 in"), std::string::npos)
      << r.output;
}

TEST(IrCommand, survivesHostileInput) {
  for (const std::string& text :
       {std::string(1'000'000, '['), std::string(1'000'000, '{'), "\"" + std::string(1'000'000, 'a'),
        std::string(1'000'000, '\0'), "%0 = CONST weakint " + std::string(1'000'000, '9'),
        "[{\"id\":0,\"op\":\"CONST\",\"arg\":\"i:" + std::string(1'000'000, '9') + "\"}]"}) {
    const Outcome r = run(text, "");
    EXPECT_EQ(r.code, 1);
    EXPECT_EQ(std::count(r.output.begin(), r.output.end(), '\n'), 1) << r.output.substr(0, 200);
    EXPECT_LT(r.output.size(), 500u);
  }
}

TEST(IrCommand, takesAGraphALine) {
  const std::string good =
      R"({"input": [{"id":0,"op":"CONST","dtype":"weakfloat","src":[],"arg":"f:0x1p+0"},{"id":1,"op":"SINK","dtype":"void","src":[0]}], "default_float": "float16"})";
  std::string many;
  for (int i = 0; i < 2000; ++i) many += good + '\n';
  const auto start = std::chrono::steady_clock::now();
  const Outcome r = run(many, "--lines --from json --to json");
  EXPECT_EQ(r.code, 0);
  EXPECT_EQ(std::count(r.output.begin(), r.output.end(), '\n'), 2000);
  EXPECT_NE(r.output.find("float16"), std::string::npos);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20)) << "bulk use is to be fast";
  const Outcome mixed = run(good + "\nnonsense\n" + good + '\n', "--lines");
  EXPECT_EQ(mixed.code, 1);
  EXPECT_EQ(std::count(mixed.output.begin(), mixed.output.end(), '\n'), 3) << "the other lines go on";
}

}  // namespace
}  // namespace weft::ir
#endif
