package dev.repartee.benchmarks.micro;

import dev.repartee.framing.Receiver;
import dev.repartee.transport.Channel;
import dev.repartee.transport.ChannelInfo;
import dev.repartee.transport.OutboundFrame;
import org.jspecify.annotations.Nullable;

/** A channel without a transport: counts the sent bytes and reuses their buffer. For one thread. */
final class BenchChannel implements Channel {
  private final OutboundFrame out = new OutboundFrame(Integer.MAX_VALUE, 1 << 16);
  private @Nullable Receiver receiver;
  private int answered;

  /** Delivers a frame and returns the length of its answer. */
  int answer(byte[] frame) {
    answered = 0;
    if (receiver != null) {
      receiver.frame(frame, 0, frame.length);
    }
    return answered;
  }

  /** Returns the last sent frame. */
  String last() {
    return out.toString();
  }

  @Override
  public void start(Receiver receiver) {
    this.receiver = receiver;
  }

  @Override
  public OutboundFrame open() {
    out.truncate(0);
    return out;
  }

  @Override
  public void commit(OutboundFrame frame) {
    answered = frame.size();
  }

  @Override
  public void abort(@Nullable Throwable cause) {}

  @Override
  public ChannelInfo info() {
    return new ChannelInfo("none", "", "message");
  }
}
