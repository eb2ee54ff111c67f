package dev.repartee.benchmarks.load;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Locale;

/** The delimiters of messages in a byte stream, as far as the {@link LoadGenerator} needs them. */
public enum WireFormat {
  /** One message per line. */
  LINES {
    @Override
    byte[] frame(byte[] message) {
      return join(message, new byte[] {'\n'});
    }

    @Override
    int frameLength(byte[] b, int from, int to) {
      for (int i = from; i < to; i++) {
        if (b[i] == '\n') {
          return i + 1 - from;
        }
      }
      return -1;
    }
  },

  /** A header with the length before each message. */
  CONTENT_LENGTH {
    @Override
    byte[] frame(byte[] message) {
      return join(("Content-Length: " + message.length + "\r\n\r\n").getBytes(US_ASCII), message);
    }
  },

  /** One HTTP/1.1 POST for each message. */
  HTTP,

  /** One HTTP/1.1 POST with a static Bearer token for each message. */
  HTTP_BEARER {
    @Override
    byte[] frame(byte[] message) {
      return post(message, "Authorization: Bearer " + Tokens.BEARER + "\r\n");
    }
  },

  /** One HTTP/1.1 POST with a signed token for each message. */
  HTTP_JWT {
    @Override
    byte[] frame(byte[] message) {
      return post(message, "Authorization: Bearer " + Tokens.jwt() + "\r\n");
    }
  },

  /** One HTTP/1.1 POST for each batch of {@link #BATCH} calls. */
  HTTP_BATCH {
    @Override
    public byte[] request(Workload workload, int i) {
      ByteArrayOutputStream batch = new ByteArrayOutputStream();
      for (int k = 0; k < BATCH; k++) {
        batch.write(k == 0 ? '[' : ',');
        batch.writeBytes(workload.request(i * BATCH + k));
      }
      batch.write(']');
      return frame(batch.toByteArray());
    }

    @Override
    int calls() {
      return BATCH;
    }
  },

  /** One WebSocket text message for each message. */
  WEBSOCKET {
    @Override
    byte[] handshake() {
      return ("GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
              + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n")
          .getBytes(US_ASCII);
    }

    @Override
    byte[] frame(byte[] message) {
      ByteBuffer frame = ByteBuffer.allocate(message.length + 14);
      frame.put((byte) 0x81);
      if (message.length < 126) {
        frame.put((byte) (0x80 | message.length));
      } else if (message.length < 1 << 16) {
        frame.put((byte) (0x80 | 126)).putShort((short) message.length);
      } else {
        frame.put((byte) (0x80 | 127)).putLong(message.length);
      }
      frame.putInt(0).put(message); // masked with zeros; the server still unmasks it
      return Arrays.copyOf(frame.array(), frame.position());
    }

    @Override
    int frameLength(byte[] b, int from, int to) {
      if (to - from < 10) {
        return -1;
      }
      ByteBuffer frame = ByteBuffer.wrap(b);
      int total = switch (b[from + 1]) {
        case 126 -> 4 + (frame.getShort(from + 2) & 0xFFFF);
        case 127 -> 10 + (int) frame.getLong(from + 2);
        default -> 2 + b[from + 1];
      };
      return total <= to - from ? total : -1;
    }
  };

  /** The number of calls in a batch. */
  static final int BATCH = 100;

  /** Returns the first bytes of a new connection, answered by one HTTP head; empty for none. */
  byte[] handshake() {
    return new byte[0];
  }

  /** Returns the bytes of a message in the stream: a POST, if not overridden. */
  byte[] frame(byte[] message) {
    return post(message, "");
  }

  private static byte[] post(byte[] message, String fields) {
    String head = "POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
        + fields + "Content-Length: " + message.length + "\r\n\r\n";
    return join(head.getBytes(US_ASCII), message);
  }

  /**
   * Returns the length of the frame at {@code from}, or -1 if it does not end before {@code to}: a
   * head with the length and a body, if not overridden.
   */
  int frameLength(byte[] b, int from, int to) {
    return headedLength(b, from, to);
  }

  /**
   * Returns the {@code i}th request, after its notifications; all requests have the same length.
   */
  public byte[] request(Workload workload, int i) {
    return join(frames(workload.sentBefore(), workload.notification()), frame(workload.request(i)));
  }

  /** Returns the shortest answer to that request, after its notifications. */
  public byte[] answer(Workload workload, int i) {
    return join(
        frames(workload.receivedBefore(), workload.notification()), frame(workload.answer(i)));
  }

  private byte[] frames(int count, byte[] message) {
    ByteArrayOutputStream frames = new ByteArrayOutputStream();
    for (int i = 0; i < count; i++) {
      frames.writeBytes(frame(message));
    }
    return frames.toByteArray();
  }

  /**
   * Returns the length of the answer at the start of these bytes, including the notifications
   * before it, or -1 if it is incomplete.
   */
  int answerLength(Workload workload, byte[] b, int length) {
    int at = 0;
    for (int i = 0; i <= workload.receivedBefore(); i++) {
      int frame = frameLength(b, at, length);
      if (frame < 0) {
        return -1;
      }
      at += frame;
    }
    return at;
  }

  /** Returns the number of calls in one request. */
  int calls() {
    return 1;
  }

  /** Returns the length of an HTTP head, or -1 if it is incomplete. */
  static int headLength(byte[] b, int from, int to) {
    int end = new String(b, from, to - from, US_ASCII).indexOf("\r\n\r\n");
    return end < 0 ? -1 : end + 4;
  }

  /** Returns the length of an HTTP message, head and body, or -1 if it is incomplete. */
  private static int headedLength(byte[] b, int from, int to) {
    int head = headLength(b, from, to);
    if (head < 0) {
      return -1;
    }
    String fields = "\r\n" + new String(b, from, head, US_ASCII).toLowerCase(Locale.ROOT);
    if (fields.contains("\r\ntransfer-encoding: chunked")) {
      String lastChunk = "\r\n0\r\n\r\n"; // the answers contain no line ends
      int end = new String(b, from, to - from, US_ASCII).indexOf(lastChunk, head - 2);
      return end < 0 ? -1 : end + lastChunk.length();
    }
    String name = "\r\ncontent-length:";
    int at = fields.indexOf(name);
    if (at < 0) {
      throw new IllegalStateException("an answer without its length: " + fields);
    }
    int start = at + name.length();
    int body =
        Integer.parseInt(fields.substring(start, fields.indexOf('\r', start)).trim());
    return head + body <= to - from ? head + body : -1;
  }

  private static byte[] join(byte[] first, byte[] second) {
    byte[] both = Arrays.copyOf(first, first.length + second.length);
    System.arraycopy(second, 0, both, first.length, second.length);
    return both;
  }
}
