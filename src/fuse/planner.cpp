#include "fuse/planner.hpp"

#include <algorithm>
#include <limits>

namespace weft::fusion {

namespace {

constexpr std::size_t nobody = std::numeric_limits<std::size_t>::max();

/// What one call does with one array: its parameters that are bound to it, taken together (KER-ACC-04).
struct Use {
  std::uint32_t array;
  std::uint16_t param;        // the first of them
  std::size_t read = nobody;  // the first access of each kind, by position in LoopFacts::accesses
  std::size_t write = nobody;
  std::size_t read_apart = nobody;  // not at exactly i (MODEL-5)
  std::size_t write_apart = nobody;
  std::uint16_t read_param = 0, write_param = 0;
  bool length_read = false;
  bool touched() const { return read != nobody || write != nobody; }
  std::uint16_t touching_param() const { return read != nobody && read < write ? read_param : write_param; }
};

/// An array over the whole plan.
struct Named {
  std::size_t first = nobody, last = 0;  // the calls that name it (FUSE-SCR-09a)
};

/// An array in the group under construction.
struct Member {
  std::size_t group = nobody;                                       // what follows is of this group
  std::size_t reader = nobody, writer = nobody, typed_by = nobody;  // the first call that reads / writes / touches it
  std::uint16_t reader_param = 0, writer_param = 0, typed_param = 0;
  std::size_t write_apart = nobody;
  bool scratch = false;
  bool never_local = false;  // some use of it rules that out
  bool bound = false;        // it counts for F5
};

struct Building {
  Group group;
  std::size_t number = 0;
  bool reduces = false;
  std::size_t declares = nobody;  // the first call that declares a workgroup size
  std::uint64_t bound = 0;
  std::vector<std::uint32_t> arrays;
};

const trace::LoopFacts& loop_of(const PlannedCall& c) { return c.facts->loops.front(); }
bool folds(const PlannedCall& c) { return c.facts->loops.size() == 1 && !loop_of(c).folds.empty(); }

/// The size that a call insists on (F7).
std::optional<std::uint32_t> declared(const PlannedCall& c) { return c.facts->workgroup; }

/// F1, as the rows W13..W17 that a call fails, the first row in the lowest bit.
unsigned fails_f1(const PlannedCall& c) {
  if (!c.facts->fusible) return 1;  // without `fusible` there are no facts to look at
  unsigned rows = 0;
  if (c.facts->loops.size() != 1) return 2;
  if (loop_of(c).scatter) rows |= 4;
  if (loop_of(c).own_continue) rows |= 8;
  if (c.header.trip == 0) rows |= 16;
  return rows;
}

Reason f1_reason(const PlannedCall& x, unsigned row, Reason r) {
  using enum Reason::Kind;
  switch (row) {
    case 1: r.kind = not_fusible; break;
    case 2: r.kind = loops, r.p = static_cast<std::int64_t>(x.facts->loops.size()); break;
    case 4: r.kind = scatters, r.p = static_cast<std::int64_t>(*loop_of(x).scatter); break;
    case 8: r.kind = continues, r.p = *loop_of(x).own_continue; break;
    default: r.kind = no_iteration; break;
  }
  return r;
}

/// Whether every index of the iteration space is an element: what lies past the end is dropped and reads as zero, which a
/// local would not (FUSE-SCR-20, BIT-09).
bool covers(std::uint64_t length, const trace::LoopHeader& h) {
  const auto first = static_cast<__int128>(h.start);
  const __int128 last = first + static_cast<__int128>(h.step) * (static_cast<__int128>(h.trip) - 1);
  return std::min(first, last) >= 0 && std::max(first, last) < static_cast<__int128>(length);
}

class Planner {
 public:
  Planner(std::span<const PlannedCall> calls, const Limits& limits) : calls_(calls), limits_(limits) {
    std::uint32_t arrays = 0;
    for (const PlannedCall& c : calls)
      for (const Binding& b : c.bindings)
        if (b.array != Binding::none) arrays = std::max(arrays, b.array + 1);
    named_.resize(arrays), members_.resize(arrays), use_of_.assign(arrays, nobody);
    for (std::size_t i = 0; i < calls.size(); ++i) {
      for (const Binding& b : calls[i].bindings) {
        if (b.array == Binding::none) continue;
        named_[b.array].first = std::min(named_[b.array].first, i);
        named_[b.array].last = i;
      }
      any_on_webgpu_ |= calls[i].tier == Tier::webgpu;
    }
  }

  std::vector<Group> run() {
    for (std::size_t i = 0; i < calls_.size(); ++i) {
      std::optional<Reason> why;
      if (i != 0) {
        bool joins = false;
        why = apart(i, joins);
        if (joins) {
          add(i);
          continue;
        }
        close();
      }
      open(i, why);
    }
    if (!calls_.empty()) close();
    return std::move(groups_);
  }

