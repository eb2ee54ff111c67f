package dev.repartee.conformance;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.json.Json;
import dev.repartee.json.JsonException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Something received from the server. */
sealed interface Heard {
  /** A message; over HTTP with the head of the reply that carried it. */
  record Message(byte[] text, @Nullable Reply reply) implements Heard {
    /** Returns the message as JSON, or null if it is not JSON. */
    @Nullable Json json() {
      try {
        return Json.parse(text);
      } catch (JsonException e) {
        return null;
      }
    }

    @Override
    public String toString() {
      String shown = new String(text, UTF_8);
      return shown.length() <= MAX_SHOWN ? shown : shown.substring(0, MAX_SHOWN) + "...";
    }
  }

  /** An HTTP reply without a message. */
  record Nothing(Reply reply) implements Heard {
    @Override
    public String toString() {
      return "HTTP " + reply.status() + " without a body";
    }
  }

  /** Bytes that are not a valid frame. */
  record Fault(String why) implements Heard {
    @Override
    public String toString() {
      return "an invalid frame: " + why;
    }
  }

  /** The end of the connection; nothing follows it. */
  record End(String why) implements Heard {
    @Override
    public String toString() {
      return why.isEmpty() ? "the connection was closed" : "the connection ended: " + why;
    }
  }

  /** Silence beyond the time limit on an open connection: nothing more is expected. */
  record Hang() implements Heard {
    @Override
    public String toString() {
      return "nothing, not even a response to a later request";
    }
  }

  /** The head of an HTTP reply; header names are in lower case. */
  record Reply(int status, Map<String, String> headers) {}

  /** The number of characters of a message that a verdict quotes. */
  int MAX_SHOWN = 300;
}
