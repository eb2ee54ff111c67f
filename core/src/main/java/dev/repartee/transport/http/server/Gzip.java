package dev.repartee.transport.http.server;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.zip.CRC32;
import java.util.zip.DataFormatException;
import java.util.zip.Deflater;
import java.util.zip.Inflater;

/** The content coding gzip (RFC 9110 section 8.4.1.3). */
public final class Gzip {
  private static final int STEP = 8 << 10;

  private Gzip() {}

  /**
   * Decompresses a message into {@code into}, which also sets the size limit.
   *
   * @return false if {@code into} does not accept the bytes
   * @throws IOException if the message is not gzip, or is incomplete
   */
  public static boolean decompress(MessageBuffer message, MessageBuffer into) throws IOException {
    try (Reader reader = new Reader()) {
      if (!reader.read(message.bytes, 0, message.size, into::append)) {
        return false;
      }
      require(reader.isComplete());
      return true;
    }
  }

  private static void require(boolean right) throws IOException {
    if (!right) {
      throw new IOException("the bytes are not gzip, or not all of it");
    }
  }

  /** Receives decompressed bytes, which are valid until {@code take} returns. */
  public interface Sink {
    /** Receives bytes. Returns false to stop the decompression. */
    boolean take(ByteBuffer bytes) throws IOException;
  }

  /**
   * Decompresses gzip data that arrives in pieces. The data is a sequence of members (RFC 1952
   * section 2.2). Bytes after the last member are ignored, since some writers pad with zeros.
   *
   * <p>{@link java.util.zip.GZIPInputStream} is not an alternative: it calls itself for each empty
   * member, and a small body can overflow the stack. Netty's decoder is not an alternative either:
   * it does not report whether the data is complete.
   */
  public static final class Reader implements AutoCloseable {
    /**
     * The parts of a member in their order. {@code BETWEEN} follows a complete member; {@code
     * BEHIND} follows the last member, if other bytes do.
     */
    private enum Part {
      FIXED,
      EXTRA_LENGTH,
      EXTRA,
      NAME,
      COMMENT,
      HEADER_SUM,
      DATA,
      TRAILER,
      BETWEEN,
      BEHIND
    }

    private static final int[] BEGIN = {0x1F, 0x8B, Deflater.DEFLATED};
    private static final int HEADER = 10;
    private static final int FLAGS = 3;
    private static final int TRAILER = 8;
    private static final int CHECKED = 2;
    private static final int EXTRA = 4;
    private static final int NAME = 8;
    private static final int COMMENT = 16;

    private final Inflater inflater = new Inflater(true);
    private final byte[] step = new byte[STEP];
    private final CRC32 sum = new CRC32();
    private Part part = Part.FIXED;
    private int flags;

    /**
     * The number of bytes read of the current part. The {@code value} of these bytes is
     * little-endian.
     */
    private int count;

    private long value;
    private int extra;

    /** Returns whether no byte was read yet. */
    public boolean isEmpty() {
      return part == Part.FIXED && count == 0;
    }

    /** Returns whether the data may end here, after a complete member. */
    public boolean isComplete() {
      return part == Part.BETWEEN || part == Part.BEHIND;
    }

    /**
     * Reads a piece of the data.
     *
     * @return false if {@code into} does not accept the decompressed bytes
     * @throws IOException if the data is not gzip
     */
    public boolean read(byte[] bytes, int from, int to, Sink into) throws IOException {
      int at = from;
      while (at < to && part != Part.BEHIND) {
        if (part == Part.DATA) {
          inflater.setInput(bytes, at, to - at);
          if (!inflate(into)) {
            return false;
          }
          at = to - inflater.getRemaining();
        } else {
          read(bytes[at++] & 0xFF);
        }
      }
      return true;
    }

    private boolean inflate(Sink into) throws IOException {
      try {
        for (int length = inflater.inflate(step); length > 0; length = inflater.inflate(step)) {
          sum.update(step, 0, length);
          if (!into.take(ByteBuffer.wrap(step, 0, length))) {
            return false;
          }
        }
      } catch (DataFormatException e) {
        throw new IOException(e);
      }
      if (inflater.finished()) {
        enter(Part.TRAILER);
      } else {
        require(inflater.needsInput());
      }
      return true;
    }

    private void read(int next) throws IOException {
      switch (part) {
        case FIXED, EXTRA_LENGTH, EXTRA, NAME, COMMENT -> header(next);
        case HEADER_SUM -> {
          if (number(next) == 2) {
            require(value == (sum.getValue() & 0xFFFF));
            data();
          }
        }
        case TRAILER -> trailer(next);
        default -> {
          enter(next == BEGIN[0] ? Part.FIXED : Part.BEHIND);
          if (part == Part.FIXED) {
            sum.reset();
            header(next);
          }
        }
      }
    }

    private void header(int next) throws IOException {
      sum.update(next);
      int read = number(next);
      switch (part) {
        case FIXED -> {
          require(read > BEGIN.length || next == BEGIN[read - 1]);
          if (read == FLAGS + 1) {
            flags = next;
          }
          if (read == HEADER) {
            follow();
          }
        }
        case EXTRA_LENGTH -> {
          if (read == 2) {
            extra = (int) value;
            enter(Part.EXTRA);
            if (extra == 0) {
              follow();
            }
          }
        }
        case EXTRA -> {
          if (read == extra) {
            follow();
          }
        }
        default -> {
          if (next == 0) {
            follow(); // the end of the file name or comment, which are ignored
          }
        }
      }
    }

    /** Adds a byte to the value of the current part. Returns the number of its bytes so far. */
    private int number(int next) {
      if (count < Long.BYTES) {
        value |= (long) next << Byte.SIZE * count;
      }
      return ++count;
    }

    private void follow() {
      if (part == Part.FIXED && (flags & EXTRA) != 0) {
        enter(Part.EXTRA_LENGTH);
      } else if (part.compareTo(Part.NAME) < 0 && (flags & NAME) != 0) {
        enter(Part.NAME);
      } else if (part.compareTo(Part.COMMENT) < 0 && (flags & COMMENT) != 0) {
        enter(Part.COMMENT);
      } else if ((flags & CHECKED) != 0) {
        enter(Part.HEADER_SUM);
      } else {
        data();
      }
    }

    private void data() {
      enter(Part.DATA);
      inflater.reset();
      sum.reset();
    }

    private void trailer(int next) throws IOException {
      if (number(next) == TRAILER) {
        long length = inflater.getBytesWritten() & 0xFFFFFFFFL;
        require(value == (length << Integer.SIZE | sum.getValue()));
        enter(Part.BETWEEN);
      }
    }

    private void enter(Part next) {
      part = next;
      count = 0;
      value = 0;
    }

    @Override
    public void close() {
      inflater.end();
    }
  }
}
