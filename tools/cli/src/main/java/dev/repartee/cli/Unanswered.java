package dev.repartee.cli;

import dev.repartee.json.Json;
import dev.repartee.json.JsonException;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Counts the requests of JSON-RPC that were sent and the responses that were received. It does not
 * compare ids, and therefore does not store them. Thread-safe.
 */
final class Unanswered {
  /** The number of requests without a response; negative after unexpected responses. */
  private final AtomicLong open = new AtomicLong();

  /** Counts the requests in a text, which may be a batch. */
  void sent(byte[] text) {
    open.addAndGet(elements(text).stream().filter(Unanswered::isRequest).count());
  }

  /** Counts the responses in a text. */
  void received(byte[] text) {
    open.addAndGet(-elements(text).stream().filter(Unanswered::isResponse).count());
  }

  /** Returns the number of requests for which no response was received. */
  long count() {
    return Math.max(0, open.get());
  }

  private static List<Json> elements(byte[] text) {
    try {
      Json json = Json.parse(text);
      return json.kind() == Json.Kind.ARRAY ? json.elements() : List.of(json);
    } catch (JsonException e) {
      return List.of();
    }
  }

  private static boolean isRequest(Json element) {
    if (element.kind() != Json.Kind.OBJECT) {
      return false;
    }
    Json id = element.get("id");
    return element.get("method") != null && id != null && id.kind() != Json.Kind.NULL;
  }

  private static boolean isResponse(Json element) {
    return element.kind() == Json.Kind.OBJECT
        && element.get("method") == null
        && (element.get("result") != null || element.get("error") != null);
  }
}
