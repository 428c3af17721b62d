#include "backends/cpu/expressions.hpp"
#include "backends/cpu/render.hpp"

namespace weft::cpu {

using llvm::Value;

namespace {

constexpr std::uint64_t largest_shared = std::uint64_t{1} << 40;  // see split.cpp

class Range {
 public:
  Range(const trace::Program& program, const Split& split, llvm::Function& f)
      : split_(split), values_(program, f, f.getArg(0)), b_(values_.builder()) {}

  void emit(Value* out) {
    first_ = number(0);
    last_ = number(std::int64_t{1} << 33);  // past every trip count
    for (const Linear& l : split_.conditions()) add(l);
    b_.CreateStore(first_, out);
    b_.CreateStore(last_, b_.CreateConstInBoundsGEP1_64(b_.getInt64Ty(), out, 1));
    b_.CreateRetVoid();
  }

 private:
  Value* number(std::int64_t v) { return b_.getInt64(static_cast<std::uint64_t>(v)); }

  Value* shared(ir::Node n) {
    values_.compute_all(n);
    Value* v = values_.widened(n);
    if (bit_size(n->dtype.scalar) == 64) {
      // One that is larger than any index leaves no interior, and the sums below do not overflow.
      Value* small = b_.CreateICmpULT(b_.CreateAdd(v, number(largest_shared)), number(2 * largest_shared));
      last_ = b_.CreateSelect(small, last_, number(0));
      v = b_.CreateSelect(small, v, number(0));
    }
    return v;
  }

  // rest + a*i >= 0, where an inner counter takes the end of its range that makes the sum smallest.
  void add(const Linear& l) {
    std::int64_t a = 0;
    Value* rest = number(l.constant);
    for (auto& [symbol, k] : l.terms) {
      if (symbol == split_.counter()) a = k;
      else if (!symbol->is(ir::Op::RANGE)) rest = b_.CreateAdd(rest, b_.CreateMul(shared(symbol), number(k)));
      else if (k < 0) rest = b_.CreateAdd(rest, b_.CreateMul(b_.CreateSub(shared((*symbol)[0]), number(1)), number(k)));
    }
    if (a == 0) {
      last_ = b_.CreateSelect(b_.CreateICmpSGE(rest, number(0)), last_, number(0));
      return;
    }
    // i >= -rest / a upward, or i <= rest / -a downward; what is beyond the iterations changes nothing.
    const std::int64_t size = a < 0 ? -a : a;
    if (a > 0) {
      Value* up = b_.CreateSDiv(b_.CreateAdd(b_.CreateNeg(rest), number(size - 1)), number(size));
      first_ = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, first_, up);
    } else {
      Value* down = b_.CreateAdd(b_.CreateSDiv(rest, number(size)), number(1));
      down = b_.CreateSelect(b_.CreateICmpSLT(rest, number(0)), number(0), down);
      last_ = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, last_, down);
    }
  }

  const Split& split_;
  Expressions values_;
  llvm::IRBuilder<>& b_;
  Value *first_ = nullptr, *last_ = nullptr;
};

}  // namespace

void render_range(const trace::Program& program, const Split& split, llvm::Module& module) {
  llvm::LLVMContext& c = module.getContext();
  llvm::Type* ptr = llvm::PointerType::getUnqual(c);
  auto* f = llvm::Function::Create(llvm::FunctionType::get(llvm::Type::getVoidTy(c), {ptr, ptr}, false),
                                   llvm::Function::ExternalLinkage, range_symbol, module);
  f->setDoesNotThrow();
  llvm::BasicBlock::Create(c, "entry", f);
  Range(program, split, *f).emit(f->getArg(1));
}

}  // namespace weft::cpu
