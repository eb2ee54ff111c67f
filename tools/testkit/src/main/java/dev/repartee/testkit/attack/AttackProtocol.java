package dev.repartee.testkit.attack;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.repartee.testkit.RawConnection;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.Locale;

/** The protocol that carries the messages of an {@link AttackClient}, byte for byte. */
enum AttackProtocol {
  TCP {
    @Override
    byte[] framed(String message) {
      return (message + "\n").getBytes(ISO_8859_1);
    }

    @Override
    byte[] partial(String start, int length) {
      return start.getBytes(ISO_8859_1);
    }

    @Override
    String filler() {
      return " ";
    }

    @Override
    String readReply(Bytes in) throws IOException {
      return in.line();
    }
  },

  HTTP {
    @Override
    byte[] framed(String message) {
      return RawConnection.post(message).getBytes(ISO_8859_1);
    }

    @Override
    byte[] partial(String start, int length) {
      String head = RawConnection.post("").replace("Length: 0", "Length: " + length);
      return (head + start).getBytes(ISO_8859_1);
    }

    @Override
    String filler() {
      return "\r\n";
    }

    @Override
    String readReply(Bytes in) throws IOException {
      String status = in.line();
      int length = 0;
      for (String field = in.line(); field.length() > 1; field = in.line()) {
        if (field.toLowerCase(Locale.ROOT).startsWith("content-length: ")) {
          length = Integer.parseInt(field.substring(16).trim());
        }
      }
      String body = in.some(length);
      String code = status.substring(9, 12);
      return code.startsWith("2") ? body : "HTTP " + code;
    }
  },

  WEBSOCKET {
    @Override
    byte[] framed(String message) {
      return RawConnection.frame(0x81, message.getBytes(ISO_8859_1));
    }

    @Override
    byte[] partial(String start, int length) {
      return ByteBuffer.allocate(14 + start.length())
          .putShort((short) 0x81FF)
          .putLong(length)
          .putInt(0)
          .put(start.getBytes(ISO_8859_1))
          .array();
    }

    @Override
    String filler() {
      return new String(RawConnection.frame(0x89, new byte[0]), ISO_8859_1);
    }

    @Override
    String readReply(Bytes in) throws IOException {
      int first = in.next();
      int size = in.next();
      long length = size < 126 ? size : 0;
      for (int i = size < 126 ? 0 : size == 126 ? 2 : 8; i > 0; i--) {
        length = length << 8 | in.next();
      }
      if ((first & 0x0F) == 8) {
        return "close " + (in.next() << 8 | in.next());
      }
      return in.some(length);
    }
  };

  /** Returns the protocol of a URI. */
  static AttackProtocol of(String uri) {
    return switch (uri.substring(0, uri.indexOf(':'))) {
      case "http" -> HTTP;
      case "ws" -> WEBSOCKET;
      default -> TCP;
    };
  }

  /** Returns a message in ISO 8859-1 with its frame. */
  abstract byte[] framed(String message);

  /** Returns the start of a frame with a message of {@code length} bytes, up to {@code start}. */
  abstract byte[] partial(String start, int length);

  /** Returns bytes without meaning that may be sent between two messages. */
  abstract String filler();

  /**
   * Reads the next answer and returns the start of its message, or {@code HTTP STATUS} or {@code
   * close STATUS} if it has none.
   *
   * @throws EOFException at the end of the connection
   */
  abstract String readReply(Bytes in) throws IOException;

  /** An input stream that keeps only the start of each text, because attackers receive much. */
  static final class Bytes {
    private static final int KEPT = 200;

    private final InputStream in;
    private final byte[] buffer = new byte[64 << 10];
    private int at;
    private int end;

    Bytes(InputStream in) {
      this.in = in;
    }

    int next() throws IOException {
      if (at == end) {
        fill();
      }
      return buffer[at++] & 0xFF;
    }

    private void fill() throws IOException {
      at = 0;
      end = Math.max(0, in.read(buffer));
      if (end == 0) {
        throw new EOFException("the connection has ended");
      }
    }

    String line() throws IOException {
      StringBuilder line = new StringBuilder();
      for (int b = next(); b != '\n'; b = next()) {
        if (line.length() < KEPT) {
          line.append((char) b);
        }
      }
      return line.toString();
    }

    String some(long length) throws IOException {
      StringBuilder some = new StringBuilder();
      for (long left = length; left > 0; ) {
        if (at == end) {
          fill();
        }
        int count = (int) Math.min(left, end - at);
        some.append(new String(buffer, at, Math.min(count, KEPT - some.length()), ISO_8859_1));
        at += count;
        left -= count;
      }
      return some.toString();
    }
  }
}
