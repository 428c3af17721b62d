#include "support/null_backend.hpp"

#include <cstring>

namespace weft::test {

using backend::Batch;
using backend::CompiledId;
using backend::ErrorKind;
using backend::ErrorRecord;
using backend::Expected;
using backend::MemoryId;
using backend::Outcome;
using backend::Region;
using backend::Then;

backend::Info null_info(Tier tier) {
  backend::Info info;
  info.tier = tier;
  info.adapter = "null";
  info.driver = "interpreter";
  info.int64 = info.fuses = info.timestamps = true;
  info.runs_serial = tier == Tier::cpu;
  info.limits = {{"maxStorageBuffersPerShaderStage", 8},
                 {"maxBufferSize", std::uint64_t{1} << 32},
                 {"maxComputeInvocationsPerWorkgroup", 1024}};
  return info;
}

struct NullBackend::Memory {
  std::vector<std::byte> own;
  std::span<std::byte> bytes;
  std::string label;
};

struct NullBackend::Job {
  Batch batch;
  std::map<MemoryId, std::shared_ptr<Memory>> memories;
  std::unordered_map<CompiledId, std::shared_ptr<ProgramInterpreter>> programs;
  std::vector<std::string> misuse;

  std::span<std::byte> at(const Region& r, const std::string& pass) {
    const auto found = memories.find(r.memory);
    if (found == memories.end()) {
      misuse.push_back(pass + ": there is no memory " + std::to_string(r.memory));
      return {};
    }
    const auto bytes = found->second->bytes;
    if (r.offset > bytes.size() || r.size > bytes.size() - r.offset) {
      misuse.push_back(pass + ": bytes " + std::to_string(r.offset) + " to " + std::to_string(r.offset + r.size) +
                       " of " + std::to_string(bytes.size()));
      return {};
    }
    return bytes.subspan(r.offset, r.size);
  }
};

NullBackend::NullBackend(backend::Info info) : info_(std::move(info)) {}

NullBackend::~NullBackend() {
  {
    std::lock_guard lock(mutex_);
    held_ = false;
  }
  while (pump(std::chrono::nanoseconds(0))) {}
}

ErrorRecord NullBackend::gone(const char* call) {
  misuse_.push_back(std::string(call) + " after the device was lost");
  return {ErrorKind::lost, info_.adapter + ": the device is lost", ""};
}

void NullBackend::complete(std::function<void()> done) {
  {
    std::lock_guard lock(mutex_);
    if (delayed_) {
      pending_.push_back(std::move(done));
      changed_.notify_all();
      return;
    }
  }
  done();
}

std::optional<std::string> NullBackend::refuses(const trace::Program& p) const {
  std::lock_guard lock(mutex_);
  if (failures_.refuse) return failures_.refuse;
  const std::uint64_t most = info_.limit("maxStorageBuffersPerShaderStage", 8);
  if (p.slots.size() > most)
    return "it binds " + std::to_string(p.slots.size()) + " arrays and the device allows " + std::to_string(most);
  if (p.needs_int64 && !info_.int64) return "its indices need 64 bits";
  if (p.serial && !info_.runs_serial) return "it is not proved parallel";
  if (const auto invocations = info_.limit("maxComputeInvocationsPerWorkgroup", 256); p.workgroup > invocations)
    return "its workgroups hold " + std::to_string(p.workgroup) + " invocations and the device allows " +
           std::to_string(invocations);
  return std::nullopt;
}

void NullBackend::compile(std::shared_ptr<const trace::Program> program, Then<CompiledId> then) {
  std::optional<Expected<CompiledId>> result;
  {
    std::lock_guard lock(mutex_);
    ++counts_.compiles;
    if (lost_) {
      result = gone("compile");
    } else if (failures_.compile) {
      result = ErrorRecord{ErrorKind::compile, program->label + ": " + *failures_.compile, "(no text)"};
    } else if (const auto found = compiled_.find(program->key); found != compiled_.end()) {
      --counts_.compiles;
      result = found->second;
    } else {
      try {
        const CompiledId id = compiled_.size() + 1;
        programs_[id] = std::make_shared<ProgramInterpreter>(program);
        compiled_[program->key] = id;
        order_.push_back(program);
        result = id;
      } catch (const std::exception& e) {
        misuse_.push_back(program->label + ": " + e.what());
        result = ErrorRecord{ErrorKind::compile, program->label + ": " + e.what(), ""};
      }
    }
  }
  complete([then = std::move(then), result = std::move(*result)] { then(result); });
}

Expected<std::string> NullBackend::emitted(const trace::Program& p) const {
  return "interpreted: " + p.label + " " + p.key;
}

Expected<MemoryId> NullBackend::create(const backend::MemoryDesc& desc) {
  std::lock_guard lock(mutex_);
  ++counts_.creates;
  if (lost_) return gone("create");
  if (counts_.creates == failures_.create || desc.bytes > info_.limit("maxBufferSize", std::uint64_t{1} << 32))
    return ErrorRecord{ErrorKind::memory,
                       desc.label + ": " + std::to_string(desc.bytes) + " bytes are not to be had on " + info_.adapter,
                       ""};
  auto memory = std::make_shared<Memory>();
  memory->own.resize(desc.bytes);
  memory->bytes = memory->own;
  memory->label = desc.label;
  memories_[next_memory_] = std::move(memory);
  return next_memory_++;
}

Expected<MemoryId> NullBackend::import(std::span<std::byte> host) {
  std::lock_guard lock(mutex_);
  if (!addressable_)
    return ErrorRecord{ErrorKind::unsupported, info_.adapter + ": host memory is not used in place here", ""};
  ++counts_.creates;
  auto memory = std::make_shared<Memory>();
  memory->bytes = host;
  memories_[next_memory_] = std::move(memory);
  return next_memory_++;
}

void NullBackend::destroy(MemoryId id) {
  std::lock_guard lock(mutex_);
  ++counts_.destroys;
  if (memories_.erase(id) == 0) misuse_.push_back("destroy of a memory that is not there");
}

std::byte* NullBackend::host_pointer(MemoryId id) {
  std::lock_guard lock(mutex_);
  const auto found = memories_.find(id);
  return addressable_ && found != memories_.end() ? found->second->bytes.data() : nullptr;
}

void NullBackend::submit(Batch batch, Then<Outcome> then) {
  auto job = std::make_shared<Job>();
  std::optional<ErrorRecord> error;
  {
    std::lock_guard lock(mutex_);
    ++counts_.submits;
    if (!lost_ && counts_.submits == failures_.lose_at_submit) {
      lost_ = true;
      error = ErrorRecord{ErrorKind::lost, info_.adapter + ": the device was lost", ""};
    } else if (lost_) {
      error = gone("submit");
    } else if (counts_.submits == failures_.submit_error) {
      error = ErrorRecord{ErrorKind::device, info_.adapter + ": the batch " + batch.label + " failed", ""};
    }
    job->batch = std::move(batch);
    job->memories = memories_;
    job->programs = programs_;
  }
  complete([this, job, error, then = std::move(then)] {
    if (error) return then(*error);
    if (lost()) return then(ErrorRecord{ErrorKind::lost, info_.adapter + ": the device was lost", ""});
    then(execute(*job));
  });
}

Expected<Outcome> NullBackend::execute(Job& job) {
  Outcome outcome;
  outcome.submissions = 1;
  NullCounts seen;
  std::vector<std::string> labels;
  std::optional<ErrorRecord> error;
  for (backend::Pass& pass : job.batch.passes) {
    backend::PassResult result;
    const std::string& label = pass.label;
    ++seen.passes;
    labels.push_back(label);
    const auto copy = [&](std::span<std::byte> to, std::span<const std::byte> from) {
      if (to.size() != from.size()) job.misuse.push_back(label + ": the two sides differ in size");
      else if (!to.empty()) std::memmove(to.data(), from.data(), to.size());
    };
    if (auto* run = std::get_if<backend::Run>(&pass.what)) {
      const auto program = job.programs.find(run->program);
      if (program == job.programs.end()) {
        job.misuse.push_back(label + ": there is no program " + std::to_string(run->program));
        continue;
      }
      std::vector<std::span<std::byte>> bound;
      for (const Region& r : run->bound) bound.push_back(job.at(r, label));
      try {
        const auto folded = program->second->run(bound, run->uniforms, run->n);
        if (folded.size() != run->folded.size()) job.misuse.push_back(label + ": not every fold has a place");
        for (std::size_t k = 0; k < folded.size() && k < run->folded.size(); ++k)
          if (auto to = job.at(run->folded[k], label); to.size() >= folded[k].dtype.bytes())
            std::memcpy(to.data(), &folded[k].bits, folded[k].dtype.bytes());
      } catch (const std::exception& e) {
        job.misuse.push_back(label + ": " + e.what());
        error = ErrorRecord{ErrorKind::device, label + ": " + e.what(), ""};
      }
      ++seen.runs;
      result.dispatches = run->n == 0 ? 0 : 1;
      if (!run->folded.empty())
        for (std::uint64_t left = (run->n + 255) / 256; left > 1; left = (left + 255) / 256) ++result.dispatches;
      seen.dispatches += result.dispatches;
    } else if (auto* upload = std::get_if<backend::Upload>(&pass.what)) {
      ++seen.uploads;
      copy(job.at(upload->to, label), upload->from);
    } else if (auto* c = std::get_if<backend::Copy>(&pass.what)) {
      ++seen.copies;
      copy(job.at(c->to, label), job.at(c->from, label));
    } else if (auto* fill = std::get_if<backend::Fill>(&pass.what)) {
      ++seen.fills;
      for (std::byte& b : job.at(fill->to, label)) b = std::byte{0};
    } else if (auto* read = std::get_if<backend::Read>(&pass.what)) {
      ++seen.reads;
      copy(read->into, job.at(read->from, label));
    }
    if (job.batch.timed && info_.timestamps) result.ns = 1000.0 * result.dispatches;
    outcome.passes.push_back(result);
  }
  std::lock_guard lock(mutex_);
  counts_.passes += seen.passes, counts_.runs += seen.runs, counts_.dispatches += seen.dispatches;
  counts_.uploads += seen.uploads, counts_.reads += seen.reads, counts_.copies += seen.copies,
      counts_.fills += seen.fills;
  labels_.insert(labels_.end(), labels.begin(), labels.end());
  misuse_.insert(misuse_.end(), job.misuse.begin(), job.misuse.end());
  if (error) return *error;
  return outcome;
}

bool NullBackend::pump(std::chrono::nanoseconds may_block) {
  std::deque<std::function<void()>> due;
  {
    std::unique_lock lock(mutex_);
    ++counts_.pumps;
    if (held_ && !pending_.empty()) {
      changed_.wait_for(lock, std::min<std::chrono::nanoseconds>(may_block, std::chrono::milliseconds(5)),
                        [&] { return !held_; });
      if (held_) return true;
    }
    due.swap(pending_);
  }
  for (auto& done : due) done();
  return !due.empty();
}

bool NullBackend::lost() const {
  std::lock_guard lock(mutex_);
  return lost_;
}
NullCounts NullBackend::counts() const {
  std::lock_guard lock(mutex_);
  return counts_;
}
std::size_t NullBackend::live() const {
  std::lock_guard lock(mutex_);
  return memories_.size();
}
std::vector<std::string> NullBackend::misuse() const {
  std::lock_guard lock(mutex_);
  return misuse_;
}
std::vector<std::string> NullBackend::labels() const {
  std::lock_guard lock(mutex_);
  return labels_;
}
std::vector<std::shared_ptr<const trace::Program>> NullBackend::programs() const {
  std::lock_guard lock(mutex_);
  return order_;
}
void NullBackend::fail(NullFailures f) {
  std::lock_guard lock(mutex_);
  failures_ = std::move(f);
}
void NullBackend::delay(bool on) {
  std::lock_guard lock(mutex_);
  delayed_ = on;
}
void NullBackend::hold(bool on) {
  std::lock_guard lock(mutex_);
  held_ = on;
  changed_.notify_all();
}
void NullBackend::lose() {
  std::lock_guard lock(mutex_);
  lost_ = true;
}
void NullBackend::host_addressable(bool on) {
  std::lock_guard lock(mutex_);
  addressable_ = on;
}

Expected<std::vector<backend::Info>> NullDriver::adapters() {
  if (missing_) return ErrorRecord{ErrorKind::load, *missing_, ""};
  return std::vector<backend::Info>{info_};
}

Expected<std::unique_ptr<backend::Backend>> NullDriver::open(const backend::OpenOptions& options) {
  if (missing_) return ErrorRecord{ErrorKind::load, *missing_, ""};
  if (info_.adapter.find(options.adapter) == std::string::npos)
    return ErrorRecord{ErrorKind::load, "no adapter's name holds " + options.adapter + "; there is " + info_.adapter,
                       ""};
  backend::Info info = info_;
  for (const auto& [limit, value] : options.limits)
    for (auto& [known, now] : info.limits)
      if (known == limit) now = std::min(now, value);
  auto opened = std::make_unique<NullBackend>(std::move(info));
  last_ = opened.get();
  return std::unique_ptr<backend::Backend>(std::move(opened));
}

}  // namespace weft::test
