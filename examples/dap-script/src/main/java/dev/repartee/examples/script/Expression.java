package dev.repartee.examples.script;

import dev.repartee.examples.script.Script.Fault;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * An expression: numbers, texts in quotes, names, {@code + - * / < > ==} and parentheses. A value
 * is a {@link Long} or a {@link String}.
 */
interface Expression {
  /**
   * Returns the value.
   *
   * @param names returns the value of a variable, or throws {@link Fault}
   */
  Object value(Function<String, Object> names);

  /** Parses an expression; throws {@link Fault} if the text is none. */
  static Expression parse(String text) {
    List<Expression> all = parseAll(text);
    if (all.size() != 1) {
      throw new Fault("one expression is expected, not " + all.size());
    }
    return all.get(0);
  }

  /** Parses expressions with commas between them. */
  static List<Expression> parseAll(String text) {
    return new Parser(text).all();
  }

  /** Parses expressions by recursive descent. */
  final class Parser {
    private static final int MAX_DEPTH = 100;

    /** An operator needs the stack of the thread, as it calls its operands. */
    private static final int MAX_OPERATORS = 1_000;

    private final String text;
    private int at;
    private int depth;
    private int operators;

    Parser(String text) {
      this.text = text;
    }

    List<Expression> all() {
      List<Expression> all = new ArrayList<>();
      do {
        all.add(comparison());
      } while (take(","));
      if (at < text.length()) {
        throw new Fault("'" + text.substring(at) + "' is not expected");
      }
      return all;
    }

    private boolean take(String sign) {
      while (at < text.length() && text.charAt(at) == ' ') {
        at++;
      }
      if (text.startsWith(sign, at)) {
        at += sign.length();
        return true;
      }
      return false;
    }

    private Expression comparison() {
      if (++depth > MAX_DEPTH) {
        throw new Fault("the expression is nested too deeply");
      }
      Expression left = sum();
      if (take("==")) {
        Expression right = sum();
        left = join(left, right, (a, b) -> a.equals(b) ? 1L : 0L);
      } else if (take("<")) {
        left = numbers(left, sum(), (a, b) -> a < b ? 1 : 0);
      } else if (take(">")) {
        left = numbers(left, sum(), (a, b) -> a > b ? 1 : 0);
      }
      depth--;
      return left;
    }

    private Expression sum() {
      Expression left = product();
      while (true) {
        if (take("+")) {
          left = join(
              left,
              product(),
              (a, b) -> a instanceof Long x && b instanceof Long y ? (Object) (x + y) : "" + a + b);
        } else if (take("-")) {
          left = numbers(left, product(), (a, b) -> a - b);
        } else {
          return left;
        }
      }
    }

    private Expression product() {
      Expression left = atom();
      while (true) {
        if (take("*")) {
          left = numbers(left, atom(), (a, b) -> a * b);
        } else if (take("/")) {
          left = numbers(left, atom(), Parser::divided);
        } else {
          return left;
        }
      }
    }

    private static long divided(long a, long b) {
      if (b == 0) {
        throw new Fault("division by zero");
      }
      return a / b;
    }

    private Expression atom() {
      if (take("(")) {
        Expression inner = comparison();
        if (!take(")")) {
          throw new Fault("')' is missing");
        }
        return inner;
      } else if (take("\"")) {
        int end = text.indexOf('"', at);
        if (end < 0) {
          throw new Fault("the text has no end");
        }
        String value = text.substring(at, end);
        at = end + 1;
        return names -> value;
      }
      int from = at;
      while (at < text.length() && Character.isJavaIdentifierPart(text.charAt(at))) {
        at++;
      }
      String word = text.substring(from, at);
      if (word.matches("[0-9]{1,18}")) {
        Long value = Long.valueOf(word);
        return names -> value;
      }
      Script.requireName(word);
      return names -> names.apply(word);
    }

    private interface Operator {
      Object apply(Object a, Object b);
    }

    private interface Arithmetic {
      long apply(long a, long b);
    }

    private Expression join(Expression left, Expression right, Operator operator) {
      if (++operators > MAX_OPERATORS) {
        throw new Fault("the expression has more than " + MAX_OPERATORS + " operators");
      }
      return names -> operator.apply(left.value(names), right.value(names));
    }

    private Expression numbers(Expression left, Expression right, Arithmetic operator) {
      return join(left, right, (a, b) -> operator.apply(number(a), number(b)));
    }

    private static long number(Object value) {
      if (value instanceof Long number) {
        return number;
      }
      throw new Fault("'" + value + "' is no number");
    }
  }
}
