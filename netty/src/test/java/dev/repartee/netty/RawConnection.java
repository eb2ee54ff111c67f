package dev.repartee.netty;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.repartee.Server;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.URI;

/** A client that sends what it is told, byte for byte. */
final class RawConnection implements AutoCloseable {
  private final Socket socket;
  private final InputStream in;

  RawConnection(Server server) throws IOException {
    URI uri = URI.create(server.endpoint().bare().toString());
    socket = new Socket(uri.getHost(), uri.getPort());
    socket.setSoTimeout(20_000);
    in = socket.getInputStream();
  }

  RawConnection send(String text) throws IOException {
    socket.getOutputStream().write(text.getBytes(ISO_8859_1));
    return this;
  }

  static String post(String body, String... headers) {
    return "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        + String.join("", java.util.Arrays.stream(headers).map(h -> h + "\r\n").toList())
        + "Content-Length: " + body.length() + "\r\n\r\n" + body;
  }

  /** The status line and the header fields of the next answer. */
  String head() throws IOException {
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

  /** The next chunk of a body in chunks; empty at its end. */
  String chunk() throws IOException {
    StringBuilder size = new StringBuilder();
    while (size.indexOf("\r\n") < 0) {
      size.append(bytes(1));
    }
    String chunk = bytes(Integer.parseInt(size.toString().trim(), 16));
    bytes(2);
    return chunk;
  }

  /** The status line, the header fields and the body of the next answer, which tells its length. */
  String answer() throws IOException {
    String head = head();
    String lower = head.toLowerCase(java.util.Locale.ROOT);
    int length = 0;
    int at = lower.indexOf("content-length: ");
    if (at >= 0) {
      length = Integer.parseInt(lower.substring(at + 16, lower.indexOf('\r', at)));
    }
    return head + new String(in.readNBytes(length), ISO_8859_1);
  }

  /** The next bytes. */
  String bytes(int count) throws IOException {
    byte[] bytes = in.readNBytes(count);
    if (bytes.length < count) {
      throw new IOException("the connection ended after: " + new String(bytes, ISO_8859_1));
    }
    return new String(bytes, ISO_8859_1);
  }

  /** What comes until the server ends the connection. */
  String end() throws IOException {
    return new String(in.readAllBytes(), ISO_8859_1);
  }

  /** Whether the server has ended the connection; fails if it says more. */
  boolean isOver() throws IOException {
    return in.read() < 0;
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
