package dev.repartee;

import dev.repartee.limits.LimitException;
import dev.repartee.transport.ChannelInfo;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A listener that forwards every event to another listener. Extend it to observe some events of a
 * listener that other code has set.
 */
public abstract class ForwardingListener implements Listener {
  private final Listener next;

  /** Forwards to that listener. */
  protected ForwardingListener(Listener next) {
    this.next = Objects.requireNonNull(next);
  }

  @Override
  public void connected(Peer peer) {
    next.connected(peer);
  }

  @Override
  public void disconnected(Peer peer, @Nullable Throwable cause) {
    next.disconnected(peer, cause);
  }

  @Override
  public void violation(ChannelInfo channel, String violation) {
    next.violation(channel, violation);
  }

  @Override
  public void dropped(ChannelInfo channel, LimitException limit, String violation) {
    next.dropped(channel, limit, violation);
  }

  @Override
  public void refused(RefusedCall call) {
    next.refused(call);
  }

  @Override
  public void notice(ChannelInfo channel, String event) {
    next.notice(channel, event);
  }

  @Override
  public void failed(Call call, Throwable cause) {
    next.failed(call, cause);
  }
}
