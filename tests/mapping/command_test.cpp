// MAP-VIS-01 to -03: `weft map`, as a user runs it.
#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <fstream>
#include <sstream>

#include "examples.hpp"

#ifdef WEFT_PROGRAM
namespace weft {
namespace {

struct Outcome {
  int code;
  std::string output;
};

Outcome run(const std::string& arguments, const std::string& input = "") {
  const std::string file = testing::TempDir() + "weft_map_input." + std::to_string(getpid());
  std::ofstream(file, std::ios::binary) << input;
  FILE* pipe = popen((std::string(WEFT_PROGRAM) + " map " + arguments + " < " + file + " 2>&1").c_str(), "r");
  Outcome r{0, ""};
  char buffer[4096];
  for (std::size_t n; (n = fread(buffer, 1, sizeof buffer, pipe)) > 0;) r.output.append(buffer, n);
  const int status = pclose(pipe);
  std::remove(file.c_str());
  r.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return r;
}

TEST(MapCommand, drawsTheTableOfTheSource) {
  EXPECT_EQ(run("'B / 4, B % 4' --axes 'B = 16' --table").output,
            "         | B % 4: 0 | B % 4: 1 | B % 4: 2 | B % 4: 3\n"
            "B / 4: 0 | B: 0     | B: 1     | B: 2     | B: 3\n"
            "B / 4: 1 | B: 4     | B: 5     | B: 6     | B: 7\n"
            "B / 4: 2 | B: 8     | B: 9     | B: 10    | B: 11\n"
            "B / 4: 3 | B: 12    | B: 13    | B: 14    | B: 15\n");
}

TEST(MapCommand, printsSizeTreeNormalFormAndCells) {
  EXPECT_EQ(run("'[A # 4] / 2, [A # 4] % 2' --axes 'A = 3'").output,
            "A # 4 / 2, A # 4 % 2\n"
            "size 4\n"
            "  pair                     4\n"
            "    / 2                    2\n"
            "      # 4                  4\n"
            "        A                  3\n"
            "    % 2                    2\n"
            "      # 4                  4\n"
            "        A                  3\n"
            "normal form A # 4\n"
            "     0  .\n"
            "     1  A=1\n"
            "     2  A=2\n"
            "     3  *\n");
}

TEST(MapCommand, printsData) {
  EXPECT_EQ(
      run("'A # 6' --axes 'A = 3' --json").output,
      "{\"size\":6,\"cells\":[\".\",\"A=1\",\"A=2\",\"*\",\"*\",\"*\"],\"text\":\"A # 6\",\"normal\":\"A # 6\"}\n");
  EXPECT_EQ(run("'A, B' --axes 'A = 8, B = 512' --cells 511..513").output, "   511  B=511\n   512  A=1\n");
  EXPECT_EQ(run("'A, B' --axes 'A = 8, B = 512' --index 519").output, "A=1,B=7\n");
  EXPECT_EQ(run("'B, A' --axes 'A = 8, B = 512' --cell 'A: 3, B: 2'").output, "A=3,B=2 is at 19\n");
  EXPECT_EQ(run("'{ L } / { N }, A' --axes 'A = 8, B = 512' --name 'L = A, B' --constant 'N = 8' --normalize").output,
            "A, B / 8, A\n");
}

TEST(MapCommand, comparesAndTiles) {  // MAP-VIS-03
  EXPECT_EQ(run("'A # 8' --axes 'A = 6' --equivalent '[A # 8] / 4, [A # 8] % 4'").output, "yes\n");
  const Outcome no = run("'A, B' --axes 'A = 3, B = 4' --equivalent 'B, A'");
  EXPECT_EQ(no.code, 1);
  EXPECT_EQ(no.output, "no: at 1 they are B=1 and A=1\n");
  EXPECT_EQ(run("'A, B' --axes 'A = 8, B = 512' --tile B 2 'A, B = 2 # 512'").code, 0);
  EXPECT_EQ(run("'A, B' --axes 'A = 8, B = 512' --tile B 2 --mutable").output,
            "ok: stride 1 over 512, as A, B = 2 #{!} 512\n");
  const Outcome wrong = run("'A, B' --axes 'A = 8, B = 512' --tile B 2 'A, B = 2 # 512' --mutable");
  EXPECT_EQ(wrong.code, 1);
  EXPECT_NE(wrong.output.find("`A, B = 2 #{!} 512` fits (unexpected-view)"), std::string::npos) << wrong.output;
}

TEST(MapCommand, warnsAndRefuses) {
  EXPECT_NE(run("'A # 7' --axes 'A = 8'").output.find("warning: `A # 7` cuts 8 positions to 7"), std::string::npos);
  const Outcome bad = run("'A / 5' --axes 'A = 8'");
  EXPECT_EQ(bad.code, 1);
  EXPECT_NE(bad.output.find("  A / 5\n    ^\n"), std::string::npos) << bad.output;
  EXPECT_EQ(run("'A / 0' --axes 'A = 8' --json").output.find("{\"error\":\"zero-factor\",\"message\":"), 0u);
  EXPECT_NE(run("'A, A' --axes 'A = 8' --index 63").output.find("overshoot"), std::string::npos);
  EXPECT_NE(run("'A' --axes 'A = 99999999' --json").code, 0);
  EXPECT_NE(run("").code, 0);
}

TEST(MapCommand, drawsAPicture) {
  const std::string file = testing::TempDir() + "weft_map.svg";
  EXPECT_EQ(run("'A, B # 4' --axes 'A = 2, B = 3' --svg " + file).code, 0);
  std::stringstream svg;
  svg << std::ifstream(file).rdbuf();
  EXPECT_EQ(svg.str().find("<svg "), 0u);
  EXPECT_NE(svg.str().find(">A: 1, B: 2</text>"), std::string::npos);
  EXPECT_NE(svg.str().find("</svg>"), std::string::npos);
  std::remove(file.c_str());
}

TEST(MapCommand, theFiguresOfTheGuideAreItsOwn) {  // MAP-VIS-04; docs/pictures/mapping/draw makes them anew
  const std::string folder = WEFT_SOURCE_DIR "/docs/pictures/mapping/", file = testing::TempDir() + "weft_figure.svg";
  const auto read = [](const std::string& path) {
    std::stringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  };
  const std::string guide = read(WEFT_SOURCE_DIR "/docs/mapping.md");
  std::ifstream figures(folder + "figures.txt");
  std::size_t seen = 0;
  for (std::string name, expression, axes;
       std::getline(figures, name, '|') && std::getline(figures, expression, '|') && std::getline(figures, axes);
       ++seen) {
    EXPECT_EQ(run("'" + expression + "' --axes '" + axes + "' --svg " + file).code, 0) << name;
    EXPECT_EQ(read(file), read(folder + name + ".svg")) << name;
    EXPECT_NE(guide.find("pictures/mapping/" + name + ".svg"), std::string::npos) << name;
  }
  EXPECT_GE(seen, 14u);
  std::remove(file.c_str());
}

TEST(MapCommand, takesAMappingALine) {  // MAP-VIS-02
  std::string input;
  std::size_t lines = 0;
  std::vector<nlohmann::json> wanted;
  for (const auto& e : read_examples("examples.jsonl")) {
    nlohmann::json line;
    for (const char* key : {"axes", "expr", "names", "constants"})
      if (e.contains(key)) line[key] = e[key];
    if (e.contains("pos")) line["positions"] = e["pos"];
    input += line.dump() + '\n';
    wanted.push_back(e);
  }
  std::string many;
  for (; lines < 4000; lines += wanted.size()) many += input;
  const auto start = std::chrono::steady_clock::now();
  const Outcome r = run("--lines", many);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10)) << "two thousand a second are promised";
  std::stringstream out(r.output);
  std::string line;
  for (std::size_t i = 0; i < lines; ++i) {
    ASSERT_TRUE(std::getline(out, line));
    const auto got = nlohmann::json::parse(line);
    const auto& e = wanted[i % wanted.size()];
    if (e.contains("error")) EXPECT_EQ(got["error"], e["error"]) << e;
    else EXPECT_TRUE(got["cells"] == e["cells"] && got["size"] == e["size"]) << e;
  }
  EXPECT_EQ(r.code, 1) << "some of them are refused";
}

