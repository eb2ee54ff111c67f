package dev.repartee.balance;

import dev.repartee.CallTimeoutException;
import dev.repartee.Carrier;
import dev.repartee.HttpException;
import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.RpcException;
import dev.repartee.carrier.CarriedCalls;
import dev.repartee.framing.Receiver;
import dev.repartee.internal.Clock;
import dev.repartee.internal.Text;
import dev.repartee.internal.Threads;
import dev.repartee.internal.UserCode;
import dev.repartee.json.Json;
import dev.repartee.transport.ChannelInfo;
import dev.repartee.transport.DisconnectedException;
import dev.repartee.transport.OutgoingMessage;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The channel below a peer of several endpoints. It carries no frames: each endpoint has a peer that
 * reconnects, and the calls of the peer above are sent over the connections of these.
 */
final class Balancer implements Carrier, CarriedCalls.Routes {
  /*
   * Implementation note.
   *
   * A member is in "available" while it has a connection and is not ejected. Its connection is
   * opened, lost and opened again by its own Reconnector, which reports that to the member. The
   * calls of the members' peers are not used: CarriedCalls sends each call over the peer of a
   * connection, so that it is pending in one place, and queues calls while no member is available.
   *
   * Locks. The field "lock" guards the fields of the members and the fields behind it. Under it no
   * user code runs, and only the lock of the pending calls of a connection is acquired
   * (Peer.isOpen).
   * The array "available" is replaced under it, and read without it: routing a call acquires only
   * locks of the peers that it compares.
   *
   * Nothing here waits for an endpoint, except connect(): members connect on worker threads, pings
   * are sent without waiting for room, and close() closes the members on worker threads.
   */

  private static final Member[] NONE = {};

  /** The number of connections over which an idempotent call is sent, at most. */
  private static final int MOST_SENT = 3;

  /** The number of endpoints at which a call may fail alone, as over HTTP, before its end. */
  private static final int MOST_TRIED = 16;

  /** The number of endpoints that a message names, and the number of characters of a reason. */
  private static final int NAMED = 8;

  private static final int REASON = 200;

  /** The HTTP status of a server that has not received the request (RFC 9110 section 15.5.9). */
  private static final int REQUEST_TIMEOUT = 408;

  private final Member[] members;
  private final Options options;
  private final Policy policy;
  private final Health health;
  private final BalanceListener listener;
  private final Clock clock;
  private final CarriedCalls calls;
  private final AtomicInteger turn = new AtomicInteger();

  /** Completes when the first endpoint is available, or all first attempts have failed. */
  private final CompletableFuture<@Nullable Void> settled = new CompletableFuture<>();

  /** The members that take calls. Replaced under the lock. */
  private volatile Member[] available = NONE;

  private final Object lock = new Object();
  private boolean over;
  private @Nullable Receiver receiver;
  private Clock.@Nullable Timer timer;
  private @Nullable Throwable reason;

  Balancer(Balanced settings, Options options, List<String> uris) {
    this.options = options;
    this.policy = settings.policy;
    this.health = settings.health();
    this.listener = settings.listener;
    this.clock = settings.clock;
    this.calls =
        new CarriedCalls(this, settings.idempotent, false, settings.waitingCalls, options.limits());
    this.members = uris.stream().map(uri -> new Member(this, uri)).toArray(Member[]::new);
  }

  /** Opens the peer above, and connects the members in the background. */
  Peer open(Balanced settings, List<String> uris) {
    Peer peer = CarriedCalls.open(this, options);
    for (int i = 0; i < members.length; i++) {
      connect(members[i], settings, uris.get(i));
    }
    ping();
    return peer;
  }

  private void connect(Member member, Balanced settings, String uri) {
    Peer connections = settings
        .reconnecting(uri)
        .onConnected(health::check)
        .listener(member)
        .connectInBackground();
    boolean late;
    synchronized (lock) {
      member.connections(connections);
      late = over;
    }
    if (late) {
      connections.close();
    }
  }

  /**
   * Waits until an endpoint is available.
   *
   * @param nanos the time limit
   * @throws IOException if none is available in time, or all first attempts have failed
   */
  void awaitFirst(long nanos) throws IOException {
    try {
      settled.get(nanos, TimeUnit.NANOSECONDS);
    } catch (ExecutionException | TimeoutException e) {
      // There may be one all the same.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while connecting");
    }
    if (available.length == 0) {
      throw new IOException("cannot connect: " + situation(), reason());
    }
  }

  // ---------------------------------------------------------------- the endpoints

