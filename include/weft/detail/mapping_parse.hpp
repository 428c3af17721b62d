// The parser of the notation (MAP-SYN-02 to -05), for both paths: constant evaluation runs it for WEFT_M, Mapping::parse at
// run time. It keeps its own stack, so that a deep expression meets a limit and not the end of the compiler's or the
// thread's. What names mean is asked of a scope:
//   bool axis(Name, std::uint64_t& size), const Mapping* mapping(Name), bool constant(Name, std::uint64_t& value)
#pragma once

#include <weft/detail/mapping_value.hpp>

namespace weft::detail {

struct ParsedMapping {
  Mapping mapping{Mapping::Empty{}};
  MappingFault fault{};
};

constexpr bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
constexpr bool is_name_char(char c) { return is_letter(c) || is_digit(c) || c == '_'; }

/// Walks over a text, token by token; the first fault stays.
class MappingScanner {
 public:
  constexpr explicit MappingScanner(std::string_view text) : text_(text) {}

  constexpr char peek() {
    while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  constexpr bool at_end() { return peek(), at_ == text_.size(); }
  constexpr bool take(char c) {
    if (at_end() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  constexpr bool need(char c, std::string_view what) { return take(c) || expected(what); }
  constexpr std::size_t at() const { return at_; }
  constexpr void go_back(std::size_t at) { at_ = at; }

  constexpr bool name(Name& n) {
    const std::size_t start = at_;
    while (at_ < text_.size() && is_name_char(text_[at_])) ++at_;
    const std::string_view word = text_.substr(start, at_ - start);
    if (word.size() > max_axis_name)
      return fail({MappingErrorKind::name_too_long, 0,
                   Sentence("the name has ")
                       << word.size() << " characters; at most " << max_axis_name << " (max_axis_name) are taken"},
                  start);
    n = Name(word);
    return true;
  }
  constexpr bool integer(std::uint64_t& n) {
    const std::size_t start = at_;
    n = 0;
    for (; at_ < text_.size() && is_digit(text_[at_]); ++at_) {
      const std::uint64_t digit = static_cast<std::uint64_t>(text_[at_] - '0');
      if (n > (max_mapping_size - digit) / 10) {
        Sentence s("the number ");
        std::size_t end = at_;
        while (end < text_.size() && is_digit(text_[end])) ++end;
        return fail({MappingErrorKind::size_overflow, 0,
                     s << text_.substr(start, end - start < 40 ? end - start : 40) << " is past 2^63 - 1"},
                    start);
      }
      n = n * 10 + digit;
    }
    return true;
  }
  /// Just after a '{': the place after its '}', if it has one.
  constexpr bool skip_braces() {
    for (std::size_t open = 1; at_ < text_.size(); ++at_) {
      if (text_[at_] == '{') ++open;
      if (text_[at_] == '}' && --open == 0) return ++at_, true;
    }
    return false;
  }

  constexpr bool fail(MappingFault f, std::size_t place) {
    if (!fault_) fault_ = f, fault_.place = static_cast<std::uint32_t>(place);
    return false;
  }
  constexpr bool fail(MappingFault f) { return fail(f, at_); }
  constexpr bool expected(std::string_view what) {
    Sentence s("expected ");
    s << what << ", found ";
    if (at_end()) return fail({MappingErrorKind::syntax, 0, s << "the end"});
    std::size_t end = at_ + 1;
    while (end < text_.size() && end - at_ < 40 && is_name_char(text_[at_]) && is_name_char(text_[end])) ++end;
    if (text_[at_] < ' ' || text_[at_] > '~') s << "a character that the notation has not";
    else s << "`" << text_.substr(at_, end - at_) << "`";
    return fail({MappingErrorKind::syntax, 0, s});
  }
  constexpr const MappingFault& fault() const { return fault_; }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
  MappingFault fault_{};
};

/// A constant expression in braces, from after its '{' to after its '}': integers and named constants under + - * / % and
/// parentheses. Two stacks, of values and of operators that wait for their right side.
template <class Scope> class ConstantParser {
 public:
  constexpr ConstantParser(MappingScanner& scan, const Scope& scope) : scan_(scan), scope_(scope) {}

  constexpr bool parse(std::uint64_t& result) {
    const std::size_t start = scan_.at();
    for (;;) {
      while (scan_.peek() == '(')
        if (!push('(')) return false;
        else scan_.take('(');
      if (!operand()) return false;
      while (scan_.peek() == ')') {
        if (!reduce(0)) return false;
        if (!operators_) return scan_.expected("`}`");
        --operators_, scan_.take(')');
      }
      const char op = scan_.peek();
      if (op == '}') break;
      if (!rank(op)) return scan_.expected("`}` or an operator of a constant expression");
      if (!reduce(rank(op)) || !push(op)) return false;
      scan_.take(op);
    }
    if (!reduce(0)) return false;
    if (operators_) return scan_.expected("`)`");
    scan_.take('}');
    if (values_[0] < 0)
      return scan_.fail(
          {MappingErrorKind::escape_not_a_constant, 0, "the constant expression is negative; a factor is a count"},
          start);
    result = static_cast<std::uint64_t>(values_[0]);
    return true;
  }

 private:
  static constexpr int rank(char op) {
    return op == '+' || op == '-' ? 1 : op == '*' || op == '/' || op == '%' ? 2 : 0;
  }

  constexpr bool push(char op) {
    if (operators_ == max_mapping_brackets) return too_deep();
    operator_[operators_++] = op;
    return true;
  }
  constexpr bool too_deep() {
    return scan_.fail(
        {MappingErrorKind::too_many_nodes, 0,
         Sentence("a constant expression is nested past ") << max_mapping_brackets << " (max_mapping_brackets)"});
  }
  constexpr bool operand() {
    std::uint64_t n = 0;
    const std::size_t start = (scan_.peek(), scan_.at());
    if (is_digit(scan_.peek())) {
      if (!scan_.integer(n)) return false;
    } else if (is_letter(scan_.peek())) {
      Name name;
      if (!scan_.name(name)) return false;
      if (!scope_.constant(name, n))
        return scan_.fail(
            {MappingErrorKind::escape_not_a_constant, 0, Sentence() << name << " is no named constant here"}, start);
      if (n > max_mapping_size) return scan_.fail(too_large(n), start);
    } else {
      return scan_.expected("an integer or a named constant");
    }
    if (values_count_ == max_mapping_brackets + 1) return too_deep();
    values_[values_count_++] = static_cast<std::int64_t>(n);
    return true;
  }
  /// Applies the waiting operators of at least this rank, back to an open parenthesis.
  constexpr bool reduce(int least) {
    while (operators_ && operator_[operators_ - 1] != '(' && rank(operator_[operators_ - 1]) >= least) {
      const char op = operator_[--operators_];
      const std::int64_t b = values_[--values_count_];
      std::int64_t& a = values_[values_count_ - 1];
      if ((op == '/' || op == '%') && b == 0)
        return scan_.fail({MappingErrorKind::escape_not_a_constant, 0,
                           Sentence("the constant expression divides ")
                               << (a < 0 ? "-" : "") << static_cast<std::uint64_t>(a < 0 ? -a : a) << " by 0"});
      const bool overflow = op == '+'   ? __builtin_add_overflow(a, b, &a)
                            : op == '-' ? __builtin_sub_overflow(a, b, &a)
                            : op == '*' ? __builtin_mul_overflow(a, b, &a)
                                        : false;
      if (overflow || a < -static_cast<std::int64_t>(max_mapping_size))
        return scan_.fail({MappingErrorKind::size_overflow, 0, "the constant expression passes 2^63 - 1"});
      if (op == '/') a /= b;
      if (op == '%') a %= b;
    }
    return true;
  }

  MappingScanner& scan_;
  const Scope& scope_;
  std::int64_t values_[max_mapping_brackets + 1];
  char operator_[max_mapping_brackets];
  std::size_t values_count_ = 0, operators_ = 0;
};

template <class Scope> class MappingParser {
 public:
  constexpr MappingParser(std::string_view text, const Scope& scope, Mapping& to)
      : scan_(text), scope_(scope), m_(to) {}

  constexpr MappingFault parse() {
    run();
    return scan_.fault();
  }

 private:
  // What an open bracket is to become: an atom, the m![...] of an escape, or the factor of an operator.
  struct Frame {
    char close;  // 0: the end of the text
    MappingOp factor_of;
    PaddingKind kind;
    bool escape;
    std::uint16_t first_operand, nodes_before;
    std::uint32_t place;  // of the operator that waits for its factor
  };
  static constexpr Frame frame(char close) { return {close, MappingOp::none, PaddingKind::Top, false, 0, 0, 0}; }

  constexpr bool run() {
    if (!open(frame(0))) return false;
    for (;;) {
      // An atom, or the close after a trailing comma.
      bool closes = false;
      for (;;) {
        const char c = scan_.peek();
        const Frame& top = frames_[frame_count_ - 1];
        if (operand_count_ > top.first_operand && (top.close ? c == top.close : scan_.at_end())) {
          closes = true;
          break;
        }
        if (c != '(' && c != '[') break;
        const Frame f = frame(c == '(' ? ')' : ']');
        if (!open(f)) return false;
        scan_.take(c);
      }
      if (!closes) {
        const char c = scan_.peek();
        if (c == '{') {
          bool opened = false;
          if (!escape(opened)) return false;
          if (opened) continue;  // with the atom inside m![
        } else if (is_digit(c)) {
          std::uint64_t n = 0;
          const std::size_t start = scan_.at();
          if (!scan_.integer(n) || !step(m_.append_leaf(MappingOp::broadcast, n, {}), start)) return false;
        } else if (is_letter(c)) {
          Axis a;
          const std::size_t start = scan_.at();
          if (!axis(a) || !step(m_.append_leaf(MappingOp::axis, a.size, a.name), start)) return false;
        } else {
          return scan_.expected(
              operand_count_ == frames_[frame_count_ - 1].first_operand ? "a mapping" : "a mapping after the comma");
        }
      }
      // Operators, and closes with the operators after them, until a comma asks for the next atom.
      for (bool after_comma = closes;; after_comma = false) {
        const char c = scan_.peek();
        const Frame& top = frames_[frame_count_ - 1];
        if (top.close ? c == top.close && !scan_.at_end() : scan_.at_end()) {
          if (!after_comma) operands_[operand_count_++] = m_.count;
          if (!close()) return false;
          if (frame_count_ == 0) return true;
        } else if (c == ',') {
          operands_[operand_count_++] = m_.count;
          scan_.take(',');
          break;
        } else if (c == '/' || c == '%' || c == '#' || c == '=') {
          bool opened = false;
          if (!operation(c, opened)) return false;
          if (opened) break;
        } else {
          return scan_.expected(top.close == ')'   ? "an operator, a comma or `)`"
                                : top.close == ']' ? "an operator, a comma or `]`"
                                                   : "an operator or a comma");
        }
      }
    }
  }

  constexpr bool step(const SizeFault& fault, std::size_t place) { return !fault || scan_.fail(fault, place); }

  constexpr bool open(Frame f) {
    if (frame_count_ == max_mapping_brackets)
      return scan_.fail({MappingErrorKind::too_many_nodes, 0,
                         Sentence("brackets are nested past ") << max_mapping_brackets << " (max_mapping_brackets)"});
    f.first_operand = static_cast<std::uint16_t>(operand_count_);
    f.nodes_before = m_.count;
    frames_[frame_count_++] = f;
    return true;
  }

  // The operands of the top frame become one mapping, right-associatively, and what the frame is for happens.
  constexpr bool close() {
    const Frame f = frames_[--frame_count_];
    const std::size_t place = scan_.at();
    while (operand_count_ - f.first_operand > 1) {
      --operand_count_;
      if (!step(m_.append_pair(operands_[operand_count_ - 1]), place)) return false;
    }
    --operand_count_;
    if (f.close) scan_.take(f.close);
    if (f.escape) return scan_.need('}', "`}` after m![...]");
    if (f.factor_of == MappingOp::none) return true;
    const MappingOp op = m_.node(m_.count).op;
    if (op != MappingOp::axis && op != MappingOp::broadcast && op != MappingOp::stride)
      return scan_.fail({MappingErrorKind::factor_not_count, 0,
                         "the factor is no count: brackets take an axis, an integer or a stride"},
                        place);
    const std::uint64_t n = m_.size();
    m_.truncate(f.nodes_before);
    return step(m_.append_unary(f.factor_of, n, f.kind), f.place);
  }

  constexpr bool axis(Axis& a) {
    const std::size_t start = scan_.at();
    if (!scan_.name(a.name)) return false;
    if (scope_.axis(a.name, a.size)) return true;
    return scan_.fail({MappingErrorKind::unknown_axis, 0, Sentence() << a.name << " is no axis here"}, start);
  }

  // { L } or { m![ list ] }; of the second only the beginning: `opened`.
  constexpr bool escape(bool& opened) {
    const std::size_t start = scan_.at();
    scan_.take('{');
    if (scan_.peek() == '}') return scan_.expected("the name of a mapping");
    const std::size_t inside = scan_.at();
    if (is_letter(scan_.peek())) {
      Name name;
      if (!scan_.name(name)) return false;
      if (name == Name("m") && scan_.take('!')) {
        if (scan_.peek() != '[') return scan_.expected("`[` after m!");
        Frame f = frame(']');
        f.escape = true;
        opened = true;
        if (!open(f)) return false;
        return scan_.take('[');
      }
      if (scan_.peek() == '}') {
        const Mapping* found = scope_.mapping(name);
        if (!found)
          return scan_.fail(
              {MappingErrorKind::escape_not_a_mapping, 0, Sentence() << name << " is no name of a mapping here"},
              inside);
        scan_.take('}');
        return step(m_.append(*found), start);
      }
    }
    if (scan_.skip_braces())
      return scan_.fail({MappingErrorKind::escape_not_a_mapping, 0,
                         "what the braces hold is neither the name of a mapping nor m![...]"},
                        inside);
    return scan_.expected("`}`");
  }

  // One of / % = # with its factor; a factor in brackets is only `opened`.
  constexpr bool operation(char c, bool& opened) {
    Frame f = frame(0);
    f.place = static_cast<std::uint32_t>(scan_.at());
    f.factor_of = c == '/'   ? MappingOp::stride
                  : c == '%' ? MappingOp::modulo
                  : c == '=' ? MappingOp::resize
                             : MappingOp::pad;
    scan_.take(c);
    if (c == '#') padding_kind(f.kind);
    std::uint64_t n = 0;
    const char first = scan_.peek();
    if (is_digit(first)) {
      if (!scan_.integer(n)) return false;
    } else if (is_letter(first)) {
      Axis a;
      if (!axis(a)) return false;
      n = a.size;
    } else if (first == '{') {
      scan_.take('{');
      if (!ConstantParser<Scope>(scan_, scope_).parse(n)) return false;
    } else if (first == '(' || first == '[') {
      f.close = first == '(' ? ')' : ']';
      opened = true;
      return open(f) && scan_.take(first);
    } else {
      return scan_.expected("a factor");
    }
    return step(m_.append_unary(f.factor_of, n, f.kind), f.place);
  }

  // {*}, {0} or {!} after '#', if that is what stands there.
  constexpr void padding_kind(PaddingKind& kind) {
    const std::size_t start = scan_.at();
    if (scan_.take('{')) {
      const char c = scan_.peek();
      if ((c == '*' || c == '0' || c == '!') && scan_.take(c) && scan_.take('}')) {
        kind = c == '*' ? PaddingKind::Top : c == '0' ? PaddingKind::Zero : PaddingKind::Bottom;
        return;
      }
    }
    scan_.go_back(start);
  }

  MappingScanner scan_;
  const Scope& scope_;
  Mapping& m_;
  Frame frames_[max_mapping_brackets];
  std::uint16_t operands_[max_mapping_nodes + 1];
  std::size_t frame_count_ = 0, operand_count_ = 0;
};

template <class Scope> constexpr ParsedMapping parse_mapping(std::string_view text, const Scope& scope) {
  ParsedMapping result;
  result.fault = MappingParser<Scope>(text, scope, result.mapping).parse();
  return result;
}

}  // namespace weft::detail
