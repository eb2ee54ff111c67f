package dev.repartee.reconnect;

import dev.repartee.Carrier;
import dev.repartee.Listener;
import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.Service;
import dev.repartee.framing.Receiver;
import dev.repartee.internal.Clock;
import dev.repartee.internal.Threads;
import dev.repartee.internal.UserCode;
import dev.repartee.transport.ChannelInfo;
import dev.repartee.transport.DisconnectedException;
import dev.repartee.transport.OutboundFrame;
import dev.repartee.transport.OutgoingMessage;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletionException;
import java.util.function.DoubleSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The channel below a peer that reconnects. It carries no frames: it opens one connection after the
 * other, each with a separate peer, and sends the calls of the peer above over the present one.
 */
final class Reconnector implements Carrier {
  /*
   * Implementation note.
   *
   *            attempt succeeds              no call waits
   *   DOWN ----------------------> SENDING ---------------> CONNECTED
   *    ^                              |                         |
   *    +------------- lost -----------+-------------------------+
   *
   *   Every state leads to OVER: this side closes it, or no further attempt follows.
   *
   * A call is pending once, either at the peer above, while it waits here, or at the peer of a
   * connection. Each of them watches its time-out, and fails it when that peer is closed. This
   * class may lose a race about a call at any time (isDone). It only has to ensure that a call that
   * has not ended is in one of these places:
   *
   *   waiting           it was not sent, or has to be sent again
   *   a thread          that is sending it: in dispatch() or sendWaiting()
   *   a connection      whose end returns it to unanswered()
   *
   * Calls wait in the order of their numbers. In SENDING, the thread that has connected sends them,
   * and new calls wait behind them. If the bound is reached, the calling thread sends its call
   * itself instead of failing it while a connection is open. While the peer of the connection is no
   * longer open, but lost() was not called yet, calls wait, too: lost() always follows.
   *
   * Locks. The field "lock" guards the fields behind it. Under it only the lock of the pending
   * calls of a connection is acquired (Peer.isOpen). No call is sent or failed under it, and no
   * user code runs.
   *
   * Events of the listener are in order, since each step follows from the one before: an attempt
   * from the timer, the timer from lost() or a failed attempt, and lost() from the attempt that has
   * connected, after it has reported that.
   */

  private enum State {
    DOWN,
    SENDING,
    CONNECTED,
    OVER
  }

  /** The reason for the end of a connection without a failure. */
  static final String END = "the other side has ended the connection";

  /**
   * A call that waits to be sent, or was sent.
   *
   * @param number the place in the order of the calls
   */
  private record Waiting(OutgoingMessage call, long number, boolean idempotent) {}

  private final Reconnecting.Connector connector;
  private final Service service;
  private final Options options;
  private final Reconnecting.Handshake handshake;
  private final Predicate<String> idempotent;
  private final int waitingCalls;
  private final Backoff backoff;
  private final ReconnectListener listener;
  private final Clock clock;
  private final DoubleSupplier random;

  private final Object lock = new Object();
  private State state = State.DOWN;
  private long calls;
  private final TreeMap<Long, Waiting> waiting = new TreeMap<>();
  private long waitingBytes;
  private @Nullable Receiver receiver;

