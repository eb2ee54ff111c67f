package dev.repartee.fuzz;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The strict classification of one element of a frame by JSON-RPC 2.0, read from a {@link Tree}.
 *
 * @param id the id that a response must have: null if the element has no usable id
 * @param method the method of a request or notification, otherwise empty
 * @param params the params of a request or notification, null if it has none
 */
record Envelope(Kind kind, Tree id, String method, @Nullable Tree params) {
  private static final List<String> NAMES =
      List.of("jsonrpc", "method", "params", "id", "result", "error");

  /** The kinds of elements. */
  enum Kind {
    REQUEST,
    NOTIFICATION,
    RESPONSE,
    /** An invalid response, which cannot complete a call. */
    FLAWED_RESPONSE,
    INVALID
  }

  static Envelope of(Tree element) {
    if (!(element instanceof Tree.Members object)) {
      return new Envelope(Kind.INVALID, Tree.Literal.NULL, "", null);
    }
    boolean distinct = NAMES.stream().allMatch(name -> object.named(name).size() <= 1);
    boolean versioned = object.named("jsonrpc").equals(List.of(new Tree.Text("2.0")));
    List<Tree> ids = object.named("id");
    boolean usable = ids.size() == 1 && isId(ids.get(0));
    boolean sound = distinct && versioned && (usable || ids.isEmpty());
    boolean result = !object.named("result").isEmpty();
    boolean error = !object.named("error").isEmpty();
    if ((result || error) && object.named("method").isEmpty()) {
      boolean whole = sound && usable && result != error;
      return new Envelope(
          whole ? Kind.RESPONSE : Kind.FLAWED_RESPONSE, Tree.Literal.NULL, "", null);
    }
    Tree id = usable ? ids.get(0) : Tree.Literal.NULL;
    List<Tree> params = object.named("params");
    if (!sound
        || result
        || error
        || object.named("method").isEmpty()
        || !(object.named("method").get(0) instanceof Tree.Text method)
        || !params.stream().allMatch(Envelope::isStructured)) {
      return new Envelope(Kind.INVALID, id, "", null);
    }
    return new Envelope(
        usable ? Kind.REQUEST : Kind.NOTIFICATION,
        id,
        method.text(),
        params.isEmpty() ? null : params.get(0));
  }

  private static boolean isId(Tree tree) {
    return tree instanceof Tree.Text || tree instanceof Tree.Number || tree == Tree.Literal.NULL;
  }

  private static boolean isStructured(Tree tree) {
    return tree instanceof Tree.Members || tree instanceof Tree.Elements;
  }
}
