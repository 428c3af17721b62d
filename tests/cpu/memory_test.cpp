// Memory of the cpu tier, and the passes that move it.
#include <numeric>

#include "cpu/rig.hpp"

using namespace weft;
using backend::ErrorKind;
using backend::Region;
using cpu::test::Rig;

namespace {

std::vector<std::byte> counted(std::size_t n) {
  std::vector<std::byte> v(n);
  for (std::size_t k = 0; k < n; ++k) v[k] = static_cast<std::byte>(k * 7 + k / 251);
  return v;
}

// Below and above what is copied by one thread, and what comes from the heap.
constexpr std::size_t sizes[] = {0, 1, 63, 4096, (1 << 20) + 3, (3 << 20) + 5};

}  // namespace

TEST(CpuMemory, KER_RES_01_is_zero_and_starts_on_a_cache_line) {
  Rig rig;
  for (std::size_t n : sizes) {
    const auto id = rig.backend().create({n, "a"});
    ASSERT_TRUE(id);
    const std::byte* p = rig.backend().host_pointer(*id);
    ASSERT_NE(p, nullptr);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(p) % 64, 0u);
    EXPECT_TRUE(std::all_of(p, p + n, [](std::byte b) { return b == std::byte{0}; })) << n;
    rig.backend().destroy(*id);
    EXPECT_EQ(rig.backend().host_pointer(*id), nullptr);
  }
}

TEST(CpuMemory, upload_copy_fill_and_read_at_every_size) {
  Rig rig;
  for (std::size_t n : sizes) {
    const auto from = counted(n);
    std::vector<std::byte> back(n), cleared(n, std::byte{1});
    const auto a = rig.backend().create({n + 8, "a"}), b = rig.backend().create({n, "b"});
    backend::Batch batch;
    const Region in_a{*a, 8, n}, in_b{*b, 0, n};
    batch.passes = {{backend::Upload{in_a, from}, 0, "up"},
                    {backend::Copy{in_a, in_b}, 0, "copy"},
                    {backend::Read{in_b, back}, 0, "read"},
                    {backend::Fill{in_b}, 0, "fill"},
                    {backend::Read{in_b, cleared}, 0, "read"}};
    const auto outcome = rig.submit(std::move(batch));
    ASSERT_TRUE(outcome) << outcome.error().message;
    EXPECT_EQ(outcome.operator*().passes.size(), 5u);
    EXPECT_EQ(back, from);
    EXPECT_EQ(cleared, std::vector<std::byte>(n));
  }
}

TEST(CpuMemory, a_copy_within_one_buffer_may_overlap) {
  Rig rig;
  constexpr std::size_t n = 3 << 20;
  auto bytes = counted(n);
  const auto id = rig.backend().import(bytes);
  auto want = bytes;
  std::memmove(want.data() + 100, want.data(), n - 100);
  ASSERT_TRUE(rig.submit({backend::Copy{{*id, 0, n - 100}, {*id, 100, n - 100}}, 0, "copy"}));
  EXPECT_EQ(bytes, want);
}

TEST(CpuMemory, KER_CALL_02_host_memory_is_used_in_place) {
  Rig rig;
  auto bytes = counted(100);
  const auto id = rig.backend().import(bytes);
  ASSERT_TRUE(id);
  EXPECT_EQ(rig.backend().host_pointer(*id), bytes.data());
  rig.backend().destroy(*id);
  EXPECT_EQ(bytes, counted(100));
}

TEST(CpuMemory, KER_ERR_01_no_memory_is_an_error_with_a_sentence) {
  Rig rig;
  const auto id = rig.backend().create({std::uint64_t{1} << 50, "pixels"});
  ASSERT_FALSE(id);
  EXPECT_EQ(id.error().kind, ErrorKind::memory);
  EXPECT_TRUE(id.error().message.starts_with(
      "pixels (1125899906842624 bytes) cannot be allocated on the cpu tier: this machine has "))
      << id.error().message;
}

TEST(CpuMemory, KER_ERR_02_wrong_regions_are_errors_and_nothing_runs) {
  Rig rig;
  std::vector<std::byte> bytes(16, std::byte{5}), into(16);
  const auto id = rig.backend().import(bytes);
  const auto check = [&](backend::Pass pass, ErrorKind kind, const char* message) {
    backend::Batch batch;
    batch.passes = {{backend::Fill{{*id, 0, 16}}, 0, "fill"}, std::move(pass)};
    const auto outcome = rig.submit(std::move(batch));
    ASSERT_FALSE(outcome);
    EXPECT_EQ(outcome.error().kind, kind);
    EXPECT_EQ(outcome.error().message, message);
    EXPECT_EQ(bytes[0], std::byte{5});
  };
  check({backend::Read{{*id, 8, 16}, into}, 0, "a"}, ErrorKind::range,
        "a: what is read is 16 bytes at 8 of memory that has 16.");
  check({backend::Read{{*id, ~std::uint64_t{0}, 16}, into}, 0, "a"}, ErrorKind::range,
        "a: what is read is 16 bytes at 18446744073709551615 of memory that has 16.");
  check({backend::Read{{*id, 0, 8}, into}, 0, "a"}, ErrorKind::range, "a: 16 bytes cannot go to or come from 8 bytes.");
  check({backend::Fill{{99, 0, 8}}, 0, "a"}, ErrorKind::state,
        "a: what is cleared is memory 99 of the cpu tier, which does not exist (any more).");
  check({backend::Run{}, 0, "a"}, ErrorKind::state, "a: program 0 has not been compiled on the cpu tier.");
}
