// The worked examples of tests/data/mapping, and what they are made of.
#pragma once

#include <nlohmann/json.hpp>

#include <fstream>
#include <string>
#include <vector>

#include <weft/mapping.hpp>

namespace weft {

inline std::vector<nlohmann::json> read_examples(const std::string& file) {
  std::ifstream in(std::string(WEFT_SOURCE_DIR "/tests/data/mapping/") + file);
  std::vector<nlohmann::json> examples;
  for (std::string line; std::getline(in, line);)
    if (!line.empty()) examples.push_back(nlohmann::json::parse(line));
  return examples;
}

inline Axes axes_of(const nlohmann::json& example) {
  Axes axes;
  for (const auto& [name, size] : example["axes"].items()) axes.add(name, size.get<std::uint64_t>());
  return axes;
}

inline MappingNames names_of(const nlohmann::json& example, const Axes& axes) {
  MappingNames names;
  if (example.contains("names"))
    for (const auto& [name, text] : example["names"].items())
      names.add(name, Mapping::parse(text.get<std::string>(), axes));
  if (example.contains("constants"))
    for (const auto& [name, value] : example["constants"].items()) names.add_constant(name, value.get<std::uint64_t>());
  return names;
}

}  // namespace weft
