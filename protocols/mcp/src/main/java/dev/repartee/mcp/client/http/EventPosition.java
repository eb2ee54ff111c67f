package dev.repartee.mcp.client.http;

import java.time.Duration;
import java.util.function.Consumer;

/**
 * The position at which a broken event stream is resumed: the id of its last event, and the time to
 * wait before the next attempt. Not thread-safe.
 */
final class EventPosition {
  private static final Duration SHORTEST = Duration.ofMillis(250);
  private static final Duration LONGEST = Duration.ofMinutes(5);

  /** The pattern of an id that fits in a header. HTTP servers refuse longer headers. */
  private static final String ID = "[\\x21-\\x7E]([\\x20-\\x7E]{0,4094}[\\x21-\\x7E])?";

  private final Consumer<String> violation;
  private String id = "";
  private Duration pause = Duration.ofSeconds(1);
  private boolean reported;

  /** @param violation receives one report if an id cannot be sent in a header */
  EventPosition(Consumer<String> violation) {
    this.violation = violation;
  }

  /** Moves to an event. Ignores an id that is empty or cannot be sent in a header. */
  void id(String last) {
    if (last.isEmpty() || last.equals(id)) {
      return;
    }
    if (last.matches(ID)) {
      id = last;
    } else if (!reported) {
      reported = true;
      violation.accept("an event id does not fit in a Last-Event-ID header and is ignored; ids"
          + " have up to 4,096 visible ASCII characters");
    }
  }

  /** Sets the time to wait that the server requests, within bounds. */
  void retry(Duration time) {
    pause = time.compareTo(SHORTEST) < 0 ? SHORTEST : time.compareTo(LONGEST) > 0 ? LONGEST : time;
  }

  /** Returns the id of the last event, or an empty string. */
  String id() {
    return id;
  }

  /**
   * Returns the time to wait before an attempt. It grows with the number of the attempt, from 1.
   */
  Duration pause(int attempt) {
    return pause.multipliedBy(1L << Math.min(Math.max(attempt - 1, 0), 5));
  }
}
