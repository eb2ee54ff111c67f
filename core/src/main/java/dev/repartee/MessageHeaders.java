package dev.repartee;

import dev.repartee.internal.Text;
import dev.repartee.transport.Headers;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;

/**
 * The rules for the headers of one message. A name that one transport sets itself is refused on all
 * transports, because the code that makes a call need not know the transport.
 */
final class MessageHeaders {
  /** The maximum number of characters in all names and values of a message. */
  static final int MOST = 16 << 10;

  /**
   * The maximum number of headers of a message; also the limit of a worker of a broker. Small
   * headers use many times their size in memory, and adding n headers takes time proportional to
   * n * n. A handler may copy them from a request of a peer.
   */
  private static final int MOST_FIELDS = 128;

  /** The maximum length of a name: a short string of AMQP 0-9-1 (section 4.2.5.3). */
  private static final int LONGEST_NAME = 255;

  /**
   * The names that a transport sets itself: headers that delimit and route HTTP messages (RFC 9110,
   * RFC 9112), headers of the HTTP client and its proxy, and headers that RabbitMQ and its plug-ins
   * set or obey. RabbitMQ sends copies to the queues in CC and BCC.
   */
  private static final Set<String> OWNED = Set.of(
      "host",
      "connection",
      "keep-alive",
      "transfer-encoding",
      "upgrade",
      "expect",
      "te",
      "trailer",
      "http2-settings",
      "accept",
      "accept-encoding",
      "last-event-id",
      "proxy-authorization",
      "proxy-connection",
      "cc",
      "bcc",
      "x-death",
      "x-delay",
      "x-delivery-count",
      "x-acquired-count",
      "x-received-from",
      "x-stream-offset",
      "x-stream-filter-value");

  /**
   * The prefixes of such names: of the body, of WebSocket, MCP, NATS, this library and RabbitMQ,
   * which also converts AMQP 1.0.
   */
  private static final List<String> OWNED_PREFIXES = List.of(
      "content-",
      "sec-websocket-",
      "mcp-",
      "nats-",
      "repartee-",
      "x-first-death-",
      "x-last-death-",
      "x-opt-",
      "x-shovelled");

  private MessageHeaders() {}

  /**
   * Returns the headers with one added. It replaces a header with the same name.
   *
   * @throws IllegalArgumentException if it is not allowed; the message does not contain the value
   */
  static Headers with(Headers present, String name, String value) {
    Headers all = present.with(name, value);
    requireAllowed(name);
    return bounded(all);
  }

  /** Returns the headers with others added. An added header replaces one with the same name. */
  static Headers with(Headers present, Headers others) {
    return others.isEmpty() ? present : bounded(present.with(others));
  }

  /**
   * Asks the supplier, and returns its headers with the headers of a message added. A header of the
   * message replaces one with the same name.
   *
   * @throws IllegalStateException if the supplier fails, with its exception as the cause
   * @throws IllegalArgumentException if one of its headers is not allowed
   */
  static Headers supplied(Supplier<Map<String, String>> supplier, Headers own) {
    Map<String, String> given;
    try {
      // Not Map.copyOf: its order is random, and the last of two names that differ in case wins.
      given = new LinkedHashMap<>(supplier.get());
      given.forEach((name, value) -> {
        Objects.requireNonNull(name, "a name is null");
        Objects.requireNonNull(value, "a value is null");
      });
    } catch (RuntimeException e) {
      throw new IllegalStateException(
          "nothing was sent, because the supplier of Options.Builder.headers has failed", e);
    }
    Headers supplied = new Headers(given);
    given.keySet().forEach(MessageHeaders::requireAllowed);
    return bounded(supplied.with(own));
  }

  private static void requireAllowed(String name) {
    String lower = name.toLowerCase(Locale.ROOT);
    if (name.length() > LONGEST_NAME) {
      throw new IllegalArgumentException(
          "the name of a header has " + name.length() + " characters; it may have " + LONGEST_NAME);
    }
    if (OWNED.contains(lower) || OWNED_PREFIXES.stream().anyMatch(lower::startsWith)) {
      throw new IllegalArgumentException(
          "the header " + name + " is set by a transport itself; leave it out");
    }
  }

  private static Headers bounded(Headers headers) {
    if (headers.fields().size() > MOST_FIELDS) {
      throw new IllegalArgumentException("the message has " + headers.fields().size()
          + " headers; it may have " + MOST_FIELDS + ": "
          + Text.shortened(headers.toString(), 200));
    }
    if (headers.size() > MOST) {
      throw new IllegalArgumentException("the headers " + Text.shortened(headers.toString(), 200)
          + " have " + headers.size() + " characters; those of one message may have " + MOST);
    }
    return headers;
  }
}
