// Text in, text out: what the tests of the passes share.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "ir/graph.hpp"
#include "ir/passes.hpp"
#include "ir/text.hpp"

namespace weft::ir {

enum : unsigned { commit = 1, lower = 2, cast = 4, every_pass = commit | lower | cast };

inline Node run_passes(Graph& g, Node root, unsigned passes) {
  if (passes & commit) root = commit_weak(g, root);
  if (passes & lower) root = lower_weak(g, root);
  if (passes & cast) root = cast_const(g, root);
  return root;
}

/// The graph after the passes. A text may be indented and start with an empty line.
inline std::string after(unsigned passes, std::string_view text, Scalar default_float = Scalar::float32) {
  Graph g(default_float);
  return print(run_passes(g, parse(g, text), passes));
}

/// A text as print writes it.
inline std::string normal(std::string_view text) {
  Graph g;
  return print(parse(g, text));
}

/// The message of the error that `f` throws, or "".
template <class F> std::string error_of(F&& f) {
  try {
    f();
  } catch (const std::exception& e) { return e.what(); }
  return "";
}

}  // namespace weft::ir

#define EXPECT_PASS(passes, before, expected) EXPECT_EQ(weft::ir::after(passes, before), weft::ir::normal(expected))
#define EXPECT_UNCHANGED(passes, before) EXPECT_EQ(weft::ir::after(passes, before), weft::ir::normal(before))
