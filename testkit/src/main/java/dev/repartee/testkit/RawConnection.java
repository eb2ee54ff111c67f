package dev.repartee.testkit;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Server;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.SocketException;
import java.net.URI;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * A TCP client with nothing in between: it sends what it is told, byte for byte, be it right or wrong.
 * Texts are ISO 8859-1, one character for each byte. Every read waits 20 s at most. Reading and writing
 * may be two threads' work.
 */
public final class RawConnection implements AutoCloseable {
  /** What {@link #rest} says last where the other end cut the connection. */
  public static final String RESET = "<reset>";

  private static final int PATIENCE_MILLIS = 20_000;

  private final Socket socket;
  private final InputStream in;
  private final OutputStream out;

  /** Connects to where that URI's host and port are. */
  public RawConnection(String uri) throws IOException {
    URI at = URI.create(uri);
    socket = new Socket(at.getHost(), at.getPort());
    socket.setSoTimeout(PATIENCE_MILLIS);
    in = new BufferedInputStream(socket.getInputStream());
    out = socket.getOutputStream();
  }

  /** Connects to that server. */
  public RawConnection(Server server) throws IOException {
    this(server.endpoint().bare().toString());
  }

  /** The socket, for what only it can do. */
  public Socket socket() {
    return socket;
  }

  // ---------------------------------------------------------------- bytes

  /** Sends a text. */
  public RawConnection send(String text) throws IOException {
    return send(text.getBytes(ISO_8859_1));
  }

  /** Sends bytes. */
  public RawConnection send(byte[] bytes) throws IOException {
    out.write(bytes);
    return this;
  }

  /** Ends our half of the connection. */
  public RawConnection endOutput() throws IOException {
    socket.shutdownOutput();
    return this;
  }

  /** The next bytes, fewer only at the end of the connection. */
  public String bytes(int count) throws IOException {
    return new String(in.readNBytes(count), ISO_8859_1);
  }

  /** The next line, without its LF; one that the connection's end cut short ends with {@code <end>}. */
  public String line() throws IOException {
    StringBuilder line = new StringBuilder();
    for (int b = in.read(); b != '\n'; b = in.read()) {
      if (b < 0) {
        return line + "<end>";
      }
      line.append((char) b);
    }
    return line.toString();
  }

  /** Everything up to the end of the connection, which has to come. */
  public String rest() throws IOException {
    StringBuilder rest = new StringBuilder();
    byte[] some = new byte[8 << 10];
    try {
      for (int count = in.read(some); count >= 0; count = in.read(some)) {
        rest.append(new String(some, 0, count, ISO_8859_1));
      }
    } catch (SocketException e) {
      rest.append(RESET);
    }
    return rest.toString();
  }

  /** Whether the other end has ended the connection; false if it says more. */
  public boolean isOver() throws IOException {
    return in.read() < 0;
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }

  // ---------------------------------------------------------------- HTTP

  /** A POST to {@code /} of that body, with further header lines. */
  public static String post(String body, String... headers) {
    return head("POST / HTTP/1.1", headers) + "Content-Length: " + body.length() + "\r\n\r\n"
        + body;
  }

  /** A POST to {@code /} whose body follows in chunks. */
  public static String chunkedPost(String... headers) {
    return head("POST / HTTP/1.1", headers) + "Transfer-Encoding: chunked\r\n\r\n";
  }

  private static String head(String line, String... headers) {
    return line + "\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        + Arrays.stream(headers).map(h -> h + "\r\n").collect(Collectors.joining());
  }

  /** The status line and the header fields of the next answer. */
  public String head() throws IOException {
    StringBuilder head = new StringBuilder();
    while (head.indexOf("\r\n\r\n") < 0) {
      int b = in.read();
      if (b < 0) {
        throw new IOException("the connection ended after: " + head);
      }
      head.append((char) b);
    }
    return head.toString();
  }

  /** The status line, the header fields and the body of the next answer, which tells its length. */
  public String answer() throws IOException {
    String head = head();
    String lower = head.toLowerCase(Locale.ROOT);
    int length = 0;
    int at = lower.indexOf("content-length: ");
    if (at >= 0) {
      length = Integer.parseInt(lower.substring(at + 16, lower.indexOf('\r', at)));
    }
    return head + bytes(length);
  }

  /** The next chunk of a body in chunks; empty at its end. */
  public String chunk() throws IOException {
    int size = Integer.parseInt(line().trim(), 16);
    String chunk = bytes(size);
    bytes(2);
    return chunk;
  }

  /** The body of the next answer. */
  public String body() throws IOException {
    String answer = answer();
    return answer.substring(answer.indexOf("\r\n\r\n") + 4);
  }

  // ---------------------------------------------------------------- WebSocket

  /** Opens a WebSocket at {@code /}; fails the test if that is refused. */
  public RawConnection upgrade(String... headers) throws IOException {
    send(handshake(headers));
    assertThat(answer()).startsWith("HTTP/1.1 101 ");
    return this;
  }

  /** The request that opens a WebSocket at {@code /}, with further header lines. */
  public static String handshake(String... headers) {
    return head("GET / HTTP/1.1", headers)
        + "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
        + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
  }

  /**
   * A frame of a WebSocket client (RFC 6455 section 5.2), masked with zeros.
   *
   * @param first the first byte: FIN and the opcode, such as 0x81 for a whole text
   * @param payload what it carries
   */
  public static byte[] frame(int first, byte[] payload) {
    int extended = payload.length < 126 ? 0 : payload.length < 1 << 16 ? 2 : 8;
    byte[] frame = new byte[2 + extended + 4 + payload.length];
    frame[0] = (byte) first;
    frame[1] = (byte) (0x80 | (extended == 0 ? payload.length : extended == 2 ? 126 : 127));
    for (int i = 0, rest = payload.length; i < Math.min(extended, 4); i++, rest >>= 8) {
      frame[1 + extended - i] = (byte) rest;
    }
    System.arraycopy(payload, 0, frame, frame.length - payload.length, payload.length);
    return frame;
  }

  /**
   * The next frame: a text as it is, a binary one as {@code <binary> TEXT}, a closing one as {@code
   * <close> STATUS}, others by their opcode.
   */
  public String message() throws IOException {
    int first = in.read();
    int length = in.read();
    if (length < 0) {
      return "<end>";
    }
    if (length > 125) {
      int size = length == 126 ? 2 : 8;
      length = 0;
      for (int i = 0; i < size; i++) {
        length = length << 8 | in.read();
      }
    }
    byte[] payload = in.readNBytes(length);
    return switch (first & 0x0F) {
      case 1 -> new String(payload, java.nio.charset.StandardCharsets.UTF_8);
      case 2 -> "<binary> " + new String(payload, java.nio.charset.StandardCharsets.UTF_8);
      case 8 -> "<close> " + ((payload[0] & 0xFF) << 8 | payload[1] & 0xFF);
      default -> "<" + (first & 0x0F) + ">";
    };
  }
}
