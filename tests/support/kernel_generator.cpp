#include "support/kernel_generator.hpp"

#include <cmath>
#include <limits>
#include <random>

#include "ir/text.hpp"
#include "support/kernel_builder.hpp"

namespace weft::test {
namespace {

using ir::Node;
using ir::Op;

class Tape {
 public:
  explicit Tape(std::span<const std::uint32_t> numbers) : numbers_(numbers) {}
  std::uint32_t next() { return at_ < numbers_.size() ? numbers_[at_++] : 0; }
  std::size_t below(std::size_t n) { return next() % n; }
  bool one_in(std::size_t n) { return next() % n == n - 1; }  // a zero says no
  bool empty() const { return at_ >= numbers_.size(); }

 private:
  std::span<const std::uint32_t> numbers_;
  std::size_t at_ = 0;
};

/// Values that may be used here, by type: what is made in an inner block is forgotten at its end.
struct Pool {
  std::vector<Node> floats, ints, uints, bools, indices;
};

class Generator {
 public:
  Generator(std::span<const std::uint32_t> tape, const GeneratorOptions& options)
      : t_(tape), o_(options), k_("generated") {}

  GeneratedKernel run() {
    x_ = k_.array("x", Scalar::float32, false);
    p_ = k_.array("p", Scalar::int32, false);
    q_ = k_.array("q", Scalar::uint32, false);
    y_ = k_.array("y", Scalar::float32);
    r_ = k_.array("r", Scalar::int32);
    scale_ = k_.scalar("scale", Scalar::float32);
    offset_ = k_.scalar("offset", Scalar::int32);
    const std::size_t n = choose_length();
    const std::size_t folds = o_.reductions ? t_.below(3) : 0;
    for (std::size_t f = 0; f < folds; ++f) add_reduction();
    header(n);
    for (auto& [target, op, type] : folds_) k_.result(target);
    GeneratedKernel g{k_.finish(), arguments(n)};
    return g;
  }

 private:
  std::size_t choose_length() {
    constexpr std::size_t lengths[] = {3, 0, 1, 255, 256, 257, 17, 64};
    if (o_.large_loops && t_.one_in(40)) return 70000;
    return lengths[t_.below(std::size(lengths))];
  }

  void add_reduction() {
    constexpr Op of_floats[] = {Op::ADD, Op::MIN, Op::MAX, Op::MUL};
    constexpr Op of_ints[] = {Op::ADD, Op::MUL, Op::AND, Op::OR, Op::XOR, Op::MIN, Op::MAX};
    constexpr Scalar types[] = {Scalar::float32, Scalar::int32, Scalar::uint32};
    const Scalar type = types[t_.below(3)];
    const Op op = is_float(type) ? of_floats[t_.below(std::size(of_floats))] : of_ints[t_.below(std::size(of_ints))];
    const Node initial =
        is_float(type) ? k_.lit(0.25 * static_cast<double>(t_.below(9))) : k_.lit(static_cast<int>(t_.below(9)));
    folds_.push_back({k_.reduction(type, initial), op, type});
  }

  // Every loop runs over the indices 0..n-1 or some of them, so that what it writes at i is inside.
  void header(std::size_t n) {
    const Node length = k_.length(y_);
    const auto body = [&](Node i) { fill(i); };
    switch (t_.below(6)) {
      case 3: k_.loop(k_.lit(1), length, k_.lit(1), body); break;
      case 4: k_.loop(k_.lit(0), length, k_.lit(static_cast<int>(2 + t_.below(3))), body); break;
      case 5: k_.loop(k_.make(Op::SUB, {length, k_.lit(1)}), k_.lit(-1), k_.lit(-1), body); break;
      default: k_.loop(length, body);
    }
    n_ = n;
  }

