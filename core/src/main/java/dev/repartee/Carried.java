package dev.repartee;

import dev.repartee.json.JsonType;
import dev.repartee.transport.DisconnectedException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A call of a peer on a {@link Carrier}. It is pending once: at the {@link Caller} of that peer,
 * its home, while it waits for a connection, and at the caller of a connection from the moment
 * before it is sent there. If that connection is lost, it returns home.
 */
final class Carried<T extends @Nullable Object> extends Pending<T> {
  /*
   * Implementation note.
   *
   *   at home --moveTo--> at a connection --answered, expired, cancelled--> ended
   *      ^                       |
   *      +------ goHome ---------+
   *
   * A call moves by leaving one table and entering the other. Between the two it is in none, and
   * the user may complete its future: the thread that moves it looks at the future afterwards and
   * cancels the call in the table that it has entered. A time-out is noticed there, too.
   *
   * Only the thread that has removed the call from a table changes its fields. The steps after a
   * commit can come late, when the connection is lost and the call has left it. For this reason
   * sent() and notifyAtEnd() compare the caller with "present", which goHome() changes under the
   * same monitor.
   */

  private final Caller home;

  /** The call, which is written again for each connection. */
  final CallBuilder content;

  /** The caller at which the call is pending. */
  private volatile Caller present;

  /** Gets the call back after the end of the connection. */
  private volatile @Nullable Consumer<RuntimeException> lost;

  /** Whether a connection was lost after the call was sent over it: it may have been handled. */
  private volatile boolean wasSent;

  /** The message to the present connection, if that is a MessageChannel; null at home. */
  private final AtomicReference<@Nullable CallMessage> sentAs = new AtomicReference<>();

  Carried(Caller home, Duration timeout, CallBuilder call, CallBuilder content, JsonType<T> type) {
    super(home, timeout, call, type);
    this.home = home;
    this.content = content;
    this.present = home;
    future.whenComplete((result, failure) -> leaveMessage());
  }

  @Override
  Caller caller() {
    return present;
  }

  /**
   * Moves the call to the caller of a connection.
   *
   * @param lost gets it back if the connection ends before the answer
   * @return false if it has ended
   * @throws RuntimeException if that caller does not accept it; then it stays at home
   */
  boolean moveTo(Caller connection, Consumer<RuntimeException> lost) {
    if (!home.leave(this)) {
      return false;
    }
    this.lost = lost;
    present = connection;
    try {
      connection.enter(this, true);
    } catch (RuntimeException | Error e) {
      goHome(e);
      throw e;
    }
    endIfDone();
    return true;
  }

  /**
   * Moves the call home, after it has left the table of a connection. If the home is closed, the
   * call fails with the cause.
   */
  void goHome(Throwable cause) {
    synchronized (this) {
      unsend();
      present = home;
    }
    leaveMessage();
    try {
      home.enter(this, false);
    } catch (DisconnectedException e) {
      future.fail(cause);
    }
    endIfDone();
  }

  private void leaveMessage() {
    CallMessage message = sentAs.getAndSet(null);
    if (message != null) {
      message.ended(this);
    }
  }

  @Override
  void endMessage() {
    leaveMessage();
    super.endMessage();
  }

  private void endIfDone() {
    if (future.isDone()) {
      present.cancelled(this);
    }
  }

  /**
   * Records the commit of a frame as a {@link Pending} does. Ignores it if that connection was lost
   * meanwhile: then the call is unsent again.
   */
  @Override
  synchronized boolean sent(Caller by) {
    return present != by || super.sent(by);
  }

  /**
   * Notifies the message of the home at the end of this call, and the message of a connection when
   * this call leaves that connection. The future must not keep the messages of earlier connections.
   */
  @Override
  void notifyAtEnd(CallMessage message, Caller by) {
    if (by == home) {
      super.notifyAtEnd(message, by);
      return;
    }
    boolean isLost;
    synchronized (this) {
      isLost = present != by; // then there may be the message of a later connection
      if (!isLost) {
        sentAs.set(message);
      }
    }
    if (isLost) {
      message.ended(this);
    } else if (future.isDone()) {
      leaveMessage();
    }
  }

  @Override
  void disconnected(DisconnectedException cause) {
    if (present == home) {
      super.disconnected(cause);
    } else {
      comeBack(cause, true);
    }
  }

  /**
   * Returns to the carrier after a failure of the transport; the answer of a server is final, also
   * an HTTP status that another server would answer with, too.
   */
  @Override
  void failed(Throwable cause) {
    if (present != home
        && (cause instanceof DisconnectedException
            || cause instanceof HttpException http && http.mayDifferElsewhere())) {
      ReparteeException failure = (ReparteeException) cause;
      comeBack(failure, failure.unsent() == null);
    } else {
      super.failed(cause);
    }
  }

  /** Returns to the carrier if the other side has not run the call because it closes. */
  @Override
  void refused(RemoteRpcException error) {
    if (present != home && error.unsent() != null) {
      present.leave();
      leaveMessage(); // while it counts as answered: there is nothing to cancel
      answered = false;
      comeBack(
          DisconnectedException.unsent(
              present.remote() + " is closing; '" + method() + "' was not handled",
              "the server is closing",
              error),
          false);
    } else {
      super.refused(error);
    }
  }

  private void comeBack(RuntimeException cause, boolean sent) {
    Consumer<RuntimeException> back = lost;
    wasSent |= sent;
    goHome(cause);
    if (back != null) {
      back.accept(cause);
    }
  }

  @Override
  CallTimeoutException late(String rest, boolean sent) {
    return super.late(rest, sent || wasSent);
  }
}