  /** The peer of the present connection; null in DOWN and OVER. */
  private @Nullable Peer current;

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
    this.idempotent = idempotent;
    this.waitingCalls = waitingCalls;
    this.backoff = backoff;
    this.listener = listener;
    this.clock = clock;
    this.random = random;
    this.downSince = clock.nanos();
    this.unstableSince = downSince;
  }

  /**
   * Opens the peer above this channel. The listener and the trace of the options are for
   * connections; a traced channel would not be a carrier either.
   */
  private Peer above() {
    Options own = options.toBuilder().listener(Listener.NONE).trace(null).build();
    return Peer.open(this, Service.NONE, own);
  }

  Peer connect() throws IOException {
    Peer peer = above();
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
    Peer peer = above();
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
      state = State.SENDING;
    }
    UserCode.run(() -> listener.connected(peer, number));
    peer.flow()
        .onInputClosed(() -> lost(peer, null)); // it can answer no more, though it may still read
    peer.closed().whenComplete((closed, end) -> lost(peer, cause(end)));
    try {
      sendWaiting(peer);
    } catch (Throwable e) { // such as an OutOfMemoryError: no other thread would send them
      peer.close();
    }
  }

  /** Returns the cause of the end of a connection, which its stage has wrapped. */
  private static @Nullable Throwable cause(@Nullable Throwable end) {
    return end instanceof CompletionException && end.getCause() != null ? end.getCause() : end;
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
      throw new IOException("the new connection was not accepted by onConnected: " + message(e), e);
    }
  }

  /** Continues after the end of a connection; does nothing if that was done before. */
  private void lost(Peer peer, @Nullable Throwable cause) {
    Throwable why = cause == null ? new IOException(END) : cause;
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
    UserCode.run(peer::close); // after its input only: handlers that still run get less time
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
        "stopped after " + failed + " attempts to connect: " + message(cause), cause);
    UserCode.run(() -> listener.gaveUp(end));
    end(end);
  }

  /** Ends all attempts, the present connection and the peer above; all its calls fail. */
  private void end(@Nullable Throwable cause) {
    Peer last;
    Receiver above;
    Clock.Timer next;
    synchronized (lock) {
      if (state == State.OVER) {
        return;
      }
      state = State.OVER;
      last = current == null ? prepared : current;
      above = receiver;
      next = timer;
      current = null;
      waiting.clear();
      waitingBytes = 0;
    }
    if (next != null) {
      next.cancel();
    }
    if (above == null) {
      return; // not started
    }
    if (last != null) {
      last.close(); // does not wait where it must not, such as in a handler of that connection
    }
    above.closed(cause);
  }

  // ---------------------------------------------------------------- calls

  @Override
  public void send(OutgoingMessage call) {
    boolean repeats = call.isIdempotent() || idempotent.test(method(call));
    Waiting next;
    synchronized (lock) {
      next = new Waiting(call, ++calls, repeats);
    }
    call.onEnd(unwanted -> ended(next));
    dispatch(next, true);
  }

  private static String method(OutgoingMessage call) {
    return String.valueOf(call.method());
  }

  /**
   * Sends a call over the present connection, or queues it for the next one.
   *
   * @param isNew whether the bounds for waiting calls apply
   * @throws DisconnectedException if a bound is reached, or this is over
   */
  private void dispatch(Waiting next, boolean isNew) {
    while (true) {
      Peer peer;
      synchronized (lock) {
        peer = present(next, isNew);
        if (peer == null) {
          await(next, isNew);
        }
      }
      if (peer == null) {
        if (next.call.isDone()) {
          ended(next); // it may have ended before it was added to the waiting calls
        }
        return;
      }
      try {
        send(next, peer);
        return;
      } catch (DisconnectedException e) {
        if (peer.isOpen()) {
          throw e; // over HTTP: only this call has failed
        }
      }
    }
  }

  /** Returns the peer that can send a call now; null if the call has to wait. With the lock. */
  private @Nullable Peer present(Waiting next, boolean isNew) {
    boolean direct = state == State.CONNECTED || state == State.SENDING && isNew && isFull(next);
    return direct && current != null && current.isOpen() ? current : null;
  }

  private boolean isFull(Waiting next) {
    return waiting.size() >= waitingCalls
        || waitingBytes + next.call.size() > options.limits().queuedBytes();
  }

  private void requireNotOver() {
    if (state == State.OVER) {
      throw new DisconnectedException("the peer that reconnects has ended", null);
    }
  }

  private void await(Waiting next, boolean isNew) {
    requireNotOver();
    if (isNew && isFull(next)) {
      throw new DisconnectedException(
          "'" + method(next.call) + "' was not sent: " + situation() + "; "
              + (waiting.size() >= waitingCalls
                  ? waiting.size() + " calls wait already"
                  : "the waiting calls hold " + waitingBytes + " bytes already"),
          reason);
    }
    waiting.put(next.number, next);
    waitingBytes += next.call.size();
  }

  /** Sends the calls that wait, in their order, as long as the connection is the present one. */
  private void sendWaiting(Peer peer) {
    while (true) {
      Waiting next;
      synchronized (lock) {
        if (current != peer) {
          return;
        }
        Map.Entry<Long, Waiting> first = waiting.pollFirstEntry();
        if (first == null) {
          state = State.CONNECTED;
          return;
        }
        next = first.getValue();
        waitingBytes -= next.call.size();
      }
      try {
        send(next, peer);
      } catch (DisconnectedException e) {
        if (!peer.isOpen()) {
          waitAgain(next);
          return; // lost() follows, or has run
        }
        next.call.fail(e);
      } catch (Throwable e) {
        next.call.fail(e);
      }
    }
  }

  private void send(Waiting next, Peer peer) {
    if (!next.call.isDone()) {
      peer.carry(next.call, cause -> unanswered(next, cause));
    }
  }

  /** Handles the loss of the connection over which a call was sent. */
  private void unanswered(Waiting sent, RuntimeException cause) {
    if (sent.idempotent) {
      waitAgain(sent);
    } else {
      sent.call.fail(new DisconnectedException(
          cause.getMessage() + "; it is not declared idempotent, so it was not sent again",
          cause.getCause()));
    }
  }

  private void waitAgain(Waiting call) {
    if (!call.call.isDone()) {
      try {
        dispatch(call, false);
      } catch (Throwable e) {
        call.call.fail(e);
      }
    }
  }

  private void ended(Waiting call) {
    synchronized (lock) {
      if (waiting.remove(call.number) != null) {
        waitingBytes -= call.call.size();
      }
    }
  }

  @Override
  public Peer current() {
    synchronized (lock) {
      if (current != null) {
        return current;
      }
      requireNotOver();
      throw new DisconnectedException(
          situation() + "; only calls wait for a connection, not notifications, batches and"
              + " streams",
          reason);
    }
  }

  @Override
  public String state() {
    synchronized (lock) {
      return state == State.DOWN ? "; " + situation() : "";
    }
  }

  /** Returns since when and why there is no connection, and the next step. With the lock. */
  private String situation() {
    long now = clock.nanos();
    String to = info.remote().isEmpty() ? "" : " to " + info.remote();
    String why = reason == null ? "" : ": " + message(reason);
    String next = attempting
        ? "attempt " + attempts + " is under way"
        : "attempt " + (attempts + 1) + " follows in " + text(nextAt - now);
    return "not connected" + to + " for " + text(now - downSince) + why + "; " + next;
  }

  static String message(Throwable cause) {
    String message = cause.getMessage();
    return message == null ? cause.getClass().getSimpleName() : message;
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
  public OutboundFrame open() {
    throw new IllegalStateException("a peer that reconnects sends no frames itself");
  }

  @Override
  public void close() {
    end(null);
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
