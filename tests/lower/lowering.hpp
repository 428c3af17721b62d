// What the tests of lowering share: an author's kernel run the way of a call and by the reference evaluator, and looks at
// the graphs on the way.
#pragma once

#include <gtest/gtest.h>
#include <weft/weft.hpp>

#include <string>
#include <vector>

#include "ir/text.hpp"
#include "support/kernel_builder.hpp"
#include "support/lowered_call.hpp"
#include "support/reference.hpp"

namespace weft::test {

using ir::Node;
using ir::Op;

inline void add_argument(Arguments& a, float v) { a.arrays.emplace_back(), a.scalars.push_back(test::scalar(v)); }
inline void add_argument(Arguments& a, std::int32_t v) {
  a.arrays.emplace_back(), a.scalars.push_back(test::scalar(v));
}
inline void add_argument(Arguments& a, std::uint32_t v) {
  a.arrays.emplace_back(), a.scalars.push_back(test::scalar(v));
}
template <class T> void add_argument(Arguments& a, const std::vector<T>& v) {
  a.arrays.push_back(HostArray::of(v));
  a.scalars.emplace_back();
}

struct Ran {
  std::vector<HostArray> arrays;
  std::vector<detail::ScalarValue> results;
  template <class T> std::vector<T> array(std::size_t k) const { return arrays[k].values<T>(); }
};

/// Runs the kernel in every class and mode; each must give what the reference evaluator gives.
template <class... A> Ran run(const std::shared_ptr<const trace::KernelCore>& core, const A&... values) {
  Arguments given;
  (add_argument(given, values), ...);
  Arguments expected = given;
  Ran ran;
  ran.results = reference_call(*core, expected);
  ran.arrays = expected.arrays;
  for (bool wide : {false, true})
    for (Bits bits : {Bits::exact, Bits::fast}) {
      Arguments got = given;
      const auto results = lowered_call(core, got, {.bits = bits, .wide = wide});
      for (std::size_t k = 0; k < got.arrays.size(); ++k)
        EXPECT_EQ(got.arrays[k], expected.arrays[k]) << "parameter " << k << (wide ? ", wide" : ", narrow");
      for (std::size_t k = 0; k < results.size(); ++k)
        EXPECT_EQ(results[k].bits, ran.results[k].bits) << "result " << k;
    }
  return ran;
}

/// Nodes of an op that the root reaches.
inline std::vector<Node> nodes(Node root, Op op) {
  std::vector<Node> found;
  for (Node n : ir::topological(root))
    if (n->is(op)) found.push_back(n);
  return found;
}
inline std::size_t count(Node root, Op op) { return nodes(root, op).size(); }

/// Accesses of the parameter with a name, with a gate and in all.
struct Gates {
  std::size_t gated = 0, all = 0;
};
inline Gates gates(Node root, Op op, const std::string& name) {
  Gates g;
  for (Node n : nodes(root, op)) {
    if (!(*n)[0]->is(Op::INDEX) || (*(*n)[0])[0]->arg.storage->name != name) continue;
    ++g.all;
    g.gated += n->count > (op == Op::LOAD ? 1 : 2);
  }
  return g;
}

inline std::shared_ptr<const trace::Lowered> lowered(const std::shared_ptr<const trace::KernelCore>& core,
                                                     const trace::Config& config = {}) {
  return trace::lower_loop(core, 0, config);
}
inline std::shared_ptr<const trace::Program> program(const std::shared_ptr<const trace::KernelCore>& core,
                                                     const trace::Config& config = {}) {
  return trace::lone_program(lowered(core, config)).program;
}

}  // namespace weft::test
