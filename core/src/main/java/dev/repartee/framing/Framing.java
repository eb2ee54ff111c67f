package dev.repartee.framing;

import dev.repartee.limits.Limits;
import java.util.Arrays;
import java.util.List;

/**
 * The format that separates messages in a byte stream.
 *
 * <p>{@link #open} returns the state of one connection. Event loops and blocking streams both push
 * bytes into it: one implementation serves every stream transport.
 */
public enum Framing {
  /** One message per line (NDJSON 1.0). A line ends in LF or CRLF; blank lines are skipped. */
  LINES("lines"),
  /** A {@code Content-Length} header, in bytes, before each message, as in LSP and DAP. */
  CONTENT_LENGTH("content-length"),
  /** The length of the message in bytes, as a big-endian 32-bit integer, before each message. */
  LENGTH_PREFIX("length-prefix"),
  /** JSON text sequences (RFC 7464): RS before and LF after each message. */
  JSON_SEQ("json-seq"),
  /** JSON values one after another, with or without white space between them. */
  CONCATENATED("concatenated"),
  /** The framing that the first bytes of the peer show; answers use the same framing. */
  AUTO("auto");

  private final String label;

  Framing(String label) {
    this.label = label;
  }

  /** Returns the name in URIs, as in {@code #framing=content-length}. */
  public String label() {
    return label;
  }

  /**
   * Returns the framing with that name.
   *
   * @throws IllegalArgumentException if the name is unknown; the message lists the known names
   */
  public static Framing named(String label) {
    for (Framing framing : values()) {
      if (framing.label.equals(label)) {
        return framing;
      }
    }
    List<String> labels = Arrays.stream(values()).map(Framing::label).toList();
    throw new IllegalArgumentException(
        "unknown framing '" + label + "'; known are " + String.join(", ", labels));
  }

  /** Returns the state of a new connection with this framing. */
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
