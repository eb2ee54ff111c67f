package dev.repartee.transport.http.client;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.ProtocolException;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpResponse.ResponseInfo;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads answers from a connection (RFC 9112). No failure contains text of the server. Used by one
 * thread at a time.
 */
final class ResponseReader {
  /**
   * The maximum number of bytes of a head, together with the interim ones before it, or of a chunk
   * size or the trailers.
   */
  static final int HEAD = 64 << 10;

  // Patterns without alternatives, which need linear time.
  private static final Pattern STATUS = Pattern.compile("HTTP/1\\.[0-9] [1-9][0-9]{2}( .*)?");
  private static final Pattern NAME = Pattern.compile("[!#$%&'*+.^_`|~0-9A-Za-z-]+");
  private static final Pattern VALUE = Pattern.compile("[\\t\\x20-\\x7E\\x80-\\xFF]*");

  /**
   * The head of an answer.
   *
   * @param headers the fields, with names in lower case
   * @param isPersistent whether the server accepts further requests on the connection
   */
  record Head(int statusCode, HttpHeaders headers, boolean isPersistent) implements ResponseInfo {
    @Override
    public HttpClient.Version version() {
      return HttpClient.Version.HTTP_1_1;
    }
  }

  private final InputStream in;
  private final byte[] buffer = new byte[16 << 10];
  private int from;
  private int to;

  /** The number of bytes that the lines of a head may still have. */
  private int left;

  ResponseReader(InputStream in) {
    this.in = in;
  }

  /** Returns whether no byte was read ahead. */
  boolean isEmpty() {
    return from == to;
  }

  /** Reads the head of the final answer. Interim ones are skipped. */
  Head head() throws IOException {
    left = HEAD;
    while (true) {
      String line = line();
      if (!STATUS.matcher(line).matches()) {
        throw new ProtocolException("the answer does not begin with a status line of HTTP/1.1");
      }
      Map<String, List<String>> fields = fields();
      int status = Integer.parseInt(line.substring(9, 12));
      if (status == 101) {
        throw new ProtocolException("the answer switches to another protocol");
      } else if (status >= 200) {
        HttpHeaders headers = HttpHeaders.of(fields, (name, value) -> true);
        boolean isPersistent = !line.startsWith("HTTP/1.0")
            && headers.allValues("connection").stream()
                .noneMatch(value -> value.toLowerCase(Locale.ROOT).contains("close"));
        return new Head(status, headers, isPersistent);
      }
    }
  }

  private Map<String, List<String>> fields() throws IOException {
    Map<String, List<String>> fields = new LinkedHashMap<>();
    for (String line = line(); !line.isEmpty(); line = line()) {
      int colon = Math.max(line.indexOf(':'), 0);
      String name = line.substring(0, colon);
      String value = line.substring(colon + 1).strip();
      if (!NAME.matcher(name).matches() || !VALUE.matcher(value).matches()) {
        throw new ProtocolException("a header field of the answer is not valid");
      }
      fields
          .computeIfAbsent(name.toLowerCase(Locale.ROOT), key -> new ArrayList<>(1))
          .add(value);
    }
    return fields;
  }

  /**
   * Reads the size of a chunk; reads the trailers after the last chunk, whose size is zero.
   *
   * @param isFirst whether no chunk precedes; the data of a preceding chunk ends with a line end
   */
  long chunk(boolean isFirst) throws IOException {
    left = HEAD;
    if (!isFirst && !line().isEmpty()) {
      throw new ProtocolException("a chunk of the answer is longer than its size");
    }
    String line = line();
    int extension = line.indexOf(';');
    String digits = (extension < 0 ? line : line.substring(0, extension)).strip();
    if (!digits.matches("[0-9A-Fa-f]{1,15}")) {
      throw new ProtocolException("the size of a chunk of the answer is not valid");
    }
    long size = Long.parseLong(digits, 16);
    if (size == 0) {
      fields();
    }
    return size;
  }

  /** Returns at least one byte and at most a number of them; null at the end of the connection. */
  byte @Nullable [] some(long most) throws IOException {
    if (!fill()) {
      return null;
    }
    byte[] some = new byte[(int) Math.min(most, to - from)];
    System.arraycopy(buffer, from, some, 0, some.length);
    from += some.length;
    return some;
  }

  /** Reads a line; a line end may lack its CR. */
  private String line() throws IOException {
    StringBuilder line = new StringBuilder();
    while (fill()) {
      int start = from;
      while (from < to && buffer[from] != '\n') {
        from++;
      }
      line.append(new String(buffer, start, from - start, ISO_8859_1));
      boolean isWhole = from < to;
      left -= from - start + (isWhole ? 1 : 0);
      if (left < 0) {
        throw new ProtocolException("the head of the answer has more than " + HEAD + " bytes");
      }
      if (isWhole) {
        from++;
        int end = line.length() - 1;
        if (end >= 0 && line.charAt(end) == '\r') {
          line.setLength(end);
        }
        return line.toString();
      }
    }
    throw new EOFException("the connection was closed before the end of the answer");
  }

  private boolean fill() throws IOException {
    if (from == to) {
      from = 0;
      to = Math.max(in.read(buffer), 0);
    }
    return from < to;
  }
}
