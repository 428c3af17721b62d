#include "backends/cpu/kernel.hpp"

#include <array>
#include <map>

#include "backends/cpu/compile.hpp"
#include "backends/cpu/load.hpp"
#include "backends/cpu/supported.hpp"
#include "kernel/core.hpp"

namespace weft::cpu {

namespace {

/// Few pairs of operator and type exist; each is compiled once in a process.
backend::Expected<FoldCode> fold_code(ir::Op op, Scalar t) {
  static std::mutex* mutex = new std::mutex;
  static auto* known = new std::map<std::pair<ir::Op, Scalar>, FoldCode>;
  const std::lock_guard lock(*mutex);
  if (const auto it = known->find({op, t}); it != known->end()) return it->second;
  auto object = compile_fold(op, t);
  if (!object) return object.error();
  auto code = load(*object, std::array{fold_blocks_symbol, fold_lanes_symbol, fold_block_symbol}, "A fold");
  if (!code) return code.error();
  const FoldCode fold{reinterpret_cast<FoldFunction>((*code)[0]), reinterpret_cast<FoldFunction>((*code)[1]),
                      reinterpret_cast<FoldFunction>((*code)[2]), static_cast<std::uint32_t>(bit_size(t)) / 8,
                      trace::fold_identity(op, t).bits};
  return known->emplace(std::pair{op, t}, fold).first->second;
}

}  // namespace

backend::Expected<std::shared_ptr<Kernel>> Kernel::make(std::shared_ptr<const trace::Program> program) {
  std::shared_ptr<Kernel> k(new Kernel);
  k->program_ = std::move(program);
  const trace::Program& p = *k->program_;
  auto object = compile(p, Variant::interior);
  if (!object) return object.error();
  std::vector<const char*> symbols{body_symbol, range_symbol};
  if (has_direct(p)) symbols.push_back(direct_symbol);
  auto code = load(*object, symbols, p.label);
  if (!code) return code.error();
  k->interior_ = reinterpret_cast<BodyFunction>((*code)[0]);
  k->range_ = reinterpret_cast<RangeFunction>((*code)[1]);
  if (symbols.size() > 2) k->direct_ = reinterpret_cast<DirectFunction>((*code)[2]);
  for (const trace::ProgramFold& f : p.folds) {
    auto fold = fold_code(f.op, f.dtype.scalar);
    if (!fold) return fold.error();
    k->folds_.insert(k->folds_.end(), f.dtype.lanes, *fold);
  }
  k->cost_ = cpu::cost(p);
  return k;
}

backend::Expected<BodyFunction> Kernel::edge() {
  const std::lock_guard lock(edge_mutex_);
  if (edge_) return edge_;
  auto object = compile(*program_, Variant::edge);
  if (!object) return object.error();
  auto code = load(*object, std::array{body_symbol}, program_->label);
  if (!code) return code.error();
  edge_ = reinterpret_cast<BodyFunction>((*code)[0]);
  return edge_;
}

KernelStore& KernelStore::all() {
  static KernelStore* store = new KernelStore;
  return *store;
}

backend::Expected<backend::CompiledId> KernelStore::compile(std::shared_ptr<const trace::Program> program) {
  std::shared_ptr<Entry> entry;
  {
    const std::lock_guard lock(mutex_);
    std::shared_ptr<Entry>& e = by_key_[program->key];
    if (!e) e = std::make_shared<Entry>();
    entry = e;
  }
  const std::lock_guard compiling(entry->compiling);
  if (entry->id) return entry->id;
  auto kernel = Kernel::make(std::move(program));
  if (!kernel) return kernel.error();
  const std::lock_guard lock(mutex_);
  by_id_.push_back(std::move(*kernel));
  return entry->id = by_id_.size();
}

std::shared_ptr<Kernel> KernelStore::find(backend::CompiledId id) const {
  const std::lock_guard lock(mutex_);
  return id == 0 || id > by_id_.size() ? nullptr : by_id_[id - 1];
}

}  // namespace weft::cpu
