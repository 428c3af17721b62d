// The parallel proof is sound: random loops that it accepts are enumerated, and no two iterations meet at an element that one
// of them writes (KER-LOOP-03). And it is of use: among the random loops are many that it accepts.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <set>

#include "kernel/run_kernel.hpp"

using namespace weft;

namespace {

// An index expression, as data: traced, and evaluated.
struct Expression {
  enum class Kind {
    counter,
    inner,
    constant,
    scalar,
    add,
    sub,
    mul,
    shift,
    div,
    mod,
    as_int,
    as_uint,
    negate,
    array
  } kind = Kind::counter;
  int value = 0;
  std::vector<Expression> of;
};

Expression random_expression(int depth) {
  using K = Expression::Kind;
  Expression e;
  const auto leaf = [&] {
    e.kind = *rc::gen::weightedElement<K>({{6, K::counter}, {2, K::inner}, {3, K::constant}, {2, K::scalar}});
    e.value = *rc::gen::inRange(-3, 5);
  };
  if (depth == 0 || *rc::gen::inRange(0, 4) == 0) {
    leaf();
    return e;
  }
  e.kind = *rc::gen::weightedElement<K>({{6, K::add},
                                         {4, K::sub},
                                         {5, K::mul},
                                         {1, K::shift},
                                         {1, K::div},
                                         {1, K::mod},
                                         {1, K::as_int},
                                         {1, K::as_uint},
                                         {1, K::negate},
                                         {1, K::array}});
  const bool two = e.kind == K::add || e.kind == K::sub || e.kind == K::mul;
  e.value = *rc::gen::inRange(0, 3);
  for (int k = 0; k < (two ? 2 : 1); ++k) e.of.push_back(random_expression(depth - 1));
  return e;
}

std::int64_t evaluate(const Expression& e, std::int64_t i, std::int64_t j, int w) {
  using K = Expression::Kind;
  const auto x = [&] { return evaluate(e.of[0], i, j, w); };
  const auto y = [&] { return evaluate(e.of[1], i, j, w); };
  switch (e.kind) {
    case K::counter: return i;
    case K::inner: return j;
    case K::constant: return e.value;
    case K::scalar: return w;
    case K::add: return x() + y();
    case K::sub: return x() - y();
    case K::mul: return x() * y();
    case K::shift: return x() << e.value;
    case K::div: return x() / (e.value + 1);
    case K::mod: return x() % (e.value + 1);
    case K::negate: return -x();
    case K::array: return (x() & 3) * 2;  // data[x & 3] holds this
    default: return x();
  }
}

// At a run-time type that does not matter: everything is kept as a weak index.
Index trace_expression(const Expression& e, Index i, Index j, const Scalar<int>& w, const Array<const int>& data) {
  using K = Expression::Kind;
  const auto x = [&] { return trace_expression(e.of[0], i, j, w, data); };
  const auto y = [&] { return trace_expression(e.of[1], i, j, w, data); };
  switch (e.kind) {
    case K::counter: return i;
    case K::inner: return j;
    case K::constant: return Index(e.value);
    case K::scalar: return Index(w);
    case K::add: {
      const Index a = x();
      return a + y();
    }
    case K::sub: {
      const Index a = x();
      return a - y();
    }
    case K::mul: {
      const Index a = x();
      return a * y();
    }
    case K::shift: return x() << e.value;
    case K::div: return x() / (e.value + 1);
    case K::mod: return x() % (e.value + 1);
    case K::negate: return -x();
    case K::array: return Index(data[x() & 3]);
    case K::as_int: return Index(cast<std::int32_t>(x()));
    default: return Index(cast<std::uint32_t>(x()));
  }
}

struct Touch {
  bool write;
  bool inner;
  Expression at;
};

}  // namespace

TEST(ProofProperty, KER_LOOP_03_accepted_loops_share_nothing) {
  int accepted = 0, tried = 0;
  const bool ok = rc::check("no two iterations of an accepted loop meet", [&] {
    std::vector<Touch> touches;
    const int n = *rc::gen::inRange(1, 4);
    const int turns = *rc::gen::inRange(1, 5);
    const bool run_time_turns = *rc::gen::arbitrary<bool>();
    for (int k = 0; k < n; ++k)
      touches.push_back({k == 0 || *rc::gen::arbitrary<bool>(), *rc::gen::arbitrary<bool>(), random_expression(3)});
    const auto k =
        kernel("f(t, data, w, sink)", [&](Array<int> t, Array<const int> data, Scalar<int> w, Array<int> sink) {
          loop(sink.length(), [&](Index i) {
            for (const Touch& touch : touches) {
              const auto body = [&](Index j) {
                const Index at = trace_expression(touch.at, i, j, w, data);
                if (touch.write) t[at] = 1;
                else sink[i] = t[at] + 0;
              };
              if (!touch.inner) body(Index(0));
              else if (run_time_turns) For(w, body);
              else For(turns, body);
            }
          });
        });
    ++tried;
    if (test::proof(k) != "parallel") return;
    ++accepted;
    for (int w : {-2, 1, 2, 3, 7}) {
      trace::HostFrame frame(
          k.core(), {{}, {}, {ScalarType::int32, static_cast<std::uint64_t>(static_cast<std::int64_t>(w))}, {}},
          {100, 4, 0, 12});
      frame.advance();
      try {
        frame.header();  // what the proof leaves to the call
      } catch (const RangeError&) { continue; }
      std::map<std::int64_t, std::set<int>> writers, readers;
      for (int i = 0; i < 12; ++i)
        for (const Touch& touch : touches)
          for (int j = 0; j < (!touch.inner ? 1 : run_time_turns ? w : turns); ++j)
            (touch.write ? writers : readers)[evaluate(touch.at, i, j, w)].insert(i);
      for (const auto& [at, who] : writers) {
        RC_ASSERT(who.size() == 1u);
        if (const auto r = readers.find(at); r != readers.end()) RC_ASSERT(r->second == who);
      }
    }
  });
  EXPECT_TRUE(ok);
  EXPECT_GT(accepted * 20, tried) << accepted << " of " << tried;
}
