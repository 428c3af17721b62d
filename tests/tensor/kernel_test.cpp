// Tensors in kernels (MAP-TEN-08): cells at traced positions and places of elements beside E.map, over random mappings; what
// the index arithmetic becomes.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <string>
#include <vector>

#include <weft/tensor.hpp>
#include <weft/tensor_kernel.hpp>

#include "kernel/run_kernel.hpp"
#include "random_mapping.hpp"

namespace weft::test {
namespace {

using I = std::int32_t;

/// The array of a parameter, for what is called as the library's templates do.
struct Peek : Array<const I> {
  static detail::Expr of(const Array<const I>& a) { return a.*(&Peek::array_); }
};

/// E.index of each position from -2 to size + 2, beside E.map.
void check_cells(const Mapping& m) {
  const I count = static_cast<I>(m.size()) + 4;
  std::vector<I> kinds(static_cast<std::size_t>(count)), a(kinds), b(kinds), c(kinds);
  std::string refused;
  try {
    const auto k = kernel("cells(kinds, a, b, c)", [&](Array<I> kind, Array<I> x, Array<I> y, Array<I> z) {
      loop(kind.length(), [&](Index i) {
        const TracedIndex at = m.index(i - 2);
        kind[i] = select(at.live(), 1, 0) + select(at.is_padding(PaddingKind::Top), 2, 0) +
                  select(at.is_padding(PaddingKind::Zero), 4, 0) + select(at.is_padding(PaddingKind::Bottom), 8, 0);
        x[i] = at[all_axes[0]], y[i] = at[all_axes[1]], z[i] = at[all_axes[2]];
      });
    });
    run(k, kinds, a, b, c);
  } catch (const MappingError& e) { refused = e.kind; }

  bool overshoot = false;
  for (I i = 0; i < count && refused.empty(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    const Cell cell = i < 2 ? Cell::out_of_bounds() : m.map(at - 2);
    const I kind = cell.is_live()                         ? 1
                   : cell.is_padding(PaddingKind::Top)    ? 2
                   : cell.is_padding(PaddingKind::Zero)   ? 4
                   : cell.is_padding(PaddingKind::Bottom) ? 8
                                                          : 0;
    ASSERT_EQ(kinds[at], kind) << to_string(m) << " at " << i - 2;
    if (!cell.is_live()) continue;
    ASSERT_EQ(static_cast<std::uint64_t>(a[at]), cell.index()[all_axes[0]]) << to_string(m) << " at " << i - 2;
    ASSERT_EQ(static_cast<std::uint64_t>(b[at]), cell.index()[all_axes[1]]) << to_string(m) << " at " << i - 2;
    ASSERT_EQ(static_cast<std::uint64_t>(c[at]), cell.index()[all_axes[2]]) << to_string(m) << " at " << i - 2;
  }
  for (std::uint64_t p = 0; p < m.size(); ++p) {
    const Cell cell = m.map(p);
    overshoot = overshoot || (cell.is_live() && cell.index().overshoot());
  }
  ASSERT_EQ(refused, overshoot ? "overshoot" : "") << to_string(m);
}

/// The places of all elements, and of coordinates just outside, beside a walk over the mapping.
void check_places(const Mapping& m) {
  const detail::TensorAxes axes = detail::axes_of(m);
  std::map<std::vector<I>, I> places;
  std::vector<I> coordinates(axes.size());
  for (std::uint64_t p = m.size(); p-- > 0;) {  // the first position counts
    const Cell cell = m.map(p);
    if (!cell.is_live() || cell.index().overshoot()) continue;
    for (std::size_t k = 0; k < axes.size(); ++k) coordinates[k] = static_cast<I>(cell.index()[axes[k]]);
    places[coordinates] = static_cast<I>(p);
  }
  const auto formula = detail::make_element_formula(m);
  std::vector<I> memory(m.size()), got(1);
  for (std::size_t p = 0; p < memory.size(); ++p) memory[p] = static_cast<I>(p) + 1;
  std::vector<I> given[3], want;
  I extent[3] = {1, 1, 1};
  for (std::size_t k = 0; k < axes.size() && k < 3; ++k) extent[k] = static_cast<I>(axes[k].size) + 2;
  for (I x = -1; x < extent[0] - 1; ++x)
    for (I y = -1; y < extent[1] - 1; ++y)
      for (I z = -1; z < extent[2] - 1; ++z) {
        coordinates = {x, y, z};
        coordinates.resize(axes.size());
        const auto found = places.find(coordinates);
        want.push_back(found == places.end() ? 0 : found->second + 1);
        given[0].push_back(x), given[1].push_back(y), given[2].push_back(z);
      }
  got.resize(want.size());
  try {
    const auto k = kernel("places(memory, x, y, z, out)",
                          [&](Array<const I> t, Array<const I> x, Array<const I> y, Array<const I> z, Array<I> out) {
                            loop(out.length(), [&](Index i) {
                              const detail::Expr list[]{x[i].traced(), y[i].traced(), z[i].traced()};
                              const std::span<const detail::Expr> used(list, axes.size());
                              out[i] = t[Index(detail::place_of(*formula, Peek::of(t), used, false))];
                            });
                          });
    run(k, memory, given[0], given[1], given[2], got);
  } catch (const UnsupportedError& e) {
    ASSERT_NE(std::string(e.what()).find("do not divide one another"), std::string::npos);
    return;
  }
  ASSERT_EQ(got, want) << to_string(m);
}

RC_GTEST_PROP(TensorKernelProperty, MAP_TEN_08_cells_of_permutations, ()) { check_cells(permutation(number(1, 3))); }
RC_GTEST_PROP(TensorKernelProperty, MAP_TEN_08_cells_of_anything, ()) {
  check_cells(anything(static_cast<int>(number(1, 5))));
}
RC_GTEST_PROP(TensorKernelProperty, MAP_TEN_08_places_of_permutations, ()) { check_places(permutation(number(1, 3))); }
RC_GTEST_PROP(TensorKernelProperty, MAP_TEN_08_places_of_anything, ()) {
  check_places(anything(static_cast<int>(number(1, 5))));
}

}  // namespace
}  // namespace weft::test
