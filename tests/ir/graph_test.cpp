#include "ir/graph.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "ir/derive.hpp"
#include "pass_text.hpp"

namespace weft::ir {
namespace {

Node scalar_param(Graph& g, Scalar s, std::uint32_t slot = 0) {
  Storage st;
  st.slot = slot;
  st.dtype = s;
  st.space = Space::alu;
  return g.storage(Op::PARAM, st);
}

TEST(Graph, equalPureNodesAreOnePointer) {  // WEAK-DRV-04
  Graph g;
  const Node x = scalar_param(g, Scalar::int32);
  EXPECT_EQ(g.make(Op::ADD, {x, g.constant(1)}), g.make(Op::ADD, {x, g.constant(1)}));
  EXPECT_NE(g.make(Op::ADD, {x, g.constant(1)}), g.make(Op::ADD, {g.constant(1), x}));
  EXPECT_NE(g.constant(1), g.constant(1.0));
  EXPECT_NE(g.constant(0.0), g.constant(-0.0));
  EXPECT_EQ(g.constant(NAN), g.constant(-NAN));
  EXPECT_EQ(g.constant(Integer::power_of_two(100)), g.constant(Integer::power_of_two(100)));
}

TEST(Graph, aHubOfManyUsersStaysFast) {
  Graph g;
  const Node x = scalar_param(g, Scalar::int32);
  std::vector<Node> users;
  for (std::int64_t i = 0; i < 200'000; ++i) users.push_back(g.make(Op::CAST, {x}, Graph::number(i), Scalar::int64));
  for (std::int64_t i = 0; i < 200'000; ++i)
    ASSERT_EQ(users[static_cast<std::size_t>(i)], g.make(Op::CAST, {x}, Graph::number(i), Scalar::int64));
}

TEST(Graph, effectsAreKeptApartByTheirNumbers) {
  Graph g;
  const Node place = g.make(Op::INDEX, {scalar_param(g, Scalar::int32), g.constant(0)});
  const auto store = [&] { return g.make(Op::STORE, {place, g.constant(1)}, Graph::number(g.next_number())); };
  EXPECT_NE(store(), store());
  g.local(Scalar::float32, 100);
  EXPECT_EQ(g.next_number(), 101) << "past every number already used";
}

TEST(Graph, theTypeIsDerivedAgainAtEveryRebuild) {  // WEAK-NODE-01
  Graph g;
  const Node sum = g.make(Op::ADD, {g.constant(1), g.constant(2)});
  EXPECT_EQ(sum->dtype, Scalar::weakint);
  const Node src[] = {g.constant(1), g.cast(g.constant(2), Scalar::int64)};
  EXPECT_EQ(g.rebuild(sum, src)->dtype, Scalar::int64);
}

TEST(Graph, derivesTypes) {  // WEAK-NODE-02
  Graph g;
  const Node b = scalar_param(g, Scalar::boolean, 1), i8 = scalar_param(g, Scalar::int8, 2),
             u64 = scalar_param(g, Scalar::uint64, 3);
  EXPECT_EQ(g.make(Op::CMPLT, {i8, u64})->dtype, Scalar::boolean);
  EXPECT_EQ(g.make(Op::WHERE, {b, i8, g.constant(1)})->dtype, Scalar::int8);
  EXPECT_EQ(g.make(Op::WHERE, {b, i8, g.invalid()})->dtype, Scalar::int8);
  EXPECT_EQ(g.make(Op::SHL, {g.constant(1), u64})->dtype, Scalar::weakint);
  EXPECT_EQ(g.make(Op::SIN, {i8})->dtype, Scalar::float32);
  EXPECT_EQ(g.make(Op::SIN, {g.constant(1)})->dtype, Scalar::weakfloat);
  EXPECT_EQ(g.make(Op::FDIV, {g.constant(1), i8})->dtype, Scalar::float32);
  EXPECT_EQ(g.make(Op::NEG, {i8})->dtype, Scalar::int8);
  EXPECT_EQ(g.make(Op::ADD, {i8, u64})->dtype, Scalar::weakfloat);
  EXPECT_EQ(g.make(Op::STACK, {})->dtype, Scalar::void_);
  EXPECT_EQ(g.make(Op::STACK, {i8, g.constant(1.0)})->dtype, Scalar::weakfloat);
  EXPECT_EQ(g.range(g.constant(4), 0)->dtype, Scalar::weakint);
  Graph half(Scalar::float16);  // WEAK-TYPE-04
  EXPECT_EQ(half.make(Op::SIN, {scalar_param(half, Scalar::int8)})->dtype, Scalar::float16);
}

TEST(Graph, threeTypesMeetWhereTheSetDoes) {  // WEAK-TYPE-02
  Graph g;
  const Node a = scalar_param(g, Scalar::fp8e5m2fnuz, 1), b = scalar_param(g, Scalar::fp8e4m3, 2),
             c = scalar_param(g, Scalar::bfloat16, 3);
  EXPECT_EQ(g.make(Op::MULACC, {a, b, c})->dtype, Scalar::bfloat16);
}

TEST(Graph, aConstIsBoolOrWeak) {  // WEAK-NODE-03
  Graph g;
  EXPECT_EQ(g.constant(true)->dtype, Scalar::boolean);
  EXPECT_EQ(g.constant(1)->dtype, Scalar::weakint);
  EXPECT_EQ(g.constant(1.0)->dtype, Scalar::weakfloat);
  EXPECT_EQ(g.invalid()->dtype, Scalar::boolean);
  EXPECT_EQ(print(g.ccast(g.constant(1), Scalar::float32)), "%0 = CONST weakfloat 0x1p+0\n%1 = CAST float32 %0\n")
      << "a committed literal has its type's kind";
}

TEST(Graph, opsAreSorted) {  // WEAK-NODE-04
  EXPECT_TRUE(is_broadcastable(Op::ADD) && is_broadcastable(Op::CMPLT) && is_broadcastable(Op::WHERE) &&
              is_broadcastable(Op::MULACC));
  EXPECT_FALSE(is_broadcastable(Op::NEG) || is_broadcastable(Op::CAST) || is_broadcastable(Op::STACK));
  EXPECT_TRUE(is_arithmetic(Op::NEG) && is_arithmetic(Op::SHL));
  EXPECT_FALSE(is_arithmetic(Op::CAST) || is_arithmetic(Op::BITCAST) || is_arithmetic(Op::STACK) ||
               is_arithmetic(Op::RANGE));
}

TEST(Graph, casts) {  // WEAK-NODE-05
  Graph g;
  const Node x = scalar_param(g, Scalar::int32);
  EXPECT_EQ(g.cast(x, Scalar::int32), x);
  EXPECT_EQ(g.ccast(x, Scalar::int64), g.make(Op::CAST, {x}, {}, Scalar::int64));
  EXPECT_EQ(g.ccast(g.constant(2.7), Scalar::int32), g.make(Op::CAST, {g.constant(2)}, {}, Scalar::int32));
  EXPECT_EQ(g.ccast(g.constant(1), Scalar::boolean), g.constant(true));
  EXPECT_EQ(g.cconst(Scalar::boolean, g.constant(true)), g.make(Op::CAST, {g.constant(true)}, {}, Scalar::boolean));
  const Node sum = g.make(Op::MUL, {scalar_param(g, Scalar::float16, 1), g.constant(2)});
  EXPECT_EQ((*commit_weak_consts(g, sum, Scalar::float16))[1], g.cast(g.constant(2.0), Scalar::float16));
  EXPECT_EQ(commit_weak_consts(g, sum, std::nullopt), sum);
}

TEST(Graph, refusesWhatCannotBeBuilt) {  // WEAK-NODE-06
  Graph g;
  const Node x = scalar_param(g, Scalar::int32), f = scalar_param(g, Scalar::float32, 1), sink = g.make(Op::SINK, {});
  const auto error = [&](Op op, std::initializer_list<Node> src, DType t = {}) {
    return error_of([&] { g.make(op, src, {}, t); });
  };
  EXPECT_EQ(error(Op::WHERE, {x, x, x}),
            "WHERE of (int32, int32, int32) cannot be built: its condition is int32, and a condition must be bool.");
  EXPECT_EQ(error(Op::SHL, {f, x}),
            "SHL of (float32, int32) cannot be built: only integers are shifted, and by integers.");
  EXPECT_EQ(error(Op::ADD, {sink, x}), "ADD of (void, int32) cannot be built: void promotes with nothing.");
  EXPECT_EQ(error(Op::ADD, {x}), "ADD of (int32) cannot be built: it takes 2 operands, and 1 is given.");
  EXPECT_EQ(error(Op::STORE, {x}), "STORE of (int32) cannot be built: it takes 2 to 3 operands, and 1 is given.");
  EXPECT_EQ(error(Op::BITCAST, {g.constant(1)}, Scalar::float32),
            "BITCAST of (weakint) cannot be built: a weak type has no bits yet (a bitcast to float32).");
  EXPECT_NE(error(Op::BITCAST, {x}, Scalar::weakfloat), "");
  EXPECT_NE(error(Op::SHR, {g.constant(true), x}), "");
}

TEST(Graph, vectorsHaveEqualLanes) {
  Graph g;
  const Node f = scalar_param(g, Scalar::float32);
  const Node v2 = g.make(Op::VECTOR, {f, f}), v3 = g.make(Op::VECTOR, {f, f, f});
  EXPECT_EQ(to_string(g.make(Op::MUL, {v2, v2})->dtype), "float32x2");
  EXPECT_EQ(to_string(g.make(Op::CMPLT, {v3, v3})->dtype), "boolx3");
  EXPECT_EQ(to_string(g.make(Op::WHERE, {g.constant(true), v3, v3})->dtype), "float32x3");
  EXPECT_THROW(g.make(Op::ADD, {v2, v3}), ConstructError);
  EXPECT_THROW(g.make(Op::ADD, {v2, g.constant(1)}), ConstructError);
  EXPECT_THROW(g.make(Op::EXTRACT, {v2}, Graph::number(2)), ConstructError);
}

TEST(Topological, followsTheOperandsLeftToRight) {
  Graph g;
  const Node late = g.constant(7), early = g.constant(3);
  const auto order = topological(g.make(Op::ADD, {g.make(Op::MUL, {early, late}), early}));
  EXPECT_EQ(order[0], early);
  EXPECT_EQ(order[1], late);
  EXPECT_EQ(order.size(), 4u);
}

TEST(Copy, rebuildsInAnotherGraph) {
  Graph from, to;
  const Node root = parse(
      from,
      "%0 = PARAM int32 slot=4 name=\"n\"\n%1 = CONST weakint 123456789012345678901234567890\n%2 = ADD int32 %0 %1\n");
  const Node copied = copy(to, root);
  EXPECT_EQ(print(copied), print(root));
  const Node changed = copy(
      to, root, [](Graph& g, Node n, std::span<const Node>) { return n->is(Op::CONST) ? g.constant(1) : nullptr; });
  EXPECT_EQ((*changed)[1], to.constant(1));
}

}  // namespace
}  // namespace weft::ir