  void fill(Node i) {
    i_ = i;
    pool_.indices = {i};
    pool_.floats = {k_.load(x_, i), k_.value(scale_)};
    pool_.ints = {k_.load(p_, i), k_.value(offset_)};
    pool_.uints = {k_.load(q_, i)};
    pool_.bools = {k_.make(Op::CMPLT, {pool_.floats[0], pool_.floats[1]})};
    // The outputs' one form each; r may be written past its end, where the write is not made by every iteration.
    twice_ = t_.one_in(3);
    shift_ = o_.any_access && t_.one_in(4) ? static_cast<int>(t_.below(7)) - 3 : 0;
    if (t_.one_in(12)) k_.continue_if(one(pool_.bools));
    statements(o_.operations, 0);
    for (auto& [target, op, type] : folds_) k_.fold(op, target, one(of_type(type)));
    write_y(one(pool_.floats));
    write_r(one(pool_.ints));
  }

  void write_y(Node v) { k_.store(y_, i_, v); }
  void write_r(Node v) {
    Node at = i_;
    if (twice_) at = k_.make(Op::MUL, {at, k_.lit(2)});
    if (shift_ == 0) return k_.store(r_, at, v);
    at = k_.make(Op::ADD, {at, k_.lit(shift_)});
    k_.if_(one(pool_.bools), [&] { k_.store(r_, at, v); });
  }

  std::vector<Node>& of_type(Scalar s) {
    return s == Scalar::float32  ? pool_.floats
           : s == Scalar::int32  ? pool_.ints
           : s == Scalar::uint32 ? pool_.uints
                                 : pool_.bools;
  }
  // Recent values first: chains, not bushes.
  Node one(const std::vector<Node>& from) {
    const std::size_t back = std::min(t_.below(from.size()), t_.below(from.size()));
    return from[from.size() - 1 - back];
  }

  void statements(std::size_t count, int depth) {
    for (std::size_t k = 0; k < count && !t_.empty(); ++k) {
      const std::size_t kind = t_.below(32);
      if (kind >= 30 && depth < 2) branch(depth);
      else if (kind >= 28 && depth < 2 && o_.inner_loops) inner_loop(depth);
      else if (kind >= 24) access();
      else if (kind >= 14) float_operation();
      else if (kind >= 5) integer_operation(t_.one_in(3) ? Scalar::uint32 : Scalar::int32);
      else conversion();
    }
  }

  void branch(int depth) {
    const Node v = k_.variable(one(pool_.floats), Scalar::float32);
    const auto side = [&] {
      const Pool before = pool_;
      statements(1 + t_.below(4), depth + 1);
      k_.assign(v, one(pool_.floats));
      pool_ = before;
    };
    if (t_.one_in(2)) k_.if_(one(pool_.bools), side, side);
    else k_.if_(one(pool_.bools), side);
    pool_.floats.push_back(k_.read(v));
  }

  void inner_loop(int depth) {
    const Node v = k_.variable(one(pool_.ints), Scalar::int32);
    const Node w = k_.variable(one(pool_.floats), Scalar::float32);
    const Node count =
        t_.one_in(3) ? k_.make(Op::AND, {one(pool_.ints), k_.lit(7)}) : k_.lit(static_cast<int>(1 + t_.below(5)));
    const Pool before = pool_;
    k_.for_(count, [&](Node j) {
      pool_.indices.push_back(k_.make(Op::ADD, {i_, j}));
      pool_.ints.push_back(k_.read(v));
      pool_.floats.push_back(k_.read(w));
      if (t_.one_in(4)) k_.break_if(one(pool_.bools));
      if (t_.one_in(4)) k_.continue_if(one(pool_.bools));
      statements(1 + t_.below(4), depth + 1);
      k_.assign(v, one(pool_.ints));
      k_.assign(w, one(pool_.floats));
    });
    pool_ = before;
    pool_.ints.push_back(k_.read(v));
    pool_.floats.push_back(k_.read(w));
  }

  Node index() {
    const int c = static_cast<int>(t_.below(9)) - 4;
    const Node i = one(pool_.indices);
    switch (o_.any_access ? t_.below(7) : 0) {
      case 1: return k_.make(Op::ADD, {i, k_.lit(c)});
      case 2: return k_.make(Op::SUB, {i, k_.lit(c)});
      case 3: return k_.make(Op::ADD, {k_.make(Op::MUL, {i, k_.lit(static_cast<int>(1 + t_.below(3)))}), k_.lit(c)});
      case 4: return one(pool_.ints);
      case 5: return one(pool_.uints);
      case 6:
        return k_.make(Op::FLOORMOD, {k_.make(Op::ADD, {i, k_.lit(c)}), k_.make(Op::MAX, {k_.length(x_), k_.lit(1)})});
      default: return i_;
    }
  }

