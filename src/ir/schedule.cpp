#include "ir/schedule.hpp"

#include <string>

namespace weft::ir {
namespace {

constexpr std::uint32_t nowhere = 0xFFFFFFFF;

bool spelled_in_place(Node n) {
  switch (n->op) {
    case Op::CONST:
    case Op::PARAM:
    case Op::BUFFER:
    case Op::LOCAL:
    case Op::INDEX:
    case Op::RANGE: return true;
    default: return is_literal(n);
  }
}

std::string text(Node n) { return std::string(name(n->op)) + " (node " + std::to_string(n->id) + ")"; }

class Scheduler {
 public:
  explicit Scheduler(Node root)
      : root_(root), order_(topological(root)), at_(root->id + 1, nowhere), done_(root->id + 1) {
    blocks_.push_back({nullptr, 0, 0});  // what is outside every BLOCK: the root, and the end of its range
  }

  Schedule run() {
    find_blocks();
    place_values();
    for (const Block& b : blocks_)
      if (b.node) result_.blocks[b.node];
    emit();
    count_uses();
    return std::move(result_);
  }

 private:
  struct Block {
    Node node;
    std::uint32_t parent, depth;
  };

  // A BLOCK is entered from the statement that holds it; its statements stand in it.
  void find_blocks() {
    std::vector<std::uint32_t> todo;
    const auto enter = [&](Node block, std::uint32_t parent) {
      if (block->count == 0) {  // two empty blocks are one node: nothing stands in it
        result_.blocks[block];
        return;
      }
      if (at_[block->id] != nowhere) throw ConstructError(text(block) + " stands in two places.");
      at_[block->id] = static_cast<std::uint32_t>(blocks_.size());
      blocks_.push_back({block, parent, blocks_[parent].depth + 1});
      todo.push_back(at_[block->id]);
    };
    const auto enter_blocks_of = [&](Node statement, std::uint32_t in) {
      for (Node s : statement->src())
        if (s->is(Op::BLOCK)) enter(s, in);
    };
    if (root_->is(Op::BLOCK)) enter(root_, 0);
    else at_[root_->id] = 0, enter_blocks_of(root_, 0);
    while (!todo.empty()) {
      const std::uint32_t b = todo.back();
      todo.pop_back();
      for (Node s : blocks_[b].node->src()) {
        if (at_[s->id] == b) continue;
        if (at_[s->id] != nowhere) throw ConstructError(text(s) + " stands in two blocks.");
        if (s->is(Op::BLOCK)) {
          enter(s, b);
          continue;
        }
        at_[s->id] = b;
        enter_blocks_of(s, b);
      }
    }
  }

  std::uint32_t common(std::uint32_t a, std::uint32_t b) const {
    while (a != b) {
      if (blocks_[a].depth < blocks_[b].depth) std::swap(a, b);
      a = blocks_[a].parent;
    }
    return a;
  }

  bool is_range_of_root(Node n) const { return n->is(Op::RANGE) && root_->is(Op::GRID) && (*root_)[0] == n; }

  bool encloses(std::uint32_t outer, std::uint32_t inner) const { return common(outer, inner) == outer; }

  // Users before sources: when a value is met, every use of it has its place.
  void place_values() {
    for (std::size_t i = order_.size(); i-- > 0;) {
      const Node n = order_[i];
      if (n->is(Op::BLOCK)) continue;
      const std::uint32_t here = at_[n->id];
      if (here == nowhere) continue;  // only the end of the root's range needs it, which the host computes
      if (n == root_ || is_range_of_root(n)) continue;
      for (Node s : n->src()) {
        if (s->is(Op::BLOCK)) continue;
        if (is_effect(s->op)) {
          if (at_[s->id] == nowhere)
            throw ConstructError(text(s) + " is used by " + text(n) + " and stands in no block.");
          if (!encloses(at_[s->id], here))
            throw ConstructError(text(s) + " is used by " + text(n) + " outside of the block that it stands in.");
        } else {
          at_[s->id] = at_[s->id] == nowhere ? here : common(at_[s->id], here);
        }
      }
    }
    check_ranges();
  }

