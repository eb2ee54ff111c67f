package dev.repartee.reconnect;

import dev.repartee.Carrier;
import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.Service;
import dev.repartee.carrier.CarriedCalls;
import dev.repartee.framing.Receiver;
import dev.repartee.internal.Clock;
import dev.repartee.internal.Text;
import dev.repartee.internal.Threads;
import dev.repartee.internal.UserCode;
import dev.repartee.transport.ChannelInfo;
import dev.repartee.transport.DisconnectedException;
import dev.repartee.transport.OutgoingMessage;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.function.DoubleSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The channel below a peer that reconnects. It carries no frames: it opens one connection after the
 * other, each with a separate peer, and sends the calls of the peer above over the present one.
 */
final class Reconnector implements Carrier, CarriedCalls.Routes {
  /*
   * Implementation note.
   *
   *          an attempt succeeds
   *   DOWN ----------------------> CONNECTED
   *    ^                               |
   *    +------- lost or leaving -------+
   *
   *   Every state leads to OVER: this side closes it, or no further attempt follows.
   *
   * The calls are in CarriedCalls. Those that have waited are sent by the thread that has
   * connected, and new calls wait behind them. While the peer of the connection is no longer open,
   * but lost() was not called yet, calls wait, too: lost() always follows.
   *
   * When the other side announces its closing, the next connection is opened for new calls. The peer
   * of the old connection is in "leaving" until its calls are answered.
   *
   * Locks. The field "lock" guards the fields behind it. Under it only the lock of the pending
   * calls of a connection is acquired (Peer.isOpen). It is acquired under the lock of CarriedCalls,
   * never the other way round. No call is sent or failed under it, and no user code runs.
   *
   * Events of the listener are in order, since each step follows from the one before: an attempt
   * from the timer, the timer from lost() or a failed attempt, and lost() from the attempt that has
   * connected, after it has reported that.
   */

  private enum State {
    DOWN,
    CONNECTED,
    OVER
  }

  /** The reason for the end of a connection without a failure. */
  static final String END = "the other side has ended the connection";

  /** The maximum number of connections that end after their last calls; the oldest one is closed. */
  private static final int MOST_LEAVING = 8;

  private final Reconnecting.Connector connector;
  private final Service service;
  private final Options options;
  private final Reconnecting.Handshake handshake;
  private final CarriedCalls calls;
  private final Backoff backoff;
  private final ReconnectListener listener;
  private final Clock clock;
  private final DoubleSupplier random;

  private final Object lock = new Object();
  private State state = State.DOWN;
  private @Nullable Receiver receiver;

  /** The peer of the present connection; null in DOWN and OVER. */
  private @Nullable Peer current;

  /** The peers of earlier connections that wait for answers and make no new calls, oldest first. */
  private final Deque<Peer> leaving = new ArrayDeque<>();

  /** The peer of the connection that an attempt prepares; else null. */
  private @Nullable Peer prepared;

  private ChannelInfo info = new ChannelInfo("reconnecting", "", "");
  private long connectedAt;

  /** The number of attempts since the last stable connection, and the time of its end. */
  private int attempts;

  private long unstableSince;

  /** The timer of the next attempt; null if there is none. */
  private Clock.@Nullable Timer timer;

  // For messages in DOWN.
  private long downSince;
  private @Nullable Throwable reason;
  private boolean attempting;
  private long nextAt;

  Reconnector(
      Reconnecting.Connector connector,
      Service service,
      Options options,
      Reconnecting.Handshake handshake,
      Predicate<String> idempotent,
      int waitingCalls,
      Backoff backoff,
      ReconnectListener listener,
      Clock clock,
      DoubleSupplier random) {
    this.connector = connector;
    this.service = service;
    this.options = options;
    this.handshake = handshake;
    this.calls = new CarriedCalls(this, idempotent, true, waitingCalls, options.limits());
    this.backoff = backoff;
    this.listener = listener;
    this.clock = clock;
    this.random = random;
    this.downSince = clock.nanos();
    this.unstableSince = downSince;
  }

