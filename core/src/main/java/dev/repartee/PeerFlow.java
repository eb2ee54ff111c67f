package dev.repartee;

import dev.repartee.internal.UserCode;
import dev.repartee.json.Json;
import dev.repartee.limits.Limits;
import dev.repartee.transport.Channel;
import dev.repartee.transport.DisconnectedException;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The flow control of a {@link Peer}, for code that passes messages on to a peer which may be
 * slower: when this peer reads, whether it can send without waiting, and when its input ends.
 * Thread-safe; no method blocks.
 */
public final class PeerFlow {
  /** The action of {@link #onLeaving} after the event. */
  private static final Runnable LEFT = () -> {};

  private final Peer peer;
  private final Channel channel;
  private final Connection connection;
  private volatile @Nullable BooleanSupplier mayRead;

  // The monitor of this object guards the fields below. No other code runs under it.
  private boolean inputClosed;
  private @Nullable Runnable onInputClosed;
  private @Nullable Runnable onLeaving;

  PeerFlow(Peer peer, Channel channel, Connection connection) {
    this.peer = peer;
    this.channel = channel;
    this.connection = connection;
  }

  /**
   * Sets a condition for reading: before each message, the peer asks whether it may be read. If
   * not, messages wait with the other side until {@link #readOn} is called and the condition is
   * true; while that lasts, no answers arrive either. A gateway reads from a client while its
   * backend has room:
   *
   * <pre>{@code
   * client.flow().readWhile(() -> backend.flow().hasRoom(client.flow()::readOn))
   * }</pre>
   *
   * <p>Replaces an earlier condition. To have it from the first message on, set it in {@link
   * Listener#connected}. Messages of HTTP, which arrive without a connection, are not affected.
   *
   * <p>With a condition, messages that are passed on while this peer reads leave together when it
   * has read all that has arrived: {@linkplain CallBuilder#unthrottled unthrottled} ones to other
   * peers, and answers that complete meanwhile.
   *
   * @param mayRead runs often, on a thread that reads, and must not block
   */
  public void readWhile(BooleanSupplier mayRead) {
    this.mayRead = mayRead;
  }

  /** Asks the condition of {@link #readWhile} again, on a thread of the channel. */
  public void readOn() {
    channel.resume();
  }

  /**
   * Returns whether the write queue has room, so that a call or notification would not have to
   * wait. If not, the action runs once, when there is room again or the connection has ended. True
   * after the end of the connection, since nothing waits then.
   *
   * @param again must not block. The same object is kept once, however often it is given
   */
  public boolean hasRoom(Runnable again) {
    try {
      return connection.hasRoom(again);
    } catch (DisconnectedException e) {
      return true;
    }
  }

  /**
   * Sets the action to run when the other side has ended its output, though it may still wait for
   * answers; runs it now if that has happened. From then on running calls have {@link
   * Limits#halfCloseTimeout} to finish; the action should end calls that would not end by
   * themselves. A later action replaces an earlier one. The action runs on a thread that reads, and
   * must not block.
   */
  public void onInputClosed(Runnable action) {
    synchronized (this) {
      if (!inputClosed) {
        onInputClosed = action;
        return;
      }
    }
    action.run();
  }

  /**
   * Sets the action to run when this peer {@linkplain #leave leaves} its connection, since the other
   * side closes and accepts no new calls; runs it now if that has happened. The pending calls are
   * still answered. A later action replaces an earlier one. The action may run on a thread that reads,
   * and must not block.
   */
  public void onLeaving(Runnable action) {
    synchronized (this) {
      if (onLeaving != LEFT) {
        onLeaving = action;
        return;
      }
    }
    action.run();
  }

  /** Returns the number of calls of this side that have no answer yet. */
  public int pending() {
    return peer.pending();
  }

  /** Returns the number of calls of this side that were answered so far, also with an error. */
  public long answers() {
    return peer.answers();
  }

  /**
   * Sends a call without params that checks whether the other side answers. Any answer shows that,
   * also an error. The call does not wait for room in the write queue, and {@link
   * Limits#pendingCalls} does not count it. Over HTTP it passes the calls that wait for a connection.
   *
   * @param timeout the time limit of the call, zero for none
   * @throws DisconnectedException if the connection has ended
   */
  public CallFuture<Json> ping(String method, Duration timeout) {
    CallBuilder ping = peer.request(method).idempotent().unthrottled().timeout(timeout);
    ping.urgent = true;
    return ping.send(Json.class);
  }

  /**
   * Returns whether an outgoing call is a {@link #ping}. It passes the layers like other calls,
   * since they may add credentials. A layer that answers or delays calls itself has to let it pass:
   * otherwise a dead server seems to answer.
   */
  public static boolean isPing(Call call) {
    LayeredCall<?> outgoing = call.outgoing();
    return outgoing != null && outgoing.isPing();
  }

  /**
   * Asks the other side to announce its closing, with a notification that servers of other
   * libraries ignore. A side that closes then sends the notification {@code rpc.closing}, and keeps
   * the connection open until this side closes it. After the announcement this peer is no longer
   * {@linkplain Peer#isOpen open}, and closes the connection after its last pending call. A call
   * that crosses the announcement is refused with an error; no call has an unknown outcome. Does
   * nothing without a connection, as over HTTP.
   *
   * @throws DisconnectedException if the connection has ended
   */
  public void announceClosing() {
    if (!peer.caller().isConnection() || !peer.dialect().isJsonRpc2()) {
      return; // nothing could arrive without a message of this side
    }
    peer.caller().notification(peer.request(Ending.CLOSING).arg(Ending.ANNOUNCE, true));
  }

  /**
   * Ends the connection after the last pending call of this side: closes it if none is pending.
   * From now on this peer is not {@linkplain Peer#isOpen open}. Does not wait.
   */
  public void leave() {
    peer.leave();
  }

  /** Runs the action of {@link #onLeaving}. Throws nothing. */
  void leaving() {
    Runnable action;
    synchronized (this) {
      action = onLeaving;
      onLeaving = LEFT;
    }
    if (action != null) {
      UserCode.run(action);
    }
  }

  /** Runs the action of {@link #onInputClosed}. Throws nothing. */
  void inputClosed() {
    Runnable action;
    synchronized (this) {
      inputClosed = true;
      action = onInputClosed;
      onInputClosed = null;
    }
    if (action != null) {
      UserCode.run(action);
    }
  }

  /** Returns whether a condition for reading is set. */
  boolean isConditional() {
    return mayRead != null;
  }

  /** Returns whether the next message may be read. */
  boolean mayRead() {
    BooleanSupplier condition = mayRead;
    return condition == null || condition.getAsBoolean();
  }
}
