package dev.repartee.transport.http.server;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.zip.Deflater;
import java.util.zip.GZIPOutputStream;

/** The compressed bytes of a body, without a copy of the array that they are in. */
final class Gzipped extends ByteArrayOutputStream {
  private static final int STEP = 8 << 10;

  private Gzipped(int capacity) {
    super(capacity);
  }

  static Gzipped of(byte[] bytes, int size) {
    Gzipped out = new Gzipped(size / 4);
    try (OutputStream gzip = new Fast(out)) {
      gzip.write(bytes, 0, size);
    } catch (IOException e) {
      throw new UncheckedIOException(e); // impossible: writes to memory
    }
    return out;
  }

  byte[] array() {
    return buf;
  }

  private static final class Fast extends GZIPOutputStream {
    Fast(OutputStream out) throws IOException {
      super(out, STEP);
      def.setLevel(Deflater.BEST_SPEED);
    }
  }
}
