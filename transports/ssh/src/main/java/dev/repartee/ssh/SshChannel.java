package dev.repartee.ssh;

import dev.repartee.framing.FrameFault;
import dev.repartee.framing.Receiver;
import dev.repartee.transport.Attributes;
import dev.repartee.transport.Channel;
import dev.repartee.transport.ChannelInfo;
import dev.repartee.transport.OutboundFrame;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A channel over the two streams of an SSH channel. It adds the name of the peer, the attributes of
 * its calls, and the reason of the end: the end of input means the end of both directions if the
 * {@link End} has a reason.
 */
final class SshChannel implements Channel {
  /** The end of an SSH channel. */
  interface End {
    /** Returns the reason of the end of input; null if the peer still reads. Does not block. */
    @Nullable Throwable reason();

    /** Called when the channel has ended. */
    default void closed() {}
  }

  private final Channel streams;
  private final String remote;
  private final Attributes attributes;
  private final End end;

  SshChannel(Channel streams, String remote, Attributes attributes, End end) {
    this.streams = streams;
    this.remote = remote;
    this.attributes = attributes;
    this.end = end;
  }

  @Override
  public void start(Receiver receiver) {
    streams.start(new Inlet(receiver));
  }

  @Override
  public OutboundFrame open() {
    return streams.open();
  }

  @Override
  public void commit(OutboundFrame frame) {
    streams.commit(frame);
  }

  @Override
  public void gather(OutboundFrame frame) {
    streams.gather(frame);
  }

  @Override
  public void flush() {
    streams.flush();
  }

  @Override
  public void flushSoon() {
    streams.flushSoon();
  }

  @Override
  public void discard(OutboundFrame frame) {
    streams.discard(frame);
  }

  @Override
  public void resume() {
    streams.resume();
  }

  @Override
  public void close() {
    streams.close();
  }

  @Override
  public void abort(@Nullable Throwable cause) {
    streams.abort(cause);
  }

  @Override
  public boolean takesAnswers() {
    return streams.takesAnswers();
  }

  @Override
  public boolean awaitRoom(long time, TimeUnit unit) throws InterruptedException {
    return streams.awaitRoom(time, unit);
  }

  @Override
  public Attributes attributes() {
    return attributes;
  }

  @Override
  public ChannelInfo info() {
    return new ChannelInfo("ssh", remote, streams.info().framing());
  }

  private final class Inlet implements Receiver {
    private final Receiver receiver;

    Inlet(Receiver receiver) {
      this.receiver = receiver;
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
    public boolean frame(byte[] bytes, int from, int to) {
      return receiver.frame(bytes, from, to);
    }

    @Override
    public void violation(String violation) {
      receiver.violation(violation);
    }

    @Override
    public void notice(String event) {
      receiver.notice(event);
    }

    @Override
    public void fault(FrameFault fault) {
      receiver.fault(fault);
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
    public void hungUp() {
      receiver.hungUp();
    }

    @Override
    public void inputClosed(@Nullable Throwable cause) {
      Throwable reason = end.reason();
      if (reason == null) {
        receiver.inputClosed(cause);
      } else {
        streams.abort(reason);
      }
    }

    @Override
    public void closed(@Nullable Throwable cause) {
      receiver.closed(cause);
      end.closed();
    }
  }
}
