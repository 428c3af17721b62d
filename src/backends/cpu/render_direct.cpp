// The short way of simple folds: 16 iterations are one vector, a block of 256 is 16 of them, folded as they come, so that
// no more than five are alive at a time. It is written out here rather than left to the vectoriser, which does not see
// that the tree order allows it.
#include <algorithm>
#include <iterator>
#include <numeric>
#include <unordered_set>

#include "backends/cpu/arithmetic.hpp"
#include "backends/cpu/expressions.hpp"
#include "backends/cpu/render.hpp"
#include "ir/schedule.hpp"

namespace weft::cpu {

using ir::Node;
using ir::Op;
using llvm::Value;

namespace {

constexpr unsigned width = 16;
constexpr std::size_t most_operations = 24;  // they are emitted 16 times

bool has_four_bytes(DType t) {
  return t.lanes == 1 && (t.is_bool() || t == Scalar::int32 || t == Scalar::uint32 || t == Scalar::float32);
}

bool is_simple(Node n) {
  if (!has_four_bytes(n->dtype)) return false;
  switch (n->op) {
    case Op::ADD:
    case Op::SUB:
    case Op::MUL:
    case Op::AND:
    case Op::OR:
    case Op::XOR:
    case Op::SHL:
    case Op::SHR:
    case Op::MIN:
    case Op::MAX:
    case Op::NEG:
    case Op::ABS:
    case Op::FDIV:
    case Op::SQRT:
    case Op::FMA:
    case Op::FLOOR:
    case Op::CEIL:
    case Op::TRUNC:
    case Op::ROUND:
    case Op::WHERE:
    case Op::CAST:
    case Op::BITCAST:
    case Op::FENCE:
    case Op::CMPLT:
    case Op::CMPEQ:
    case Op::CMPNE:
      return std::all_of(n->src().begin(), n->src().end(),
                         [](Node s) { return ir::is_literal(s) || has_four_bytes(s->dtype); });
    default: return false;
  }
}

/// Neighbours in memory for neighbouring iterations, or one element for all; no gate in the interior.
bool is_simple_access(Node n, const Split& split) {
  const Node place = (*n)[0];
  const std::size_t gate = n->is(Op::LOAD) ? 1 : 2;
  if (place->is(Op::LOCAL)) return has_four_bytes(place->dtype) && n->count <= gate;
  if (!place->is(Op::INDEX) || place->count != 2 || !has_four_bytes(place->dtype) || place->dtype.is_bool())
    return false;
  const Linear* at = split.index((*place)[1]);
  if (!at) return false;
  bool counts = false;
  for (auto& [symbol, k] : at->terms) {
    if (!symbol->is(Op::RANGE)) continue;
    if (symbol != split.counter() || k != 1) return false;
    counts = true;
  }
  if (n->is(Op::STORE) && !counts) return false;
  if (n->count <= gate) return true;
  const auto parts = Split::parts((*n)[gate]);
  return std::all_of(parts.begin(), parts.end(), [&](Node p) { return split.holds(p); });
}

/// The statements of an iteration and the values that its stores need, in order. Indices and gates are not among them: the
/// interior has addresses of its own, and no gate.
std::vector<Node> needed_nodes(const trace::Program& program) {
  const ir::Schedule schedule = ir::schedule(program.root);
  const std::vector<Node>& all = schedule.blocks.at((*program.root)[1]);
  std::unordered_set<Node> needed;
  std::vector<Node> todo;
  for (Node n : all) {
    if (n->is(Op::LOAD) || !ir::is_effect(n->op)) continue;
    needed.insert(n);
    if (n->is(Op::STORE)) todo.push_back((*n)[1]);
  }
  while (!todo.empty()) {
    const Node n = todo.back();
    todo.pop_back();
    if (!needed.insert(n).second || n->is(Op::LOAD)) continue;
    todo.insert(todo.end(), n->src().begin(), n->src().end());
  }
  std::vector<Node> out;
  std::copy_if(all.begin(), all.end(), std::back_inserter(out), [&](Node n) { return needed.contains(n); });
  return out;
}

class Direct {
 public:
  Direct(const trace::Program& program, const Split& split, llvm::Function& f)
      : program_(program),
        split_(split),
        f_(f),
        nodes_(needed_nodes(program)),
        shared_(program, f, f.getArg(3)),
        values_(program, f, f.getArg(3), width),
        b_(values_.builder()) {}

