package dev.repartee.fuzz;

import dev.repartee.Framing;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** What is fuzzed. Each takes any bytes, and throws if something is wrong with what becomes of them. */
enum Target {
  JSON(Target.MESSAGES, JsonTarget::run),
  BINDING(Target.MESSAGES, BindingTarget::run),
  CODEC(Target.MESSAGES, CodecTarget::run),
  RESPONDER(Target.MESSAGES, ResponderTarget::run),
  PEER(Target.MESSAGES, PeerTarget::run),
  LINES(Framing.LINES),
  CONTENT_LENGTH(Framing.CONTENT_LENGTH),
  LENGTH_PREFIX(Framing.LENGTH_PREFIX),
  JSON_SEQ(Framing.JSON_SEQ),
  CONCATENATED(Framing.CONCATENATED),
  AUTO(Framing.AUTO),
  ENDPOINT("endpoints", EndpointTarget::run),
  SSE("events", SseTarget::run);

  /** The group of those that take a JSON text. */
  static final String MESSAGES = "messages";

  private final String group;
  private final Consumer<byte[]> body;
  private final @Nullable Framing framing;

  Target(String group, Consumer<byte[]> body) {
    this.group = group;
    this.body = body;
    this.framing = null;
  }

  Target(Framing framing) {
    this.group = "streams";
    this.body = input -> FramingTarget.run(framing, input);
    this.framing = framing;
  }

  void run(byte[] input) {
    body.accept(input);
  }

  /** The framing that finds messages in its input; null where that is one message, or none. */
  @Nullable Framing framing() {
    return framing;
  }

  /** Where its inputs are saved: those of its group, and its own. */
  List<String> folders() {
    return List.of(group, label());
  }

  /** As it is called on the command line. */
  String label() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  static Target named(String label) {
    return valueOf(label.toUpperCase(Locale.ROOT).replace('-', '_'));
  }

  @Override
  public String toString() {
    return label();
  }
}