TEST(MapCommand, reportsALineInItsPlace) {
  const Outcome r = run(
      "--lines",
      "nonsense\n{\"axes\":{\"A\":-1},\"expr\":\"A\"}\n{\"expr\":\"\xff\"}\n{\"axes\":{\"A\":2},\"expr\":\"{ Q }, { P }\",\"names\":{\"P\":\"{ Q }\",\"Q\":\"A\"}}\n"
      "{\"axes\":{\"A\":9000000000},\"expr\":\"A\"}\n{\"axes\":{\"A\":9000000000},\"expr\":\"A\",\"positions\":[8999999999]}\n"
      "{\"expr\":\"{ P }\",\"names\":{\"P\":\"{ Q }\",\"Q\":\"{ P }\"}}\n");
  std::stringstream out(r.output);
  std::vector<std::string> lines;
  for (std::string line; std::getline(out, line);) lines.push_back(line);
  ASSERT_EQ(lines.size(), 7u) << r.output;
  for (int i : {0, 1, 2, 4})
    EXPECT_NE(lines[static_cast<std::size_t>(i)].find("\"error\":\"input\""), std::string::npos)
        << lines[static_cast<std::size_t>(i)];
  EXPECT_NE(lines[3].find("\"size\":4"), std::string::npos) << lines[3];
  EXPECT_NE(lines[5].find("A=8999999999"), std::string::npos) << lines[5];
  EXPECT_NE(lines[6].find("escape-not-a-mapping"), std::string::npos) << lines[6];
}

}  // namespace
}  // namespace weft
#endif
