// The .npy format, versions 1 to 3: a magic number, the length of a header, the header as a Python dictionary, the elements.
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <weft/error.hpp>
#include <weft/tensor_io.hpp>

#include "tensor/row_order.hpp"

namespace weft::detail {
namespace {

constexpr std::string_view magic("\x93NUMPY", 6);
constexpr std::size_t longest_header = 1 << 20;

struct Close {
  void operator()(std::FILE* f) const { std::fclose(f); }
};
using File = std::unique_ptr<std::FILE, Close>;

std::string descr_of(ElementCode e) {
  const std::string bytes = std::to_string(e.bytes);
  if (e.kind == 'B') return "<V2";
  return (e.bytes == 1 || e.kind == 'V' ? "|" : "<") + std::string(1, e.kind) + bytes;
}

std::string shape_of(const TensorAxes& axes) {
  std::string text = "(";
  for (const Axis& a : axes) text += std::to_string(a.size) + ", ";
  if (axes.size() > 1) text.resize(text.size() - 2);
  else if (axes.size() == 1) text.pop_back();
  return text + ")";
}

/// One reading; every refusal names the file.
class Reader {
 public:
  explicit Reader(const std::string& path) : path_(path), file_(std::fopen(path.c_str(), "rb")) {
    if (!file_) throw IoError("`" + path + "` cannot be opened: " + std::strerror(errno) + ".");
  }
  [[noreturn]] void fail(const std::string& reason) const { throw IoError("`" + path_ + "`: " + reason); }

  void header() {
    unsigned char begin[12]{};
    bytes(begin, 8, "a .npy file begins with 8 bytes");
    if (std::memcmp(begin, magic.data(), magic.size()) != 0)
      fail("it is not a .npy file: it does not begin with \\x93NUMPY.");
    const int version = begin[6];
    if (version < 1 || version > 3)
      fail("it is of version " + std::to_string(version) + " of the .npy format; 1 to 3 are read.");
    const std::size_t width = version == 1 ? 2 : 4;
    bytes(begin + 8, width, "the length of the header is missing");
    std::size_t length = 0;
    for (std::size_t i = width; i-- > 0;) length = length << 8 | begin[8 + i];
    if (length > longest_header) fail("its header is said to be " + std::to_string(length) + " bytes long.");
    text_.resize(length);
    bytes(text_.data(), length, "the header is shorter than it says");
    parse();
  }
  void elements(void* into, std::size_t count) const { bytes(into, count, "it ends before its last element"); }

  std::string descr;
  bool fortran = false;
  std::vector<std::uint64_t> shape;

 private:
  void bytes(void* into, std::size_t count, const char* missing) const {
    if (std::fread(into, 1, count, file_.get()) == count) return;
    if (std::ferror(file_.get())) fail(std::string("it cannot be read: ") + std::strerror(errno) + ".");
    fail(std::string(missing) + ".");
  }