  void access() {
    switch (t_.below(3)) {
      case 1: pool_.ints.push_back(k_.load(p_, index())); break;
      case 2: pool_.uints.push_back(k_.load(q_, index())); break;
      default: pool_.floats.push_back(k_.load(x_, index()));
    }
  }

  Node float_operand() {
    return t_.one_in(4) ? k_.lit(0.125 * (static_cast<double>(t_.below(65)) - 32)) : one(pool_.floats);
  }

  void float_operation() {
    const Node a = one(pool_.floats), b = float_operand();
    const auto add = [&](Node n) { pool_.floats.push_back(n); };
    switch (t_.below(16)) {
      case 0:
      case 1:
      case 2: return add(k_.make(Op::ADD, {a, b}));
      case 3:
      case 4: return add(k_.make(Op::SUB, {a, b}));
      case 5:
      case 6: return add(k_.make(Op::MUL, {a, b}));
      case 7: return add(k_.make(Op::MIN, {a, b}));
      case 8: return add(k_.make(Op::MAX, {a, b}));
      case 9: return add(k_.make(Op::WHERE, {one(pool_.bools), a, b}));
      case 10: return pool_.bools.push_back(k_.make(Op::CMPLT, {a, b}));
      case 11: return pool_.bools.push_back(k_.make(t_.one_in(2) ? Op::CMPEQ : Op::CMPNE, {a, b}));
      case 12: {
        constexpr Op ops[] = {Op::NEG, Op::ABS, Op::FLOOR, Op::CEIL, Op::TRUNC, Op::ROUND};
        return add(k_.make(ops[t_.below(std::size(ops))], {a}));
      }
      case 13: return add(o_.float_division ? k_.make(Op::FDIV, {a, b}) : k_.make(Op::SUB, {b, a}));
      case 14: return add(o_.square_root ? k_.make(Op::SQRT, {k_.make(Op::ABS, {a})}) : k_.make(Op::MUL, {a, a}));
      default: return add(k_.make(Op::MULACC, {a, b, one(pool_.floats)}));
    }
  }

  void integer_operation(Scalar type) {
    auto& pool = of_type(type);
    const bool literal = t_.one_in(4);
    const int v = static_cast<int>(t_.below(41)) - (type == Scalar::int32 ? 20 : 0);
    const Node a = one(pool), b = literal ? k_.lit(v) : one(pool);
    const auto add = [&](Node n) { pool.push_back(n); };
    constexpr Op plain[] = {Op::ADD, Op::SUB, Op::MUL,  Op::AND,  Op::OR,       Op::XOR,
                            Op::MIN, Op::MAX, Op::CDIV, Op::CMOD, Op::FLOORDIV, Op::FLOORMOD};
    switch (t_.below(20)) {
      case 12: return add(k_.make(Op::SHL, {a, literal ? k_.lit(v < 0 ? -v : v) : one(pool_.uints)}));
      case 13: return add(k_.make(Op::SHR, {a, literal ? k_.lit(v < 0 ? -v : v) : one(pool_.ints)}));
      case 14: return add(k_.make(Op::WHERE, {one(pool_.bools), a, b}));
      case 15: return pool_.bools.push_back(k_.make(Op::CMPLT, {a, b}));
      case 16: return pool_.bools.push_back(k_.make(Op::CMPEQ, {a, b}));
      case 17: return add(k_.make(type == Scalar::int32 ? Op::ABS : Op::POPCOUNT, {a}));
      case 18:
        return add(k_.make(Op::POW, {a, literal || t_.one_in(2) ? k_.lit(static_cast<int>(t_.below(6))) : one(pool)}));
      case 19: return add(k_.make(Op::ADD, {k_.graph().cast(one(pool_.indices), type), a}));
      default: return add(k_.make(plain[t_.below(std::size(plain))], {a, b}));
    }
  }

