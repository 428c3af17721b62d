// Reads, writes and destruction of residents as items of the queue (MODEL-16).
#pragma once

#include <weft/future.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <span>

#include "runtime/homes.hpp"
#include "runtime/queue.hpp"
#include "runtime/resident_state.hpp"

namespace weft::runtime {

/// Copies bytes from `offset` on into `into`, then calls `done`, or rejects `future`.
std::unique_ptr<QueueItem> read_item(std::shared_ptr<ResidentState>, std::uint64_t offset, std::span<std::byte> into,
                                     std::shared_ptr<detail::FutureBase> future, std::function<void()> done);
/// Replaces bytes from `offset` on.
std::unique_ptr<QueueItem> write_item(std::shared_ptr<ResidentState>, std::uint64_t offset,
                                      std::shared_ptr<HostBuffer> data,
                                      std::shared_ptr<detail::FutureState<void>> future);
std::unique_ptr<QueueItem> destroy_item(std::shared_ptr<ResidentState>,
                                        std::shared_ptr<detail::FutureState<void>> future);

}  // namespace weft::runtime
