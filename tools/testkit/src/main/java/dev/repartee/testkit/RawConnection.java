package dev.repartee.testkit;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.repartee.Server;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.SocketException;
import java.net.URI;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Locale;
import java.util.Queue;
import java.util.stream.Collectors;

/**
 * One end of a TCP connection that sends any bytes, valid or not, including HTTP and WebSocket.
 * Texts are ISO 8859-1, one character for each byte. Every read waits at most 20 s. One thread may
 * read while another writes.
 */
public final class RawConnection implements AutoCloseable {
  /** The end of the text of {@link #rest} if the other end reset the connection. */
  public static final String RESET = "<reset>";

  private static final int PATIENCE_MILLIS = 60_000;

  private final Socket socket;
  private final InputStream in;
  private final OutputStream out;

  /** Events of the last chunk that {@link #event} has not returned yet. */
  private final Queue<String> events = new ArrayDeque<>();

  /** Connects to the host and port of a URI. */
  public RawConnection(String uri) throws IOException {
    this(connect(URI.create(uri)));
  }

  private static Socket connect(URI at) throws IOException {
    return new Socket(at.getHost(), at.getPort());
  }

  /** Connects to a server. */
  public RawConnection(Server server) throws IOException {
    this(server.endpoint().bare().toString());
  }

  /** Uses a connected socket, such as one that a {@link java.net.ServerSocket} has accepted. */
  public RawConnection(Socket socket) throws IOException {
    this.socket = socket;
    socket.setSoTimeout(PATIENCE_MILLIS);
    in = new BufferedInputStream(socket.getInputStream());
    out = socket.getOutputStream();
  }

  /** Returns the socket, for operations that this class does not have. */
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

  /** Ends the output of this end; the other end can still send. */
  public RawConnection endOutput() throws IOException {
    socket.shutdownOutput();
    return this;
  }

  /** Returns the next {@code count} bytes, or fewer at the end of the connection. */
  public String bytes(int count) throws IOException {
    return new String(in.readNBytes(count), ISO_8859_1);
  }

  /** Returns the next line without its LF; {@code <end>} marks a line cut off by the end. */
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

  /** Returns everything up to the end of the connection, which must arrive in time. */
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

  /** Waits for the end of the connection; returns false if the other end sends more. */
  public boolean isOver() throws IOException {
    return in.read() < 0;
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }

  // ---------------------------------------------------------------- Content-Length

  /** Returns a message after a header with its length, as LSP and DAP send it. */
  public static String withLength(String message) {
    return "Content-Length: " + message.length() + "\r\n\r\n" + message;
  }

  /** Returns the next message with such a header, or the body of the next reply of HTTP. */
  public String body() throws IOException {
    String answer = answer();
    return answer.substring(answer.indexOf("\r\n\r\n") + 4);
  }

  // ---------------------------------------------------------------- HTTP

  /** Returns a POST request to {@code /} with a body and further header lines. */
  public static String post(String body, String... headers) {
    return head("POST / HTTP/1.1", headers) + withLength(body);
  }

  /** Returns the head of a POST request to {@code /} with a body in chunks. */
  public static String chunkedPost(String... headers) {
    return head("POST / HTTP/1.1", headers) + "Transfer-Encoding: chunked\r\n\r\n";
  }

  private static String head(String line, String... headers) {
    return line + "\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        + Arrays.stream(headers).map(h -> h + "\r\n").collect(Collectors.joining());
  }

  /** Returns the status line and the header fields of the next reply. */
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

  /** Returns the status line, header fields and body of the next reply, which has a length. */
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

  /** Returns the next chunk of a body in chunks; empty at its end. */
  public String chunk() throws IOException {
    int size = Integer.parseInt(line().trim(), 16);
    String chunk = bytes(size);
    bytes(2);
    return chunk;
  }

  /**
   * Returns the next event of a body in chunks; empty at its end. A chunk may contain several
   * events. Comments are skipped: a server sends them in a silence, which a busy machine may cause.
   */
  public String event() throws IOException {
    while (events.isEmpty()) {
      String chunk = chunk();
      if (chunk.isEmpty()) {
        return "";
      }
      for (String event : chunk.split("(?<=\n\n)")) {
        if (!event.startsWith(":")) {
          events.add(event);
        }
      }
    }
    return events.remove();
  }

  // ---------------------------------------------------------------- WebSocket

  /** Opens a WebSocket at {@code /}; fails the test if the server refuses. */
  public RawConnection upgrade(String... headers) throws IOException {
    send(handshake(headers));
    String answer = answer();
    if (!answer.startsWith("HTTP/1.1 101 ")) {
      throw new AssertionError("the server opens no WebSocket, but answers: " + answer);
    }
    return this;
  }

  /** Returns the request that opens a WebSocket at {@code /}, with further header lines. */
  public static String handshake(String... headers) {
    return head("GET / HTTP/1.1", headers)
        + "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
        + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
  }

  /**
   * Returns a frame of a WebSocket client (RFC 6455 section 5.2), masked with zeros.
   *
   * @param first the first byte: FIN and the opcode, such as 0x81 for a whole text
   * @param payload the payload
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
   * Returns the next WebSocket frame: a text frame as its text, a binary frame as {@code <binary>
   * TEXT}, a close frame as {@code <close> STATUS}, other frames by their opcode.
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