 private:
  bool fusible(std::size_t i) const { return calls_[i].tier == Tier::webgpu && fails_f1(calls_[i]) == 0; }

  void open(std::size_t i, std::optional<Reason> why) {
    now_ = {};
    now_.number = groups_.size();
    now_.group.first = i;
    now_.group.why = why;
    if (fusible(i)) look(i), add(i);
    else now_.group.count = 1;
  }

  void close() {
    Group& g = now_.group;
    if (g.fused()) {
      for (std::uint32_t a : now_.arrays)
        if (!members_[a].bound && members_[a].typed_by != nobody) g.locals.push_back(a);
      std::sort(g.locals.begin(), g.locals.end());
      g.workgroup = now_.reduces ? 256 : now_.declares != nobody ? *declared(calls_[now_.declares]) : 64;
    }
    groups_.push_back(std::move(g));
  }

  /// What call i does with its arrays, in `uses_`.
  void look(std::size_t i) {
    const PlannedCall& c = calls_[i];
    uses_.clear();
    for (std::uint16_t p = 0; p < c.bindings.size(); ++p) {
      const std::uint32_t a = c.bindings[p].array;
      if (a == Binding::none || use_of_[a] != nobody) continue;
      use_of_[a] = uses_.size();
      uses_.push_back({.array = a, .param = p});
    }
    const auto use = [&](std::uint16_t p) -> Use& { return uses_[use_of_[c.bindings[p].array]]; };
    const auto& accesses = loop_of(c).accesses;
    for (std::size_t k = 0; k < accesses.size(); ++k) {
      const trace::Access& at = accesses[k];
      Use& u = use(at.param);
      std::size_t &first = at.write ? u.write : u.read, &first_apart = at.write ? u.write_apart : u.read_apart;
      if (first == nobody) first = k, (at.write ? u.write_param : u.read_param) = at.param;
      if (!at.at.exactly_i() && first_apart == nobody) first_apart = k;
    }
    for (std::uint16_t p : loop_of(c).length_read) use(p).length_read = true;
    for (const Use& u : uses_) use_of_[u.array] = nobody;
  }

  Member member(const Use& u) const {
    return members_[u.array].group == now_.number ? members_[u.array] : Member{.group = now_.number};
  }

  /// The array once call i has joined with this use.
  Member joined(std::size_t i, const Use& u) const {
    const PlannedCall& c = calls_[i];
    Member m = member(u);
    if (u.read != nobody && m.reader == nobody) m.reader = i, m.reader_param = u.read_param;
    if (u.write != nobody && m.writer == nobody)
      m.writer = i, m.writer_param = u.write_param, m.write_apart = u.write_apart;
    if (u.touched() && m.typed_by == nobody) m.typed_by = i, m.typed_param = u.touching_param();
    m.scratch |= c.bindings[u.param].scratch;
    m.never_local |= !c.bindings[u.param].as_made || u.length_read || u.read_apart != nobody ||
                     u.write_apart != nobody || !covers(c.bindings[u.param].length, c.header);
    const Named& n = named_[u.array];
    const bool local = m.scratch && !m.never_local && m.writer != nobody && n.first >= now_.group.first && n.last <= i;
    m.bound = m.typed_by != nobody && !local;
    return m;
  }

  /// F5 once call i has joined.
  std::uint64_t bound_with(std::size_t i) const {
    std::uint64_t n = now_.bound + loop_of(calls_[i]).folds.size();
    for (const Use& u : uses_) n = n + joined(i, u).bound - member(u).bound;
    return n;
  }

  void add(std::size_t i) {
    now_.bound = bound_with(i);
    for (const Use& u : uses_) {
      if (members_[u.array].group != now_.number) now_.arrays.push_back(u.array);
      members_[u.array] = joined(i, u);
    }
    now_.reduces = folds(calls_[i]);
    if (now_.declares == nobody && declared(calls_[i])) now_.declares = i;
    ++now_.group.count;
  }