  // The dictionary: three keys in any order.
  void parse() {
    bool seen[3]{};
    need('{');
    while (!accept('}')) {
      const std::string key = quoted();
      need(':');
      const int which = key == "descr" ? 0 : key == "fortran_order" ? 1 : key == "shape" ? 2 : -1;
      if (which < 0) fail("its header has the key '" + key.substr(0, 40) + "', which .npy does not.");
      if (seen[which]) fail("its header has the key '" + key + "' twice.");
      seen[which] = true;
      if (which == 0) {
        if (peek() != '\'' && peek() != '"') fail("its elements are records, which are not read.");
        descr = quoted();
      } else if (which == 1) {
        fortran = word("True");
        if (!fortran && !word("False")) broken();
      } else {
        need('(');
        while (!accept(')')) {
          shape.push_back(number());
          if (!accept(',') && peek() != ')') broken();
        }
      }
      if (!accept(',') && peek() != '}') broken();
    }
    if (!seen[0] || !seen[1] || !seen[2]) fail("its header lacks descr, fortran_order or shape.");
    if (peek()) broken();
  }
  [[noreturn]] void broken() const {
    fail("its header is not a dictionary as .npy has it (byte " + std::to_string(at_) + ").");
  }
  char peek() {
    while (at_ < text_.size() && std::strchr(" \n\t\r", text_[at_]) && text_[at_]) ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool accept(char c) { return peek() == c && ++at_; }
  void need(char c) {
    if (!accept(c)) broken();
  }
  bool word(std::string_view w) {
    peek();
    if (std::string_view(text_).substr(std::min(at_, text_.size()), w.size()) != w) return false;
    return at_ += w.size(), true;
  }
  std::string quoted() {
    const char quote = peek();
    if (quote != '\'' && quote != '"') broken();
    const std::size_t end = text_.find(quote, at_ + 1);
    if (end == std::string::npos) broken();
    const std::string s = text_.substr(at_ + 1, end - at_ - 1);
    return at_ = end + 1, s;
  }
  std::uint64_t number() {
    if (peek() < '0' || peek() > '9') broken();
    std::uint64_t n = 0;
    for (; at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9'; ++at_) {
      if (n > max_mapping_size / 10) fail("a dimension of its shape is past 2^63 - 1.");
      n = n * 10 + static_cast<std::uint64_t>(text_[at_] - '0');
    }
    return n;
  }

  std::string path_, text_;
  std::size_t at_ = 0;
  File file_;
};

}  // namespace

void write_npy(const std::string& path, const Mapping& m, const void* data, ElementCode element) {
  const TensorAxes axes = axes_of(m);
  const Mapping rows = row_order(axes);
  // As it stands, or by way of a copy.
  Shared<const Relayout> plan = make_relayout(m, rows);
  bool fortran = false;
  if (!is_plain_copy(*plan))
    if (const auto columns = make_relayout(m, row_order(axes, true)); is_plain_copy(*columns))
      plan = columns, fortran = true;
  Shared<HostBuffer> copy;
  if (!is_plain_copy(*plan)) {
    copy = share<HostBuffer>(rows, element.bytes);
    run_relayout(*plan, data, copy->data(), element.bytes);
    data = copy->data();
  }
  std::string header = "{'descr': '" + descr_of(element) + "', 'fortran_order': " + (fortran ? "True" : "False") +
                       ", 'shape': " + shape_of(axes) + ", }";
  header.append(63 - (magic.size() + 4 + header.size()) % 64, ' ');
  header += '\n';
  const char length[4]{1, 0, static_cast<char>(header.size() & 0xff), static_cast<char>(header.size() >> 8)};
  File file(std::fopen(path.c_str(), "wb"));
  const auto write = [&](const void* from, std::size_t bytes) {
    return !bytes || std::fwrite(from, 1, bytes, file.get()) == bytes;
  };
  bool written = file && write(magic.data(), magic.size()) && write(length, 4) && write(header.data(), header.size()) &&
                 write(data, static_cast<std::size_t>(rows.size()) * element.bytes);
  if (file) written = std::fclose(file.release()) == 0 && written;
  if (!written) throw IoError("`" + path + "` cannot be written: " + std::strerror(errno) + ".");
}

void read_npy(const std::string& path, const Mapping& m, void* data, ElementCode element) {
  Reader in(path);
  in.header();
  const TensorAxes axes = axes_of(m);
  const std::string want = descr_of(element);
  const char order = in.descr.empty() ? '?' : in.descr[0];
  const bool same = in.descr.size() > 1 && std::string_view("<>|=").find(order) != std::string_view::npos &&
                    std::string_view(in.descr).substr(1) == std::string_view(want).substr(1);
  if (!same) in.fail("its elements are of type '" + in.descr.substr(0, 40) + "', the tensor's of '" + want + "'.");
  bool fits = in.shape.size() == axes.size();
  for (std::size_t a = 0; fits && a < axes.size(); ++a) fits = in.shape[a] == axes[a].size;
  if (!fits) {
    TensorAxes given;
    for (std::size_t a = 0; a < in.shape.size() && a < max_mapping_nodes; ++a)
      given.axes[given.count++].size = in.shape[a];
    in.fail("its shape is " + shape_of(given) + ", the axes of the tensor `" + to_string(m) + "` are " +
            shape_of(axes) + ".");
  }
  const Mapping rows = row_order(axes, in.fortran);
  const Shared<const Relayout> plan = make_relayout(rows, m);
  Shared<HostBuffer> copy;
  if (!is_plain_copy(*plan)) copy = share<HostBuffer>(rows, element.bytes);
  auto* read = static_cast<unsigned char*>(copy ? copy->data() : data);
  const std::size_t bytes = static_cast<std::size_t>(rows.size()) * element.bytes;
  in.elements(read, bytes);
  if (order == '>' && element.kind != 'V' && element.bytes > 1)
    for (std::size_t i = 0; i < bytes; i += element.bytes) std::reverse(read + i, read + i + element.bytes);
  if (element.kind == 'b' && std::any_of(read, read + bytes, [](unsigned char c) { return c > 1; }))
    in.fail("an element of it is a bool that is neither 0 nor 1.");
  if (copy) run_relayout(*plan, read, data, element.bytes);
}

}  // namespace weft::detail