  void emit() {
    llvm::Type *i64 = b_.getInt64Ty(), *ptr = b_.getPtrTy();
    for (std::size_t s = 0; s < program_.slots.size(); ++s)
      arrays_.push_back(b_.CreateLoad(ptr, b_.CreateConstInBoundsGEP1_64(ptr, f_.getArg(2), s)));
    std::vector<Value*> out;
    for (std::size_t k = 0; k < program_.folds.size(); ++k)
      out.push_back(b_.CreateLoad(ptr, b_.CreateConstInBoundsGEP1_64(ptr, f_.getArg(4), k)));
    share_indices();
    auto* entry = &f_.getEntryBlock();
    auto* turn = llvm::BasicBlock::Create(b_.getContext(), "turn", &f_);
    auto* done = llvm::BasicBlock::Create(b_.getContext(), "done", &f_);
    Value *begin = f_.getArg(0), *end = f_.getArg(1);
    b_.SetInsertPoint(entry);
    b_.CreateCondBr(b_.CreateICmpSLT(begin, end), turn, done);
    b_.SetInsertPoint(turn);
    block_ = b_.CreatePHI(i64, 2, "block");
    block_->addIncoming(begin, entry);
    const Vectors folded = tree(0, 1);
    for (std::size_t k = 0; k < folded.size(); ++k) {
      llvm::Type* element = folded[k]->getType()->getScalarType();
      Value* at = b_.CreateLShr(b_.CreateSub(block_, begin), 4);  // 16 lanes for 256 iterations
      b_.CreateAlignedStore(folded[k], b_.CreateInBoundsGEP(element, out[k], at), llvm::Align(4));
    }
    Value* next = b_.CreateAdd(block_, b_.getInt64(256), "", true, true);
    block_->addIncoming(next, b_.GetInsertBlock());
    b_.CreateCondBr(b_.CreateICmpSLT(next, end), turn, done);
    b_.SetInsertPoint(done);
    b_.CreateRetVoid();
  }

 private:
  using Vectors = llvm::SmallVector<Value*, 4>;

  void share_indices() {
    llvm::IRBuilder<>& b = shared_.builder();
    b.SetInsertPoint(&f_.getEntryBlock());
    for (Node n : ir::topological(program_.root)) {
      const Linear* at = n->is(Op::INDEX) && n->count == 2 ? split_.index((*n)[1]) : nullptr;
      if (!at) continue;
      Value* sum = b.getInt64(static_cast<std::uint64_t>(at->constant));
      for (auto& [symbol, k] : at->terms) {
        if (symbol->is(Op::RANGE)) continue;
        shared_.compute_all(symbol);
        sum = b.CreateAdd(sum, b.CreateMul(shared_.widened(symbol), b.getInt64(static_cast<std::uint64_t>(k))));
      }
      shared_part_[at] = sum;
    }
  }

  /// Vectors j, j + stride, j + 2*stride, ... folded: at last stride 1, before that 2, 4, 8.
  Vectors tree(unsigned j, unsigned stride) {
    if (stride == 16) return iterations(j);
    Vectors a = tree(j, stride * 2);
    const Vectors b = tree(j + stride, stride * 2);
    for (std::size_t k = 0; k < a.size(); ++k)
      a[k] = binary(b_, program_.folds[k].op, program_.folds[k].dtype.scalar, a[k], b[k]);
    return a;
  }

