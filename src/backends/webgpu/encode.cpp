#include "encode.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "plan.hpp"

namespace weft::webgpu {
namespace {

using backend::Region;

class Encoder {
 public:
  Encoder(const Workshop& shop, const backend::Batch& batch, Plan plan)
      : shop_(shop), batch_(batch), plan_(std::move(plan)), flight_(std::make_unique<Flight>()) {}

  backend::Expected<Encoded> run() {
    flight_->label = label(batch_.label.empty() && !batch_.passes.empty() ? batch_.passes.front().label : batch_.label);
    if (flight_->label.empty()) flight_->label = "a batch";
    flight_->outcome.passes.resize(batch_.passes.size());

    ErrorScope scope(shop_.gpu);
    Handle<WGPUCommandBuffer> commands;
    if (plan_.commands) {
      if (lease()) commands = record();
    } else {
      for (const backend::Pass& pass : batch_.passes)
        if (const auto* up = std::get_if<backend::Upload>(&pass.what)) upload(*up, false);
    }
    if (auto error = scope.end()) return failed(*error);
    if (plan_.commands && !commands) return failed({WGPUErrorType_OutOfMemory, "the device gives no buffer"});
    // Only now, so that a batch which cannot be recorded has changed nothing.
    ErrorScope writing(shop_.gpu);
    const std::uint64_t written = write();
    if (auto error = writing.end()) return failed(*error);
    return Encoded{std::move(commands), std::move(flight_), written};
  }

 private:
  struct Write {
    WGPUBuffer to;
    std::uint64_t at;
    std::span<const std::byte> from;
  };

  WGPUCommandEncoder encoder() const { return encoder_.get(); }

  bool lease() {
    Pools& pools = shop_.pools;
    if (batch_.timed) flight_->timing.begin(shop_.gpu, pools.queries, pools.times, plan_.dispatches);
    flight_->staged_bytes = plan_.read_bytes + flight_->timing.bytes();
    uniforms_.resize(plan_.uniform_bytes);
    if (plan_.uniform_bytes) flight_->uniforms = pools.uniforms.take(plan_.uniform_bytes);
    if (flight_->staged_bytes) flight_->staging = pools.staging.take(flight_->staged_bytes);
    if (plan_.transfer_bytes) flight_->transfers.push_back(pools.transfer.take(plan_.transfer_bytes));
    return (!plan_.uniform_bytes || flight_->uniforms.buffer) && (!flight_->staged_bytes || flight_->staging.buffer) &&
           (!plan_.transfer_bytes || flight_->transfers.front().buffer);
  }

  Handle<WGPUCommandBuffer> record() {
    WGPUCommandEncoderDescriptor descriptor{};
    descriptor.label = view(flight_->label);
    encoder_ = Handle<WGPUCommandEncoder>(api().DeviceCreateCommandEncoder(shop_.gpu.device(), &descriptor));
    bool open = false;
    std::uint32_t group = 0;
    for (std::uint32_t i = 0; i < batch_.passes.size(); ++i) {
      const backend::Pass& pass = batch_.passes[i];
      if (!open || pass.group != group) {
        if (open) api().CommandEncoderPopDebugGroup(encoder());
        const std::string name = pass.label.empty() ? flight_->label : label(pass.label);
        api().CommandEncoderPushDebugGroup(encoder(), view(name));
        open = true;
        group = pass.group;
      }
      pass_ = i;
      std::visit(
          [&](const auto& what) {
            using What = std::decay_t<decltype(what)>;
            if constexpr (std::is_same_v<What, backend::Upload>) upload(what, plan_.staged_upload[i]);
            else encode(what);
          },
          pass.what);
    }
    if (flight_->timing.on()) flight_->timing.resolve(encoder(), flight_->staging.buffer.get(), staged_);
    if (open) api().CommandEncoderPopDebugGroup(encoder());
    return Handle<WGPUCommandBuffer>(api().CommandEncoderFinish(encoder(), nullptr));
  }

