package dev.repartee.netty;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.repartee.Server;
import dev.repartee.testkit.RawConnection;
import java.io.ByteArrayOutputStream;
import java.io.IOException;

/**
 * A client of HTTP/2 that writes its frames itself, valid or not. Frames are collected until
 * {@link #send}: many of them then arrive before this client reads the settings of the server.
 */
final class Http2Raw implements AutoCloseable {
  static final int DATA = 0;
  static final int HEADERS = 1;
  static final int RST_STREAM = 3;
  static final int SETTINGS = 4;
  static final int GOAWAY = 7;
  static final int WINDOW_UPDATE = 8;
  static final int END_STREAM = 1;
  static final int END_HEADERS = 4;

  /** A POST of JSON to / at localhost, with the static table of HPACK (RFC 7541 appendix A). */
  static final String POST = "\203\206\204\1\11localhost\17\20\20application/json";

  private final RawConnection raw;
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();

  /** A frame from the server. */
  record Frame(int type, int flags, int stream, String payload) {
    boolean ends() {
      return (type == DATA || type == HEADERS) && (flags & END_STREAM) != 0 || type == RST_STREAM;
    }

    /** Returns the error code of a RST_STREAM or GOAWAY frame. */
    int error() {
      int at = type == GOAWAY ? 4 : 0;
      return payload.charAt(at + 2) << 8 | payload.charAt(at + 3);
    }
  }

  /** Begins with the preface and empty settings. */
  Http2Raw(Server server) throws IOException {
    raw = new RawConnection(server);
    out.writeBytes("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(ISO_8859_1));
    add(SETTINGS, 0, 0, "");
  }

  Http2Raw add(int type, int flags, int stream, String payload) {
    int length = payload.length();
    for (int shift = 16; shift >= 0; shift -= 8) {
      out.write(length >> shift);
    }
    out.write(type);
    out.write(flags);
    for (int shift = 24; shift >= 0; shift -= 8) {
      out.write(stream >> shift);
    }
    out.writeBytes(payload.getBytes(ISO_8859_1));
    return this;
  }

  /** Adds the header of a POST that has a body. */
  Http2Raw head(int stream) {
    return add(HEADERS, END_HEADERS, stream, POST);
  }

  /** Adds a body, which ends the request. */
  Http2Raw body(int stream, String body) {
    return add(DATA, END_STREAM, stream, body);
  }

  Http2Raw send() throws IOException {
    raw.send(out.toByteArray());
    out.reset();
    return this;
  }

  Frame next() throws IOException {
    String header = raw.bytes(9);
    if (header.length() < 9) {
      throw new IOException("the connection ended");
    }
    int length = header.charAt(0) << 16 | header.charAt(1) << 8 | header.charAt(2);
    int stream =
        header.charAt(5) << 24 | header.charAt(6) << 16 | header.charAt(7) << 8 | header.charAt(8);
    return new Frame(header.charAt(3), header.charAt(4), stream, raw.bytes(length));
  }

  /** Returns the next frame that ends a stream. Fails at the end of the connection. */
  Frame nextEnd() throws IOException {
    while (true) {
      Frame frame = next();
      if (frame.type() == GOAWAY) {
        throw new IOException("the server ended the connection with error " + frame.error() + ": "
            + frame.payload().substring(8));
      }
      if (frame.ends()) {
        return frame;
      }
    }
  }

  @Override
  public void close() throws IOException {
    raw.close();
  }
}
