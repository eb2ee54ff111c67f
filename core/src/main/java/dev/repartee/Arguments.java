package dev.repartee;

import dev.repartee.internal.Names;
import dev.repartee.json.JsonReader;
import dev.repartee.json.JsonScanner;
import dev.repartee.json.UnknownMembers;
import dev.repartee.message.ParsedFrame;
import java.util.Arrays;
import java.util.List;

/**
 * Finds the positions of a method's arguments in its params, by position or by name, without
 * reading the values.
 *
 * <p>Each argument gets a span of two numbers, its start and its end. An omitted argument has the
 * start {@link #ABSENT}. The span of a variadic parameter begins at the bracket or comma before the
 * first element and ends after the closing bracket. {@link JsonReader#rest} reads such a span like
 * an array.
 */
final class Arguments {
  static final int ABSENT = -1;

  private final Names names;
  private final Signature.Form form;
  private final boolean any;
  private final boolean named;
  private final int count;
  private final int fixed;
  private final int required;
  private final boolean[] optional;

  /**
   * @param any whether any params are accepted, since the method has no arguments and reads its
   *     call
   */
  Arguments(Signature signature, boolean any) {
    this.any = any;
    List<Signature.Argument> arguments = signature.arguments();
    this.names = new Names(arguments.stream().map(Signature.Argument::name).toList());
    this.form = signature.form();
    this.named = signature.named();
    this.count = arguments.size();
    this.fixed = count > 0 && arguments.get(count - 1).variadic() ? count - 1 : count;
    this.required =
        (int) arguments.stream().filter(Signature.Argument::required).count();
    this.optional = new boolean[count];
    for (int i = 0; i < count; i++) {
      optional[i] = !arguments.get(i).required();
    }
  }

  int count() {
    return count;
  }

  /**
   * Fills in the spans of the params {@code b[from, to)}, which may be empty.
   *
   * @param elements the number of positional arguments that are already in {@code spans}; {@link
   *     ParsedFrame#UNKNOWN} if the params have to be searched
   * @param unknown the treatment of unknown named params
   * @throws RpcException if arguments are missing, unknown, duplicate or too many
   */
  void split(byte[] b, int from, int to, int[] spans, int elements, UnknownMembers unknown) {
    if (form == Signature.Form.WHOLE) {
      whole(from, to, spans);
      return;
    } else if (any) {
      return;
    }
    if (elements >= 0 && elements <= fixed) {
      Arrays.fill(spans, 2 * elements, 2 * count, ABSENT);
      if (elements < required) {
        requireAll(spans);
      }
      return;
    }
    Arrays.fill(spans, 0, 2 * count, ABSENT);
    if (from == to) {
      requireAll(spans);
    } else if (b[from] == '[') {
      byPosition(b, from, to, spans);
    } else {
      byName(b, from, to, spans, unknown);
    }
  }

  /** Makes the params as a whole the only argument. */
  private static void whole(int from, int to, int[] spans) {
    spans[0] = from == to ? ABSENT : from;
    spans[1] = to;
  }

  private void byPosition(byte[] b, int from, int to, int[] spans) {
    int before = from;
    int i = JsonScanner.space(b, from + 1, to);
    int found = 0;
    while (b[i] != ']') {
      if (found == fixed) {
        rest(b, before, to, spans);
        break;
      }
      int end = JsonScanner.skip(b, i);
      spans[2 * found] = i;
      spans[2 * found + 1] = end;
      found++;
      before = JsonScanner.space(b, end, to);
      i = b[before] == ',' ? JsonScanner.space(b, before + 1, to) : before;
    }
    if (found < required) {
      requireAll(spans);
    }
  }

  private void rest(byte[] b, int before, int to, int[] spans) {
    if (fixed == count) {
      throw RpcException.invalidParams(
          expected() + " expected, got " + (count + elements(b, before, to)));
    }
    spans[2 * fixed] = before;
    spans[2 * fixed + 1] = to;
  }

  private static int elements(byte[] b, int before, int to) {
    JsonReader c = new JsonReader(b, before + 1, to);
    int elements = 0;
    while (c.more()) {
      c.skip();
      elements++;
    }
    return elements;
  }

  private String expected() {
    String most = count == 0 ? "no parameters" : count == 1 ? "1 parameter" : count + " parameters";
    return required == count ? most : required + " to " + most;
  }

  private void byName(byte[] b, int from, int to, int[] spans, UnknownMembers unknown) {
    if (form == Signature.Form.EITHER && !isOnlyArgument(b, from, to)) {
      whole(from, to, spans);
      return;
    }
    if (!named && count > 0) {
      throw RpcException.invalidParams("this method takes its params by position, in an array");
    }
    int guess = 0;
    int found = 0;
    int i = JsonScanner.space(b, from + 1, to);
    while (b[i] != '}') {
      int end = JsonScanner.skipString(b, i);
      int index = names.find(b, i + 1, end - 1, guess);
      if (index < 0 && unknown == UnknownMembers.REFUSE) {
        throw RpcException.invalidParams(names.unknown("parameter", b, i + 1, end - 1));
      }
      int start = JsonScanner.colon(b, end, to);
      end = JsonScanner.skip(b, start);
      if (index >= 0) {
        if (spans[2 * index] != ABSENT) {
          throw RpcException.invalidParams("parameter '" + names.at(index) + "' occurs twice");
        }
        spans[2 * index] = start;
        spans[2 * index + 1] = end;
        found += optional[index] ? 0 : 1;
        guess = index + 1;
      }
      i = JsonScanner.space(b, end, to);
      i = b[i] == ',' ? JsonScanner.space(b, i + 1, to) : i;
    }
    if (found < required) {
      requireAll(spans);
    }
  }

  /**
   * Returns whether an object has the argument by name and nothing else. An empty object leaves an
   * optional argument out; a required argument gets it as its value.
   */
  private boolean isOnlyArgument(byte[] b, int from, int to) {
    int i = JsonScanner.space(b, from + 1, to);
    if (b[i] == '}') {
      return optional[0];
    }
    int end = JsonScanner.skipString(b, i);
    if (!named || names.find(b, i + 1, end - 1, 0) < 0) {
      return false;
    }
    end = JsonScanner.skip(b, JsonScanner.colon(b, end, to));
    return b[JsonScanner.space(b, end, to)] == '}';
  }

  private void requireAll(int[] spans) {
    StringBuilder missing = new StringBuilder();
    for (int i = 0; i < count; i++) {
      if (spans[2 * i] == ABSENT && !optional[i]) {
        missing.append(missing.isEmpty() ? "missing: " : ", ").append(names.at(i));
      }
    }
    if (!missing.isEmpty()) {
      throw RpcException.invalidParams(missing.toString());
    }
  }
}