  Peer connect() throws IOException {
    Peer peer = CarriedCalls.open(this, options);
    try {
      attempt();
    } catch (Throwable e) {
      peer.close();
      if (e instanceof RuntimeException unchecked) {
        throw unchecked;
      } else if (e instanceof Error error) {
        throw error;
      }
      throw e instanceof IOException io ? io : new IOException(e.getMessage(), e);
    }
    return peer;
  }

  Peer connectInBackground() {
    Peer peer = CarriedCalls.open(this, options);
    Threads.CALLS.execute(this::tryAgain);
    return peer;
  }

  // ---------------------------------------------------------------- connecting

  private void tryAgain() {
    try {
      attempt();
    } catch (Throwable e) { // errors, too: without another attempt the calls would wait in vain
      retry(e);
    } finally {
      Thread.interrupted(); // a handshake may have set it, and the thread runs other tasks
    }
  }

  /** Connects, prepares the connection and sends the calls that wait. */
  private void attempt() throws Exception {
    int number;
    synchronized (lock) {
      if (state != State.DOWN) {
        return;
      }
      timer = null;
      attempting = true;
      number = ++attempts;
    }
    Peer peer = connector.connect(service, options);
    if (!prepare(peer)) {
      return;
    }
    synchronized (lock) {
      prepared = null;
      if (state == State.OVER) {
        return; // the thread that has closed this has closed the peer
      }
      current = peer;
      attempting = false;
      connectedAt = clock.nanos();
      state = State.CONNECTED;
    }
    UserCode.run(() -> listener.connected(peer, number));
    peer.flow().onInputClosed(() -> inputClosed(peer));
    peer.flow().onLeaving(() -> leaving(peer));
    peer.closed()
        .whenComplete((closed, end) -> closed(peer, end == null ? null : UserCode.cause(end)));
    try {
      calls.sendWaiting();
    } catch (Throwable e) { // such as an OutOfMemoryError: no other thread would send them
      peer.close();
    }
  }

  /** Runs the handshake. Returns false if this was closed meanwhile. */
  private boolean prepare(Peer peer) throws Exception {
    boolean over;
    synchronized (lock) {
      over = state == State.OVER;
      prepared = over ? null : peer;
      info = peer.channel();
    }
    if (over) {
      peer.close();
      return false;
    }
    try {
      handshake.connected(peer);
      return true;
    } catch (Throwable e) {
      synchronized (lock) {
        prepared = null;
      }
      peer.close();
      throw new IOException("the new connection was not accepted by onConnected: " + Text.of(e), e);
    }
  }

  /** Handles the end of the input: the other side can answer no more, though it may still read. */
  private void inputClosed(Peer peer) {
    lost(peer, null, new IOException(END));
    UserCode.run(peer::close); // handlers that still run get less time
  }

  private void closed(Peer peer, @Nullable Throwable cause) {
    lost(peer, cause, cause == null ? new IOException(END) : cause);
    synchronized (lock) {
      leaving.remove(peer);
    }
  }

  /** Opens another connection for new calls. The old one ends when its calls are answered. */
  private void leaving(Peer peer) {
    Peer oldest;
    synchronized (lock) {
      if (current != peer) {
        return;
      }
      leaving.add(peer);
      oldest = leaving.size() > MOST_LEAVING ? leaving.remove() : null;
    }
    lost(peer, null, new IOException(peer.channel().other() + " is closing"));
    if (oldest != null) {
      UserCode.run(oldest::close);
    }
  }

  /**
   * Continues without a connection; does nothing if that was done before.
   *
   * @param cause the failure of the connection; null if it has ended in order
   */
  private void lost(Peer peer, @Nullable Throwable cause, Throwable why) {
    synchronized (lock) {
      if (current != peer) {
        return;
      }
      current = null;
      state = State.DOWN;
      downSince = clock.nanos();
      nextAt = downSince;
      reason = why;
      if (backoff.isStable(Duration.ofNanos(downSince - connectedAt))) {
        attempts = 0;
        unstableSince = downSince;
      }
    }
    UserCode.run(() -> listener.disconnected(cause));
    retry(why);
  }

