package dev.repartee.zeromq;

import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicBoolean;
import zmq.Msg;

/**
 * The last frame of a reply. It reports when ZeroMQ begins to write it; this is needed because the
 * queue of ZeroMQ limits only the number of messages, not their size.
 */
final class ReplyFrame extends Msg {
  private final AtomicBoolean isTaken = new AtomicBoolean();
  private final Runnable taken;

  /**
   * Creates a frame.
   *
   * @param taken is run once, by the thread of ZeroMQ
   */
  ReplyFrame(byte[] content, Runnable taken) {
    super(content);
    this.taken = taken;
  }

  private void take() {
    if (isTaken.compareAndSet(false, true)) {
      taken.run();
    }
  }

  /** Called by the encoder of a connection without encryption. */
  @Override
  public ByteBuffer buf() {
    take();
    return super.buf();
  }

  /** Called by the encryption. */
  @Override
  public void transfer(ByteBuffer destination, int offset, int length) {
    take();
    super.transfer(destination, offset, length);
  }
}
