package dev.repartee.zeromq;

import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicBoolean;
import zmq.Msg;

/**
 * The last frame of a reply. It reports when ZeroMQ begins to write it; this is needed because the
 * queue of ZeroMQ limits only the number of messages, not their size.
 */
final class ReplyFrame extends Msg {
  private final AtomicBoolean isBegun = new AtomicBoolean();
  private final Runnable begun;

  /**
   * Creates a frame.
   *
   * @param begun is run once, by the thread of ZeroMQ
   */
  ReplyFrame(byte[] content, Runnable begun) {
    super(content);
    this.begun = begun;
  }

  private void begin() {
    if (isBegun.compareAndSet(false, true)) {
      begun.run();
    }
  }

  /** Called by the encoder of a connection without encryption. */
  @Override
  public ByteBuffer buf() {
    begin();
    return super.buf();
  }

  /** Called by the encryption. */
  @Override
  public void transfer(ByteBuffer destination, int offset, int length) {
    begin();
    super.transfer(destination, offset, length);
  }
}