  /// The values of 16 iterations, from 16*j of the block on.
  Vectors iterations(unsigned j) {
    first_ = b_.CreateAdd(block_, b_.getInt64(16 * j), "", true, true);
    std::vector<std::uint32_t> steps(width);
    std::iota(steps.begin(), steps.end(), 0u);
    const Node counter = split_.counter();
    if (has_four_bytes(counter->dtype))  // a wider one is only part of indices
      values_.set(counter, {b_.CreateAdd(b_.CreateVectorSplat(width, b_.CreateTrunc(first_, b_.getInt32Ty())),
                                         llvm::ConstantDataVector::get(b_.getContext(), steps))});
    locals_.clear();
    const auto folds = program_.root->src().subspan(2);
    for (std::size_t k = 0; k < folds.size(); ++k)
      locals_[folds[k]] =
          b_.CreateVectorSplat(width, identity(b_.getContext(), program_.folds[k].op, program_.folds[k].dtype.scalar));
    for (Node n : nodes_) {
      if (n->is(Op::LOAD)) values_.set(n, {load(n)});
      else if (n->is(Op::STORE)) store(n);
      else values_.compute(n);
    }
    Vectors out;
    for (Node fold : folds) out.push_back(locals_.at(fold));
    return out;
  }

  Value* place(Node index_node, bool& counts) {
    const Linear* at = split_.index((*index_node)[1]);
    counts = std::any_of(at->terms.begin(), at->terms.end(), [](auto& t) { return t.first->is(Op::RANGE); });
    Value* position = shared_part_.at(at);
    if (counts) position = b_.CreateAdd(first_, position);
    const Node array = (*index_node)[0];
    return b_.CreateInBoundsGEP(llvm_type(b_.getContext(), array->dtype.scalar), arrays_[array->arg.storage->slot],
                                position);
  }

  Value* load(Node n) {
    llvm::Type* type = llvm_type(b_.getContext(), n->dtype.scalar);
    if ((*n)[0]->is(Op::LOCAL)) {
      const auto it = locals_.find((*n)[0]);
      return it != locals_.end() ? it->second : llvm::Constant::getNullValue(llvm::FixedVectorType::get(type, width));
    }
    bool counts = false;
    Value* at = place((*n)[0], counts);
    if (counts) return b_.CreateAlignedLoad(llvm::FixedVectorType::get(type, width), at, llvm::Align(4));
    return b_.CreateVectorSplat(width, b_.CreateAlignedLoad(type, at, llvm::Align(4)));
  }

  void store(Node n) {
    const Node to = (*n)[0];
    Value* v = convert(b_, values_.scalar((*n)[1]), (*n)[1]->dtype.scalar, to->dtype.scalar);
    if (to->is(Op::LOCAL)) {
      locals_[to] = v;
      return;
    }
    bool counts = false;
    Value* at = place(to, counts);
    b_.CreateAlignedStore(v, at, llvm::Align(4));
  }

  const trace::Program& program_;
  const Split& split_;
  llvm::Function& f_;
  const std::vector<Node> nodes_;
  Expressions shared_, values_;  // of all iterations, of 16
  llvm::IRBuilder<>& b_;
  std::vector<Value*> arrays_;
  std::unordered_map<const Linear*, Value*> shared_part_;
  std::unordered_map<Node, Value*> locals_;
  llvm::PHINode* block_ = nullptr;
  Value* first_ = nullptr;
};

}  // namespace

bool is_direct(const trace::Program& program, const Split& split) {
  if (program.folds.empty() || program.serial) return false;
  for (const trace::ProgramFold& f : program.folds)
    if (!has_four_bytes(f.dtype) || f.dtype.is_bool()) return false;
  const std::vector<Node> nodes = needed_nodes(program);
  return nodes.size() <= most_operations && std::all_of(nodes.begin(), nodes.end(), [&](Node n) {
           return n->is(Op::LOAD) || n->is(Op::STORE) ? is_simple_access(n, split) : is_simple(n);
         });
}

void render_direct(const trace::Program& program, const Split& split, llvm::Module& module) {
  llvm::LLVMContext& c = module.getContext();
  llvm::Type *i64 = llvm::Type::getInt64Ty(c), *ptr = llvm::PointerType::getUnqual(c);
  auto* f = llvm::Function::Create(llvm::FunctionType::get(llvm::Type::getVoidTy(c), {i64, i64, ptr, ptr, ptr}, false),
                                   llvm::Function::ExternalLinkage, direct_symbol, module);
  f->setDoesNotThrow();
  llvm::BasicBlock::Create(c, "entry", f);
  Direct(program, split, *f).emit();
}

}  // namespace weft::cpu
