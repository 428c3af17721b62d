// Tensors to and from .npy files and DLPack (MAP-TEN-01).
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <unistd.h>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <weft/error.hpp>
#include <weft/tensor_io.hpp>

namespace weft {
namespace {

WEFT_AXES(A = 2, B = 3, C = 16)

class TensorFile : public testing::Test {
 protected:
  TensorFile()
      : path_((std::filesystem::temp_directory_path() / ("weft-" + std::to_string(getpid()) + ".npy")).string()) {}
  ~TensorFile() override { std::remove(path_.c_str()); }
  std::string bytes() const {
    std::ifstream in(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void put(const std::string& b) const { std::ofstream(path_, std::ios::binary) << b; }
  template <class F> static std::string refusal(F f) {
    try {
      f();
    } catch (const IoError& e) { return e.what(); }
    return "no IoError";
  }
  std::string path_;
};

const auto tens = [](auto a, auto b) { return static_cast<std::int32_t>(10 * a + b); };
template <class T> auto values(const T& t) {
  return std::vector<typename T::value_type>(t.span().begin(), t.span().end());
}
/// A file of version 1.
std::string file(std::string header, const std::string& data, char version = 1) {
  std::string b("\x93NUMPY", 6);
  b += version, b += '\0';
  b += static_cast<char>(header.size()), b += static_cast<char>(header.size() >> 8);
  if (version > 1) b += std::string(2, '\0');
  return b + header + data;
}
std::string ints(std::initializer_list<std::int32_t> v) {
  return {reinterpret_cast<const char*>(v.begin()), v.size() * 4};
}

TEST_F(TensorFile, rowOrder) {  // MAP-TEN-01
  const auto t = HostTensor<std::int32_t, WEFT_M(A, B)>::from(tens);
  write_npy(path_, t);
  const std::string b = bytes(), header = "{'descr': '<i4', 'fortran_order': False, 'shape': (2, 3), }";
  ASSERT_EQ(b.size(), 128u + 24u);
  EXPECT_EQ(b.substr(0, 8), std::string("\x93NUMPY\x01\x00", 8));
  EXPECT_EQ(b.substr(10, header.size()), header);
  EXPECT_EQ(b[127], '\n');
  EXPECT_EQ(b.substr(128), ints({0, 1, 2, 10, 11, 12}));
  EXPECT_EQ(values(read_npy<std::int32_t, WEFT_M(A, B)>(path_)), values(t));
  EXPECT_EQ(values(read_npy<std::int32_t, WEFT_M(A, B #{0} 4)>(path_)),
            (std::vector<std::int32_t>{0, 1, 2, 0, 10, 11, 12, 0}));
}

TEST_F(TensorFile, paddedAndSplitLayoutsAreWrittenInRowOrder) {  // MAP-TEN-01
  const auto t = HostTensor<std::int32_t, WEFT_M([A #3] % 3, B #5)>::from(tens);
  write_npy(path_, t);
  EXPECT_EQ(bytes().substr(128), ints({0, 1, 2, 10, 11, 12}));
  const auto c =
      HostTensor<std::uint8_t, WEFT_M(C % 4, C / 4)>::from([](auto i) { return static_cast<std::uint8_t>(i); });
  write_npy(path_, c);
  EXPECT_NE(bytes().find("'descr': '|u1', 'fortran_order': False, 'shape': (16,), }"), std::string::npos);
  EXPECT_EQ(values(read_npy<std::uint8_t, WEFT_M(C % 4, C / 4)>(path_)), values(c));
  EXPECT_EQ((read_npy<std::uint8_t, WEFT_M(C)>(path_).at(7)), 7);
  EXPECT_THROW((write_npy(path_, HostTensor<int, WEFT_M(A, B = 2)>())), MappingError);
}

TEST_F(TensorFile, otherOrdersVersionsAndBytes) {  // MAP-TEN-01
  const std::string fortran = "{'shape': (2,3), \"descr\":'<i4','fortran_order':True}\n";
  put(file(fortran, ints({0, 10, 1, 11, 2, 12})));
  EXPECT_EQ((values(read_npy<std::int32_t, WEFT_M(A, B)>(path_))), (std::vector<std::int32_t>{0, 1, 2, 10, 11, 12}));
  put(file(fortran, ints({0, 10, 1, 11, 2, 12}), 2));
  EXPECT_EQ((read_npy<std::int32_t, WEFT_M(A, B)>(path_).at(1, 2)), 12);
  put(file("{'descr': '>u2', 'fortran_order': False, 'shape': (2,), }", std::string("\x01\x02\x00\x07", 4)));
  EXPECT_EQ((values(read_npy<std::uint16_t, WEFT_M(A)>(path_))), (std::vector<std::uint16_t>{0x102, 7}));
  const auto h = HostTensor<half, WEFT_M(A)>::from([](auto i) { return half(double(i) + 0.5); });
  write_npy(path_, h);
  EXPECT_NE(bytes().find("'<f2'"), std::string::npos);
  EXPECT_EQ(float(read_npy<half, WEFT_M(A)>(path_).at(1)), 1.5f);
  write_npy(path_, HostTensor<double, WEFT_M(1)>());
  EXPECT_NE(bytes().find("'shape': (), }"), std::string::npos);
  EXPECT_EQ((read_npy<double, WEFT_M(1)>(path_).size()), 1u);
}

TEST_F(TensorFile, refusalsNameTheFileAndBothSides) {  // MAP-TEN-01
  const auto read = [&] { return refusal([&] { read_npy<std::int32_t, WEFT_M(A, B)>(path_); }); };
  EXPECT_EQ(read(), "`" + path_ + "` cannot be opened: No such file or directory.");
  const std::string data = ints({0, 1, 2, 3, 4, 5});
  put(file("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }", data));
  EXPECT_EQ(read(), "`" + path_ + "`: its elements are of type '<f4', the tensor's of '<i4'.");
  put(file("{'descr': '<i4', 'fortran_order': False, 'shape': (3, 2), }", data));
  EXPECT_EQ(read(), "`" + path_ + "`: its shape is (3, 2), the axes of the tensor `A, B` are (2, 3).");
  put(file("{'descr': '<i4', 'fortran_order': False, 'shape': (2, 3), }", data.substr(1)));
  EXPECT_EQ(read(), "`" + path_ + "`: it ends before its last element.");
  put("GIF89a..........");
  EXPECT_NE(read().find("it is not a .npy file"), std::string::npos);
  put(file("{'descr': [('x', '<i4')], 'fortran_order': False, 'shape': (2, 3), }", data));
  EXPECT_NE(read().find("are records"), std::string::npos);
  put(file("{'descr': '<i4', 'fortran_order': False, 'shape': (99999999999999999999, 3), }", data));
  EXPECT_NE(read().find("past 2^63"), std::string::npos);
  put(file("{'descr': '|b1', 'fortran_order': False, 'shape': (2,), }", "\x01\x02"));
  EXPECT_NE(refusal([&] { read_npy<bool, WEFT_M(A)>(path_); }).find("neither 0 nor 1"), std::string::npos);
  EXPECT_NE(refusal([&] { write_npy("/nowhere/x.npy", HostTensor<int, WEFT_M(A)>()); }).find("cannot be written"),
            std::string::npos);
}

TEST_F(TensorFile, brokenFilesNeverCrash) {  // MAP-TEN-01: IoError, or the elements
  write_npy(path_, HostTensor<std::int32_t, WEFT_M(A, B)>::from(tens));
  const std::string good = bytes();
  EXPECT_TRUE(rc::check("as an IoError", [&] {
    std::string b = good;
    const auto edits = *rc::gen::inRange(1, 5);
    for (int i = 0; i < edits; ++i) {
      const auto at = static_cast<std::size_t>(*rc::gen::inRange<int>(0, static_cast<int>(b.size())));
      if (*rc::gen::inRange(0, 3)) b[at] = *rc::gen::elementOf(std::string("\xff{}'(),:0123456789<>|\0 nFTi\x93", 28));
      else b.resize(std::max<std::size_t>(at, 1));
    }
    put(b);
    try {
      RC_ASSERT((read_npy<std::int32_t, WEFT_M(A, B)>(path_).size()) == 6u);
    } catch (const IoError&) {}
  }));
}

TEST(TensorDlpack, sharesMemoryBothWays) {  // MAP-TEN-01
  auto t = HostTensor<float, WEFT_M(B, A #4)>::from([](auto b, auto a) { return float(10 * a + b); });
  dlpack::ManagedTensor* m = to_dlpack(t);
  const dlpack::Tensor& d = m->dl_tensor;
  EXPECT_EQ(d.device.device_type, 1);
  EXPECT_EQ(d.ndim, 2);
  EXPECT_EQ((std::vector<std::int64_t>(d.shape, d.shape + 2)), (std::vector<std::int64_t>{3, 2}));
  EXPECT_EQ((std::vector<std::int64_t>(d.strides, d.strides + 2)), (std::vector<std::int64_t>{4, 1}));
  EXPECT_EQ(d.dtype.code, 2);
  EXPECT_EQ(d.dtype.bits, 32);
  EXPECT_EQ(d.data, t.data());
  // Strided otherwise than the tensor: a copy. The memory outlives the tensor that made it.
  t = {};
  const auto copy = from_dlpack<float, WEFT_M(B, A)>(m);
  EXPECT_EQ(values(copy), (std::vector<float>{0, 10, 1, 11, 2, 12}));
  auto u = HostTensor<float, WEFT_M(B, A)>(copy);
  const float* memory = u.data();
  auto same = from_dlpack<float, WEFT_M(B, A)>(to_dlpack(u));
  EXPECT_EQ(same.data(), memory);
  u = {};
  EXPECT_EQ(same.at(2, 1), 12.f);
}

TEST(TensorDlpack, anyStridesComeIn) {  // MAP-TEN-01: negative ones and none at all
  std::int32_t data[]{5, 4, 3, 2, 1, 0};
  std::int64_t shape[]{2, 3}, strides[]{-3, -1};
  static int released = 0;
  released = 0;
  dlpack::ManagedTensor m{
      {data + 5, {1, 0}, 2, {0, 32, 1}, shape, strides, 0}, nullptr, [](dlpack::ManagedTensor*) { ++released; }};
  EXPECT_EQ((values(from_dlpack<std::int32_t, WEFT_M(A, B)>(&m))), (std::vector<std::int32_t>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(released, 1);
  m.dl_tensor.strides = nullptr, m.dl_tensor.data = data;
  {
    const auto t = from_dlpack<std::int32_t, WEFT_M(A, B)>(&m);
    EXPECT_EQ(t.data(), data);
    EXPECT_EQ(released, 1);
  }
  EXPECT_EQ(released, 2);
}

TEST(TensorDlpack, refusals) {
  std::int32_t data[6]{};
  std::int64_t shape[]{2, 3};
  dlpack::ManagedTensor m{{data, {1, 0}, 2, {0, 32, 1}, shape, nullptr, 0}, nullptr, nullptr};
  const auto refused = [&] { EXPECT_THROW((from_dlpack<std::int32_t, WEFT_M(A, B)>(&m)), TypeError); };
  m.dl_tensor.device.device_type = 2, refused(), m.dl_tensor.device.device_type = 1;
  m.dl_tensor.dtype.code = 2, refused(), m.dl_tensor.dtype.code = 0;
  m.dl_tensor.dtype.lanes = 2, refused(), m.dl_tensor.dtype.lanes = 1;
  m.dl_tensor.ndim = 1, refused(), m.dl_tensor.ndim = 2;
  shape[1] = -3, refused(), shape[1] = 3;
  m.dl_tensor.data = nullptr, refused();
  EXPECT_THROW((from_dlpack<std::int32_t, WEFT_M(A, B)>(nullptr)), TypeError);
  EXPECT_THROW((to_dlpack(HostTensor<int, WEFT_M(C % 4, C / 4)>())), MappingError);
}

}  // namespace
}  // namespace weft
