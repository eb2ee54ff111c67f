package dev.repartee.amqp;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.impl.Frame;
import com.rabbitmq.client.impl.SocketFrameHandler;
import java.io.IOException;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;

/**
 * Filters the frames of a connection: removes contents that crash the client library. Without the
 * filter the connection would end, and the broker would redeliver the same message forever.
 *
 * <ul>
 *   <li>Headers are removed if they are larger than the limit {@code headerBytes}, or nested deeper
 *       than the library can read. Small headers can use thirty times their size in memory.
 *   <li>A body above the limit is replaced by an empty one, with the header {@link Names#DROPPED}.
 * </ul>
 *
 * <p>The frames are read by one thread.
 */
final class BoundedFrames extends SocketFrameHandler {
  /** The class of the content headers of messages (AMQP 0-9-1, basic). */
  private static final int BASIC = 60;

  /** The number of bytes of a content header before its property flags. */
  private static final int FIXED = 12;

  private static final int HAS_CONTENT_TYPE = 1 << 15;
  private static final int HAS_ENCODING = 1 << 14;
  private static final int HAS_HEADERS = 1 << 13;

  /** The maximum nesting of tables and arrays; the library reads 32 levels. */
  private static final int DEPTH = 16;

  /**
   * The maximum size of a frame before the broker and the client have agreed on one, in bytes: the
   * same as in the library.
   */
  private static final int FIRST_FRAMES = 8_192;

  private final Socket socket;
  private final int headerBytes;
  private final long bodyBytes;

  /** The bytes of bodies that are still to be dropped, by channel. */
  private final Map<Integer, Long> dropping = new HashMap<>();

  /**
   * Creates a handler of a connection.
   *
   * @param socket the connected socket
   * @param headerBytes the maximum size of the headers of a message, in bytes
   * @param bodyBytes the maximum size of a body, in bytes
   */
  BoundedFrames(Socket socket, int headerBytes, long bodyBytes) throws IOException {
    super(socket, null, FIRST_FRAMES);
    this.socket = socket;
    this.headerBytes = headerBytes;
    this.bodyBytes = bodyBytes;
  }

  @Override
  @SuppressWarnings("NullAway") // null means that nothing has arrived in time
  public Frame readFrame() throws IOException {
    Frame frame = super.readFrame();
    if (frame == null) {
      return frame;
    }
    if (frame.getType() == AMQP.FRAME_HEADER) {
      return new Frame(frame.getType(), frame.getChannel(), header(frame));
    }
    if (frame.getType() == AMQP.FRAME_BODY && !dropping.isEmpty()) {
      return body(frame);
    }
    return frame;
  }

  private Frame body(Frame frame) {
    Long left = dropping.get(frame.getChannel());
    if (left == null) {
      return frame;
    }
    left -= frame.getPayload().length;
    if (left > 0) {
      dropping.put(frame.getChannel(), left);
    } else {
      dropping.remove(frame.getChannel());
    }
    return new Frame(AMQP.FRAME_HEARTBEAT, 0); // only resets the time-out
  }

  private byte[] header(Frame frame) {
    byte[] payload = frame.getPayload();
    ByteBuffer in = ByteBuffer.wrap(payload);
    if (payload.length < FIXED + 2 || in.getShort(0) != BASIC) {
      return payload;
    }
    long size = in.getLong(4);
    int flags = in.getShort(FIXED);
    int table = FIXED + 2;
    table += (flags & HAS_CONTENT_TYPE) == 0 ? 0 : 1 + (payload[table] & 0xFF);
    table += (flags & HAS_ENCODING) == 0 ? 0 : 1 + (payload[table] & 0xFF);
    boolean hasHeaders = (flags & HAS_HEADERS) != 0;
    int length = hasHeaders ? in.getInt(table) : 0;
    int end = hasHeaders ? table + 4 + length : table;
    if (length < 0 || end > payload.length) {
      return payload; // it is malformed; the library ends the connection
    }
    boolean tooLarge = size > bodyBytes;
    boolean isPlain = length <= headerBytes
        && isShallow(in.position(hasHeaders ? table + 4 : end), end, false, 0);
    if (isPlain && !tooLarge) {
      return payload;
    }
    byte[] instead = tooLarge ? dropped(size) : new byte[4];
    ByteBuffer out = ByteBuffer.allocate(table + instead.length + payload.length - end);
    out.put(payload, 0, table).put(instead).put(payload, end, payload.length - end);
    if (tooLarge) {
      dropping.put(frame.getChannel(), size);
      out.putLong(4, 0);
    }
    return out.putShort(FIXED, (short) (flags | HAS_HEADERS)).array();
  }

  /** Returns a table with the size of the dropped body. */
  private static byte[] dropped(long size) {
    byte[] name = Names.DROPPED.getBytes(java.nio.charset.StandardCharsets.US_ASCII);
    int length = 1 + name.length + 1 + Long.BYTES;
    return ByteBuffer.allocate(4 + length)
        .putInt(length)
        .put((byte) name.length)
        .put(name)
        .put((byte) 'l')
        .putLong(size)
        .array();
  }

  /** Returns whether a table or an array is well-formed and nested at most {@link #DEPTH} deep. */
  private static boolean isShallow(ByteBuffer in, int end, boolean isArray, int depth) {
    while (in.position() < end) {
      if (!isArray && !skip(in, end, 1L + (in.get(in.position()) & 0xFF)) || in.position() >= end) {
        return false;
      }
      int type = in.get();
      boolean good = switch (type) {
        case 'V' -> true;
        case 't', 'b', 'B' -> skip(in, end, 1);
        case 's', 'u' -> skip(in, end, 2);
        case 'I', 'i', 'f' -> skip(in, end, 4);
        case 'D' -> skip(in, end, 5);
        case 'T', 'l', 'd' -> skip(in, end, 8);
        case 'S', 'x' -> end - in.position() >= 4 && skip(in, end, in.getInt() & 0xFFFFFFFFL);
        case 'F', 'A' -> {
          long length = end - in.position() >= 4 ? in.getInt() & 0xFFFFFFFFL : Long.MAX_VALUE;
          yield length <= end - in.position()
              && depth < DEPTH
              && isShallow(in, in.position() + (int) length, type == 'A', depth + 1);
        }
        default -> false;
      };
      if (!good) {
        return false;
      }
    }
    return true;
  }

  private static boolean skip(ByteBuffer in, int end, long count) {
    if (count > end - in.position()) {
      return false;
    }
    in.position(in.position() + (int) count);
    return true;
  }

  /** Ends the connection immediately, even if a thread is blocked in a write. */
  void cut() {
    try {
      socket.setSoLinger(true, 0); // closes without waiting
    } catch (IOException e) {
      // It is closed already.
    }
    try {
      socket.close();
    } catch (IOException e) {
      // It is no longer needed.
    }
  }
}
