package dev.repartee;

import dev.repartee.framing.Receiver;
import dev.repartee.transport.Channel;
import dev.repartee.transport.ChannelInfo;
import dev.repartee.transport.OutboundFrame;
import java.util.ArrayDeque;
import java.util.Objects;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/** A channel that keeps its frames unsent. */
public class KeepingChannel implements Channel {
  public final Queue<OutboundFrame> kept = new ArrayDeque<>();

  private @Nullable Receiver receiver;

  public Receiver receiver() {
    return Objects.requireNonNull(receiver);
  }

  @Override
  public void start(Receiver receiver) {
    this.receiver = receiver;
  }

  @Override
  public OutboundFrame open() {
    return new OutboundFrame(Integer.MAX_VALUE);
  }

  @Override
  public void commit(OutboundFrame frame) {
    kept.add(frame);
  }

  @Override
  public void abort(@Nullable Throwable cause) {}

  @Override
  public ChannelInfo info() {
    return new ChannelInfo("test", "", "message");
  }
}
