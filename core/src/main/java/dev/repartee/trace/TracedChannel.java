package dev.repartee.trace;

import dev.repartee.framing.FrameFault;
import dev.repartee.framing.Receiver;
import dev.repartee.transport.Attributes;
import dev.repartee.transport.Channel;
import dev.repartee.transport.ChannelInfo;
import dev.repartee.transport.MessageChannel;
import dev.repartee.transport.OutboundFrame;
import dev.repartee.transport.OutgoingMessage;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** A channel that records its events. Everything else is done by the channel inside. */
class TracedChannel implements Channel {
  private final Channel channel;
  private final Trace trace;
  private final long number;

  TracedChannel(Channel channel, Trace trace, long number) {
    this.channel = channel;
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
    trace.opened(number, channel.info());
    channel.start(new Inlet(receiver));
  }

  @Override
  public OutboundFrame open() {
    return channel.open();
  }

  @Override
  public void commit(OutboundFrame frame) {
    record(frame);
    channel.commit(frame);
  }

  @Override
  public void gather(OutboundFrame frame) {
    record(frame);
    channel.gather(frame);
  }

  /** Records before the commit: afterwards the frame belongs to the channel. */
  final void record(OutboundFrame frame) {
    trace.frame(number, Direction.OUT, frame.array(), frame.textStart(), frame.size());
  }

  @Override
  public void flush() {
    channel.flush();
  }

  @Override
  public void flushSoon() {
    channel.flushSoon();
  }

  @Override
  public void discard(OutboundFrame frame) {
    channel.discard(frame);
  }

  @Override
  public void resume() {
    channel.resume();
  }

  @Override
  public void close() {
    channel.close();
  }

  @Override
  public void abort(@Nullable Throwable cause) {
    channel.abort(cause);
  }

  @Override
  public boolean streams() {
    return channel.streams();
  }

  @Override
  public boolean takesAnswers() {
    return channel.takesAnswers();
  }

  @Override
  public boolean awaitRoom(long time, TimeUnit unit) throws InterruptedException {
    return channel.awaitRoom(time, unit);
  }

  @Override
  public Attributes attributes() {
    return channel.attributes();
  }

  @Override
  public boolean isLowLatency() {
    return channel.isLowLatency();
  }

  @Override
  public ChannelInfo info() {
    return channel.info();
  }

  /** Records the events of the channel, then passes them on. */
  private final class Inlet implements Receiver {
    private final Receiver receiver;

    Inlet(Receiver receiver) {
      this.receiver = receiver;
    }

    @Override
    public boolean frame(byte[] bytes, int from, int to) {
      trace.frame(number, Direction.IN, bytes, from, to);
      return receiver.frame(bytes, from, to);
    }

    @Override
    public void violation(String violation) {
      trace.violation(number, violation);
      receiver.violation(violation);
    }

    @Override
    public void notice(String event) {
      receiver.notice(event);
    }

    @Override
    public void fault(FrameFault fault) {
      trace.fault(number, fault);
      receiver.fault(fault);
    }

    @Override
    public void closed(@Nullable Throwable cause) {
      trace.closed(number, cause);
      receiver.closed(cause);
    }

    @Override
    public void burstBegins() {
      receiver.burstBegins();
    }

    @Override
    public void burstEnds() {
      receiver.burstEnds();
    }

    @Override
    public boolean ready() {
      return receiver.ready();
    }

    @Override
    public void roomAgain() {
      receiver.roomAgain();
    }

    @Override
    public void inputClosed(@Nullable Throwable cause) {
      receiver.inputClosed(cause);
    }

    @Override
    public void hungUp() {
      receiver.hungUp();
    }
  }
}