  void connected(Member member, Peer peer) {
    synchronized (lock) {
      member.wasTried = true;
      member.failures = 0;
      member.isEjected = false;
      member.peer(peer);
    }
    changed(member);
  }

  /** Handles the loss of a connection, or a failed attempt to connect. */
  void lost(Member member, Throwable cause) {
    synchronized (lock) {
      member.wasTried = true;
      member.peer(null);
      member.reason = cause;
      reason = cause;
    }
    changed(member);
  }

  void gaveUp(Member member, Throwable cause) {
    boolean all;
    synchronized (lock) {
      member.isOver = true;
      all = Arrays.stream(members).allMatch(each -> each.isOver);
    }
    lost(member, cause);
    if (all) {
      end(new IOException(situation(), cause));
    }
  }

  /** Counts a ping or call that has failed although its connection is open. */
  private void failed(Member member, Peer peer, Throwable cause) {
    boolean isGone = isUnreachable(cause);
    boolean ends;
    synchronized (lock) {
      if (member.peer() != peer) {
        return;
      }
      long answers = peer.flow().answers();
      member.failures = answers == member.answers ? member.failures + 1 : 1; // in a row
      member.answers = answers;
      member.reason = cause;
      reason = cause;
      member.isEjected |= isGone || health.ejects(member.failures);
      ends = isGone || health.replaces(member.failures);
    }
    changed(member);
    // The end of the connection is reported to lost(), and the next attempt follows.
    if (ends && cause instanceof CallTimeoutException) {
      Threads.start(Threads.CALLS, () -> peer.close(Duration.ZERO));
    } else if (ends) {
      peer.flow().leave(); // the server may still answer its calls, such as streams
    }
  }

  /**
   * Returns whether a server without a lasting connection has refused a new one, or closes. It gets
   * no calls until a new connection answers a ping, as if its connection were lost.
   *
   * <p>Otherwise the calls would open connections to the closing server until its port is closed, and
   * the system resets those that it has not accepted by then. If there is no other endpoint, calls
   * may as well fail: a proxy may have other servers behind it.
   */
  private boolean isUnreachable(Throwable cause) {
    if (cause instanceof HttpException answer) {
      return isClosing(answer) && available.length > 1;
    }
    return cause instanceof DisconnectedException end
        && end.unsent() != null
        && end.getCause() instanceof IOException;
  }

  /**
   * Returns whether a server of this library has answered that it closes: 408 without a text. With a
   * text, the request did not come in time.
   */
  private static boolean isClosing(HttpException answer) {
    return answer.status() == REQUEST_TIMEOUT
        && answer.unsent() != null
        && answer.contentType() == null;
  }

  private void answered(Member member, Peer peer) {
    synchronized (lock) {
      if (member.peer() != peer) {
        return;
      }
      member.failures = 0;
      member.isEjected = false;
    }
    changed(member);
  }

  /** Publishes the available members and reports a change of this one. */
  private void changed(Member member) {
    boolean isAvailable;
    boolean isNew;
    boolean isSettled;
    synchronized (lock) {
      isAvailable = member.isAvailable();
      Boolean before = member.isReported;
      isNew = !over && (before == null || before != isAvailable);
      member.isReported = isAvailable;
      if (isNew) {
        available = Arrays.stream(members).filter(Member::isAvailable).toArray(Member[]::new);
        member.reports.add(report(member, isAvailable, member.reason));
      }
      isSettled = isAvailable || Arrays.stream(members).allMatch(each -> each.wasTried);
    }
    if (isSettled) {
      settled.complete(null);
    }
    if (isNew) {
      sendReports(member);
    }
    if (isNew && isAvailable) {
      Threads.start(Threads.CALLS, calls::sendWaiting);
    }
  }

  private Runnable report(Member member, boolean isAvailable, @Nullable Throwable cause) {
    return () -> {
      if (isAvailable) {
        listener.available(member.name);
      } else if (cause != null) {
        listener.unavailable(member.name, cause);
      }
    };
  }

  /**
   * Notifies the listener, unless another thread does: different threads find the changes of a
   * member, and the last report has to be the present state.
   */
  private void sendReports(Member member) {
    boolean mine = false;
    while (true) {
      Runnable next;
      synchronized (lock) {
        if (!mine && member.isReporting) {
          return;
        }
        mine = true;
        next = over ? null : member.reports.poll();
        member.isReporting = next != null;
      }
      if (next == null) {
        return;
      }
      UserCode.run(next);
    }
  }