  // A counter is known inside the block of its loop only.
  void check_ranges() {
    std::unordered_map<Node, std::uint32_t> body;  // RANGE -> the block in which it counts
    for (Node n : order_)
      if ((n->is(Op::LOOP) || n->is(Op::GRID)) && (*n)[1]->count != 0) body[(*n)[0]] = at_[(*n)[1]->id];
    for (Node n : order_) {
      if (at_[n->id] == nowhere || n->is(Op::LOOP) || n->is(Op::GRID) || n->is(Op::BLOCK)) continue;
      for (Node s : n->src())
        if (s->is(Op::RANGE))
          if (auto b = body.find(s); b != body.end() && !encloses(b->second, at_[n->id]))
            throw ConstructError(text(n) + " uses the counter " + text(s) + " outside of its loop.");
    }
  }

  void need(Node value) {
    std::vector<Node>& stack = need_stack_;
    stack.push_back(value);
    while (!stack.empty()) {
      const Node n = stack.back();
      if (done_[n->id] == 2 || is_effect(n->op)) {
        stack.pop_back();
      } else if (done_[n->id] == 1) {
        stack.pop_back();
        done_[n->id] = 2;
        if (!spelled_in_place(n) && at_[n->id] != nowhere && at_[n->id] != 0)
          result_.blocks[blocks_[at_[n->id]].node].push_back(n);
      } else {
        done_[n->id] = 1;
        if (n->is(Op::RANGE)) continue;  // its end is needed by its loop, before it
        for (std::size_t i = n->count; i-- > 0;)
          if (done_[(*n)[i]->id] != 2) stack.push_back((*n)[i]);
      }
    }
  }

  // A statement is appended after what its blocks hold, so that a value which they share stands before it.
  void emit() {
    struct Step {
      Node block, statement;
      std::uint32_t next;
    };
    std::vector<Step> stack;
    const auto needs = [&](Node statement) {
      for (Node s : statement->src()) {
        if (s->is(Op::BLOCK)) continue;
        if (s->is(Op::RANGE)) need((*s)[0]);
        else need(s);
      }
    };
    const auto open_blocks = [&](Node statement) {
      for (std::size_t i = statement->count; i-- > 0;)
        if ((*statement)[i]->is(Op::BLOCK)) stack.push_back({(*statement)[i], nullptr, 0});
    };
    if (root_->is(Op::BLOCK)) stack.push_back({root_, nullptr, 0});
    else open_blocks(root_);
    while (!stack.empty()) {
      Step& step = stack.back();
      const Node block = step.block;
      if (step.statement) {  // its blocks are done
        result_.blocks[block].push_back(step.statement);
        step.statement = nullptr;
      }
      if (step.next == block->count) {
        stack.pop_back();
        continue;
      }
      const Node statement = (*block)[step.next++];
      step.statement = statement;
      if (statement->is(Op::BLOCK)) {
        stack.push_back({statement, nullptr, 0});
      } else {
        needs(statement);
        open_blocks(statement);
      }
    }
  }

  // What is spelled in place is computed once for each of its uses.
  void count_uses() {
    for (std::size_t i = order_.size(); i-- > 0;) {
      const Node n = order_[i];
      if (n->is(Op::BLOCK)) continue;
      const std::uint32_t times = spelled_in_place(n) && !n->is(Op::RANGE) ? result_.uses[n] : 1;
      for (Node s : n->src())
        if (!s->is(Op::BLOCK)) result_.uses[s] += times;
    }
  }

  Node root_;
  std::vector<Node> order_;
  std::vector<std::uint32_t> at_;   // by node id: the block in which it is computed
  std::vector<std::uint8_t> done_;  // by node id: 1 entered, 2 emitted
  std::vector<Block> blocks_;
  std::vector<Node> need_stack_;
  Schedule result_;
};

}  // namespace

Schedule schedule(Node root) { return Scheduler(root).run(); }

}  // namespace weft::ir
