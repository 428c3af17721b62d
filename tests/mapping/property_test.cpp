// Random mappings against the independent model of model.hpp (MAP-POS-03 to -06), the normal form (MAP-EQ-03), the
// identities (MAP-EQ-02), equivalence, inverses and visiting (MAP-EQ-01, -04, MAP-POS-11).
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <weft/error.hpp>
#include <weft/mapping.hpp>

#include "model.hpp"

namespace weft {
namespace {

struct Random {
  model::Generator generator;
  model::Tree tree;
  std::string text;
  Axes axes;
  Mapping mapping;

  explicit Random(std::uint64_t seed)
      : generator(seed), tree(generator.tree(2 + static_cast<int>(seed % 4))), text(model::print(tree)) {
    for (const auto& [name, size] : generator.axes()) axes.add(name, size);
    mapping = Mapping::parse(text, axes);
  }
  // Every position of a small mapping, some of a large one.
  template <class F> void positions(F f) {
    const std::uint64_t size = mapping.size(), step = size > 1000 ? size / 500 : 1;
    for (std::uint64_t i = 0; i < size + 2; i += step > 1 ? 1 + generator.below(step) : 1) f(i);
  }
};

// A random mapping that the capacity takes and whose cells do not hang on which composites are taken for one.
template <class F> void with_random(std::uint64_t seed, F f) {
  RC_LOG() << "seed " << seed << "\n";
  try {
    Random r(seed);
    RC_LOG() << r.text << "\n";
    f(r);
  } catch (const MappingError& e) { RC_ASSERT(e.kind == "too-many-nodes"); }
}

RC_GTEST_PROP(MappingProperty, cellsAreThoseOfTheModel, (std::uint64_t seed)) {
  with_random(seed, [](Random& r) {
    RC_ASSERT(r.mapping.size() == model::size(r.tree));
    RC_ASSERT(to_string(r.mapping) == r.text);
    r.positions([&](std::uint64_t i) {
      const std::string want = model::print(model::cell(r.tree, i), r.generator.axes());
      if (model::undecided) return;
      RC_ASSERT(to_string(r.mapping.map(i)) == want);
    });
  });
}

RC_GTEST_PROP(MappingProperty, normalFormKeepsEveryCell, (std::uint64_t seed)) {  // MAP-EQ-03
  with_random(seed, [](Random& r) {
    const Mapping n = normalize(r.mapping);
    RC_LOG() << to_string(n) << "\n";
    RC_ASSERT(normalize(n) == n);
    RC_ASSERT(Mapping::parse(to_string(n), r.axes) == n);
    r.positions([&](std::uint64_t i) { RC_ASSERT(n.map(i) == r.mapping.map(i)); });
    RC_ASSERT(equivalent(n, r.mapping));
  });
}

RC_GTEST_PROP(MappingProperty, identities, (std::uint64_t seed)) {  // MAP-EQ-02
  with_random(seed, [](Random& r) {
    const Mapping e = r.mapping;
    const std::uint64_t size = e.size();
    RC_ASSERT(equivalent(pair(e, 1), e) && equivalent(pair(1, e), e));
    RC_ASSERT(equivalent(e / 1, e) && equivalent(pad(e, size), e) && equivalent(resize(e, size), e));
    if (size && e.map(0).is_live()) RC_ASSERT(equivalent(e % 1, 1));
    for (std::uint64_t n = 1; n <= size && n < 50; ++n)
      if (size % n == 0) RC_ASSERT(equivalent(pair(e / n, e % n), e));
    const Mapping a = r.axes.list()[0], b = r.axes.list()[1];
    if (!size || size > 2000) return;
    RC_ASSERT(equivalent(pair(pair(a, e), b), pair(a, pair(e, b))));
    // A part is as the whole has it where the other one starts live.
    if (e.map(0).is_live()) RC_ASSERT(equivalent(pair(a, e) / size, a));
    RC_ASSERT(equivalent(pair(a, e) % size, e));
  });
}

RC_GTEST_PROP(MappingProperty, visitingIsMapping, (std::uint64_t seed)) {  // MAP-POS-11
  with_random(seed, [](Random& r) {
    std::uint64_t next = 0;
    r.mapping.for_each([&](std::uint64_t i, const Cell& c) {
      RC_ASSERT(i == next++);
      if (i % 7 == 0 || r.mapping.size() < 500) RC_ASSERT(c == r.mapping.map(i));
    });
    RC_ASSERT(next == r.mapping.size());
    next = 0;
    for (const Cell& c : r.mapping.cells()) {
      if (next % 11 == 0) RC_ASSERT(c == r.mapping.map(next));
      ++next;
    }
    RC_ASSERT(next == r.mapping.size());
  });
}

RC_GTEST_PROP(MappingProperty, inversesFindEveryPosition, (std::uint64_t seed)) {  // MAP-EQ-04
  with_random(seed, [](Random& r) {
    const Mapping m = r.mapping;
    if (m.size() > 2000) return;
    if (const auto c = find_collision(m)) {
      RC_ASSERT(c->first < c->second && c->second < m.size());
      RC_ASSERT(m.map(c->first).is_live() && m.map(c->first) == m.map(c->second));
      RC_ASSERT(!m.map(c->first).index().overshoot());
      RC_ASSERT_THROWS_AS(inverse(m), MappingError);
      return;
    }
    const MappingInverse at = inverse(m);
    r.positions([&](std::uint64_t i) {
      const Cell c = m.map(i);
      if (c.is_live() && !c.index().overshoot()) RC_ASSERT(at(c.index()) == i);
    });
  });
}

// The rule of MAP-TEN-03, cell by cell: the smallest stride, and views that show the window and nothing else.
RC_GTEST_PROP(MappingProperty, tilesFollowTheRule, (std::uint64_t seed)) {
  with_random(seed, [](Random& r) {
    const Mapping e = r.mapping;
    const std::uint64_t size = e.size();
    if (size < 1 || size > 300) return;
    // A run of it, or some other mapping.
    std::vector<Mapping> runs{r.axes.list()[r.generator.below(r.axes.list().size())]};
    for (std::uint64_t s = 1; s <= size; ++s)
      for (std::uint64_t n = 2; size % s == 0 && s * n <= size; ++n)
        if (size / s % n == 0 && r.generator.below(4) == 0) runs.push_back(e / s % n);
    for (const Mapping& index : runs) {
      const std::uint64_t extent = index.size();
      if (extent < 2) continue;
      std::uint64_t stride = 0;
      for (std::uint64_t s = 1; s < size && !stride; ++s) {
        bool lies = true;
        for (std::uint64_t p = 0; p < extent && p * s < size && lies; ++p) lies = e.map(p * s) == index.map(p);
        if (lies) stride = s;
      }
      const std::uint64_t length = 1 + r.generator.below(extent);
      const Tile t = tile(e, index, length, PaddingKind::Bottom);
      RC_LOG() << to_string(index) << " of length " << length << ": " << to_string(t.view) << "\n";
      RC_ASSERT(t.stride == stride);
      if (!stride) {
        RC_ASSERT(t.fault.kind == MappingErrorKind::index_not_located);
        continue;
      }
      const bool divides = size % (stride * extent) == 0;
      RC_ASSERT((t.fault.kind == MappingErrorKind::window_does_not_fit) == !divides);
      if (!divides) continue;
      RC_ASSERT(t.view.size() == size && normalize(t.view) == t.view && fits(t, t.view));
      for (std::uint64_t p = 0; p < size; ++p) {
        const Cell own = e.map(p), seen = t.view.map(p);
        // Outside, what is dead further out decides before the hole.
        if (p / stride % extent < length) RC_ASSERT(seen == own);
        else RC_ASSERT(!seen.is_live());
      }
    }
  });
}

RC_GTEST_PROP(MappingProperty, nothingThatIsReadCrashes, (const std::string& text)) {  // MAP-SYN-08
  const Axes axes = weft::axes("A = 8, B = 512");
  for (const std::string& t : {text, "A " + text, "[A, B] # " + text, "A # {" + text + "}", "{ " + text + " }"}) {
    try {
      const Mapping m = Mapping::parse(t, axes);
      RC_ASSERT(Mapping::parse(to_string(m), axes) == m);
    } catch (const MappingError& e) { RC_ASSERT(!e.kind.empty() && e.place <= t.size()); }
  }
}

}  // namespace
}  // namespace weft
