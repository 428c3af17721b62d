// Plans for tables: kernels are described by what they do with their parameters, and bound to arrays by name.
//
//   PlanTable t;
//   auto mul = t.kernel("mul").reads("x", 2).writes("y", 3);
//   t.call(mul, {"x", "s"});          // names that begin with s or t are scratch
//   t.text() == "{mul blur}"
#pragma once

#include <weft/dtype.hpp>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "fuse/planner.hpp"

namespace weft::test {

/// A kernel with one loop whose accesses are at exactly i unless said otherwise.
class FaceBuilder {
 public:
  explicit FaceBuilder(std::string name) : facts_(std::make_shared<trace::Facts>()) {
    facts_->name = std::move(name);
    facts_->fusible = true;
    facts_->loops.emplace_back();
  }
  FaceBuilder& reads(const std::string& p, std::uint32_t line = 1, DType t = dtype_of<float>) {
    return access(p, false, p + "[i]", 1, 0, line, t);
  }
  FaceBuilder& writes(const std::string& p, std::uint32_t line = 1, DType t = dtype_of<float>) {
    return access(p, true, p + "[i]", 1, 0, line, t);
  }
  /// At a*i + c, written as `text`.
  FaceBuilder& reads_at(const std::string& p, std::int64_t a, std::int64_t c, const std::string& text,
                        std::uint32_t line) {
    return access(p, false, text, a, c, line, dtype_of<float>);
  }
  FaceBuilder& writes_at(const std::string& p, std::int64_t a, std::int64_t c, const std::string& text,
                         std::uint32_t line) {
    return access(p, true, text, a, c, line, dtype_of<float>);
  }
  /// At an index of no known form.
  FaceBuilder& gathers(const std::string& p, const std::string& text, std::uint32_t line) {
    access(p, false, text, 0, 0, line, dtype_of<float>);
    facts_->loops.front().accesses.back().at = {};
    return *this;
  }
  FaceBuilder& when_told() {
    facts_->loops.front().accesses.back().conditional = true;
    return *this;
  }
  FaceBuilder& takes(const std::string& p, DType t = dtype_of<float>) { return param(p, t), *this; }
  FaceBuilder& length_of(const std::string& p) {
    facts_->loops.front().length_read.push_back(param(p, dtype_of<float>));
    return *this;
  }
  FaceBuilder& folds(int n = 1) {
    for (int i = 0; i < n; ++i) facts_->loops.front().folds.push_back({ir::Op::ADD, dtype_of<float>});
    return *this;
  }
  FaceBuilder& at(std::uint32_t workgroup) {
    facts_->workgroup = workgroup;
    return *this;
  }
  FaceBuilder& loops(std::size_t n) {
    facts_->loops.resize(n);
    return *this;
  }
  FaceBuilder& not_fusible() {
    facts_->fusible = false;
    return *this;
  }
  FaceBuilder& continues(std::uint32_t line) {
    facts_->loops.front().own_continue = line;
    return *this;
  }
  FaceBuilder& scatters(const std::string& p, const std::string& text, std::uint32_t line) {
    access(p, true, text, 0, 0, line, dtype_of<std::int32_t>);
    auto& loop = facts_->loops.front();
    loop.accesses.back().at = {};
    loop.accesses.back().scatter = true;
    loop.scatter = loop.accesses.size() - 1;
    return *this;
  }
  const std::shared_ptr<trace::Facts>& facts() const { return facts_; }

 private:
  std::uint16_t param(const std::string& p, DType t) {
    for (std::uint16_t k = 0; k < facts_->params.size(); ++k)
      if (facts_->params[k].name == p) return k;
    facts_->params.push_back({p, trace::ParamKind::array, t, false});
    return static_cast<std::uint16_t>(facts_->params.size() - 1);
  }
  FaceBuilder& access(const std::string& p, bool write, const std::string& text, std::int64_t a, std::int64_t c,
                      std::uint32_t line, DType t) {
    const std::uint16_t k = param(p, t);
    facts_->params[k].writable |= write;
    trace::Access at;
    at.param = k, at.write = write, at.text = text, at.line = line;
    at.at = {.form = trace::Affine::Form::constant, .a = a, .c = c};
    facts_->loops.front().accesses.push_back(at);
    return *this;
  }
  std::shared_ptr<trace::Facts> facts_;
};

class PlanTable {
 public:
  fusion::Limits limits;

  /// `arrays` by parameter. Arrays whose names begin with s or t are scratch.
  fusion::PlannedCall& call(const FaceBuilder& face, const std::vector<std::string>& arrays, std::uint64_t n = 1000) {
    fusion::PlannedCall c;
    faces_.push_back(face.facts());
    c.facts = face.facts().get();
    c.header.trip = n;
    for (const std::string& a : arrays) {
      const auto number = static_cast<std::uint32_t>(numbers_.try_emplace(a, numbers_.size()).first->second);
      c.bindings.push_back(
          {.array = number, .scratch = a[0] == 's' || a[0] == 't', .as_made = true, .length = 1 << 20});
    }
    calls.push_back(c);
    return calls.back();
  }

  std::vector<fusion::Group> groups() const { return fusion::plan(calls, limits); }

  /// "{a b | s} {c}": the calls of each group, and its locals.
  std::string text() const {
    std::string out;
    for (const auto& g : groups()) {
      out += out.empty() ? "{" : " {";
      for (std::size_t i = 0; i < g.count; ++i) out += (i ? " " : "") + calls[g.first + i].facts->name;
      std::string locals;
      for (auto l : g.locals) locals += " " + name(l);
      if (!locals.empty()) out += " |" + locals;
      out += "}";
    }
    return out;
  }

  /// Why the k-th group stands apart; empty when there is nothing to say.
  std::string why(std::size_t k) const {
    const auto g = groups();
    return g.at(k).why ? fusion::text(*g[k].why, calls) : "";
  }

  std::vector<fusion::PlannedCall> calls;

 private:
  std::string name(std::uint32_t number) const {
    for (auto& [n, v] : numbers_)
      if (v == number) return n;
    return "?";
  }
  std::map<std::string, std::size_t> numbers_;
  std::vector<std::shared_ptr<trace::Facts>> faces_;
};

}  // namespace weft::test