  void conversion() {
    switch (t_.below(7)) {
      case 1: return pool_.ints.push_back(k_.graph().cast(one(pool_.floats), Scalar::int32));
      case 2: return pool_.uints.push_back(k_.graph().cast(one(pool_.floats), Scalar::uint32));
      case 3: return pool_.floats.push_back(k_.graph().cast(one(pool_.uints), Scalar::float32));
      case 4: return pool_.uints.push_back(k_.graph().bitcast(one(pool_.ints), Scalar::uint32));
      case 5: {
        // Which NaN an operation gives is not promised, so a NaN's bits must not reach the integers.
        const Node f = one(pool_.floats);
        const Node number = k_.make(Op::WHERE, {k_.make(Op::CMPEQ, {f, f}), f, k_.lit(0)});
        return pool_.ints.push_back(k_.graph().bitcast(k_.graph().cast(number, Scalar::float32), Scalar::int32));
      }
      case 6:
        return pool_.bools.push_back(k_.make(t_.one_in(2) ? Op::AND : Op::XOR, {one(pool_.bools), one(pool_.bools)}));
      default: return pool_.floats.push_back(k_.graph().cast(one(pool_.ints), Scalar::float32));
    }
  }

  Arguments arguments(std::size_t n) {
    std::mt19937 random(t_.next());
    const auto below = [&](std::size_t k) { return random() % k; };
    std::vector<float> x(o_.any_access && t_.one_in(3) ? below(n + 6) : n), y(n, 9.0f);
    std::vector<std::int32_t> p(o_.any_access && t_.one_in(3) ? below(n + 6) : n), r(2 * n + 2, 7);
    std::vector<std::uint32_t> q(n);
    const auto real = [&] {
      if (o_.special_values && below(8) == 0) {
        const float special[] = {std::numeric_limits<float>::infinity(),
                                 -std::numeric_limits<float>::infinity(),
                                 std::numeric_limits<float>::quiet_NaN(),
                                 1e-40f,
                                 -0.0f,
                                 3e38f,
                                 2147483648.0f,
                                 -1.5e10f};
        return special[below(std::size(special))];
      }
      return static_cast<float>((static_cast<double>(random()) / 4294967296.0 - 0.5) * (below(4) == 0 ? 1000 : 4));
    };
    const auto whole = [&]() -> std::uint32_t {
      constexpr std::uint32_t edges[] = {0x80000000u, 0x7FFFFFFFu, 0xFFFFFFFFu, 0, 1, 31, 32, 33};
      const std::size_t kind = below(8);
      return kind == 0  ? edges[below(std::size(edges))]
             : kind < 5 ? static_cast<std::uint32_t>(below(n + 40))
                        : static_cast<std::uint32_t>(random());
    };
    for (float& v : x) v = real();
    for (std::int32_t& v : p) v = static_cast<std::int32_t>(whole());
    for (std::uint32_t& v : q) v = whole();
    Arguments a;
    a.arrays = {HostArray::of(x), HostArray::of(p), HostArray::of(q), HostArray::of(y), HostArray::of(r), {}, {}};
    a.scalars.resize(7);
    a.scalars[scale_] = test::scalar(real());
    a.scalars[offset_] = test::scalar(static_cast<std::int32_t>(whole()));
    return a;
  }

  struct Reduction {
    Node target;
    Op op;
    Scalar type;
  };
  Tape t_;
  GeneratorOptions o_;
  KernelBuilder k_;
  Pool pool_;
  Node i_ = nullptr;
  std::vector<Reduction> folds_;
  std::uint16_t x_ = 0, p_ = 0, q_ = 0, y_ = 0, r_ = 0, scale_ = 0, offset_ = 0;
  std::size_t n_ = 0;
  bool twice_ = false;
  int shift_ = 0;
};

}  // namespace

GeneratedKernel generate_kernel(std::span<const std::uint32_t> tape, const GeneratorOptions& options) {
  return Generator(tape, options).run();
}

rc::Gen<std::vector<std::uint32_t>> kernel_tapes() {
  return rc::gen::resize(
      400, rc::gen::container<std::vector<std::uint32_t>>(rc::gen::resize(1000, rc::gen::arbitrary<std::uint32_t>())));
}

std::string describe(const trace::KernelCore& core) {
  std::string t = core.facts.name + "\n";
  for (const trace::LoopIR& l : core.loops) t += ir::print(l.body);
  return t;
}

}  // namespace weft::test
