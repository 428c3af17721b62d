// A box is run as a nest of loops around one of four cores: long runs by memcpy; a transpose in squares of registers, blocked
// for the caches; 2, 4, .. streams merged into one or split from one; and for digits so small that none of these applies, a
// list of offsets for an inner block, which the outer loops repeat.
#include "copy/strided_copy.hpp"

#include <algorithm>
#include <cstring>

#include "copy/interleave.hpp"

namespace weft::detail {
namespace {

/// A dimension, its strides in bytes.
struct Loop {
  std::size_t n;
  std::ptrdiff_t to, from;
};

/// Calls f(to, from) for each point of the loops, the last of which is innermost.
template <class F> void nest(const std::vector<Loop>& loops, std::byte* to, const std::byte* from, F&& f) {
  if (loops.empty()) return f(to, from);
  const Loop inner = loops.back();
  std::vector<std::size_t> at(loops.size(), 0);
  for (;;) {
    std::byte* t = to;
    const std::byte* s = from;
    for (std::size_t i = 0; i < inner.n; ++i, t += inner.to, s += inner.from) f(t, s);
    std::size_t d = loops.size() - 1;
    for (;;) {
      if (d == 0) return;
      --d;
      to += loops[d].to, from += loops[d].from;
      if (++at[d] < loops[d].n) break;
      to -= loops[d].to * static_cast<std::ptrdiff_t>(loops[d].n);
      from -= loops[d].from * static_cast<std::ptrdiff_t>(loops[d].n);
      at[d] = 0;
    }
  }
}

template <std::size_t U> void move(std::byte* to, const std::byte* from) {
  std::byte unit[U];
  std::memcpy(unit, from, U);
  std::memcpy(to, unit, U);
}

void copy_runs(const std::vector<Loop>& outer, std::size_t bytes, std::byte* to, const std::byte* from) {
  nest(outer, to, from, [=](std::byte* t, const std::byte* s) { std::memcpy(t, s, bytes); });
}

// `down` is contiguous in the destination, `across` in the source; both are multiples of a square's side except at the end.
template <std::size_t U> void transpose(Loop down, Loop across, std::byte* to, const std::byte* from) {
  using L = Lanes<U>;
  constexpr std::size_t N = L::count, line = 64 / U;
  const auto square = [&](std::byte* t, const std::byte* s) {
    typename L::Register r[N];
    for (std::size_t i = 0; i < N; ++i) r[i] = L::load(s + static_cast<std::ptrdiff_t>(i) * down.from);
    L::template merge<N>(r);
    for (std::size_t i = 0; i < N; ++i) L::store(t + static_cast<std::ptrdiff_t>(i) * across.to, r[i]);
  };
  constexpr std::size_t block = 4 * line;
  const std::size_t down_whole = down.n / N * N, across_whole = across.n / N * N;
  for (std::size_t d0 = 0; d0 < down_whole; d0 += block)
    for (std::size_t a0 = 0; a0 < across_whole; a0 += line) {
      const std::size_t d1 = std::min(d0 + block, down_whole), a1 = std::min(a0 + line, across_whole);
      for (std::size_t d = d0; d < d1; d += line)
        for (std::size_t a = a0; a < a1; a += N)
          for (std::size_t e = d; e < std::min(d + line, d1); e += N)
            square(to + static_cast<std::ptrdiff_t>(a) * across.to + static_cast<std::ptrdiff_t>(e * U),
                   from + static_cast<std::ptrdiff_t>(a * U) + static_cast<std::ptrdiff_t>(e) * down.from);
    }
  const auto edge = [&](std::size_t a0, std::size_t d0, std::size_t d1) {
    for (std::size_t a = a0; a < across.n; ++a)
      for (std::size_t d = d0; d < d1; ++d)
        move<U>(to + static_cast<std::ptrdiff_t>(a) * across.to + static_cast<std::ptrdiff_t>(d * U),
                from + static_cast<std::ptrdiff_t>(a * U) + static_cast<std::ptrdiff_t>(d) * down.from);
  };
  edge(0, down_whole, down.n);
  edge(across_whole, 0, down_whole);
}

// K streams of n elements, `apart` bytes from one another, become one.
template <std::size_t U, std::size_t K>
void merge_streams(std::size_t n, std::ptrdiff_t apart, std::byte* to, const std::byte* from) {
  using L = Lanes<U>;
  std::size_t i = 0;
  for (; i + L::count <= n; i += L::count) {
    typename L::Register r[K];
    for (std::size_t k = 0; k < K; ++k) r[k] = L::load(from + i * U + static_cast<std::ptrdiff_t>(k) * apart);
    L::template merge<K>(r);
    for (std::size_t k = 0; k < K; ++k) L::store(to + i * U * K + k * 16, r[k]);
  }
  for (; i < n; ++i)
    for (std::size_t k = 0; k < K; ++k)
      move<U>(to + (i * K + k) * U, from + i * U + static_cast<std::ptrdiff_t>(k) * apart);
}
template <std::size_t U, std::size_t K>
void split_streams(std::size_t n, std::ptrdiff_t apart, std::byte* to, const std::byte* from) {
  using L = Lanes<U>;
  constexpr std::size_t line = K <= 4 ? 4 : 1;  // registers of each stream at a time: whole cache lines are written
  std::size_t i = 0;
  for (; i + line * L::count <= n; i += line * L::count) {
    typename L::Register r[line][K];
    for (std::size_t l = 0; l < line; ++l) {
      for (std::size_t k = 0; k < K; ++k) r[l][k] = L::load(from + i * U * K + (l * K + k) * 16);
      L::template split<K>(r[l]);
    }
    for (std::size_t k = 0; k < K; ++k)
      for (std::size_t l = 0; l < line; ++l)
        L::store(to + i * U + l * 16 + static_cast<std::ptrdiff_t>(k) * apart, r[l][k]);
  }
  for (; i < n; ++i)
    for (std::size_t k = 0; k < K; ++k)
      move<U>(to + i * U + static_cast<std::ptrdiff_t>(k) * apart, from + (i * K + k) * U);
}
// What is innermost in the destination, as a list of offsets.
template <std::size_t U> void copy_listed(std::vector<Loop> loops, std::byte* to, const std::byte* from) {
  if (loops.empty()) return move<U>(to, from);
  constexpr std::size_t most = 4096;
  std::vector<Loop> inner;
  std::size_t count = 1;
  while (!loops.empty() && count * loops.back().n <= most)
    count *= loops.back().n, inner.insert(inner.begin(), loops.back()), loops.pop_back();
  if (inner.empty()) {
    const Loop l = loops.back();
    loops.pop_back();
    nest(loops, to, from, [=](std::byte* t, const std::byte* s) {
      for (std::size_t i = 0; i < l.n; ++i, t += l.to, s += l.from) move<U>(t, s);
    });
    return;
  }
  std::vector<std::ptrdiff_t> to_list, from_list;
  nest(inner, to, from,
       [&](std::byte* t, const std::byte* s) { to_list.push_back(t - to), from_list.push_back(s - from); });
  bool contiguous = true;
  for (std::size_t i = 0; i < count; ++i) contiguous = contiguous && to_list[i] == static_cast<std::ptrdiff_t>(i * U);
  const std::ptrdiff_t *tl = to_list.data(), *fl = from_list.data();
  if (contiguous)
    nest(loops, to, from, [=](std::byte* t, const std::byte* s) {
      for (std::size_t i = 0; i < count; ++i) move<U>(t + i * U, s + fl[i]);
    });
  else
    nest(loops, to, from, [=](std::byte* t, const std::byte* s) {
      for (std::size_t i = 0; i < count; ++i) move<U>(t + tl[i], s + fl[i]);
    });
}

template <std::size_t U, std::size_t K, bool Merge>
bool streams(const Loop& few, const Loop& many, const std::vector<Loop>& outer, std::byte* to, const std::byte* from) {
  if constexpr (K * U > 128 || U == 16) return false;
  else {
    if (few.n != K) return false;
    nest(outer, to, from, [&](std::byte* t, const std::byte* s) {
      if constexpr (Merge) merge_streams<U, K>(many.n, few.from, t, s);
      else split_streams<U, K>(many.n, few.to, t, s);
    });
    return true;
  }
}

/// Where no run is left: the elements are units of U bytes.
template <std::size_t U> void copy_units(std::vector<Loop> loops, std::byte* to, const std::byte* from) {
  constexpr std::ptrdiff_t unit = U;
  const auto across = std::find_if(loops.begin(), loops.end(), [](const Loop& l) { return l.from == unit; });
  if constexpr (U < 16) {
    constexpr std::size_t N = Lanes<U>::count;
    if (!loops.empty() && loops.back().to == unit && across != loops.end()) {
      const Loop d = loops.back(), a = *across;
      std::vector<Loop> outer = loops;
      outer.erase(outer.begin() + (across - loops.begin()));
      outer.pop_back();
      if (a.to == static_cast<std::ptrdiff_t>(d.n) * unit && a.n >= N &&
          (streams<U, 2, true>(d, a, outer, to, from) || streams<U, 4, true>(d, a, outer, to, from) ||
           streams<U, 8, true>(d, a, outer, to, from)))
        return;
      if (d.from == static_cast<std::ptrdiff_t>(a.n) * unit && d.n >= N &&
          (streams<U, 2, false>(a, d, outer, to, from) || streams<U, 4, false>(a, d, outer, to, from) ||
           streams<U, 8, false>(a, d, outer, to, from)))
        return;
      if (d.n >= N && a.n >= N)
        return nest(outer, to, from, [&](std::byte* t, const std::byte* s) { transpose<U>(d, a, t, s); });
    }
  }
  copy_listed<U>(std::move(loops), to, from);
}

}  // namespace

void arrange(CopyBox& box) {
  std::erase_if(box.dims, [](const CopyDim& d) { return d.extent == 1; });
  std::sort(box.dims.begin(), box.dims.end(), [](const CopyDim& a, const CopyDim& b) { return a.to > b.to; });
  for (std::size_t i = box.dims.size(); i-- > 1;) {
    CopyDim &outer = box.dims[i - 1], &inner = box.dims[i];
    if (outer.to != inner.to * inner.extent || outer.from != inner.from * inner.extent) continue;
    outer = {outer.extent * inner.extent, inner.to, inner.from};
    box.dims.erase(box.dims.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

void copy_box(const CopyBox& box, const std::byte* from, std::byte* to, std::size_t bytes) {
  from += box.from * bytes, to += box.to * bytes;
  std::vector<Loop> loops;
  for (const CopyDim& d : box.dims)
    loops.push_back({static_cast<std::size_t>(d.extent), static_cast<std::ptrdiff_t>(d.to * bytes),
                     static_cast<std::ptrdiff_t>(d.from * bytes)});
  std::size_t unit = bytes;
  if (!loops.empty() && box.dims.back().to == 1 && box.dims.back().from == 1) {
    unit *= loops.back().n;
    loops.pop_back();
  }
  switch (unit) {
    case 1: return copy_units<1>(std::move(loops), to, from);
    case 2: return copy_units<2>(std::move(loops), to, from);
    case 4: return copy_units<4>(std::move(loops), to, from);
    case 8: return copy_units<8>(std::move(loops), to, from);
    case 16: return copy_units<16>(std::move(loops), to, from);
    default: return copy_runs(loops, unit, to, from);
  }
}

void zero_box(const CopyBox& box, std::byte* to, std::size_t bytes) {
  to += box.to * bytes;
  std::vector<Loop> loops;
  for (const CopyDim& d : box.dims)
    loops.push_back({static_cast<std::size_t>(d.extent), static_cast<std::ptrdiff_t>(d.to * bytes), 0});
  std::size_t run = bytes;
  if (!loops.empty() && box.dims.back().to == 1) {
    run *= loops.back().n;
    loops.pop_back();
  }
  nest(loops, to, nullptr, [=](std::byte* t, const std::byte*) { std::memset(t, 0, run); });
}

}  // namespace weft::detail
