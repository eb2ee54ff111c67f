package dev.repartee.netty.tls;

import java.nio.ByteBuffer;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;

/**
 * The buffers for encrypted bytes. A connection has one only while it reads or writes: thousands of
 * idle connections share the buffers of the few that are active.
 */
final class RecordBuffers {
  /** The size of four records of full length. */
  private static final int SIZE = 68 << 10;

  private static final BlockingQueue<ByteBuffer> FREE =
      new ArrayBlockingQueue<>(4 * Runtime.getRuntime().availableProcessors());

  static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

  private RecordBuffers() {}

  /** Returns an empty buffer on the heap. */
  static ByteBuffer take() {
    ByteBuffer free = FREE.poll();
    return free == null ? ByteBuffer.allocate(SIZE) : free.clear();
  }

  /** Gives a buffer back. */
  static void give(ByteBuffer buffer) {
    FREE.offer(buffer);
  }

  /** Gives a buffer back that is ready to be read, and returns a copy of its rest. */
  static ByteBuffer keepRest(ByteBuffer buffer) {
    ByteBuffer rest = buffer.hasRemaining()
        ? ByteBuffer.allocate(buffer.remaining()).put(buffer).flip()
        : NOTHING;
    give(buffer);
    return rest;
  }
}
