package dev.repartee.netty;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.Output;
import java.time.Duration;

/**
 * Writes server-sent events: the body of an answer of type {@code text/event-stream} (HTML standard,
 * section 9.2). An event is its fields in any order and then {@link #end}; one without data is not
 * told to anybody. Not thread-safe.
 */
public final class SseWriter {
  private final Output out;

  /** Writes to the end of that. */
  public SseWriter(Output out) {
    this.out = out;
  }

  /**
   * The type of the event, which is {@code message} if nothing is said.
   *
   * @throws IllegalArgumentException if it holds a line end
   */
  public SseWriter event(String type) {
    return field("event", type);
  }

  /**
   * The id of the event, which a client tells when it comes back ({@code Last-Event-ID}).
   *
   * @throws IllegalArgumentException if it holds a line end or a NUL
   */
  public SseWriter id(String id) {
    if (id.indexOf('\0') >= 0) {
      throw new IllegalArgumentException("an id holds no NUL");
    }
    return field("id", id);
  }

  /** How long a client is to wait before it comes back, counted in milliseconds. */
  public SseWriter retry(Duration time) {
    return field("retry", Long.toString(time.toMillis()));
  }

  /** The data, any UTF-8 text. Line ends of all kinds reach the client as line feeds. */
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
   * A line for nobody, which keeps the connection from being taken for dead.
   *
   * @throws IllegalArgumentException if it holds a line end
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
