#include "kernel/loop_facts.hpp"

#include <algorithm>

#include "kernel/text.hpp"

namespace weft::trace {

using ir::Node;
using ir::Op;

namespace {

class Reader {
 public:
  Reader(const Tracer& t, const CopiedBody& body, ir::Graph& g, Forms& forms)
      : t_(t), body_(body), g_(g), forms_(forms) {}

  LoopKnowledge run() {
    block(body_.author_block, false, true);
    for (const FoldIR& f : body_.loop.folds) out_.facts.folds.push_back({f.op, f.local->dtype});
    out_.facts.needs_folded = body_.needs_folded;
    for (Node n : {body_.loop.start, body_.loop.stop, body_.loop.step, body_.loop.body}) lengths(n);
    return std::move(out_);
  }

 private:
  // `sometimes`: this block may not run in an iteration; `own`: a continue_if here ends the iteration. True when what
  // follows in the enclosing block may be skipped.
  void block(Node b, bool sometimes, bool own) {
    bool skipped = sometimes;
    for (Node s : b->src()) {
      switch (s->op) {
        case Op::LOAD:
        case Op::STORE:
          if ((*s)[0]->is(Op::INDEX)) access(s, skipped || continued_);
          break;
        case Op::IF:
          for (std::size_t k = 1; k < s->count; ++k) block((*s)[k], true, own);
          break;
        case Op::LOOP: {
          const auto turns = ir::int_value((*(*s)[0])[0]);
          block((*s)[1], skipped || !turns || *turns < 1, false);
          break;
        }
        case Op::WHILE: block((*s)[0], true, false); break;
        case Op::BREAK_IF: skipped = true; break;
        case Op::CONTINUE_IF:
          if (own) {
            continued_ = true;
            if (!out_.facts.own_continue) out_.facts.own_continue = body_.lines.at(s->arg.number);
          } else {
            skipped = true;
          }
          break;
        default: break;
      }
      if (!own && (s->is(Op::IF)) && leaves(s)) skipped = true;
    }
  }

  // Whether a statement may end this turn of the loop around it.
  static bool leaves(Node s) {
    if (s->is(Op::BREAK_IF) || s->is(Op::CONTINUE_IF)) return true;
    if (!s->is(Op::IF)) return false;
    for (std::size_t k = 1; k < s->count; ++k)
      for (Node inner : (*s)[k]->src())
        if (leaves(inner)) return true;
    return false;
  }

  void access(Node s, bool sometimes) {
    const CopiedAccess& made = body_.accesses.at(s->arg.number);
    const Node place = (*s)[0];
    Access a;
    a.param = static_cast<std::uint16_t>((*place)[0]->arg.storage->index);
    a.write = s->is(Op::STORE);
    a.conditional = sometimes;
    a.text = print(t_, made.raw_place);
    a.line = made.line;
    a.number = s->arg.number;
    // Outside there is no element: what a proof needs of such an index is where it is an element's. But it is at no fixed
    // form, so nobody takes the condition away.
    const Node index = (*place)[1];
    const bool guarded = only_inside(index, a.param);
    out_.forms.push_back(forms_.of(guarded ? (*index)[1] : index));
    if (guarded) a.conditional = true;
    else a.at = forms_.affine(g_, out_.forms.back());
    out_.facts.accesses.push_back(std::move(a));
  }

  // `condition ? index : past the tensor`, as coordinates are that may be outside.
  bool only_inside(Node index, std::uint16_t param) const {
    const auto length = t_.facts.params[param].length;
    if (!length || !index->is(Op::WHERE)) return false;
    const auto outside = ir::int_value((*index)[2]);
    return outside && *outside >= 0 && static_cast<std::uint64_t>(*outside) >= *length;
  }

  void lengths(Node root) {
    for (Node n : ir::topological(root))
      if (n->is(Op::PARAM) && n->arg.storage->source == ir::Source::length) {
        auto& read = out_.facts.length_read;
        const auto p = static_cast<std::uint16_t>(n->arg.storage->index);
        if (std::find(read.begin(), read.end(), p) == read.end()) read.push_back(p);
      }
    std::sort(out_.facts.length_read.begin(), out_.facts.length_read.end());
  }

  const Tracer& t_;
  const CopiedBody& body_;
  ir::Graph& g_;
  Forms& forms_;
  LoopKnowledge out_;
  bool continued_ = false;
};

}  // namespace

LoopKnowledge read_loop(const Tracer& t, const CopiedBody& body, ir::Graph& g, Forms& forms) {
  return Reader(t, body, g, forms).run();
}

}  // namespace weft::trace
