// One plan while it runs: checks, plan, entries, then one batch for each stretch of calls on one backend, and the report.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "fuse/describe.hpp"
#include "fuse/executor.hpp"
#include "runtime/execute.hpp"

namespace weft::fusion {

class PlanRun final : public runtime::QueueItem {
 public:
  PlanRun(Executor& executor, runtime::PlanRequest request) : executor_(executor), request_(std::move(request)) {}

  bool advance(runtime::DeviceState&) override;
  void abandon(std::exception_ptr error) override { request_.reject(error); }

 private:
  /// A group with what it needs to run and what became of it.
  struct Work {
    Group group;
    Placement placement;  // of a fused group
    std::shared_ptr<const trace::Program> program;
    backend::CompiledId compiled = 0;
    runtime::Encoded encoded;  // of its last call
    std::uint64_t dispatches = 0;
    double ns = 0;
    std::size_t timed = 0, passes = 0;
  };

  void begin(runtime::DeviceState&);
  void build(runtime::DeviceState&);
  bool build(runtime::DeviceState&, Work&);
  void split(Work&&, std::vector<Work>& into) const;
  void encode_stretch(runtime::DeviceState&);
  void bring_home(runtime::DeviceState&, const Work&);
  void encode_fused(Work&);
  void encode_lone(Work&);
  void land();
  bool step_by_step(const Work&) const;
  void encode_step(runtime::DeviceState&);
  void land_step();
  void end(runtime::DeviceState&);
  backend::Backend& backend_of(const Work& w) const { return *calls_[w.group.first].backend; }

  Executor& executor_;
  runtime::PlanRequest request_;
  bool begun_ = false;
  std::vector<runtime::Prepared> calls_;
  Description description_;
  std::vector<Work> works_;
  std::size_t next_ = 0;                     // the first group that is not encoded
  std::size_t stretch_ = 0;                  // the first group of the batch under way
  std::optional<runtime::Builder> builder_;  // the batch under way
  std::vector<std::size_t> owner_of_pass_;   // by pass of it: its group
  bool stepping_ = false;                    // the batch under way is one loop of a call
  std::uint64_t submissions_ = 0;
};

}  // namespace weft::fusion
