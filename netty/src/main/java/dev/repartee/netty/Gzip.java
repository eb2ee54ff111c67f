package dev.repartee.netty;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufOutputStream;
import io.netty.buffer.Unpooled;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.zip.Deflater;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;

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
    byte[] step = new byte[STEP];
    try (GZIPInputStream in =
        new GZIPInputStream(new ByteArrayInputStream(message.bytes, 0, message.size), STEP)) {
      for (int n = in.read(step); n >= 0; n = in.read(step)) {
        if (!into.append(Unpooled.wrappedBuffer(step, 0, n))) {
          return false;
        }
      }
    }
    return true;
  }
}
