// Loading modules: what is said when one is not there, is of another build, or is no module (KER-ERR-01, FUSE-QUE-05, -06).
#include "runtime/module.hpp"

#include <weft/error.hpp>

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>
#include <vector>

namespace weft::test {
namespace {

namespace fs = std::filesystem;

std::string error(const char* module) {
  try {
    runtime::load_module(module);
  } catch (const LoadError& e) { return e.what(); }
  return "(no error)";
}

struct Modules : ::testing::Test {
  Modules() : folder(fs::temp_directory_path() / ("weft-module-test-" + std::to_string(::getpid()))) {
    fs::create_directories(folder);
    setenv("WEFT_MODULE_PATH", folder.c_str(), 1);
  }
  ~Modules() override {
    unsetenv("WEFT_MODULE_PATH");
    fs::remove_all(folder);
  }
  fs::path folder;
};

#ifndef WEFT_STATIC_MODULES

TEST_F(Modules, KER_ERR_01_a_missing_module_says_what_where_and_how) {
  EXPECT_EQ(error("weft-gles"), "weft-gles: there is no " + folder.string() +
                                    "/libweft-gles.so; this version of Weft has no gles tier yet");
  EXPECT_NE(error("weft-nothing").find("install it beside libweft"), std::string::npos);
}

TEST_F(Modules, a_file_that_is_no_library) {
  std::ofstream(folder / "libweft-odd.so") << "not ELF";
  const std::string what = error("weft-odd");
  EXPECT_TRUE(what.starts_with("weft-odd: " + folder.string() + "/libweft-odd.so does not load (")) << what;
}

TEST_F(Modules, WEFT_MODULE_PATH_must_be_absolute) {
  setenv("WEFT_MODULE_PATH", "modules", 1);
  EXPECT_EQ(error("weft-odd"), "weft-odd: WEFT_MODULE_PATH is \"modules\", and must be an absolute path");
}

/// Compiles a module whose header is as given; false where there is no compiler to do it.
bool build(const fs::path& folder, const std::string& module, const std::string& abi, const std::string& id,
           const std::string& name) {
  const fs::path source = folder / (module + ".cpp");
  std::ofstream(source) << "struct H { unsigned abi; const char* id; const char* name; void* (*make)(); };\n"
                           "static int thing;\nstatic void* make() { return &thing; }\n"
                           "static const H h{"
                        << abi << ", \"" << id << "\", \"" << name << "\", make};\n"
                        << "extern \"C\" const H* weft_module() { return &h; }\n";
  return std::system(("c++ -shared -fPIC -o " + (folder / ("lib" + module + ".so")).string() + " " + source.string())
                         .c_str()) == 0;
}

TEST_F(Modules, another_build_or_interface_is_refused_and_a_failure_is_not_remembered) {
  ASSERT_TRUE(build(folder, "weft-a", "99", "x", "weft-a"));
  EXPECT_NE(error("weft-a").find("has module interface 99, and this libweft needs 1"), std::string::npos)
      << error("weft-a");
  ASSERT_TRUE(build(folder, "weft-b", "1", "another", "weft-b"));
  EXPECT_NE(error("weft-b").find("is of build \"another\", and this libweft of \""), std::string::npos);
  ASSERT_TRUE(build(folder, "weft-c", "1", WEFT_BUILD_ID, "weft-other"));
  EXPECT_NE(error("weft-c").find("holds the module \"weft-other\""), std::string::npos);

  EXPECT_NE(error("weft-d").find("there is no"), std::string::npos);
  ASSERT_TRUE(build(folder, "weft-d", "1", WEFT_BUILD_ID, "weft-d"));
  std::vector<std::jthread> threads;
  std::vector<void*> made(4);
  for (auto& m : made) threads.emplace_back([&m] { m = runtime::load_module("weft-d"); });
  threads.clear();
  for (void* m : made) EXPECT_EQ(m, made[0]);
  EXPECT_NE(made[0], nullptr);
}

#endif

}  // namespace
}  // namespace weft::test
