package dev.repartee.benchmarks;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.Locale;

/** How calls stand in a byte stream, as far as the {@link LoadGenerator} has to know it. */
enum Wire {
  /** A line each. */
  LINES {
    @Override
    byte[] request(Workload workload, int i) {
      return join(workload.request(i), new byte[] {'\n'});
    }

    @Override
    int answerLength(byte[] b, int length) {
      for (int i = 0; i < length; i++) {
        if (b[i] == '\n') {
          return i + 1;
        }
      }
      return -1;
    }
  },

  /** An HTTP/1.1 POST each. */
  HTTP {
    @Override
    byte[] request(Workload workload, int i) {
      return post(workload.request(i));
    }

    @Override
    int answerLength(byte[] b, int length) {
      return httpLength(b, length);
    }
  },

  /** A POST of {@link #BATCH} calls each. */
  HTTP_BATCH {
    @Override
    byte[] request(Workload workload, int i) {
      ByteArrayOutputStream batch = new ByteArrayOutputStream();
      for (int k = 0; k < BATCH; k++) {
        batch.write(k == 0 ? '[' : ',');
        batch.writeBytes(workload.request(i * BATCH + k));
      }
      batch.write(']');
      return post(batch.toByteArray());
    }

    @Override
    int answerLength(byte[] b, int length) {
      return httpLength(b, length);
    }

    @Override
    int calls() {
      return BATCH;
    }
  },

  /** A WebSocket text message each. */
  WEBSOCKET {
    @Override
    byte[] handshake() {
      return ("GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
              + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n")
          .getBytes(US_ASCII);
    }

    @Override
    byte[] request(Workload workload, int i) {
      byte[] text = workload.request(i);
      ByteBuffer frame = ByteBuffer.allocate(text.length + 14);
      frame.put((byte) 0x81);
      if (text.length < 126) {
        frame.put((byte) (0x80 | text.length));
      } else if (text.length < 1 << 16) {
        frame.put((byte) (0x80 | 126)).putShort((short) text.length);
      } else {
        frame.put((byte) (0x80 | 127)).putLong(text.length);
      }
      frame.putInt(0).put(text); // masked with zeros: the server unmasks all the same
      return java.util.Arrays.copyOf(frame.array(), frame.position());
    }

    @Override
    int answerLength(byte[] b, int length) {
      if (length < 10) {
        return -1;
      }
      ByteBuffer frame = ByteBuffer.wrap(b);
      int total = switch (b[1]) {
        case 126 -> 4 + (frame.getShort(2) & 0xFFFF);
        case 127 -> 10 + (int) frame.getLong(2);
        default -> 2 + b[1];
      };
      return total <= length ? total : -1;
    }
  };

  /** The calls of one batch. */
  static final int BATCH = 100;

  /** What a new connection sends first, to be answered by one HTTP head; empty for nothing. */
  byte[] handshake() {
    return new byte[0];
  }

  /** The {@code i}th request; all have the same length. */
  abstract byte[] request(Workload workload, int i);

  /** The length of the answer at the start of these bytes, or -1 if it is not all there. */
  abstract int answerLength(byte[] b, int length);

  /** The calls of one request. */
  int calls() {
    return 1;
  }

  private static byte[] post(byte[] body) {
    String head = "POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
        + "Content-Length: " + body.length + "\r\n\r\n";
    return join(head.getBytes(US_ASCII), body);
  }

  /** The length of an HTTP head, or -1. */
  static int headLength(byte[] b, int length) {
    int end = new String(b, 0, length, US_ASCII).indexOf("\r\n\r\n");
    return end < 0 ? -1 : end + 4;
  }

  private static int httpLength(byte[] b, int length) {
    int head = headLength(b, length);
    if (head < 0) {
      return -1;
    }
    String fields = new String(b, 0, head, US_ASCII).toLowerCase(Locale.ROOT);
    String name = "\r\ncontent-length:";
    int at = fields.indexOf(name);
    if (at < 0) {
      throw new IllegalStateException("an answer without Content-Length: " + fields);
    }
    int from = at + name.length();
    int total = head
        + Integer.parseInt(fields.substring(from, fields.indexOf('\r', from)).trim());
    return total <= length ? total : -1;
  }

  private static byte[] join(byte[] first, byte[] second) {
    byte[] both = java.util.Arrays.copyOf(first, first.length + second.length);
    System.arraycopy(second, 0, both, first.length, second.length);
    return both;
  }
}