  /// Puts uniforms in their place; gives the offset.
  std::uint64_t place(std::span<const std::byte> from, std::uint64_t size) {
    const std::uint64_t at = uniform_at_;
    std::memcpy(uniforms_.data() + at, from.data(), from.size());
    uniform_at_ += align(size, shop_.gpu.limits().minUniformBufferOffsetAlignment);
    return at;
  }

  void encode(const backend::Run& run) {
    if (run.n == 0) return;
    const PlannedRun& planned = plan_.runs[run_++];
    const Compiled& compiled = *planned.program;
    const trace::Program& program = *compiled.program;
    backend::PassResult& result = flight_->outcome.passes[pass_];

    entries_.clear();
    for (std::size_t s = 0; s < run.bound.size(); ++s) {
      const Memory& memory = *planned.bound[s];
      // An empty array is bound too; its smallest binding holds one element of any type, which no guard lets through.
      const std::uint64_t size =
          std::min(std::max<std::uint64_t>(run.bound[s].size, 16), memory.allocated - run.bound[s].offset);
      bind(memory.buffer.get(), run.bound[s].offset, size);
    }
    const std::size_t first_partial = flight_->partials.size();
    for (const auto& fold : program.folds) {
      const std::uint64_t bytes = std::uint64_t{planned.tree.elements} * fold.dtype.bytes();
      flight_->partials.push_back(shop_.pools.partials.take(std::max<std::uint64_t>(bytes, 16)));
      bind(flight_->partials.back().buffer.get(), 0, std::max<std::uint64_t>(bytes, 16));
    }
    const std::uint64_t at = place(run.uniforms, compiled.uniform_bytes);
    const std::uint32_t head[] = {0, static_cast<std::uint32_t>(run.n)};  // the fences' zero and the trip count
    std::memcpy(uniforms_.data() + at, head, sizeof head);
    bind(flight_->uniforms.buffer.get(), at, compiled.uniform_bytes);
    dispatch(compiled.loop, compiled.label, planned.groups);
    ++result.dispatches;

    for (const FoldLevel& level : planned.tree.levels) {
      entries_.clear();
      for (std::size_t f = 0; f < program.folds.size(); ++f) {
        const auto& partials = flight_->partials[first_partial + f];
        bind(partials.buffer.get(), 0, std::uint64_t{planned.tree.elements} * program.folds[f].dtype.bytes());
      }
      const std::uint32_t words[] = {level.from, level.count, level.to, 0};
      bind(flight_->uniforms.buffer.get(), place(std::as_bytes(std::span(words)), 16), 16);
      dispatch(*compiled.level, compiled.label,
               *dispatch_shape(level.count, compiled.iterations, shop_.gpu.limits().maxComputeWorkgroupsPerDimension));
      ++result.dispatches;
    }
    for (std::size_t f = 0; f < program.folds.size(); ++f) {
      const std::uint64_t bytes = program.folds[f].dtype.bytes();
      api().CommandEncoderCopyBufferToBuffer(encoder(), flight_->partials[first_partial + f].buffer.get(),
                                             planned.tree.result * bytes, planned.folded[f]->buffer.get(),
                                             run.folded[f].offset, bytes);
    }
  }

  void bind(WGPUBuffer buffer, std::uint64_t offset, std::uint64_t size) {
    WGPUBindGroupEntry entry{};
    entry.binding = static_cast<std::uint32_t>(entries_.size());
    entry.buffer = buffer;
    entry.offset = offset;
    entry.size = size;
    entries_.push_back(entry);
  }

  void dispatch(const Pipeline& pipeline, const std::string& name, const std::array<std::uint32_t, 3>& groups) {
    WGPUBindGroupDescriptor group{};
    group.label = view(name);
    group.layout = pipeline.layout.get();
    group.entries = entries_.data();
    group.entryCount = entries_.size();
    Handle<WGPUBindGroup> bound(api().DeviceCreateBindGroup(shop_.gpu.device(), &group));
    WGPUComputePassDescriptor descriptor{};
    descriptor.label = view(name);
    descriptor.timestampWrites = flight_->timing.next(pass_);
    Handle<WGPUComputePassEncoder> pass(api().CommandEncoderBeginComputePass(encoder(), &descriptor));
    api().ComputePassEncoderSetPipeline(pass.get(), pipeline.pipeline.get());
    api().ComputePassEncoderSetBindGroup(pass.get(), 0, bound.get(), 0, nullptr);
    api().ComputePassEncoderDispatchWorkgroups(pass.get(), groups[0], groups[1], groups[2]);
    api().ComputePassEncoderEnd(pass.get());
  }

