// Writes the body of a GRID as statements of WGSL: one `let` for each value that is not spelled in place, so that neither
// the text nor the compiler's expressions grow deep.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ir/schedule.hpp"
#include "kernel/lower.hpp"

namespace weft::webgpu {

class BodyWriter {
 public:
  /// `leave` is the statement that ends an iteration: "return;", or one that returns the folds.
  BodyWriter(const trace::Program&, std::string leave);

  /// Lets of the uniforms, variables of the iteration, and the statements. `number` is the expression (u32) of the
  /// iteration's number.
  std::string write(const std::string& number, int indent);

  /// The name of a LOCAL's variable.
  std::string local(ir::Node) const;

 private:
  /// A BLOCK being written: `close` is the line that ends it, `loop` says that it is the body of an inner loop. The
  /// blocks of one statement lie on the stack in reverse: an else branch opens where its then branch closes.
  struct Open {
    ir::Node block;
    const char* close;
    bool loop = false;
    std::size_t next = 0;
  };

  void declare(const std::string& number);
  void line(std::string_view);
  void open_block(std::string_view head, Open);
  void close_block(std::string_view tail);
  void statement(ir::Node);
  void value(ir::Node);
  void load(ir::Node);
  void store(ir::Node);
  std::string operand(ir::Node);
  std::string let(const std::string& text);
  std::string uniform(const trace::Uniform&) const;

  const trace::Program& program_;
  ir::Schedule schedule_;
  std::string leave_;
  std::unordered_map<ir::Node, std::string> names_;
  std::vector<Open> open_;
  std::string out_;
  std::size_t indent_ = 0;
  std::size_t next_value_ = 0;
};

}  // namespace weft::webgpu
