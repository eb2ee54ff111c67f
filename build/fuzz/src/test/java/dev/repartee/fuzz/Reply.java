package dev.repartee.fuzz;

import static dev.repartee.fuzz.Check.check;
import static dev.repartee.fuzz.Check.same;

import dev.repartee.limits.Limits;
import dev.repartee.message.RpcError;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The expected reply to a frame.
 *
 * @param all the responses, in the order of the requests
 * @param batch whether the responses are in an array
 * @param cancels whether the frame may cancel a call, perhaps a call in the frame itself
 */
record Reply(List<Owed> all, boolean batch, boolean cancels) {
  /** One expected response. */
  record Owed(Tree id, Methods.Outcome outcome) {
    static Owed error(Tree id, int code) {
      return new Owed(id, Methods.Outcome.error(code));
    }
  }

  /**
   * Returns the expected reply to a frame, or null if there must be none.
   *
   * @param tree the frame as parsed by Jackson, null if it is not JSON
   * @param calls whether the server also makes calls; then responses are allowed
   */
  static @Nullable Reply to(@Nullable Tree tree, Limits limits, boolean calls) {
    if (tree == null) {
      return error(RpcError.PARSE_ERROR);
    }
    if (!(tree instanceof Tree.Elements batch)) {
      List<Owed> owed = owed(tree, calls);
      return owed.isEmpty() ? null : new Reply(owed, false, false);
    }
    if (batch.all().isEmpty() || batch.all().size() > limits.batch()) {
      return error(RpcError.INVALID_REQUEST);
    }
    List<Owed> all = new ArrayList<>();
    batch.all().forEach(element -> all.addAll(owed(element, calls)));
    boolean cancels =
        batch.all().stream().anyMatch(e -> Envelope.of(e).method().equals("rpc.cancel"));
    return all.isEmpty() ? null : new Reply(all, true, cancels);
  }

  private static Reply error(int code) {
    return new Reply(List.of(Owed.error(Tree.Literal.NULL, code)), false, false);
  }

  private static List<Owed> owed(Tree element, boolean calls) {
    Envelope envelope = Envelope.of(element);
    return switch (envelope.kind()) {
      case NOTIFICATION -> List.of();
      case REQUEST ->
        List.of(new Owed(envelope.id(), Methods.outcome(envelope.method(), envelope.params())));
      case RESPONSE, FLAWED_RESPONSE ->
        calls ? List.of() : List.of(Owed.error(envelope.id(), RpcError.INVALID_REQUEST));
      case INVALID -> List.of(Owed.error(envelope.id(), RpcError.INVALID_REQUEST));
    };
  }

  /** Asserts that the bytes are this reply. */
  void expect(byte[] got) {
    Tree tree = Tree.parse(got, Limits.DEPTH + 1);
    check(tree != null, "the reply is no JSON");
    List<Tree> responses = List.of(tree);
    if (batch) {
      check(tree instanceof Tree.Elements, "the reply to a batch is " + tree);
      responses = ((Tree.Elements) tree).all();
    }
    same("the number of responses", all.size(), responses.size());
    for (int i = 0; i < all.size(); i++) {
      expect(all.get(i), responses.get(i));
    }
  }

  private void expect(Owed owed, Tree response) {
    check(response instanceof Tree.Members, "a response is " + response);
    Tree.Members members = (Tree.Members) response;
    boolean failed = members.names().contains("error");
    String outcome = failed ? "error" : "result";
    same("the members", List.of("jsonrpc", outcome, "id"), members.names());
    same("the version", List.of(new Tree.Text("2.0")), members.named("jsonrpc"));
    same("the id", List.of(owed.id()), members.named("id"));
    Tree value = members.named(outcome).get(0);
    Methods.Outcome got = failed ? Methods.Outcome.error(code(value)) : Methods.Outcome.of(value);
    boolean cancelled = cancels && got.equals(Methods.Outcome.error(RpcError.CANCELLED));
    if (!cancelled && !owed.outcome().equals(Methods.ANY)) {
      same("the outcome", owed.outcome(), got);
    }
  }

  /** Returns the code of an error, after checking the error object (JSON-RPC 2.0 section 5.1). */
  private static int code(Tree value) {
    check(value instanceof Tree.Members, "an error is " + value);
    Tree.Members error = (Tree.Members) value;
    check(
        Set.of("code", "message", "data").containsAll(error.names())
            && error.names().size() == Set.copyOf(error.names()).size(),
        "the error has the members " + error.names());
    check(error.named("message").get(0) instanceof Tree.Text, "the message of " + error);
    check(!value.toString().contains("secret"), "what a handler threw is told: " + error);
    return Integer.parseInt(((Tree.Number) error.named("code").get(0)).literal());
  }
}
