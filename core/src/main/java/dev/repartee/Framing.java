package dev.repartee;

import java.util.List;

/**
 * How messages stand in a byte stream.
 *
 * <p>A framing is a value; {@link #open} gives the state of one connection. Both event loops and
 * blocking streams push bytes into it, so one implementation serves every stream transport.
 */
public enum Framing {
  /** One message a line (NDJSON 1.0): LF or CRLF, blank lines are skipped. */
  LINES("lines"),
  /** {@code Content-Length} headers, in bytes, as LSP and DAP use them. */
  CONTENT_LENGTH("content-length"),
  /** The length in bytes as four bytes, big-endian, before each message. */
  LENGTH_PREFIX("length-prefix"),
  /** JSON text sequences (RFC 7464): RS before, LF after each message. */
  JSON_SEQ("json-seq"),
  /** Objects and arrays one after another with nothing between them, or white space. */
  CONCATENATED("concatenated"),
  /** Whichever of the others the first bytes show; answers go out in kind. */
  AUTO("auto");

  private final String label;

  Framing(String label) {
    this.label = label;
  }

  /** The name in URIs: {@code #framing=content-length}. */
  public String label() {
    return label;
  }

  /**
   * The framing of that name.
   *
   * @throws IllegalArgumentException if there is none; the message lists those there are
   */
  public static Framing named(String label) {
    for (Framing framing : values()) {
      if (framing.label.equals(label)) {
        return framing;
      }
    }
    List<String> labels = java.util.Arrays.stream(values()).map(Framing::label).toList();
    throw new IllegalArgumentException(
        "unknown framing '" + label + "'; known are " + String.join(", ", labels));
  }

  /** The state of one connection under this framing. */
  public Frames open(Limits limits) {
    return switch (this) {
      case LINES -> new LineFrames(limits);
      case CONTENT_LENGTH -> new HeaderFrames(limits);
      case LENGTH_PREFIX -> new LengthPrefixFrames(limits);
      case JSON_SEQ -> new SequenceFrames(limits);
      case CONCATENATED -> new ConcatenatedFrames(limits);
      case AUTO -> new AutoFrames(limits);
    };
  }
}
