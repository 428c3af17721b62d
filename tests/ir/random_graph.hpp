// Random exchange graphs for the property tests: integers and bools of every width, weak and committed, over scalars with
// limits, counters and literals; some floats where a test allows them.
#pragma once

#include <rapidcheck.h>

#include <map>
#include <string>
#include <vector>

#include "ir/bounds.hpp"
#include "ir/graph.hpp"

namespace weft::ir {

struct RandomGraph {
  std::unique_ptr<Graph> graph = std::make_unique<Graph>();
  std::map<std::string, std::pair<std::int64_t, std::int64_t>> inputs;  // name -> limits
  std::vector<Node> roots;
  Node root = nullptr;
};

/// Builds a graph from a tape of numbers, so that RapidCheck shrinks it by shortening and zeroing.
class GraphMaker {
 public:
  struct Options {
    bool narrow = true, floats = false, large = true;
  };

  GraphMaker(const std::vector<std::uint32_t>& tape, Options options) : tape_(tape), options_(options) {}

  RandomGraph make() {
    Graph& g = *r_.graph;
    input("a", Scalar::int32, -5, 100);
    input("b", Scalar::int64, 0, 1000);
    input("w", Scalar::weakint, 0, 4);
    input("v", Scalar::weakint, -8, 8);
    if (options_.narrow)
      input("c", Scalar::uint8, 0, 200), input("d", Scalar::int8, -128, 127), input("e", Scalar::uint32, 0, 4294967295);
    bools_.push_back(g.constant(true));
    r_.inputs["r1"] = {0, 15};
    values_.push_back(g.range(g.constant(16), 1));
    for (std::int64_t c : {0, 1, -1, 3, 7, 100}) values_.push_back(g.constant(c));
    if (options_.large) values_.push_back(g.constant(300)), values_.push_back(g.constant(std::int64_t{1} << 33));
    if (options_.floats) values_.push_back(g.constant(0.5)), values_.push_back(g.cast(values_[0], Scalar::float16));
    while (at_ + 4 <= tape_.size()) step();
    const std::size_t count = std::min<std::size_t>(values_.size(), 4);
    r_.roots.assign(values_.end() - static_cast<std::ptrdiff_t>(count), values_.end());
    r_.root = g.make(Op::SINK, r_.roots);
    return std::move(r_);
  }

 private:
  void input(const std::string& name, Scalar s, std::int64_t lo, std::int64_t hi) {
    Storage st;
    st.slot = static_cast<std::uint32_t>(r_.inputs.size());
    st.dtype = s;
    st.space = Space::alu;
    st.name = name;
    st.vmin = lo;
    st.vmax = hi;
    r_.inputs[name] = {lo, hi};
    values_.push_back(r_.graph->storage(Op::PARAM, st));
  }

  std::uint32_t next() { return tape_[at_++]; }
  Node value() { return values_[values_.size() - 1 - next() % values_.size()]; }

  void step() {
    Graph& g = *r_.graph;
    static constexpr Op binary[] = {Op::ADD,  Op::SUB,  Op::MUL,      Op::MAX,      Op::AND, Op::OR, Op::XOR,
                                    Op::CDIV, Op::CMOD, Op::FLOORDIV, Op::FLOORMOD, Op::SHL, Op::SHR};
    static constexpr Op compare[] = {Op::CMPLT, Op::CMPNE, Op::CMPEQ};
    static constexpr Scalar types[] = {Scalar::int32, Scalar::int64,  Scalar::int8,
                                       Scalar::uint8, Scalar::uint32, Scalar::float32};
    const std::uint32_t kind = next();
    const Node x = value(), y = value();
    const std::uint32_t which = next();
    try {
      switch (kind % 8) {
        default: values_.push_back(g.make(binary[which % std::size(binary)], {x, y})); break;
        case 4: bools_.push_back(g.make(compare[which % std::size(compare)], {x, y})); break;
        case 5: values_.push_back(g.make(Op::WHERE, {bools_[which % bools_.size()], x, y})); break;
        case 6: values_.push_back(g.cast(x, types[which % (!options_.narrow ? 2 : options_.floats ? 6 : 5)])); break;
        case 7: values_.push_back(which % 2 ? g.make(Op::NEG, {x}) : g.make(Op::MULACC, {x, y, x})); break;
      }
    } catch (const ConstructError&) {
      // a shift of a float: the next step may be built
    }
  }

  const std::vector<std::uint32_t>& tape_;
  Options options_;
  std::size_t at_ = 0;
  RandomGraph r_;
  std::vector<Node> values_, bools_;
};

inline std::vector<std::uint32_t> random_tape() {
  return *rc::gen::container<std::vector<std::uint32_t>>(rc::gen::inRange<std::uint32_t>(0, 1u << 16));
}

/// A value for each input, most often at an end of its limits.
inline std::map<std::string, Integer> random_point(const RandomGraph& r) {
  std::map<std::string, Integer> point;
  for (const auto& [name, limits] : r.inputs) {
    const int at = *rc::gen::inRange(0, 4);
    point[name] = at == 0 ? limits.first : at == 1 ? limits.second : *rc::gen::inRange(limits.first, limits.second + 1);
  }
  return point;
}

}  // namespace weft::ir
