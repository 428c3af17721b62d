#include "rig.hpp"

#include <cstdlib>
#include <filesystem>

#include "backends/webgpu/driver.hpp"

namespace weft::webgpu::test {
namespace {

/// Puts SwiftShader beside the machine's own drivers where `./dev setup` has unpacked it: a second device, with other
/// limits and another compiler.
const bool swiftshader_added = [] {
  namespace fs = std::filesystem;
  const fs::path json = fs::path(WEFT_SOURCE_DIR) / "build/deps/swiftshader/vk_swiftshader_icd.json";
  std::error_code error;
  if (std::getenv("VK_ICD_FILENAMES") || std::getenv("VK_DRIVER_FILES") || !fs::exists(json, error)) return false;
  std::string all = json.string();
  for (const char* folder : {"/etc/vulkan/icd.d", "/usr/share/vulkan/icd.d"})
    for (const auto& entry : fs::directory_iterator(folder, error)) all += ":" + entry.path().string();
  setenv("VK_ICD_FILENAMES", all.c_str(), 1);
  return true;
}();

struct Rigs : testing::Environment {
  std::vector<std::unique_ptr<Rig>> list;
  std::string why_none;
  bool opened = false;

  void open() {
    if (std::exchange(opened, true)) return;
    auto found = driver()->adapters();
    if (!found) {
      why_none = found.error().message;
      return;
    }
    for (const backend::Info& info : *found) {
      backend::OpenOptions options;
      options.adapter = info.adapter;
      if (auto rig = open_rig(options)) list.push_back(std::move(rig));
    }
  }
  void TearDown() override { list.clear(); }
};

Rigs& rigs() {
  static auto* all = static_cast<Rigs*>(testing::AddGlobalTestEnvironment(new Rigs));
  return *all;
}
// Registered before main, so that devices are closed before the process ends.
const bool registered = (rigs(), true);

}  // namespace

Rig::Rig(std::unique_ptr<backend::Backend> b) : backend_(static_cast<WebgpuBackend*>(b.release())) {}

backend::MemoryId Rig::zeros(std::uint64_t bytes, const std::string& label) {
  auto made = backend_->create({bytes, label});
  EXPECT_TRUE(made) << (made ? "" : made.error().message);
  return made ? *made : 0;
}

backend::Expected<backend::CompiledId> Rig::try_compile(const std::shared_ptr<const trace::Program>& p) {
  backend::Expected<backend::CompiledId> result = backend::CompiledId{0};
  bool called = false;
  backend_->compile(p, [&](auto r) {
    result = std::move(r);
    called = true;
  });
  while (!called) backend_->pump(std::chrono::seconds(1));
  return result;
}

backend::CompiledId Rig::compile(const std::shared_ptr<const trace::Program>& p) {
  auto result = try_compile(p);
  EXPECT_TRUE(result) << (result ? "" : result.error().message + "\n" + result.error().source);
  return result ? *result : 0;
}

backend::Expected<backend::Outcome> Rig::try_run(backend::Batch batch) {
  backend::Expected<backend::Outcome> result = backend::Outcome{};
  bool called = false;
  backend_->submit(std::move(batch), [&](auto r) {
    result = std::move(r);
    called = true;
  });
  while (!called) backend_->pump(std::chrono::seconds(1));
  return result;
}

backend::Outcome Rig::run(backend::Batch batch) {
  auto result = try_run(std::move(batch));
  EXPECT_TRUE(result) << (result ? "" : result.error().message);
  return result ? *result : backend::Outcome{};
}

backend::Run Rig::call(const std::shared_ptr<const trace::Program>& p, std::vector<backend::Region> bound,
                       std::uint64_t n, std::vector<std::uint32_t> more, std::vector<backend::Region> folded) {
  backend::Run run;
  run.program = compile(p);
  run.bound = std::move(bound);
  run.n = n;
  run.folded = std::move(folded);
  std::vector<std::uint32_t> words{0, static_cast<std::uint32_t>(n)};
  words.insert(words.end(), more.begin(), more.end());
  const auto bytes = std::as_bytes(std::span(words));
  run.uniforms.assign(bytes.begin(), bytes.end());
  return run;
}

backend::Outcome Rig::run(backend::Run r, bool timed) {
  backend::Batch batch;
  batch.timed = timed;
  batch.passes.push_back({std::move(r), 0, "call"});
  return run(std::move(batch));
}

std::unique_ptr<Rig> open_rig(backend::OpenOptions options) {
  auto opened = driver()->open(options);
  if (opened) return std::make_unique<Rig>(std::move(*opened));
  if (rigs().why_none.empty()) ADD_FAILURE() << opened.error().message;
  return nullptr;
}

void on_each_device(const std::function<void(Rig&)>& check) {
  rigs().open();
  if (rigs().list.empty()) GTEST_SKIP() << "no Vulkan device: " << rigs().why_none;
  for (auto& rig : rigs().list) {
    SCOPED_TRACE(rig->name());
    check(*rig);
  }
}

}  // namespace weft::webgpu::test
