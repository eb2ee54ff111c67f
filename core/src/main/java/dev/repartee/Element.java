package dev.repartee;

import dev.repartee.limits.Limits;
import dev.repartee.message.ParsedFrame;
import dev.repartee.transport.Lenience;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One message of a parsed frame: the single one, or an element of a batch and its place in the
 * reply of the batch.
 *
 * <p>A reading thread reuses one element for all its frames, and points it at one message after the
 * other. Outside of a batch it points at message 0. Not thread-safe.
 */
final class Element {
  final ParsedFrame frame;

  /** The exchange that serves the message if it runs inline; reused from message to message. */
  final BorrowedExchange exchange = new BorrowedExchange();

  /**
   * The reply that the response belongs to; null if the message is not in a batch. A field without
   * an accessor: until the first batch the class {@link BatchReply} is not loaded, and the compiler
   * does not inline a method that returns it.
   */
  @Nullable BatchReply batch;

  /** The place of the response in {@link #batch}. */
  int slot;

  /** The range of the frame in {@link #bytes}. */
  int from;

  int to;

  private int index;

  Element(Limits limits, Set<Lenience> lenience) {
    this.frame = new ParsedFrame(limits, lenience);
  }

  /**
   * Points at a message of a batch.
   *
   * @param slot the place of the response in the reply; unused if no response is due
   */
  void moveTo(int index, BatchReply batch, int slot) {
    this.index = index;
    this.batch = batch;
    this.slot = slot;
  }

  /** Ends the batch: releases its reply, and points at message 0 again. */
  void leaveBatch() {
    index = 0;
    batch = null;
    slot = 0;
  }

  int index() {
    return index;
  }

  int kind() {
    return frame.kind(index);
  }

  byte[] bytes() {
    return frame.bytes();
  }

  int idFrom() {
    return frame.idFrom(index);
  }

  int idTo() {
    return frame.idTo(index);
  }

  int paramsFrom() {
    return frame.paramsFrom(index);
  }

  int paramsTo() {
    return frame.paramsTo(index);
  }

  /** Returns the method name as a string. Allocates. */
  String methodName() {
    return frame.methodName(index);
  }

  /** Returns the reason why the message is invalid, which it must be. */
  String violation() {
    return Objects.requireNonNull(frame.violation(index));
  }

  /** Returns the method of that name; null if the service has none. */
  @Nullable RpcMethod methodOf(Service service) {
    RpcMethod found = frame.methodEscaped(index)
        ? service.find(methodName())
        : service.find(frame.bytes(), frame.methodFrom(index), frame.methodTo(index));
    return found == null && service.servesOthers() ? service.other(methodName()) : found;
  }
}
