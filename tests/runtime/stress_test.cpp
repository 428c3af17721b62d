// Many threads at once (KER-ERR-02, KER-DEV-02): to be run under ThreadSanitizer too.
#include <thread>

#include "runtime/null_device.hpp"

namespace weft::test {
namespace {

using Floats = std::vector<float>;
using Stress = OneTier;

TEST_F(Stress, KER_ERR_02_calls_from_many_threads_on_arrays_of_their_own) {
  null().delay(true);
  std::vector<std::jthread> threads;
  std::atomic<int> wrong = 0;
  for (int t = 0; t < 6; ++t)
    threads.emplace_back([&, t] {
      auto r = device->resident(Floats(64, static_cast<float>(t))).label("r" + std::to_string(t));
      for (int i = 0; i < 20; ++i) add_one()(r);
      if (sum()(r).get() != 64.f * static_cast<float>(t + 20)) ++wrong;
      r.write({0}, 3);
      if (r.read().get()[3] != 0) ++wrong;
      auto copy = r;
      r.destroy();
      try {
        copy.read();
        ++wrong;
      } catch (const TypeError&) {}
    });
  threads.clear();
  EXPECT_EQ(wrong, 0);
}

TEST_F(Stress, KER_DEV_02_one_array_from_many_threads) {
  auto r = device->resident<float>(16);
  std::vector<std::jthread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 25; ++i) add_one()(r);
    });
  threads.clear();
  EXPECT_EQ(r.read().get(), Floats(16, 100.f));
}

TEST_F(Stress, a_device_closed_while_others_call) {
  auto r = device->resident<float>(16);
  std::vector<std::jthread> threads;
  std::atomic<int> done = 0, refused = 0;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 50; ++i) {
        try {
          add_one()(r).get();
          ++done;
        } catch (const StateError&) { ++refused; }
      }
    });
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  device->close();
  threads.clear();
  EXPECT_EQ(done + refused, 200);
}

TEST_F(Stress, handles_dropped_from_many_threads) {
  null().delay(true);
  std::vector<std::jthread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 25; ++i) {
        auto a = device->resident(Floats(32, 1.f)), b = device->resident<float>(32);
        scale()(a, b, 2.f);
        if (i % 2) b.read();
      }
    });
  threads.clear();
  device->wait();
  for (int i = 0; i < 1000 && null().live() > 0; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_EQ(null().live(), 0u);
}

TEST_F(Stress, devices_are_independent) {
  std::vector<std::jthread> threads;
  std::atomic<int> wrong = 0;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      NullTiers own;
      own.add(Tier::cpu);
      Device d = own.device({.tiers = {Tier::cpu}});
      auto r = d.resident<float>(8);
      for (int i = 0; i < 10; ++i) add_one()(r);
      if (r.read().get() != Floats(8, 10.f)) ++wrong;
    });
  threads.clear();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace weft::test
