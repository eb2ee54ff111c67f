package dev.repartee.fuzz;

import dev.repartee.Lane;
import dev.repartee.Rpc;
import dev.repartee.Service;
import dev.repartee.json.Json;
import dev.repartee.message.RpcError;
import java.math.BigDecimal;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The served methods, and for each of them the expected outcome of a call, computed from the tree
 * of its params.
 */
public final class Methods {
  private static final Outcome BAD_PARAMS = Outcome.error(RpcError.INVALID_PARAMS);
  static final Outcome ANY = new Outcome(null, null);

  private Methods() {}

  static Service service() {
    return Service.of(new Methods());
  }

  /**
   * The expected outcome of a call: an error with this code, or this result. If both are null, any
   * outcome is right.
   */
  record Outcome(@Nullable Integer code, @Nullable Tree result) {
    static Outcome error(int code) {
      return new Outcome(code, null);
    }

    static Outcome of(Tree result) {
      return new Outcome(null, result);
    }

    static Outcome of(long result) {
      return of(new Tree.Number(Long.toString(result)));
    }
  }

  static Outcome outcome(String method, @Nullable Tree params) {
    return switch (method) {
      case "subtract" -> subtract(arguments(params, "minuend", "subtrahend"));
      case "sum" -> sum(params);
      case "echo" -> {
        List<Tree> arguments = arguments(params, "value");
        yield arguments == null ? BAD_PARAMS : Outcome.of(arguments.get(0));
      }
      case "get_data" ->
        arguments(params) == null
            ? BAD_PARAMS
            : Outcome.of(new Tree.Elements(List.of(new Tree.Text("hello"), new Tree.Number("5"))));
      case "update" ->
        arguments(params, "text") == null
            ? BAD_PARAMS
            : update(arguments(params, "text").get(0));
      case "fail" ->
        arguments(params) == null ? BAD_PARAMS : Outcome.error(RpcError.INTERNAL_ERROR);
      case "rpc.ping", "rpc.status", "rpc.discover", "rpc.cancel", "rpc.progress" -> ANY;
      default -> Outcome.error(RpcError.METHOD_NOT_FOUND);
    };
  }

  /** Returns the arguments by position, or null if the params are not exactly the named ones. */
  private static @Nullable List<Tree> arguments(@Nullable Tree params, String... names) {
    if (params == null) {
      return names.length == 0 ? List.of() : null;
    } else if (params instanceof Tree.Elements elements) {
      return elements.all().size() == names.length ? elements.all() : null;
    }
    Tree.Members members = (Tree.Members) params;
    return members.all().size() == names.length && members.names().containsAll(List.of(names))
        ? Arrays.stream(names).map(name -> members.named(name).get(0)).toList()
        : null;
  }

  /**
   * Returns the integer value of a number in any form, or null if it is not an integer in the
   * range.
   */
  static @Nullable Long integer(Tree tree, long min, long max) {
    if (!(tree instanceof Tree.Number number) || !number.isBounded()) {
      return null;
    }
    BigDecimal value = number.value();
    return value.stripTrailingZeros().scale() <= 0
            && value.compareTo(BigDecimal.valueOf(min)) >= 0
            && value.compareTo(BigDecimal.valueOf(max)) <= 0
        ? (Long) value.longValueExact()
        : null;
  }

  /** Runs on the reading thread. */
  @Rpc(lane = Lane.INLINE)
  public int subtract(int minuend, int subtrahend) {
    return minuend - subtrahend;
  }

  private static Outcome subtract(@Nullable List<Tree> arguments) {
    if (arguments == null) {
      return BAD_PARAMS;
    }
    Long minuend = integer(arguments.get(0), Integer.MIN_VALUE, Integer.MAX_VALUE);
    Long subtrahend = integer(arguments.get(1), Integer.MIN_VALUE, Integer.MAX_VALUE);
    return minuend == null || subtrahend == null
        ? BAD_PARAMS
        : Outcome.of((int) (minuend - subtrahend));
  }

  /** Takes any number of arguments. */
  @Rpc(lane = Lane.INLINE)
  public long sum(long... values) {
    return Arrays.stream(values).sum();
  }

  private static Outcome sum(@Nullable Tree params) {
    List<Tree> values = params instanceof Tree.Elements elements ? elements.all() : List.of();
    if (params instanceof Tree.Members members && !members.all().isEmpty()) {
      List<Tree> named = arguments(params, "values");
      if (named == null || !(named.get(0) instanceof Tree.Elements elements)) {
        return BAD_PARAMS;
      }
      values = elements.all();
    }
    long sum = 0;
    for (Tree value : values) {
      Long number = integer(value, Long.MIN_VALUE, Long.MAX_VALUE);
      if (number == null) {
        return BAD_PARAMS;
      }
      sum += number;
    }
    return Outcome.of(sum);
  }

  /** Returns the bytes of its argument. */
  @Rpc(lane = Lane.INLINE)
  public Json echo(Json value) {
    return value;
  }

  /** Runs on a separate thread, since it may block. */
  @Rpc("get_data")
  public List<Object> data() {
    return List.of("hello", 5);
  }

  /** Waits for earlier notifications. */
  @Rpc
  public @Nullable String update(@Nullable String text) {
    return text;
  }

  private static Outcome update(Tree text) {
    return text instanceof Tree.Text || text == Tree.Literal.NULL ? Outcome.of(text) : BAD_PARAMS;
  }

  /** Throws an exception with a message that must not reach the peer. */
  @Rpc(lane = Lane.INLINE)
  public void fail() {
    throw new IllegalStateException("secret");
  }
}
