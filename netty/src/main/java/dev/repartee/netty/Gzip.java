package dev.repartee.netty;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufOutputStream;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.zip.CRC32;
import java.util.zip.DataFormatException;
import java.util.zip.Deflater;
import java.util.zip.GZIPOutputStream;
import java.util.zip.Inflater;

/** The content coding gzip (RFC 9110 section 8.4.1.3). */
final class Gzip {
  private static final int STEP = 8 << 10;

  private Gzip() {}

  /** Those bytes compressed, fast rather than as far as possible. */
  static ByteBuf compressed(byte[] bytes, int size) {
    ByteBuf out = Unpooled.buffer(size / 4);
    try (OutputStream gzip = new Fast(new ByteBufOutputStream(out))) {
      gzip.write(bytes, 0, size);
    } catch (IOException e) {
      throw new UncheckedIOException(e); // the memory does not fail
    }
    return out;
  }

  private static final class Fast extends GZIPOutputStream {
    Fast(OutputStream out) throws IOException {
      super(out, STEP);
      def.setLevel(Deflater.BEST_SPEED);
    }
  }

  /**
   * Decompresses a message, no further than the limit of {@code into}.
   *
   * @return false if {@code into} does not take it
   * @throws IOException if this is not gzip, or not all of it
   */
  static boolean decompress(MessageBytes message, MessageBytes into) throws IOException {
    Inflater inflater = new Inflater(true);
    try {
      return new Members(message, inflater).decompress(into);
    } catch (DataFormatException e) {
      throw new IOException(e);
    } finally {
      inflater.end();
    }
  }

  /**
   * The members of a file (RFC 1952 section 2.2). Not {@link java.util.zip.GZIPInputStream}: it calls
   * itself for each empty member, so that a small body overflows the stack.
   */
  private static final class Members {
    private static final int HEADER = 10;
    private static final int TRAILER = 8;
    private static final int CHECKED = 2;
    private static final int EXTRA = 4;
    private static final int NAME = 8;
    private static final int COMMENT = 16;

    private final byte[] bytes;
    private final int end;
    private final Inflater inflater;
    private final byte[] step = new byte[STEP];
    private final CRC32 sum = new CRC32();
    private int at;

    Members(MessageBytes message, Inflater inflater) {
      this.bytes = message.bytes;
      this.end = message.size;
      this.inflater = inflater;
    }

    /** Bytes behind the last member are ignored: some writers pad with zeros. */
    boolean decompress(MessageBytes into) throws IOException, DataFormatException {
      do {
        header();
        if (!data(into)) {
          return false;
        }
        trailer();
      } while (begins());
      return true;
    }

    private boolean begins() {
      return end - at >= 2 && bytes[at] == 0x1F && bytes[at + 1] == (byte) 0x8B;
    }

    private void require(boolean right) throws IOException {
      if (!right) {
        throw new IOException("the bytes are not gzip, or not all of it");
      }
    }

    private int next() throws IOException {
      require(at < end);
      return bytes[at++] & 0xFF;
    }

    private long littleEndian(int count) throws IOException {
      long value = 0;
      for (int i = 0; i < count; i++) {
        value |= (long) next() << 8 * i;
      }
      return value;
    }

    private void header() throws IOException {
      int begin = at;
      require(begins() && end - at >= HEADER && bytes[at + 2] == Deflater.DEFLATED);
      int flags = bytes[at + 3];
      at += HEADER;
      if ((flags & EXTRA) != 0) {
        int length = (int) littleEndian(2);
        require(end - at >= length);
        at += length;
      }
      for (int text = flags & (NAME | COMMENT); text != 0; text &= text - 1) {
        while (next() != 0) {
          // the text is of no use here
        }
      }
      if ((flags & CHECKED) != 0) {
        sum.reset();
        sum.update(bytes, begin, at - begin);
        require(littleEndian(2) == (sum.getValue() & 0xFFFF));
      }
    }

    private boolean data(MessageBytes into) throws IOException, DataFormatException {
      inflater.reset();
      inflater.setInput(bytes, at, end - at);
      sum.reset();
      while (!inflater.finished()) {
        int count = inflater.inflate(step);
        require(count > 0 || inflater.finished());
        sum.update(step, 0, count);
        if (!into.append(Unpooled.wrappedBuffer(step, 0, count))) {
          return false;
        }
      }
      at = end - inflater.getRemaining();
      return true;
    }

    private void trailer() throws IOException {
      require(end - at >= TRAILER);
      require(littleEndian(4) == sum.getValue());
      require(littleEndian(4) == (inflater.getBytesWritten() & 0xFFFFFFFFL));
    }
  }
}
