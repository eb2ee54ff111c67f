package dev.repartee.framing;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A receiver that forwards every method to another receiver. Extend it for a receiver that differs
 * from another one in a few methods only.
 */
public abstract class ForwardingReceiver implements Receiver {
  private final Receiver receiver;

  /** Forwards to that receiver. */
  protected ForwardingReceiver(Receiver receiver) {
    this.receiver = Objects.requireNonNull(receiver);
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
  public void inputClosed(@Nullable Throwable cause) {
    receiver.inputClosed(cause);
  }

  @Override
  public void hungUp() {
    receiver.hungUp();
  }

  @Override
  public void closed(@Nullable Throwable cause) {
    receiver.closed(cause);
  }
}
