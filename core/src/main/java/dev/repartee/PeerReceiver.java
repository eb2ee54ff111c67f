package dev.repartee;

import dev.repartee.framing.FrameFault;
import dev.repartee.framing.Receiver;
import dev.repartee.internal.UserCode;
import dev.repartee.limits.LimitException;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The receiver of a peer's channel. Passes frames to the {@link Responder}, and the events of the
 * connection's end to the {@link Ending}. Decides before each frame whether the peer reads it.
 *
 * <p>A failure while a frame is served does not reach the channel. It ends the connection, since the
 * frame may contain requests that would never be answered.
 */
final class PeerReceiver implements Receiver {
  private final Peer peer;
  private final Connection connection;
  private final Responder responder;
  private final PeerFlow flow;
  private final Ending ending;
  private final BooleanSupplier awaitsAnswers;

  PeerReceiver(Peer peer, Connection connection, Responder responder) {
    this.peer = peer;
    this.connection = connection;
    this.responder = responder;
    this.flow = peer.flow();
    this.ending = peer.ending();
    this.awaitsAnswers = () -> peer.pending() > 0;
  }

  // ---------------------------------------------------------------- reading

  @Override
  public boolean ready() {
    if (!flow.mayRead()) {
      return false;
    }
    try {
      return !connection.scheduler().pauseIfFull(awaitsAnswers);
    } catch (LimitException e) {
      connection.abort(e);
      return false;
    }
  }

  @Override
  public void burstBegins() {
    connection.scheduler().beginBurst();
    if (flow.isConditional()) {
      PassedOn.begin();
    }
  }

  @Override
  public void burstEnds() {
    if (flow.isConditional()) {
      PassedOn.end();
    }
    connection.scheduler().endBurst();
  }

  @Override
  public boolean frame(byte[] bytes, int from, int to) {
    try {
      return responder.serve(bytes, from, to);
    } catch (Throwable e) {
      connection.abort(e);
      return true;
    }
  }

  @Override
  public void fault(FrameFault fault) {
    responder.fault(fault);
  }

  // ---------------------------------------------------------------- events

  @Override
  public void violation(String violation) {
    connection.violation(violation);
  }

  @Override
  public void notice(String event) {
    UserCode.run(() -> connection.options().listener().notice(peer.channel(), event));
  }

  @Override
  public void roomAgain() {
    try {
      connection.roomAgain();
    } catch (Throwable e) {
      connection.abort(e); // the messages that wait for room might wait for ever
    }
  }

  @Override
  public void inputClosed(@Nullable Throwable cause) {
    ending.inputClosed(cause);
  }

  @Override
  public void hungUp() {
    ending.hungUp();
  }

  @Override
  public void closed(@Nullable Throwable cause) {
    ending.over(cause);
  }
}
