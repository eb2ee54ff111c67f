package dev.repartee.generator;

import dev.repartee.generator.MetaModel.Message;
import dev.repartee.generator.MetaModel.Type;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Writes the interfaces of the messages: one for each message, and two with all messages of a side.
 */
final class HandlerWriter {
  private final Types types;
  private final Protocol protocol;

  HandlerWriter(Types types) {
    this.types = types;
    this.protocol = types.protocol();
  }

  /** Returns the source of the interface that serves one message. */
  String handler(Message message) {
    String body = Javadoc.comment(
            "",
            "Serves {@code " + message.method() + "}, " + kind(message) + " to " + receiver(message)
                + ".")
        + "public interface " + message.handler() + " {\n"
        + method(message, false)
        + "}\n";
    return protocol.file(Protocol.HANDLERS, body);
  }

  private String kind(Message message) {
    return message.result().isPresent() ? "a request" : protocol.notification();
  }

  private String receiver(Message message) {
    return switch (message.messageDirection()) {
      case "clientToServer" -> "the " + last(protocol.serverNoun());
      case "serverToClient" -> "the " + last(protocol.clientNoun());
      default -> "either side";
    };
  }

  /** Returns the source of an interface with all messages of a side. */
  String side(String name, boolean server, Collection<Message> messages) {
    String parents = messages.stream()
        .filter(each -> each.isFor(server))
        .map(Message::handler)
        .sorted()
        .collect(Collectors.joining(", "));
    String noun = noun(server);
    String body = Javadoc.comment(
            "",
            "All messages to a " + noun + ", for {@code peer.proxy("
                + name + ".class)}.\n\n"
                + "<p>The methods of a proxy wait for the answer, and return null for JSON null. A "
                + last(noun)
                + " does not implement this interface, but those of its methods, such as "
                + "{@link "
                + messages.stream()
                    .filter(each -> each.isFor(server) && each.result().isPresent())
                    .map(Message::handler)
                    .sorted()
                    .findFirst()
                    .orElseThrow()
                + "}.")
        + "public interface " + name + " extends " + parents + " {}\n";
    return protocol.file(Protocol.HANDLERS, body);
  }

  /** Returns the source of an interface with all messages of a side, answered by futures. */
  String asyncSide(String name, boolean server, Collection<Message> messages) {
    StringBuilder out = new StringBuilder(Javadoc.comment(
        "",
        "All messages to a " + noun(server) + ", for {@code peer.proxy(" + name + ".class)}.\n\n"
            + "<p>The methods of requests return at once. Cancelling a future sends "
            + "{@code " + protocol.cancel() + "}."));
    out.append("public interface ").append(name).append(" {\n");
    List<Message> own = messages.stream().filter(each -> each.isFor(server)).toList();
    own.forEach(each -> out.append(each == own.get(0) ? "" : "\n").append(method(each, true)));
    return protocol.file(Protocol.HANDLERS, out.append("}\n").toString());
  }

  private String noun(boolean server) {
    return server ? protocol.serverNoun() : protocol.clientNoun();
  }

  private static String last(String words) {
    return words.substring(words.lastIndexOf(' ') + 1);
  }

  private String method(Message message, boolean async) {
    StringBuilder out = new StringBuilder();
    out.append(Javadoc.comment(
        "  ", Javadoc.body(message.documentation(), "Handles {@code " + message.method() + "}.")));
    Optional<Type> params = message.params();
    out.append("  @Rpc(value = \"").append(message.method()).append('"');
    out.append(params.isPresent() ? ", paramsObject = true" : "");
    out.append(message.result().isPresent() ? "" : ", notification = true");
    out.append(
        !async && protocol.ordered().contains(message.method()) ? ", lane = Lane.ORDERED" : "");
    out.append(")\n  ");
    out.append(result(message, async)).append(' ').append(message.java()).append('(');
    params.ifPresent(
        type -> out.append(types.shape(type, "", Optional.empty()).java()).append(" params"));
    return out.append(");\n").toString();
  }

  private String result(Message message, boolean async) {
    if (message.result().isEmpty()) {
      return "void";
    }
    Type type = message.result().get();
    if (type.isNull()) {
      return async ? "CompletableFuture<@Nullable Void>" : "void";
    }
    Shape shape = types.shape(type, message.name() + "Result", message.documentation());
    boolean nullable = types.isNullable(type) && shape != Shape.Scalar.JSON;
    if (async) {
      return "CompletableFuture<" + (nullable ? "@Nullable " : "") + shape.boxed() + ">";
    }
    return nullable ? "@Nullable " + shape.boxed() : shape.java();
  }
}