  WGPUBuffer buffer(const Region& r) const { return shop_.memories.find(r.memory)->buffer.get(); }

  void upload(const backend::Upload& up, bool staged) {
    if (up.to.size == 0) return;
    if (!staged) {
      writes_.push_back({buffer(up.to), up.to.offset, up.from});
      return;
    }
    const WGPUBuffer transfer = flight_->transfers.front().buffer.get();
    writes_.push_back({transfer, transferred_, up.from});
    api().CommandEncoderCopyBufferToBuffer(encoder(), transfer, transferred_, buffer(up.to), up.to.offset, up.to.size);
    transferred_ += up.to.size;
  }

  void encode(const backend::Copy& copy) {
    if (copy.to.size == 0) return;
    if (copy.from.memory != copy.to.memory) {
      api().CommandEncoderCopyBufferToBuffer(encoder(), buffer(copy.from), copy.from.offset, buffer(copy.to),
                                             copy.to.offset, copy.to.size);
      return;
    }
    // WebGPU copies nothing within one buffer.
    flight_->transfers.push_back(shop_.pools.transfer.take(copy.to.size));
    const WGPUBuffer between = flight_->transfers.back().buffer.get();
    api().CommandEncoderCopyBufferToBuffer(encoder(), buffer(copy.from), copy.from.offset, between, 0, copy.to.size);
    api().CommandEncoderCopyBufferToBuffer(encoder(), between, 0, buffer(copy.to), copy.to.offset, copy.to.size);
  }

  void encode(const backend::Fill& fill) {
    if (fill.to.size) api().CommandEncoderClearBuffer(encoder(), buffer(fill.to), fill.to.offset, fill.to.size);
  }

  void encode(const backend::Read& read) {
    if (read.from.size == 0) return;
    api().CommandEncoderCopyBufferToBuffer(encoder(), buffer(read.from), read.from.offset,
                                           flight_->staging.buffer.get(), staged_, read.from.size);
    flight_->reads.push_back({staged_, read.into});
    staged_ += align(read.from.size, 8);
  }

  std::uint64_t write() {
    std::uint64_t bytes = 0;
    if (!uniforms_.empty()) writes_.push_back({flight_->uniforms.buffer.get(), 0, uniforms_});
    for (const Write& w : writes_) {
      api().QueueWriteBuffer(shop_.gpu.queue(), w.to, w.at, w.from.data(), w.from.size());
      bytes += w.from.size();
    }
    return bytes;
  }

  backend::ErrorRecord failed(const GpuError& error) {
    flight_->give_back(shop_.pools);
    return {kind_of(error.type), fmt::format("{} cannot be submitted: {}", flight_->label, error.message), {}};
  }

  const Workshop& shop_;
  const backend::Batch& batch_;
  const Plan plan_;
  std::unique_ptr<Flight> flight_;
  Handle<WGPUCommandEncoder> encoder_;
  std::vector<WGPUBindGroupEntry> entries_;
  std::vector<std::byte> uniforms_;
  std::vector<Write> writes_;
  std::uint64_t uniform_at_ = 0, transferred_ = 0, staged_ = 0;
  std::size_t run_ = 0;
  std::uint32_t pass_ = 0;
};

}  // namespace

backend::Expected<Encoded> encode(const Workshop& shop, const backend::Batch& batch) {
  auto planned = plan(shop, batch);
  if (!planned) return planned.error();
  return Encoder(shop, batch, std::move(*planned)).run();
}

}  // namespace weft::webgpu
