package dev.repartee.trace;

import dev.repartee.framing.ForwardingReceiver;
import dev.repartee.framing.FrameFault;
import dev.repartee.framing.Receiver;
import dev.repartee.transport.Channel;
import dev.repartee.transport.ForwardingChannel;
import dev.repartee.transport.MessageChannel;
import dev.repartee.transport.OutboundFrame;
import dev.repartee.transport.OutgoingMessage;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** A channel that records its events. */
class TracedChannel extends ForwardingChannel {
  private final Trace trace;
  private final long number;

  TracedChannel(Channel channel, Trace trace, long number) {
    super(channel);
    this.trace = trace;
    this.number = number;
  }

  /** Returns a traced channel of the same kind. */
  static Channel of(Channel channel, Trace trace, long number) {
    return channel instanceof MessageChannel messages
        ? new Messages(messages, trace, number)
        : new TracedChannel(channel, trace, number);
  }

  /** A channel without a connection. */
  private static final class Messages extends TracedChannel implements MessageChannel {
    private final MessageChannel channel;

    Messages(MessageChannel channel, Trace trace, long number) {
      super(channel, trace, number);
      this.channel = channel;
    }

    @Override
    public void send(OutgoingMessage message) {
      record(message.text());
      channel.send(message);
    }

    @Override
    public boolean cancels() {
      return channel.cancels();
    }

    @Override
    public @Nullable LongSupplier numbering() {
      return channel.numbering();
    }
  }

  @Override
  public void start(Receiver receiver) {
    trace.opened(number, info());
    super.start(new Inlet(receiver));
  }

  @Override
  public void commit(OutboundFrame frame) {
    record(frame);
    super.commit(frame);
  }

  @Override
  public void gather(OutboundFrame frame) {
    record(frame);
    super.gather(frame);
  }

  /** Records before the commit: afterwards the frame belongs to the channel. */
  final void record(OutboundFrame frame) {
    trace.frame(number, Direction.OUT, frame.array(), frame.textStart(), frame.size());
  }

  /** Records the events of the channel, then passes them on. */
  private final class Inlet extends ForwardingReceiver {
    Inlet(Receiver receiver) {
      super(receiver);
    }

    @Override
    public boolean frame(byte[] bytes, int from, int to) {
      trace.frame(number, Direction.IN, bytes, from, to);
      return super.frame(bytes, from, to);
    }

    @Override
    public void violation(String violation) {
      trace.violation(number, violation);
      super.violation(violation);
    }

    @Override
    public void fault(FrameFault fault) {
      trace.fault(number, fault);
      super.fault(fault);
    }

    @Override
    public void closed(@Nullable Throwable cause) {
      trace.closed(number, cause);
      super.closed(cause);
    }
  }
}
