package dev.repartee.transport.http.server;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.json.JsonWriter;
import java.time.Duration;

/**
 * Writes server-sent events: the body of a response of type {@code text/event-stream} (HTML
 * standard, section 9.2). An event consists of its fields in any order, followed by {@link #end}.
 * Clients ignore an event without data. Not thread-safe.
 */
public final class SseWriter {
  private final JsonWriter out;

  /** Creates a writer that appends to {@code out}. */
  public SseWriter(JsonWriter out) {
    this.out = out;
  }

  /**
   * Writes the type of the event. Without it the type is {@code message}.
   *
   * @throws IllegalArgumentException if it contains a line end
   */
  public SseWriter event(String type) {
    return field("event", type);
  }

  /**
   * Writes the id of the event. A client sends the last id when it reconnects ({@code
   * Last-Event-ID}).
   *
   * @throws IllegalArgumentException if it contains a line end or a NUL
   */
  public SseWriter id(String id) {
    if (id.indexOf('\0') >= 0) {
      throw new IllegalArgumentException("an id holds no NUL");
    }
    return field("id", id);
  }

  /** Writes the time that a client should wait before it reconnects, in whole milliseconds. */
  public SseWriter retry(Duration time) {
    return field("retry", Long.toString(time.toMillis()));
  }

  /**
   * Writes the data, which is UTF-8 text. Line ends of any kind reach the client as line feeds.
   *
   * @param text the array that holds the text
   * @param from the index of its first byte
   * @param to the index after its last byte
   */
  public SseWriter data(byte[] text, int from, int to) {
    int start = from;
    for (int i = from; i < to; i++) {
      if (text[i] == '\n' || text[i] == '\r') {
        line(text, start, i);
        i += text[i] == '\r' && i + 1 < to && text[i + 1] == '\n' ? 1 : 0;
        start = i + 1;
      }
    }
    return line(text, start, to);
  }

  private SseWriter line(byte[] text, int from, int to) {
    out.ascii("data: ").raw(text, from, to).put('\n');
    return this;
  }

  /**
   * Writes a comment, which clients ignore. It shows proxies that the connection is alive.
   *
   * @throws IllegalArgumentException if it contains a line end
   */
  public SseWriter comment(String text) {
    return field("", text);
  }

  private SseWriter field(String name, String value) {
    if (value.indexOf('\n') >= 0 || value.indexOf('\r') >= 0) {
      throw new IllegalArgumentException("a line end cannot stand in '" + name + ":'");
    }
    out.ascii(name).ascii(": ").raw(value.getBytes(UTF_8)).put('\n');
    return this;
  }

  /** Ends the event. */
  public SseWriter end() {
    out.put('\n');
    return this;
  }
}
