package dev.repartee.cli;

import dev.repartee.json.Json;
import dev.repartee.json.JsonException;
import java.util.List;

/**
 * Counts the requests of JSON-RPC that were sent and the responses that were received. It compares
 * no ids, so that it needs no memory for them. Thread-safe.
 */
final class Unanswered {
  // Guarded by this.
  private long sent;
  private long answered;

  /** Counts the requests in a text, which may be a batch. */
  void sent(byte[] text) {
    long requests = elements(text).stream().filter(Unanswered::isRequest).count();
    synchronized (this) {
      sent += requests;
    }
  }

  /** Counts the responses in a text. */
  void received(byte[] text) {
    long responses = elements(text).stream().filter(Unanswered::isResponse).count();
    synchronized (this) {
      answered += responses;
    }
  }

  /** Returns the number of requests for which no response was received. */
  synchronized long count() {
    return Math.max(0, sent - answered);
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
