// The main job, as its user runs it: a photograph on every tier of this machine, its results, its report, its errors.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "program.hpp"

namespace weft::test {
namespace {

std::string last_line(const std::string& text) {
  const auto end = text.find_last_not_of('\n');
  const auto begin = text.rfind('\n', end);
  return text.substr(begin + 1, end - begin);
}

TEST(Demo, TellsThatTheBitsAreEqualAndWritesPictureAndReport) {
  const Folder folder;
  const Ran ran = weft_program("demo --repeat 1 --out '" + folder.path.string() + "/deep/er'");
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(last_line(ran.out), "bits equal: yes") << ran.out;
  EXPECT_NE(ran.out.find("because blur_x reads `light[i - 1]`"), std::string::npos) << ran.out;
  const std::string png = file_text(folder.path / "deep/er/photo.png"),
                    report = file_text(folder.path / "deep/er/report.html");
  EXPECT_EQ(png.substr(1, 3), "PNG");
  for (const char* part : {"<svg", "data:image/", "blur_x"}) EXPECT_NE(report.find(part), std::string::npos) << part;
  for (const char* outside : {"src=\"http", "href=\"http", "url(http", "<script src", "<link"})
    EXPECT_EQ(report.find(outside), std::string::npos) << outside << ": the report opens without a network";
}

TEST(Demo, GivesData) {
  const Folder folder;
  const Ran ran = weft_program("demo --json --tier cpu --repeat 1 --out '" + folder.path.string() + "'");
  ASSERT_EQ(ran.code, 0) << ran.err;
  const auto data = nlohmann::json::parse(ran.out, nullptr, false);
  EXPECT_FALSE(data.is_discarded()) << ran.out;
}

void expect_refused(const std::string& arguments, const std::string& complaint) {
  const Ran ran = weft_program(arguments);
  EXPECT_EQ(ran.code, 1) << arguments << '\n' << ran.out << ran.err;
  EXPECT_NE(ran.err.find(complaint), std::string::npos) << arguments << '\n' << ran.err;
}

TEST(Demo, RefusesWhatIsNoImage) {
  const Folder folder;
  const auto put = [&](const char* name, const std::string& bytes) {
    std::ofstream(folder.path / name, std::ios::binary) << bytes;
    return "demo '" + (folder.path / name).string() + "'";
  };
  expect_refused("demo '" + (folder.path / "none.jpg").string() + "'",
                 "none.jpg cannot be opened: No such file or directory");
  expect_refused("demo '" + folder.path.string() + "'", "is a folder; give an image file (PNG or JPEG)");
  expect_refused(put("empty.png", ""), "empty.png is not an image that can be read (PNG or JPEG)");
  expect_refused(put("text.png", "no picture"), "text.png is not an image that can be read (PNG or JPEG)");
  const std::string photo = file_text(WEFT_SOURCE_DIR "/data/photo.jpg");
  const Ran cut =
      weft_program(put("cut.jpg", photo.substr(0, 600)) + " --tier cpu --out '" + folder.path.string() + "'");
  EXPECT_EQ(cut.code, 1) << cut.out;
  EXPECT_NE(cut.err.find("cut.jpg"), std::string::npos) << cut.err;
  const std::string png("\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\xEA\x60\0\0\xEA\x60\x08\x02\0\0\0\0\0\0\0", 33);
  expect_refused(put("huge.png", png), "huge.png has 60000 x 60000 pixels and the demo takes at most");
}

TEST(Demo, RefusesWhatCannotBeDone) {
  expect_refused("demo --tier foo", "foo is no tier; they are webgpu, gles and cpu");
  expect_refused("demo --tier gles --out /dev/null/x", "weft: ");
  expect_refused("demo --repeat 0", "--repeat");
  expect_refused("demo --out /proc/x --tier cpu", "/proc/x cannot be made");
}

TEST(Program, NamesItsCommands) {
  expect_refused("nosuch", "nosuch is no command; they are devices, demo, ");
  expect_refused("", "A subcommand is required");
  expect_refused("explain nosuch", "nosuch is no kernel of the demo; they are linearise");
  EXPECT_EQ(weft_program("--version").code, 0);
  EXPECT_NE(weft_program("demo --help").out.find("weft demo holiday.jpg"), std::string::npos);
}

TEST(Program, TellsWhyATierIsNotThere) {
  const Ran ran = weft_program("devices");
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_NE(ran.out.find("cpu: "), std::string::npos);
  EXPECT_NE(ran.out.find("gles"), std::string::npos);
}

}  // namespace
}  // namespace weft::test
