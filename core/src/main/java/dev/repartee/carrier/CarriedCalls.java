package dev.repartee.carrier;

import dev.repartee.Carrier;
import dev.repartee.HttpException;
import dev.repartee.Listener;
import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.ReparteeException;
import dev.repartee.Service;
import dev.repartee.internal.Threads;
import dev.repartee.internal.Times;
import dev.repartee.limits.LimitException;
import dev.repartee.limits.Limits;
import dev.repartee.transport.DisconnectedException;
import dev.repartee.transport.OutgoingMessage;
import dev.repartee.transport.ReadingThread;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The calls of a peer on a {@link Carrier}: sends each one over a connection, or queues it until
 * there is one, and decides what happens to it if that connection is lost. Thread-safe.
 */
public final class CarriedCalls {
  /*
   * Implementation note.
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
   * Calls wait in the order of their numbers, and new calls wait behind them. If the bound is
   * reached, the calling thread sends its call itself instead of failing it while a connection is
   * open. The routes call sendWaiting() after each event that lets them return a peer again, so
   * that no call waits in vain: route() and the adding of a call are one step under the lock.
   *
   * Locks. The monitor guards all fields. Under it only the locks of the routes and of the peers of
   * connections are acquired. No call is sent or failed under it, and no user code runs.
   */

  /** The connections of a peer. */
  public interface Routes {
    /** A key without a meaning. */
    long NO_KEY = 0;

    /**
     * Returns a number that {@link #route} gets with each attempt to send a call. Runs once, on the
     * thread that makes the call, without a lock.
     */
    default long key(OutgoingMessage call) {
      return NO_KEY;
    }

    /**
     * Returns the peer of the connection that sends a call now; null if the call has to wait. Only
     * the peer of an open connection is returned. May be called with a lock; runs no user code.
     *
     * @param avoided peers that are chosen only if there is no other, since the call failed there
     */
    @Nullable Peer route(long key, Collection<Peer> avoided);

    /**
     * Returns whether a call may be sent once more.
     *
     * @param lost the number of connections that were lost after they had sent the call
     * @param failed the number of times that the call failed alone, while its connection was open
     */
    boolean maySendAgain(int lost, int failed);

    /** Requires that this has not ended; throws a {@link DisconnectedException} if it has. */
    void requireNotOver();

    /** Returns since when and why there is no connection, and the next step. */
    String situation();

    /** Returns the reason why there is no connection; null if there is none yet. */
    @Nullable Throwable reason();

    /** Reports that a call has failed alone, while its connection is open, as over HTTP. */
    default void failed(Peer peer, Throwable cause) {}
  }

  /** A call that waits to be sent, or was sent. */
  private static final class Waiting {
    final OutgoingMessage call;
    final long key;
    final boolean idempotent;

    /** The place in the order of the calls. Written once, with the lock. */
    long number;

    // Used by the thread that has the call.
    int lost;
    int failed;
    Collection<Peer> avoided = List.of();

    /** The reasons of the failures, at most {@link #NAMED}. */
    List<String> reasons = List.of();

    Waiting(OutgoingMessage call, long key, boolean idempotent) {
      this.call = call;
      this.key = key;
      this.idempotent = idempotent;
    }
  }

  /**
   * The time to wait for room in one connection. After it another connection may have room: a server
   * that does not read must not delay calls to others.
   */
  private static final Duration SLICE = Duration.ofMillis(10);

  /** The number of endpoints that the message of a failure names. */
  private static final int NAMED = 8;

  private final Routes routes;
  private final Predicate<String> idempotent;
  private final boolean isOrdered;
  private final int mostCalls;
  private final Limits limits;

  // Guarded by this.
  private final TreeMap<Long, Waiting> waiting = new TreeMap<>();
  private long calls;
  private long waitingBytes;

  /** The number of threads in sendWaiting(). */
  private int sending;

  /**
   * Creates an empty set of calls.
   *
   * @param idempotent whether a call of a method may be sent again, besides calls that are declared
   *     idempotent themselves
   * @param isOrdered whether new calls wait while a thread sends the calls that have waited
   * @param mostCalls the number of new calls that may wait
   * @param limits the limits of the bytes of the calls that wait, and of the time to wait for room
   */
  public CarriedCalls(
      Routes routes,
      Predicate<String> idempotent,
      boolean isOrdered,
      int mostCalls,
      Limits limits) {
    this.routes = routes;
    this.idempotent = idempotent;
    this.isOrdered = isOrdered;
    this.mostCalls = mostCalls;
    this.limits = limits;
  }

