package dev.repartee.cli.terminal;

import dev.repartee.framing.Envelope;
import dev.repartee.framing.Framing;
import dev.repartee.transport.Endpoint;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Suggests another framing if the peer seems to use it. On a byte stream, a peer with another
 * framing looks like a peer that is slow or breaks the protocol.
 */
final class FramingHint {
  private static final Pattern EXCERPT = Pattern.compile("(?:near|found|JSON:) '(.*)");

  private FramingHint() {}

  /** Returns whether the messages at a URI are framed in a byte stream. */
  static boolean applies(String uri) {
    return uri.matches("(?i)(tcp|tls|unix|exec|pipe|ssh|stdio):.*");
  }

  /** Returns the name of the protocol that the peer at a URI should speak, for sentences. */
  static String protocol(String uri) {
    Envelope envelope = Endpoint.parse(uri).envelope();
    return envelope == null ? "JSON-RPC 2.0" : "the envelope '" + envelope.name() + "'";
  }

  /**
   * Returns the framing that the input matches, or null if only the current framing matches.
   *
   * @param reason the reason for which the input was refused, with an excerpt of the input in
   *     quotes
   */
  static @Nullable Framing fitting(String uri, String reason) {
    Framing own = own(uri);
    Matcher excerpt = EXCERPT.matcher(reason);
    String input = excerpt.find() ? excerpt.group(1).toLowerCase(Locale.ROOT) : "";
    Framing fitting = null;
    if (input.startsWith("content-length:") || input.startsWith("content-type:")) {
      fitting = Framing.CONTENT_LENGTH;
    } else if (input.matches("\\?[{\\[].*")) {
      fitting = Framing.JSON_SEQ; // an excerpt shows its first byte, RS, as a question mark
    } else if (input.matches("\\?\\?.?.?[{\\[].*")) {
      fitting = Framing.LENGTH_PREFIX;
    } else if (own == Framing.LINES) {
      // According to core, the line only begins a value: the message continues in the next line.
      boolean begun = input.matches("[{\\[]'") || reason.contains("#framing=concatenated");
      fitting = begun ? Framing.CONCATENATED : null;
    } else if (input.startsWith("{") || input.startsWith("[")) {
      fitting = Framing.LINES;
    }
    return fitting == own ? null : fitting;
  }

  /** Returns the remedies for a peer that has not sent a message within the time limit. */
  static String ofSilence(String uri) {
    Framing own = own(uri);
    return "; no message in the framing " + own.label() + " has arrived: "
        + (own == Framing.LINES
            ? "for a language server add #framing=content-length to the URI, for JSON without line"
                + " ends #framing=concatenated, otherwise"
            : "if the peer sends lines, use #framing=lines, otherwise")
        + " raise the limit with --timeout";
  }

  private static Framing own(String uri) {
    Endpoint endpoint = Endpoint.parse(uri);
    Envelope envelope = endpoint.envelope();
    Framing usual = envelope == null ? Framing.LINES : envelope.framing(Framing.LINES);
    return Framing.named(endpoint.option("framing", usual.label()));
  }
}
