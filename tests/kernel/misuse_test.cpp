// What does not compile, and the sentence that says why (KER-AUTH-02, KER-AUTH-05, KER-CALL-01, KER-NUM-07). One file of
// misuses is given to the compiler; each has to be refused in its own line, and the same file without them has to pass.
#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace {

struct Misuse {
  const char* code;  // a statement within a loop over a (read), t (written), n (of the type auto of an int scalar), i
  const char* sentence;  // in the compiler's output; once for each type, so that the misuses differ in theirs
};

const std::vector<Misuse> misuses{
    {"if (a[i] < 1) return;", "weft: a traced Var<bool> has no value yet: use If(cond, ...) or select(cond, a, b)"},
    {"Var<int> flag = 1; if (flag) return;", "weft: a traced Var<bool> has no value yet"},
    {"auto v = t[i] ? 2 : 3; (void)v;", "weft: a traced Var<bool> has no value yet"},
    {"a[i] = 1;", ""},  // writing an Array<const T>: the compiler's own words
    {"Var<int> v = a[i];", "weft: a float becomes an integer only by cast<int32_t>(x) or the like"},
    {"ints[i] = 0.5;", "weft: a float becomes an integer only by cast<int32_t>(x) or the like"},
    {"Var<bool> v = n;", "weft: a number becomes a bool only by a comparison: x != 0"},
    {"Var<float> v = wide[i];", "weft: this conversion loses something; write it as cast<T>(x)"},
    {"Var<vec2f> v = vec3f{}; ", "weft: a vector goes only where as many lanes are"},
    {"t[i] %= 2;", "weft: % is of integers"},
    {"(a[i] * 2).traced(); Value<vec2f>(1).x = 3;", "weft: a value is not assigned; make it a Var"},
    {"auto v = a[i] + 1; v = a[i];", ""},
    {"Value<vec2f>(1).swizzle<\"xz\">();", "weft: a swizzle names lanes that the vector has"},
    {"t[a[i]] = 1;", ""},
    {"bitcast<double>(a[i]);", "weft: bitcast<T> needs a type of the same size"},
    {"mix(n, 2, 3);", "weft: mix is of floats"},
    {"kernel(\"f(x)\", [](auto x) { (void)x; });", "weft: a kernel's lambda states the type of each parameter"},
    {"kernel(\"f(x)\", [](float) {});",
     "weft: the parameters of a kernel's lambda are Array<T>, Array<const T> and Scalar<T>"},
    {"kernel(\"f(x)\", 3, [](Array<float>) {});", "weft: a kernel's options are fusible, workgroup_size(n) and Bits"},
    {"kernel(\"f(x)\", [](Array<short>) {});", "weft: Array<T> is of float, int32_t, uint32_t, double, or a vector"},
    {"kernel(\"f(x)\", [](Scalar<vec2f>) {});", "weft: Scalar<T> is of float, double, int32_t or uint32_t"},
    {"Var<Index> v;", "weft: Var<T> is of bool, float, double"},
    {"std::vector<int> wrong(3); k(wrong, 1.0f);", ""},  // KER-CALL-01: the element type
    {"std::vector<float> x(3); k(x);", ""},              // the number of arguments
    {"k(std::vector<float>(3), 1.0f);", ""},             // host memory that ends with the statement
    {"std::vector<float> x(3); k(x, x);", ""},           // an array for a scalar
};

std::string program(bool with_misuses, std::vector<std::size_t>* lines) {
  std::string s =
      "#include <weft/kernel.hpp>\nusing namespace weft;\n"
      "inline const auto k = kernel(\"k(x, s)\", [](Array<float>, Scalar<float>) {});\n";
  std::size_t line = 4;
  for (std::size_t m = 0; m < misuses.size(); ++m) {
    s +=
        "void f" + std::to_string(m) +
        "(Array<const float> a, Array<float> t, Array<int> ints, Array<const double> wide, Scalar<int> n, Index i) {\n";
    s += std::string("  ") + (with_misuses ? misuses[m].code : "t[i] = a[i] * n + cast<float>(wide[ints[i]]);") +
         "\n}\n";
    if (lines) lines->push_back(line + 1);
    line += 3;
  }
  return s;
}

struct Compiled {
  int status;
  std::string output;
};

Compiled compile(const std::string& compiler, const std::string& source) {
  const auto file = std::filesystem::temp_directory_path() / ("weft_misuse_" + std::to_string(::getpid()) + ".cpp");
  std::ofstream(file) << source;
  const std::string command =
      compiler + " -std=c++20 -fsyntax-only -w -I" WEFT_SOURCE_DIR "/include " + file.string() + " 2>&1";
  Compiled c{-1, {}};
  FILE* pipe = ::popen(command.c_str(), "r");
  if (!pipe) return c;
  std::array<char, 4096> buffer;
  while (const std::size_t got = std::fread(buffer.data(), 1, buffer.size(), pipe)) c.output.append(buffer.data(), got);
  c.status = ::pclose(pipe);
  std::filesystem::remove(file);
  return c;
}

std::vector<std::string> compilers() {
  std::vector<std::string> found;
  for (const char* c : {"g++", "clang++-19"})
    if (std::system((std::string("command -v ") + c + " > /dev/null").c_str()) == 0) found.push_back(c);
  return found;
}

}  // namespace

TEST(Misuse, KER_AUTH_05_does_not_compile_and_says_why) {
  std::vector<std::size_t> lines;
  const std::string wrong = program(true, &lines), right = program(false, nullptr);
  for (const std::string& compiler : compilers()) {
    const Compiled control = compile(compiler, right);
    EXPECT_EQ(control.status, 0) << compiler << ": " << control.output;
    const std::string unlimited = compiler.starts_with("clang") ? " -ferror-limit=0" : "";
    const Compiled c = compile(compiler + unlimited, wrong);
    EXPECT_NE(c.status, 0);
    for (std::size_t m = 0; m < misuses.size(); ++m) {
      // Without a sentence of ours: an error, or the note that leads to one, has the line.
      const std::string at = ".cpp:" + std::to_string(lines[m]) + ":";
      const bool found = c.output.find(*misuses[m].sentence ? misuses[m].sentence : at.c_str()) != std::string::npos;
      EXPECT_TRUE(found) << compiler << " takes, or does not say \"" << misuses[m].sentence
                         << "\" of: " << misuses[m].code;
    }
  }
}