  /**
   * Opens the peer on a carrier. The listener and the trace of the options are for connections; a
   * traced channel would not be a carrier either.
   */
  public static Peer open(Carrier carrier, Options options) {
    Options own = options.toBuilder().listener(Listener.NONE).trace(null).build();
    return Peer.open(carrier, Service.NONE, own);
  }

  /**
   * Sends a call, or queues it until there is a connection; see {@link Carrier#send}.
   *
   * @throws DisconnectedException if a bound is reached, or the routes have ended
   */
  public void send(OutgoingMessage call) {
    boolean repeats = call.isIdempotent() || isIdempotent(method(call));
    Waiting next = new Waiting(call, routes.key(call), repeats);
    synchronized (this) {
      next.number = ++calls;
    }
    call.onEnd(unwanted -> ended(next));
    dispatch(next, true);
  }

  /** Returns whether the calls of a method are declared idempotent. */
  public boolean isIdempotent(String method) {
    return idempotent.test(method);
  }

  private static String method(OutgoingMessage call) {
    return String.valueOf(call.method());
  }

  /**
   * Sends a call over a connection, or queues it for the next one.
   *
   * @param isNew whether the bounds for waiting calls apply
   */
  private void dispatch(Waiting next, boolean isNew) {
    long deadline = deadline();
    while (true) {
      Peer peer;
      synchronized (this) {
        peer = isDirect(next, isNew) ? routes.route(next.key, next.avoided) : null;
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
      if (send(next, peer, deadline)) {
        return;
      }
    }
  }

  /** Returns the time until which the calling thread may wait for room in a write queue. */
  private long deadline() {
    return System.nanoTime() + (ReadingThread.isCurrent() ? 0 : Times.nanos(limits.drainTimeout()));
  }

  /** Returns whether a call need not wait behind others. With the lock. */
  private boolean isDirect(Waiting next, boolean isNew) {
    return waiting.isEmpty() && !(isOrdered && sending > 0) || isNew && isFull(next);
  }

  private boolean isFull(Waiting next) {
    return waiting.size() >= mostCalls || waitingBytes + next.call.size() > limits.queuedBytes();
  }

  private void await(Waiting next, boolean isNew) {
    routes.requireNotOver();
    if (isNew && isFull(next)) {
      throw DisconnectedException.unsent(
          "'" + method(next.call) + "' was not sent: " + routes.situation() + "; "
              + (waiting.size() >= mostCalls
                  ? waiting.size() + " calls wait already"
                  : "the waiting calls hold " + waitingBytes + " bytes already"),
          "there is no connection",
          routes.reason());
    }
    waiting.put(next.number, next);
    waitingBytes += next.call.size();
  }

  /** Sends the calls that wait, in their order, as long as there is a connection for them. */
  public void sendWaiting() {
    synchronized (this) {
      sending++;
    }
    boolean done = false;
    try {
      while (true) {
        Waiting next;
        Peer peer;
        synchronized (this) {
          Map.Entry<Long, Waiting> first = waiting.firstEntry();
          peer =
              first == null ? null : routes.route(first.getValue().key, first.getValue().avoided);
          if (first == null || peer == null) {
            sending--; // in the step that finds no call: a later one must not wait behind this
            done = true;
            return;
          }
          next = first.getValue();
          remove(next);
        }
        sendNow(next, peer);
      }
    } finally {
      if (!done) { // such as an OutOfMemoryError
        synchronized (this) {
          sending--;
        }
      }
    }
  }

  private void sendNow(Waiting next, Peer first) {
    long deadline = deadline();
    Peer peer = first;
    try {
      while (!send(next, peer, deadline)) {
        Peer other = routes.route(next.key, next.avoided);
        if (other == null) {
          waitAgain(next);
          return;
        }
        peer = other;
      }
    } catch (Throwable e) {
      next.call.fail(e);
    }
  }

  /**
   * Sends a call. Returns false if the route has to be asked again, since the connection has ended,
   * its write queue is full, or it has too many pending calls.
   *
   * @throws LimitException if the write queue is full at the deadline
   * @throws DisconnectedException if only this call has failed, as over HTTP
   */
  private boolean send(Waiting next, Peer peer, long deadline) {
    if (next.call.isDone()) {
      return true;
    }
    boolean sent;
    try {
      sent = peer.carry(next.call, cause -> unanswered(next, peer, cause), SLICE);
    } catch (DisconnectedException e) {
      if (peer.isOpen()) {
        throw e;
      }
      return false;
    } catch (LimitException e) {
      int full = next.avoided.size() + 1;
      if (!e.limit().equals("pendingCalls") || !routes.maySendAgain(next.lost, full)) {
        throw e;
      }
      avoid(next, peer, e); // another connection may have fewer pending calls
      return false;
    }
    if (!sent && System.nanoTime() - deadline >= 0) {
      throw new LimitException("outboundBytes", limits.outboundBytes());
    }
    return sent;
  }

  /** Handles the loss of the connection over which a call was sent, or the failure of the call. */
  private void unanswered(Waiting sent, Peer peer, RuntimeException cause) {
    boolean alone = peer.isOpen();
    boolean unsent = ReparteeException.isUnsent(cause);
    sent.lost += unsent ? 0 : 1;
    sent.failed += alone ? 1 : 0;
    if (alone) {
      routes.failed(peer, cause);
      avoid(sent, peer, cause);
    }
    if ((unsent || sent.idempotent) && routes.maySendAgain(sent.lost, sent.failed)) {
      waitAgain(sent);
    } else if (alone || cause instanceof HttpException) { // which a closing server may answer, too
      sent.call.fail(sent.failed > 1 ? exhausted(sent, unsent, cause) : cause);
    } else {
      sent.call.fail(new DisconnectedException(
          cause.getMessage()
              + (sent.idempotent
                  ? "; it was sent over " + sent.lost + " connections"
                  : "; it is not declared idempotent, so it was not sent again"),
          cause.getCause()));
    }
  }

  private static void avoid(Waiting call, Peer peer, Throwable cause) {
    List<Peer> avoided = new ArrayList<>(call.avoided);
    avoided.add(peer);
    call.avoided = avoided;
    if (call.reasons.size() < NAMED) {
      List<String> reasons = new ArrayList<>(call.reasons);
      reasons.add(peer.channel().other() + " (" + cause.getMessage() + ")");
      call.reasons = reasons;
    }
  }

  private static DisconnectedException exhausted(Waiting call, boolean unsent, Throwable cause) {
    int more = call.failed - call.reasons.size();
    String what = "'" + method(call.call) + "' was not answered: " + String.join(", ", call.reasons)
        + (more > 0 ? ", and " + more + " more" : "");
    return unsent && call.lost == 0
        ? DisconnectedException.unsent(what, "no server is reachable", cause)
        : new DisconnectedException(what, cause);
  }

  private void waitAgain(Waiting call) {
    if (!call.call.isDone()) {
      try {
        dispatch(call, false);
      } catch (LimitException e) { // a thread that reads must not wait for room
        if (ReadingThread.isCurrent()) {
          sendLater(call);
        } else {
          call.call.fail(e);
        }
      } catch (Throwable e) {
        call.call.fail(e);
      }
    }
  }

  /** Queues a call for a thread that may wait. */
  private void sendLater(Waiting call) {
    boolean isSending;
    synchronized (this) {
      waiting.put(call.number, call);
      waitingBytes += call.call.size();
      isSending = sending > 0; // that thread looks at the waiting calls once more
    }
    if (call.call.isDone()) {
      ended(call);
    } else if (!isSending) {
      Threads.start(Threads.CALLS, this::sendWaiting);
    }
  }

  private synchronized void ended(Waiting call) {
    remove(call);
  }

  private void remove(Waiting call) {
    if (waiting.remove(call.number) != null) {
      waitingBytes -= call.call.size();
    }
  }

  /** Drops the calls that wait, after the routes have ended; the peer above fails them. */
  public synchronized void clear() {
    waiting.clear();
    waitingBytes = 0;
  }
}
