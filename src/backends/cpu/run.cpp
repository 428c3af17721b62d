#include "backends/cpu/run.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <new>
#include <vector>

#include "backends/cpu/move.hpp"

namespace weft::cpu {

namespace {

// Operations in one piece of a parallel run: some 50 us, so that handing it out costs little and no thread waits long.
constexpr std::uint64_t operations_per_piece = 1u << 18;
constexpr std::uint64_t largest_piece = 1u << 17, smallest_piece = 16;

// A task folds a block of blocks, so that its result is a value of the second level.
constexpr std::uint64_t block = 256, lanes = 16, group = 16 * block, task = block * block;

// The values of 4 blocks are folded while they are still in the nearest cache.
constexpr std::uint64_t chunk = 4 * block;

/// Both codes of a kernel, with where each one runs.
struct Code {
  BodyFunction interior, edge;
  std::int64_t first, last;
  void* const* arrays;
  const void* uniforms;

  void operator()(std::uint64_t from, std::uint64_t to, void* const* folds) const {
    const auto begin = static_cast<std::int64_t>(from), end = static_cast<std::int64_t>(to);
    const std::int64_t a = std::clamp(first, begin, end), b = std::clamp(last, a, end);
    if (begin < a) edge(begin, a, arrays, uniforms, folds, begin);
    if (a < b) interior(a, b, arrays, uniforms, folds, begin);
    if (b < end) edge(b, end, arrays, uniforms, folds, begin);
  }
};

/// Values in a row, aligned for whole vectors.
class Buffer {
 public:
  Buffer(std::uint64_t count, const FoldCode& fold)
      : bytes_(static_cast<std::byte*>(::operator new(count * fold.bytes, alignment))), fold_(fold), count_(count) {}
  Buffer(Buffer&& o) noexcept : bytes_(std::exchange(o.bytes_, nullptr)), fold_(o.fold_), count_(o.count_) {}
  Buffer& operator=(Buffer&&) = delete;
  ~Buffer() { ::operator delete(bytes_, alignment); }

  std::byte* at(std::uint64_t k) const { return bytes_ + k * fold_.bytes; }
  void pad_from(std::uint64_t k) const {
    for (; k < count_; ++k) std::memcpy(at(k), &fold_.identity, fold_.bytes);
  }