  private void retry(Throwable cause) {
    int failed;
    @Nullable Duration delay;
    synchronized (lock) {
      if (state == State.OVER) {
        return;
      }
      long now = clock.nanos();
      attempting = false;
      failed = attempts;
      reason = cause;
      delay = backoff.isOver(failed, Duration.ofNanos(now - unstableSince))
          ? null
          : backoff.delay(failed + 1, random.getAsDouble());
      nextAt = delay == null ? now : now + delay.toNanos();
    }
    if (delay == null) {
      giveUp(failed, cause);
      return;
    }
    UserCode.run(() -> listener.retrying(failed + 1, delay, cause));
    synchronized (lock) {
      if (state == State.DOWN) {
        timer = clock.schedule(delay, Threads.CALLS, this::tryAgain);
      }
    }
  }

  private void giveUp(int failed, Throwable cause) {
    IOException end = new IOException(
        "stopped after " + failed + " attempts to connect: " + Text.of(cause), cause);
    UserCode.run(() -> listener.gaveUp(end));
    end(end);
  }

  /** Ends all attempts, the present connection and the peer above; all its calls fail. */
  private void end(@Nullable Throwable cause) {
    List<Peer> last;
    Receiver above;
    Clock.Timer next;
    synchronized (lock) {
      if (state == State.OVER) {
        return;
      }
      state = State.OVER;
      last = new ArrayList<>(leaving);
      Peer newest = current == null ? prepared : current;
      if (newest != null) {
        last.add(newest);
      }
      above = receiver;
      next = timer;
      current = null;
    }
    calls.clear();
    if (next != null) {
      next.cancel();
    }
    if (above == null) {
      return; // not started
    }
    last.forEach(Peer::close); // does not wait where it must not, such as in a handler
    above.closed(cause);
  }

  // ---------------------------------------------------------------- calls

  @Override
  public void send(OutgoingMessage call) {
    calls.send(call);
  }

  @Override
  public boolean isIdempotent(String method) {
    return calls.isIdempotent(method);
  }

  @Override
  public @Nullable Peer route(long key, Collection<Peer> avoided) {
    synchronized (lock) {
      return current != null && current.isOpen() ? current : null;
    }
  }

  @Override
  public boolean maySendAgain(int lost, int failed) {
    return failed == 0;
  }

  @Override
  public void requireNotOver() {
    synchronized (lock) {
      if (state == State.OVER) {
        throw new DisconnectedException("the peer that reconnects has ended", null);
      }
    }
  }

  @Override
  public String situation() {
    synchronized (lock) {
      return describe();
    }
  }

  @Override
  public @Nullable Throwable reason() {
    synchronized (lock) {
      return reason;
    }
  }

  @Override
  public Peer current() {
    synchronized (lock) {
      if (current != null) {
        return current;
      }
      requireNotOver();
      throw DisconnectedException.unsent(
          describe() + "; only calls wait for a connection, not notifications, batches and"
              + " streams",
          "there is no connection",
          reason);
    }
  }

  @Override
  public String state() {
    synchronized (lock) {
      return state == State.DOWN ? "; " + describe() : "";
    }
  }

  /** Returns since when and why there is no connection, and the next step. With the lock. */
  private String describe() {
    long now = clock.nanos();
    String to = info.remote().isEmpty() ? "" : " to " + info.remote();
    String why = reason == null ? "" : ": " + Text.of(reason);
    String next = attempting
        ? "attempt " + attempts + " is under way"
        : "attempt " + (attempts + 1) + " follows in " + text(nextAt - now);
    return "not connected" + to + " for " + text(now - downSince) + why + "; " + next;
  }

  private static String text(long nanos) {
    long millis = Math.max(0, nanos) / 1_000_000;
    return millis < 10_000 ? millis + " ms" : millis / 1_000 + " s";
  }

  // ---------------------------------------------------------------- the channel

  @Override
  public void start(Receiver receiver) {
    synchronized (lock) {
      this.receiver = receiver;
    }
  }

  @Override
  public void abort(@Nullable Throwable cause) {
    end(cause);
  }

  @Override
  public ChannelInfo info() {
    synchronized (lock) {
      return info;
    }
  }
}
