package dev.repartee.conformance;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.Json;
import dev.repartee.JsonException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What comes back. */
sealed interface Heard {
  /** One message; with the head of the reply that carried it, over HTTP. */
  record Message(byte[] text, @Nullable Reply reply) implements Heard {
    /** What it says, or null if it is not JSON. */
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

  /** Bytes that are no frame. */
  record Fault(String why) implements Heard {
    @Override
    public String toString() {
      return "no frame: " + why;
    }
  }

  /** The end of the connection; there is nothing after it. */
  record End(String why) implements Heard {
    @Override
    public String toString() {
      return why.isEmpty() ? "the connection was closed" : "the connection ended: " + why;
    }
  }

  /** Nothing for so long that nothing more is to come, on a connection that is open. */
  record Hang() implements Heard {
    @Override
    public String toString() {
      return "nothing, not even to a request sent afterwards";
    }
  }

  /** The head of an HTTP reply; names are in lower case. */
  record Reply(int status, Map<String, String> headers) {}

  /** So much of a message is told. */
  int MAX_SHOWN = 300;
}