 private:
  static constexpr std::align_val_t alignment{64};
  std::byte* bytes_;
  const FoldCode& fold_;
  std::uint64_t count_;
};

std::vector<Buffer> buffers(const std::vector<FoldCode>& folds, std::uint64_t count) {
  std::vector<Buffer> out;
  out.reserve(folds.size());
  for (const FoldCode& f : folds) out.emplace_back(count, f);
  return out;
}

/// Folds the iterations of some tasks: the value of task t goes to results[k].at(t).
void fold_tasks(const Kernel& kernel, const Code& code, std::uint64_t begin, std::uint64_t end,
                const std::vector<Buffer>& results) {
  const std::vector<FoldCode>& folds = kernel.folds();
  // A chunk may begin at the last block of a group: then three more blocks follow, of padding.
  const std::vector<Buffer> values = buffers(folds, chunk), vectors = buffers(folds, (group + chunk) / block * lanes),
                            partials = buffers(folds, block);
  std::vector<void*> places, lane_places;
  for (const Buffer& v : values) places.push_back(v.at(0));
  for (const Buffer& v : vectors) lane_places.push_back(v.at(0));
  // Whole blocks of the interior; how many iterations that were.
  const auto direct = [&](std::uint64_t at, std::uint64_t end) -> std::uint64_t {
    const auto begin = static_cast<std::int64_t>(at);
    if (!kernel.direct() || begin < code.first || static_cast<std::int64_t>(end) > code.last) return 0;
    const std::uint64_t whole = (end - at) / block * block;
    kernel.direct()(begin, begin + static_cast<std::int64_t>(whole), code.arrays, code.uniforms, lane_places.data());
    return whole;
  };
  for (std::uint64_t from = begin; from < end; from += task) {
    const std::uint64_t to = std::min(from + task, end);
    std::uint64_t blocks = 0;
    for (std::uint64_t at = from; at < to; at += group, blocks += group / block) {
      if (to - at < group)
        for (const Buffer& v : vectors) v.pad_from(0);
      for (std::uint64_t c = direct(at, std::min(at + group, to)); c < group && at + c < to; c += chunk) {
        const std::uint64_t count = std::min(chunk, to - at - c);
        for (const Buffer& v : values) v.pad_from(count);
        code(at + c, at + c + count, places.data());
        for (std::size_t k = 0; k < folds.size(); ++k)
          folds[k].blocks(values[k].at(0), vectors[k].at(c / block * lanes));
      }
      for (std::size_t k = 0; k < folds.size(); ++k) folds[k].lanes(vectors[k].at(0), partials[k].at(blocks));
    }
    for (std::size_t k = 0; k < folds.size(); ++k) {
      partials[k].pad_from(blocks);
      folds[k].block(partials[k].at(0), results[k].at(from / task));
    }
  }
}

/// Level by level to one value, in place.
void fold_levels(const FoldCode& fold, const Buffer& values, std::uint64_t count) {
  const Buffer one(block, fold);
  while (count > 1) {
    const std::uint64_t blocks = (count + block - 1) / block;
    for (std::uint64_t b = 0; b < blocks; ++b) {
      const std::uint64_t here = std::min(block, count - b * block);
      std::memcpy(one.at(0), values.at(b * block), here * fold.bytes);
      one.pad_from(here);
      fold.block(one.at(0), values.at(b));
    }
    count = blocks;
  }
}

void run_folds(Kernel& kernel, Workers& workers, const Code& code, std::uint64_t n,
               std::span<std::byte* const> folded) {
  const std::vector<FoldCode>& folds = kernel.folds();
  const std::uint64_t tasks = std::max<std::uint64_t>(1, (n + task - 1) / task);
  const std::vector<Buffer> results = buffers(folds, tasks);
  for (const Buffer& r : results) r.pad_from(n == 0 ? 0 : tasks);
  const auto piece = [&](std::uint64_t begin, std::uint64_t end) { fold_tasks(kernel, code, begin, end, results); };
  if (kernel.program().serial) workers.alone(n, piece);
  else workers.each(n, task, piece);
  workers.alone(1, [&](std::uint64_t, std::uint64_t) {
    for (std::size_t k = 0; k < folds.size(); ++k) fold_levels(folds[k], results[k], tasks);
  });
  std::size_t k = 0;
  for (std::size_t f = 0; f < kernel.program().folds.size(); ++f)
    for (std::size_t lane = 0; lane < kernel.program().folds[f].dtype.lanes; ++lane, ++k)
      std::memcpy(folded[f] + lane * folds[k].bytes, results[k].at(0), folds[k].bytes);
}

}  // namespace

std::optional<backend::ErrorRecord> run(Kernel& kernel, Workers& workers, std::span<void* const> arrays,
                                        const void* uniforms, std::uint64_t n, std::span<std::byte* const> folded) {
  if (const auto& m = kernel.program().move; m && m->trip == n) {
    for (const detail::CopyBox& z : m->zeros)
      clear(workers, z, arrays[m->to], kernel.program().slots[m->to].element.bytes());
    move(workers, m->box, arrays[m->to], arrays[m->from], kernel.program().slots[m->to].element.bytes());
    return std::nullopt;
  }
  std::array<std::int64_t, 2> within{};
  kernel.range()(uniforms, within.data());
  Code code{kernel.interior(), nullptr, within[0], within[1], arrays.data(), uniforms};
  if (code.first > 0 || code.last < static_cast<std::int64_t>(n)) {
    auto edge = kernel.edge();
    if (!edge) return edge.error();
    code.edge = *edge;
  }
  if (!kernel.folds().empty()) {
    run_folds(kernel, workers, code, n, folded);
    return std::nullopt;
  }
  const auto piece = [&](std::uint64_t begin, std::uint64_t end) { code(begin, end, nullptr); };
  if (kernel.program().serial) {
    workers.alone(n, piece);
  } else {
    const std::uint64_t size = std::clamp(operations_per_piece / kernel.cost(), smallest_piece, largest_piece);
    workers.each(n, size / smallest_piece * smallest_piece, piece);
  }
  return std::nullopt;
}

}  // namespace weft::cpu
