// The queue with items of the test's own: order, waiting, closing (KER-DEV-02, KER-DEV-04, MODEL-18).
#include "runtime/queue.hpp"

#include <mutex>
#include <thread>

#include "runtime/device_state.hpp"
#include "runtime/null_device.hpp"

namespace weft::test {
namespace {

struct Log {
  std::mutex mutex;
  std::vector<std::string> lines;
  void add(std::string s) {
    std::lock_guard lock(mutex);
    lines.push_back(std::move(s));
  }
  std::vector<std::string> take() {
    std::lock_guard lock(mutex);
    return lines;
  }
};

/// Advances and settles when it is told to.
struct TestItem final : runtime::QueueItem {
  TestItem(std::shared_ptr<Log> l, std::string n, bool o = false)
      : log(std::move(l)), name(std::move(n)), overlapping(o) {}
  bool overlaps() const override { return overlapping; }
  bool advance(runtime::DeviceState&) override {
    if (throws) throw std::runtime_error("a fault of the item");
    if (gate && !*gate) return false;
    log->add(name + " advanced");
    return true;
  }
  bool settle(runtime::DeviceState&) override {
    if (settle_gate && !*settle_gate) return false;
    log->add(name + " settled");
    return true;
  }
  void abandon(std::exception_ptr e) override {
    try {
      std::rethrow_exception(e);
    } catch (const std::exception& x) { log->add(name + " abandoned: " + x.what()); }
  }
  std::shared_ptr<Log> log;
  std::string name;
  bool overlapping = false, throws = false;
  std::shared_ptr<std::atomic<bool>> gate, settle_gate;
};

struct QueueTest : OneTier {
  std::shared_ptr<Log> log = std::make_shared<Log>();
  void push(std::unique_ptr<TestItem> item) { runtime::push(*device->state(), std::move(item)); }
  std::unique_ptr<TestItem> item(std::string name, bool overlaps = false) {
    return std::make_unique<TestItem>(log, std::move(name), overlaps);
  }
};

TEST_F(QueueTest, KER_DEV_02_items_run_in_order) {
  for (int i = 0; i < 3; ++i) push(item(std::to_string(i)));
  device->wait();
  EXPECT_EQ(log->take(), (std::vector<std::string>{"0 advanced", "0 settled", "1 advanced", "1 settled", "2 advanced",
                                                   "2 settled"}));
}

TEST_F(QueueTest, MODEL_18_overlapping_items_begin_early_and_settle_in_order) {
  auto first = item("a", true), second = item("b", true), third = item("c", false);
  auto gate = first->settle_gate = std::make_shared<std::atomic<bool>>(false);
  push(std::move(first)), push(std::move(second)), push(std::move(third));
  while (log->take().size() < 2) std::this_thread::yield();
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_EQ(log->take(), (std::vector<std::string>{"a advanced", "b advanced"}))
      << "c may not begin before they settle";
  *gate = true;
  device->wait();
  EXPECT_EQ(log->take(), (std::vector<std::string>{"a advanced", "b advanced", "a settled", "b settled", "c advanced",
                                                   "c settled"}));
}

TEST_F(QueueTest, KER_DEV_04_close_rejects_what_has_not_begun_and_waits_for_what_runs) {
  auto first = item("running");
  auto gate = first->gate = std::make_shared<std::atomic<bool>>(false);
  push(std::move(first)), push(item("waiting"));
  std::this_thread::sleep_for(std::chrono::milliseconds(10));  // it has begun by now
  std::jthread opener([gate] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    *gate = true;
  });
  device->close();
  EXPECT_EQ(log->take(), (std::vector<std::string>{"running advanced", "running settled",
                                                   "waiting abandoned: " + device->name() +
                                                       ": the device was closed, and does no more work"}));
  EXPECT_THROW(push(item("late")), StateError);
  device->close();  // twice is no error
}

TEST_F(QueueTest, KER_DEV_04_the_destructor_runs_what_is_queued) {
  for (int i = 0; i < 50; ++i) push(item("x"));
  device.reset();
  EXPECT_EQ(log->take().size(), 100u);
}

TEST_F(QueueTest, an_item_that_throws_is_abandoned_and_the_queue_goes_on) {
  auto bad = item("bad");
  bad->throws = true;
  push(std::move(bad)), push(item("good"));
  device->wait();
  EXPECT_EQ(log->take(),
            (std::vector<std::string>{"bad abandoned: a fault of the item", "good advanced", "good settled"}));
}

TEST_F(QueueTest, KER_DEV_02_order_of_one_thread_among_many) {
  std::vector<std::jthread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 100; ++i) push(item(std::to_string(t) + " " + std::to_string(i), true));
    });
  threads.clear();
  device->wait();
  std::map<char, int> next;
  for (const auto& line : log->take())
    if (line.ends_with("advanced")) { EXPECT_EQ(std::stoi(line.substr(2)), next[line[0]]++); }
  EXPECT_EQ(next['0'] + next['1'] + next['2'] + next['3'], 400);
}

TEST_F(QueueTest, no_thread_begins_before_the_first_item) {
  device.reset();  // must not hang: there is none to join
}

}  // namespace
}  // namespace weft::test