  /** Sends a ping over each connection, and schedules the next ones. */
  private void ping() {
    if (!health.isChecked()) {
      return;
    }
    for (Member member : members) {
      Peer peer = member.peer();
      if (peer != null && peer.isOpen()) {
        ping(member, peer);
      }
    }
    synchronized (lock) {
      if (!over) {
        timer = clock.schedule(health.interval(), Threads.CALLS, this::ping);
      }
    }
  }

  private void ping(Member member, Peer peer) {
    long before = peer.flow().answers();
    try {
      health.ping(peer).whenComplete((answer, failure) -> {
        // A ping may wait behind other messages. The answers to these show the same as its own.
        if (failure == null || failure instanceof RpcException || peer.flow().answers() > before) {
          answered(member, peer);
        } else {
          failed(member, peer, failure);
        }
      });
    } catch (Exception e) { // the other members are still asked
      failed(member, peer, e);
    }
  }

  /** Ends all attempts and connections, and the peer above; all its calls fail. */
  private void end(@Nullable Throwable cause) {
    Clock.Timer next;
    Receiver above;
    CompletableFuture<?>[] ends;
    synchronized (lock) {
      if (over) {
        return;
      }
      over = true;
      next = timer;
      above = receiver;
      available = NONE;
      ends = Arrays.stream(members)
          .map(Member::connections)
          .filter(each -> each != null)
          .map(each -> CompletableFuture.runAsync(each::close, Threads.CALLS))
          .toArray(CompletableFuture<?>[]::new);
    }
    if (next != null) {
      next.cancel();
    }
    calls.clear();
    settled.complete(null);
    if (above != null) {
      CompletableFuture.allOf(ends).whenComplete((done, failure) -> above.closed(cause));
    }
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
  public long key(OutgoingMessage call) {
    return policy.key(String.valueOf(call.method()), call::params);
  }

  @Override
  public @Nullable Peer route(long key, Collection<Peer> avoided) {
    return policy.pick(available, key, turn.getAndIncrement() & Integer.MAX_VALUE, avoided);
  }

  @Override
  public boolean maySendAgain(int lost, int failed) {
    return lost < MOST_SENT && failed < Math.min(members.length, MOST_TRIED);
  }

  @Override
  public void failed(Peer peer, Throwable cause) {
    if (!(cause instanceof HttpException) || isUnreachable(cause)) { // else it has answered
      for (Member member : members) {
        if (member.peer() == peer) {
          failed(member, peer, cause);
        }
      }
    }
  }

  @Override
  public void requireNotOver() {
    synchronized (lock) {
      if (over) {
        throw new DisconnectedException("the peer of several endpoints has ended", null);
      }
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
    return current(CarriedCalls.Routes.NO_KEY);
  }

  @Override
  public Peer current(String method, Supplier<? extends @Nullable Json> params) {
    return current(policy.key(method, params));
  }

  private Peer current(long key) {
    Peer peer = route(key, List.of());
    if (peer == null) {
      requireNotOver();
      throw DisconnectedException.unsent(
          situation() + "; only calls wait for an endpoint, not notifications, batches and streams",
          "no server is reachable",
          reason());
    }
    return peer;
  }

  @Override
  public String state() {
    return Arrays.stream(available).anyMatch(Member::isUsable) ? "" : "; " + situation();
  }

  /** Names each endpoint that takes no calls, and the reason. */
  @Override
  public String situation() {
    synchronized (lock) {
      List<Member> missing =
          Arrays.stream(members).filter(member -> !member.isUsable()).toList();
      String each = missing.stream()
          .limit(NAMED)
          .map(member -> member.name + " (" + why(member) + ")")
          .collect(Collectors.joining(", "));
      String more = missing.size() > NAMED ? ", and " + (missing.size() - NAMED) + " more" : "";
      String sum = missing.size() == members.length
          ? "none of the " + members.length + " endpoints is available"
          : missing.size() + " of the " + members.length + " endpoints are not available";
      return missing.isEmpty() ? "all endpoints are available" : sum + ": " + each + more;
    }
  }

  private static String why(Member member) {
    Throwable cause = member.reason;
    if (member.isAvailable()) {
      return "it is closing";
    } else if (cause == null) {
      return "not connected yet";
    }
    return Text.shortened(Text.of(cause), REASON);
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
    String first = members[0].name;
    return new ChannelInfo(
        "balanced",
        members.length == 1 ? first : first + " and " + (members.length - 1) + " more",
        "");
  }
}
