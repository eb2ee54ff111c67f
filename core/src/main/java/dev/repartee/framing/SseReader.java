package dev.repartee.framing;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.limits.LimitException;
import java.time.Duration;
import java.util.Arrays;

/**
 * Reads server-sent events: the body of a response of type {@code text/event-stream} (HTML
 * standard, section 9.2), in pieces as they arrive. An event that is not followed by a blank line
 * when the stream ends is dropped. Not thread-safe.
 */
public final class SseReader {
  private static final byte[] BYTE_ORDER_MARK = {(byte) 0xEF, (byte) 0xBB, (byte) 0xBF};

  /** A larger array is dropped after its event. */
  private static final int KEPT = 16 << 10;

  /**
   * The maximum number of digits of a {@code retry} field, about a day in milliseconds; longer
   * values are ignored.
   */
  private static final int RETRY_DIGITS = 8;

  /** Receives the events of a stream, on the thread that calls {@link SseReader#read}. */
  @FunctionalInterface
  public interface Sink {
    /**
     * Receives an event. Events without data are not reported.
     *
     * @param type the type of the event; {@code message} if the stream does not state one
     * @param id the last id that the stream has stated, in this event or an earlier one; empty if
     *     there is none
     * @param data the array that holds the data as sent; it was not checked for UTF-8
     * @param from the index of the first byte of the data
     * @param to the index after its last byte; the bytes are valid until this method returns
     */
    void event(String type, String id, byte[] data, int from, int to);

    /**
     * Receives the time to wait before a reconnection, in whole milliseconds. Does nothing by
     * default.
     */
    default void retry(Duration time) {}
  }

  private final Sink sink;
  private final int limit;

  /**
   * Up to {@code data} the data lines of the current event, each with a line feed after it; from
   * there to {@code size} the current line.
   */
  private byte[] bytes = new byte[256];

  private int data;
  private int size;
  private String type = "";
  private String id = "";
  private String lastId = "";
  private boolean afterReturn;
  private boolean started;

  /**
   * Creates a reader of one stream.
   *
   * @param sink receives the events
   * @param limit the size in bytes that an event must stay below, including its current line
   */
  public SseReader(Sink sink, int limit) {
    this.sink = sink;
    this.limit = limit;
  }

  /**
   * Returns the last id of the complete events so far; empty if there is none. An event that has
   * arrived in part does not count: a stream that continues after it would lack it.
   */
  public String lastId() {
    return lastId;
  }

  /**
   * Reads the next bytes of the stream.
   *
   * @param source the array that holds the bytes
   * @param from the index of the first byte
   * @param to the index after the last byte
   * @throws LimitException if an event reaches the limit; the stream cannot be read any further
   *     then
   */
  public void read(byte[] source, int from, int to) {
    int start = from;
    for (int i = from; i < to; i++) {
      byte b = source[i];
      if (b == '\n' || b == '\r') {
        if (b == '\n' && afterReturn) {
          start = i + 1; // the second half of a line end
        } else {
          append(source, start, i);
          line();
          start = i + 1;
        }
      }
      afterReturn = b == '\r';
    }
    append(source, start, to);
  }

  private void append(byte[] source, int from, int to) {
    int length = to - from;
    if (length >= limit - size) {
      throw new LimitException("frameBytes", limit);
    }
    if (bytes.length - size < length + 1) { // and a line feed
      long roomy = Math.max(size + length + 1L, Math.min(limit, 2L * bytes.length));
      bytes = Arrays.copyOf(bytes, (int) roomy);
    }
    System.arraycopy(source, from, bytes, size, length);
    size += length;
  }

  private void line() {
    int from = data;
    if (!started) {
      started = true;
      boolean marked = size >= 3 && Arrays.equals(bytes, 0, 3, BYTE_ORDER_MARK, 0, 3);
      from = marked ? 3 : 0;
    }
    if (from == size) {
      dispatch();
      return;
    }
    int colon = from;
    while (colon < size && bytes[colon] != ':') {
      colon++;
    }
    int value = colon < size - 1 && bytes[colon + 1] == ' ' ? colon + 2 : colon + 1;
    field(new String(bytes, from, colon - from, UTF_8), Math.min(value, size));
  }

  private void field(String name, int from) {
    int end = data;
    switch (name) {
      case "data" -> end = keep(from);
      case "event" -> type = text(from);
      case "id" -> id = hasNul(from) ? id : text(from);
      case "retry" -> retry(text(from));
      default -> {} // a comment, or an unknown field
    }
    data = end;
    size = end;
  }

  /** Moves a value after the data so far. Returns the new end of the data. */
  private int keep(int from) {
    int length = size - from;
    System.arraycopy(bytes, from, bytes, data, length);
    bytes[data + length] = '\n';
    return data + length + 1;
  }

  private String text(int from) {
    return new String(bytes, from, size - from, UTF_8);
  }

  private boolean hasNul(int from) {
    return text(from).indexOf('\0') >= 0;
  }

  private void retry(String digits) {
    if (digits.matches("[0-9]{1," + RETRY_DIGITS + "}")) {
      sink.retry(Duration.ofMillis(Long.parseLong(digits)));
    }
  }

  private void dispatch() {
    lastId = id;
    if (data > 0) {
      sink.event(type.isEmpty() ? "message" : type, id, bytes, 0, data - 1);
    }
    type = "";
    data = 0;
    size = 0;
    if (bytes.length > KEPT) {
      bytes = new byte[256];
    }
  }
}
