// What the parser of mappings, map and the normal form must bear: any bytes are a mapping or a MappingError. A mapping
// prints and parses back to itself, and its normal form keeps the cells and itself.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include <weft/error.hpp>
#include <weft/mapping.hpp>

namespace weft {

inline void require_of_mapping(bool holds, const char* what, std::string_view text) {
  if (holds) return;
  std::fprintf(stderr, "%s:\n%.*s\n", what, static_cast<int>(text.size()), text.data());
  std::abort();
}

/// Returns when all is well; anything else is an exception of another kind, or the end of the process.
inline void try_mapping_input(std::string_view bytes) {
  static const Axes axes = weft::axes("A = 8, B = 6, C = 3, D = 16, Z = 0, W = 4294967296");
  static const MappingNames names = MappingNames()
                                        .add("L", Mapping::parse("A, B # 8", axes))
                                        .add("X", Mapping::parse("C # 4", axes))
                                        .add_constant("N", 4);
  try {
    weft::cell(bytes, axes, names);
  } catch (const MappingError&) {}
  Mapping m;
  try {
    m = Mapping::parse(bytes, axes, names);
  } catch (const MappingError& e) {
    require_of_mapping(e.place <= bytes.size() && !e.kind.empty(), "an error without kind or place", bytes);
    return;
  }
  require_of_mapping(Mapping::parse(to_string(m), axes) == m, "the text does not come back", bytes);
  const Mapping n = normalize(m);
  require_of_mapping(normalize(n) == n, "the normal form changes again", bytes);
  require_of_mapping(Mapping::parse(to_string(n), axes) == n, "the normal form does not come back", bytes);
  require_of_mapping(n.size() == m.size(), "the normal form has another size", bytes);
  const std::uint64_t size = m.size();
  for (std::uint64_t i = 0; i < size + 2 && i < 200; ++i)
    require_of_mapping(m.map(i) == n.map(i), "the normal form has another cell", bytes);
  for (std::uint64_t i = size; i > 0 && size - i < 20; --i)
    require_of_mapping(m.map(i - 1) == n.map(i - 1), "the normal form has another cell", bytes);
  if (size > 2000) return;
  std::uint64_t next = 0;
  m.for_each([&](std::uint64_t i, const Cell& c) {
    require_of_mapping(i == next++ && c == m.map(i), "visiting is not mapping", bytes);
  });
  lint(m);
  tile(m, m, 1, PaddingKind::Bottom);
  if (!find_collision(m)) inverse(m);
}

}  // namespace weft
