package dev.repartee.ssh;

import dev.repartee.framing.ForwardingReceiver;
import dev.repartee.framing.Receiver;
import dev.repartee.transport.Attributes;
import dev.repartee.transport.Channel;
import dev.repartee.transport.ChannelInfo;
import dev.repartee.transport.ForwardingChannel;
import org.jspecify.annotations.Nullable;

/**
 * A channel over the two streams of an SSH channel. It adds the name of the peer, the attributes of
 * its calls, and the reason of the end: the end of input means the end of both directions if the
 * {@link End} has a reason.
 */
final class SshChannel extends ForwardingChannel {
  /** The end of an SSH channel. */
  interface End {
    /** Returns the reason of the end of input; null if the peer still reads. Does not block. */
    @Nullable Throwable reason();

    /** Called when the channel has ended. */
    default void closed() {}

    /** Ends a channel that is aborted instead of started. */
    default void refused() {}
  }

  private final String remote;
  private final Attributes attributes;
  private final End end;
  private volatile boolean started;

  SshChannel(Channel streams, String remote, Attributes attributes, End end) {
    super(streams);
    this.remote = remote;
    this.attributes = attributes;
    this.end = end;
  }

  @Override
  public void start(Receiver receiver) {
    started = true;
    super.start(new Inlet(receiver));
  }

  @Override
  public void abort(@Nullable Throwable cause) {
    if (!started) {
      end.refused(); // nobody will report the end
    }
    super.abort(cause);
  }

  @Override
  public Attributes attributes() {
    return attributes;
  }

  @Override
  public ChannelInfo info() {
    return new ChannelInfo("ssh", remote, super.info().framing());
  }

  private final class Inlet extends ForwardingReceiver {
    Inlet(Receiver receiver) {
      super(receiver);
    }

    @Override
    public void inputClosed(@Nullable Throwable cause) {
      Throwable reason = end.reason();
      if (reason == null) {
        super.inputClosed(cause);
      } else {
        abort(reason);
      }
    }

    @Override
    public void closed(@Nullable Throwable cause) {
      super.closed(cause);
      end.closed();
    }
  }
}
