package dev.repartee.fuzz;

import static dev.repartee.fuzz.Check.check;
import static dev.repartee.fuzz.Check.same;

import dev.repartee.ProtocolException;
import dev.repartee.json.Json;
import dev.repartee.json.JsonException;
import dev.repartee.limits.Limits;
import dev.repartee.message.Id;
import dev.repartee.message.JsonRpc;
import dev.repartee.message.Message;
import dev.repartee.message.Notification;
import dev.repartee.message.ParsedFrame;
import dev.repartee.message.Request;
import dev.repartee.message.Response;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Checks that the codec accepts the texts that Jackson accepts, at any offset and after any other
 * message; that it finds the same messages in them; and that written messages are read back
 * unchanged.
 */
final class CodecTarget {
  /** Reused for all messages, as the decoder of a connection does. */
  private static final ParsedFrame REUSED = new ParsedFrame(Limits.DEFAULT, Set.of());

  private CodecTarget() {}

  static void run(byte[] input) {
    Tree tree = Tree.message(input, Limits.DEPTH);
    read(new ParsedFrame(Limits.DEFAULT, Set.of()), input, 0, input.length, tree);
    byte[] amid = amid(input);
    int from = (amid.length - input.length) / 2;
    for (int i = 0; i < 3; i++) {
      read(REUSED, amid, from, from + input.length, tree);
    }
    if (tree != null) {
      write(input);
    }
  }

  /**
   * Reads {@code b[from, to)} as messages and compares them with the tree.
   *
   * @param tree the text as parsed by Jackson, null if it is not JSON
   */
  static void read(ParsedFrame in, byte[] b, int from, int to, @Nullable Tree tree) {
    List<Message> messages;
    try {
      messages = JsonRpc.read(b, from, to, in);
    } catch (ProtocolException e) {
      check(
          tree != null
              && elements(tree)
                  .anyMatch(element -> Envelope.of(element).kind() == Envelope.Kind.RESPONSE
                      && !isResponse((Tree.Members) element)),
          "refused though every error object is valid: " + e.getMessage());
      return;
    } catch (JsonException e) {
      same("taken", tree != null, false);
      return;
    }
    same("taken", tree != null, true);
    same(
        "the messages", expected(tree), messages.stream().map(CodecTarget::seen).toList());
  }

  private static void write(byte[] input) {
    try {
      for (Message message : JsonRpc.read(input)) {
        same("a message written", List.of(message), JsonRpc.read(JsonRpc.write(message)));
      }
    } catch (ProtocolException e) {
      // Checked when it was read.
    }
  }

  /** Returns the input between quotes, which would change its meaning if the decoder read them. */
  private static byte[] amid(byte[] input) {
    byte[] all = new byte[input.length + 16];
    Arrays.fill(all, (byte) '"');
    System.arraycopy(input, 0, all, 8, input.length);
    return all;
  }

  /** The compared parts of a message: everything except the error of a response. */
  private record Seen(
      Envelope.Kind kind,
      Tree id,
      String method,
      @Nullable Tree params,
      @Nullable Tree result) {}

  private static Stream<Tree> elements(Tree tree) {
    boolean batch = tree instanceof Tree.Elements all && all.all().size() <= Limits.DEFAULT.batch();
    return batch ? ((Tree.Elements) tree).all().stream() : Stream.of(tree);
  }

  private static List<Seen> expected(Tree tree) {
    return elements(tree)
        .flatMap(element -> {
          Envelope envelope = Envelope.of(element);
          return switch (envelope.kind()) {
            case REQUEST, NOTIFICATION ->
              Stream.of(new Seen(
                  envelope.kind(),
                  envelope.id(),
                  envelope.method(),
                  envelope.params() == null ? null : envelope.params().distinct(),
                  null));
            case RESPONSE -> Stream.of(response((Tree.Members) element));
            default -> Stream.empty();
          };
        })
        .toList();
  }

  private static Seen response(Tree.Members object) {
    check(isResponse(object), "an invalid error object was accepted");
    List<Tree> result = object.named("result");
    return new Seen(
        Envelope.Kind.RESPONSE,
        object.named("id").get(0),
        "",
        null,
        result.isEmpty() ? null : result.get(0).distinct());
  }

  private static boolean isResponse(Tree.Members object) {
    return object.named("error").isEmpty() || isError(object.named("error").get(0));
  }

  /** Checks an error object (JSON-RPC 2.0 section 5.1). The last one of repeated members counts. */
  private static boolean isError(Tree tree) {
    if (!(tree.distinct() instanceof Tree.Members error)) {
      return false;
    }
    List<Tree> code = error.named("code");
    List<Tree> message = error.named("message");
    return code.size() == 1
        && Methods.integer(code.get(0), Integer.MIN_VALUE, Integer.MAX_VALUE) != null
        && message.size() == 1
        && message.get(0) instanceof Tree.Text;
  }

  private static Seen seen(Message message) {
    if (message instanceof Request request) {
      Tree params = tree(request.params());
      return new Seen(Envelope.Kind.REQUEST, tree(request.id()), request.method(), params, null);
    } else if (message instanceof Notification notification) {
      return new Seen(
          Envelope.Kind.NOTIFICATION,
          Tree.Literal.NULL,
          notification.method(),
          tree(notification.params()),
          null);
    }
    Response response = (Response) message;
    return new Seen(Envelope.Kind.RESPONSE, tree(response.id()), "", null, tree(response.result()));
  }

  private static Tree tree(Id id) {
    return Tree.of(id.json());
  }

  private static @Nullable Tree tree(@Nullable Json json) {
    return json == null ? null : Tree.of(json);
  }
}
