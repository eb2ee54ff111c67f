package dev.repartee.examples.script;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * A parsed script, with one statement on each line:
 *
 * <pre>
 * # a comment
 * name = expression
 * print expression
 * while expression ... end
 * sub name parameter ... end
 * call name argument, argument
 * </pre>
 */
final class Script {
  private static final int MAX_LINES = 100_000;

  /** The kinds of lines. */
  enum Kind {
    NOTHING,
    ASSIGN,
    PRINT,
    WHILE,
    SUB,
    CALL,
    END
  }

  /** A script that cannot be parsed, or a step that cannot be done. */
  static final class Fault extends RuntimeException {
    private static final long serialVersionUID = 1;

    Fault(String message) {
      super(message);
    }
  }

  /**
   * A line.
   *
   * @param name the variable or the subroutine
   * @param names the parameters of a subroutine
   * @param values the value, the condition, or the arguments
   */
  record Line(Kind kind, String name, List<String> names, List<Expression> values) {}

  private final List<Line> lines = new ArrayList<>();

  /** The index of the other end of a block by the index of one end. */
  private final Map<Integer, Integer> partners = new HashMap<>();

  private final Map<String, Integer> subs = new HashMap<>();

  /**
   * Parses a text.
   *
   * @throws Fault if a line is not a statement; the message has its number
   */
  static Script parse(String text) {
    Script script = new Script();
    Deque<Integer> open = new ArrayDeque<>();
    List<String> all = text.lines().toList();
    if (all.size() > MAX_LINES) {
      throw new Fault("a script has at most " + MAX_LINES + " lines, not " + all.size());
    }
    for (int i = 0; i < all.size(); i++) {
      try {
        script.add(i, all.get(i).strip(), open);
      } catch (Fault e) {
        throw new Fault("line " + (i + 1) + ": " + e.getMessage());
      }
    }
    if (!open.isEmpty()) {
      throw new Fault("line " + (open.peek() + 1) + ": this block has no end");
    }
    return script;
  }

  private void add(int index, String text, Deque<Integer> open) {
    Line line = line(text);
    lines.add(line);
    switch (line.kind()) {
      case SUB -> {
        if (subs.put(line.name(), index) != null) {
          throw new Fault("there are two subroutines '" + line.name() + "'");
        }
        open.push(index);
      }
      case WHILE -> open.push(index);
      case END -> {
        if (open.isEmpty()) {
          throw new Fault("there is no block to end");
        }
        int begin = open.pop();
        partners.put(begin, index);
        partners.put(index, begin);
      }
      default -> {
        // no block
      }
    }
  }

  private static Line line(String text) {
    int space = text.indexOf(' ');
    String word = space < 0 ? text : text.substring(0, space);
    String rest = space < 0 ? "" : text.substring(space).strip();
    if (text.isEmpty() || text.startsWith("#")) {
      return new Line(Kind.NOTHING, "", List.of(), List.of());
    }
    return switch (word) {
      case "print" -> new Line(Kind.PRINT, "", List.of(), List.of(Expression.parse(rest)));
      case "while" -> new Line(Kind.WHILE, "", List.of(), List.of(Expression.parse(rest)));
      case "end" -> new Line(Kind.END, "", List.of(), List.of());
      case "sub" -> {
        List<String> names = List.of(rest.split("\\s+"));
        names.forEach(Script::requireName);
        yield new Line(Kind.SUB, names.get(0), names.subList(1, names.size()), List.of());
      }
      case "call" -> {
        int end = rest.indexOf(' ');
        String name = end < 0 ? rest : rest.substring(0, end);
        requireName(name);
        List<Expression> values =
            end < 0 ? List.of() : Expression.parseAll(rest.substring(end).strip());
        yield new Line(Kind.CALL, name, List.of(), values);
      }
      default -> {
        int equals = text.indexOf('=');
        if (equals < 0) {
          throw new Fault("'" + word + "' is no statement");
        }
        String name = text.substring(0, equals).strip();
        requireName(name);
        yield new Line(
            Kind.ASSIGN, name, List.of(), List.of(Expression.parse(text.substring(equals + 1))));
      }
    };
  }

  static void requireName(String text) {
    if (!text.matches("[A-Za-z_][A-Za-z_0-9]*")) {
      throw new Fault("'" + text + "' is no name");
    }
  }

  int size() {
    return lines.size();
  }

  /** Returns the line at an index, from 0 on. */
  Line line(int index) {
    return lines.get(index);
  }

  /** Returns the index of the other end of the block that begins or ends at an index. */
  int partner(int index) {
    return Objects.requireNonNull(partners.get(index), "no block begins or ends there");
  }

  /**
   * Returns the index at which a subroutine begins.
   *
   * @throws Fault if there is none of that name
   */
  int sub(String name) {
    Integer index = subs.get(name);
    if (index == null) {
      throw new Fault("there is no subroutine '" + name + "'");
    }
    return index;
  }

  /** Returns the first index from {@code index} on at which the script can stop; -1 if none. */
  int stoppable(int index) {
    for (int i = Math.max(0, index); i < size(); i++) {
      if (line(i).kind() != Kind.NOTHING && line(i).kind() != Kind.SUB) {
        return i;
      }
    }
    return -1;
  }
}
