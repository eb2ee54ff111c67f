package dev.repartee.fuzz;

import dev.repartee.framing.Framing;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The fuzz targets. Each accepts any bytes, and throws if an invariant does not hold for them. */
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
  SSE("events", SseTarget::run),
  OPENRPC("documents", OpenRpcTarget::run);

  /** The corpus folder of the targets that read JSON text. */
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

  /**
   * Returns the framing that splits the input into messages, or null if the input is not a stream
   * of frames.
   */
  @Nullable Framing framing() {
    return framing;
  }

  /** Returns the corpus folders of this target: the folder of its group, and its own. */
  List<String> folders() {
    return List.of(group, label());
  }

  /** Returns the name of this target on the command line. */
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