  /// Why call i does not join the open group: the first row of the table that applies. `joins` when none does.
  std::optional<Reason> apart(std::size_t i, bool& joins) {
    using enum Reason::Kind;
    const PlannedCall &b = calls_[i], &before = calls_[i - 1];
    Reason r{.kind = not_built, .a = i - 1, .b = i};
    const auto with = [&](Reason::Kind kind, std::int64_t p = 0, std::int64_t q = 0) {
      r.kind = kind, r.p = p, r.q = q;
      return r;
    };
    if (b.tier == Tier::cpu) {
      if (b.face_reason) return with(cpu_face);
      if (b.device_reason && any_on_webgpu_) return with(cpu_device);
      return std::nullopt;
    }
    if (b.tier == Tier::gles) return with(gles);
    if (before.tier == Tier::cpu) return with(after_cpu);
    if (before.tier == Tier::gles) return with(after_gles);

    // A call that fails F1 is a group by itself, so `before` is the whole of it.
    const unsigned of_b = fails_f1(b), of_a = fails_f1(before), rows = of_b | of_a;
    if (rows != 0) {
      const unsigned row = rows & (~rows + 1);
      r.about_a = (of_b & row) == 0;
      return f1_reason(r.about_a ? before : b, row, r);
    }
    if (now_.reduces) return with(reduces);

    const PlannedCall& first = calls_[now_.group.first];
    r.a = now_.group.first;
    if (first.header.start != b.header.start) return with(start, first.header.start, b.header.start);
    if (first.header.trip != b.header.trip)
      return with(trip, static_cast<std::int64_t>(first.header.trip), static_cast<std::int64_t>(b.header.trip));
    if (first.header.step != b.header.step) return with(step, first.header.step, b.header.step);

    look(i);
    if (auto reason = overlap(i)) return reason;

    r.a = i - 1;
    if (const std::uint64_t n = bound_with(i); n > limits_.storage_buffers)
      return with(bindings, static_cast<std::int64_t>(n), static_cast<std::int64_t>(limits_.storage_buffers));

    const std::optional<std::uint32_t> wants = folds(b) ? 256 : declared(b);
    const std::int64_t has = now_.declares != nobody ? *declared(calls_[now_.declares]) : 64;
    const bool fixed = folds(b) && declared(b).value_or(256) != 256;  // FUSE-F7-05
    if (fixed || (wants && now_.declares != nobody && has != *wants)) {
      if (now_.declares != nobody) r.a = now_.declares;
      return with(workgroups, has, *wants);
    }
    if (b.alone || before.alone) return r;  // W26
    joins = true;
    return std::nullopt;
  }

  /// F3 and F4: the first row that fails, and in it the first call of the group.
  std::optional<Reason> overlap(std::size_t i) const {
    using enum Reason::Kind;
    // One candidate a row; a smaller (call, place) wins.
    struct Best {
      std::size_t call = nobody, place = nobody;
      Reason reason{};
      void offer(std::size_t c, std::size_t at, Reason r) {
        if (c < call || (c == call && at < place)) call = c, place = at, reason = r;
      }
    } writes, reads, overlaps, differs;

    for (const Use& u : uses_) {
      const Member m = member(u);
      const auto reason = [&](Reason::Kind kind, std::size_t a, std::size_t p, std::size_t q = 0) {
        return Reason{
            .kind = kind, .a = a, .b = i, .p = static_cast<std::int64_t>(p), .q = static_cast<std::int64_t>(q)};
      };
      if (u.read != nobody && m.writer != nobody) {
        if (m.write_apart != nobody)
          writes.offer(m.writer, m.write_apart, reason(writes_apart, m.writer, m.write_apart));
        if (u.read_apart != nobody) reads.offer(m.writer, u.read_apart, reason(reads_apart, m.writer, u.read_apart));
      }
      if (u.write != nobody) {
        if (m.reader != nobody && m.reader <= m.writer)
          overlaps.offer(m.reader, u.write, reason(overlap_read, m.reader, m.reader_param, u.write_param));
        else if (m.writer != nobody)
          overlaps.offer(m.writer, u.write, reason(overlap_write, m.writer, m.writer_param, u.write_param));
      }
      if (u.touched() && m.typed_by != nobody) {
        const std::uint16_t p = m.typed_param, q = u.touching_param();
        if (calls_[m.typed_by].facts->params[p].dtype != calls_[i].facts->params[q].dtype)
          differs.offer(m.typed_by, u.param, reason(types, m.typed_by, p, q));
      }
    }
    for (const Best* best : {&writes, &reads, &overlaps, &differs})
      if (best->call != nobody) return best->reason;
    return std::nullopt;
  }

  std::span<const PlannedCall> calls_;
  const Limits& limits_;
  std::vector<Named> named_;
  std::vector<Member> members_;      // by array
  std::vector<std::size_t> use_of_;  // by array, while `look` runs
  std::vector<Use> uses_;            // of the call under consideration
  bool any_on_webgpu_ = false;
  Building now_;
  std::vector<Group> groups_;
};

}  // namespace

std::vector<Group> plan(std::span<const PlannedCall> calls, const Limits& limits) {
  return Planner(calls, limits).run();
}

}  // namespace weft::fusion
