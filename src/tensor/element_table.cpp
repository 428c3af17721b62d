#include "tensor/element_table.hpp"

#include <algorithm>
#include <numeric>

#include <weft/mapping.hpp>

namespace weft::detail {

bool coordinates_of(const TensorIndex& index, const TensorAxes& axes, std::uint64_t* coordinates) {
  std::fill_n(coordinates, axes.size(), 0);
  if (index.overshoot()) return false;
  for (const IndexTerm& t : index)
    if (t.value && !t.composite) coordinates[axes.find(t.name)] += t.value;
  return true;
}

ElementTable::ElementTable(const Mapping& m, const TensorAxes& axes) : axes_(axes), coordinates_(axes.size() + 1) {
  std::uint64_t range = 0;
  for (std::size_t a = 0; a < axes.size(); ++a) {
    const std::uint64_t size = std::max<std::uint64_t>(axes[a].size, 1);
    if (first_axis_.empty() || range > max_mapping_size / size) first_axis_.push_back(a), range = 1;
    range *= size;
  }
  if (first_axis_.empty()) first_axis_.push_back(0), range = 1;
  dense_ = first_axis_.size() == 1 && range / 4 <= m.size() + 1024;
  if (dense_) position_.assign(range, none);
  m.for_each([&](std::uint64_t position, const Cell& cell) {
    if (cell.is_live() && coordinates_of(cell.index(), axes_, coordinates_.data())) add(position);
  });
  if (!dense_) sort();
}

std::uint64_t ElementTable::word(const std::uint64_t* coordinates, std::size_t w) const {
  const std::size_t end = w + 1 < first_axis_.size() ? first_axis_[w + 1] : axes_.size();
  std::uint64_t key = 0;
  for (std::size_t a = first_axis_[w]; a < end; ++a) key = key * axes_[a].size + coordinates[a];
  return key;
}

void ElementTable::add(std::uint64_t position) {
  if (!dense_) {
    for (std::size_t w = 0; w < first_axis_.size(); ++w) keys_.push_back(word(coordinates_.data(), w));
    position_.push_back(position);
    return;
  }
  std::uint64_t& at = position_[word(coordinates_.data(), 0)];
  if (at == none) at = position;
  else if (!duplicate_) duplicate_ = {at, position};
}

void ElementTable::sort() {
  const std::size_t words = first_axis_.size(), rows = position_.size();
  std::vector<std::size_t> order(rows);
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto compare = [&](std::size_t a, std::size_t b) {
    for (std::size_t w = 0; w < words; ++w)
      if (keys_[a * words + w] != keys_[b * words + w]) return keys_[a * words + w] < keys_[b * words + w];
    return a < b;  // rows are in the order of positions
  };
  std::sort(order.begin(), order.end(), compare);
  std::vector<std::uint64_t> keys, positions;
  keys.reserve(keys_.size()), positions.reserve(rows);
  for (std::size_t i = 0; i < rows; ++i) {
    const auto row = keys_.begin() + static_cast<std::ptrdiff_t>(order[i] * words);
    if (i && std::equal(keys.end() - static_cast<std::ptrdiff_t>(words), keys.end(), row)) {
      if (!duplicate_) duplicate_ = {positions.back(), position_[order[i]]};
      continue;
    }
    keys.insert(keys.end(), row, row + static_cast<std::ptrdiff_t>(words));
    positions.push_back(position_[order[i]]);
  }
  keys_ = std::move(keys), position_ = std::move(positions);
}

std::uint64_t ElementTable::find(const std::uint64_t* coordinates) const {
  if (dense_) return position_[word(coordinates, 0)];
  const std::size_t words = first_axis_.size();
  std::size_t low = 0, high = position_.size();
  while (low < high) {
    const std::size_t middle = (low + high) / 2;
    int order = 0;
    for (std::size_t w = 0; w < words && !order; ++w) {
      const std::uint64_t have = keys_[middle * words + w], want = word(coordinates, w);
      order = have < want ? -1 : have > want;
    }
    if (order == 0) return position_[middle];
    if (order < 0) low = middle + 1;
    else high = middle;
  }
  return none;
}

}  // namespace weft::detail
