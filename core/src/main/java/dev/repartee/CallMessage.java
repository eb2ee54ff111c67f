package dev.repartee;

import dev.repartee.json.Json;
import dev.repartee.transport.Headers;
import dev.repartee.transport.OutboundFrame;
import dev.repartee.transport.OutgoingMessage;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A message with calls, for a channel without a connection. Counts its {@link Pending} calls that
 * have not ended; their {@link Caller} knows which these are.
 */
final class CallMessage implements OutgoingMessage {
  private final Headers headers;
  private final Caller caller;
  private final List<? extends Pending<?>> calls;
  private final boolean hasOthers;
  private final int size;
  private volatile @Nullable OutboundFrame text;

  /** The number of calls that have not ended. Written with the monitor. */
  private volatile int left;

  // Guarded by this.
  private boolean unanswered;
  private @Nullable Ended onEnd;

  /**
   * Creates a message that was written.
   *
   * @param caller sends the message; {@link #fail} ignores calls that have moved to another caller
   * @param hasOthers whether it contains notifications, too
   */
  CallMessage(
      OutboundFrame text,
      Headers headers,
      Caller caller,
      List<? extends Pending<?>> calls,
      boolean hasOthers) {
    this(text, headers, text.size(), caller, calls, hasOthers);
  }

  /**
   * Creates a message without text and headers, for a {@link Carrier}: each connection has its own.
   */
  CallMessage(Carried<?> call, Caller caller, int size) {
    this(null, Headers.NONE, size, caller, List.of(call), false);
  }

  private CallMessage(
      @Nullable OutboundFrame text,
      Headers headers,
      int size,
      Caller caller,
      List<? extends Pending<?>> calls,
      boolean hasOthers) {
    this.text = text;
    this.headers = headers;
    this.size = size;
    this.caller = caller;
    this.calls = calls;
    this.hasOthers = hasOthers;
    this.left = calls.size();
    for (Pending<?> call : calls) {
      call.headers = headers;
      call.notifyAtEnd(this, caller);
    }
  }

  /** Records that a call has ended, or is sent again by another message. Called once for each. */
  void ended(Pending<?> call) {
    Ended action;
    synchronized (this) {
      unanswered |= !call.answered; // written by this thread if the answer has ended the call
      int rest = left - 1;
      left = rest;
      action = rest == 0 ? onEnd : null;
    }
    report(action);
  }

  @Override
  public void onEnd(Ended action) {
    boolean isLate;
    synchronized (this) {
      onEnd = action;
      isLate = left == 0;
    }
    report(isLate ? action : null);
  }

  private void report(@Nullable Ended action) {
    if (action != null) {
      action.ended(unanswered && !hasOthers);
    }
  }

  /** Returns the call, if a {@link Carrier} gets this message. */
  @Nullable Carried<?> carried() {
    return calls.get(0) instanceof Carried<?> call ? call : null;
  }

  @Override
  public OutboundFrame text() {
    OutboundFrame present = text;
    if (present == null) {
      throw new IllegalStateException("the message has no text, or it was dropped");
    }
    return present;
  }

  @Override
  public void dropText() {
    text = null;
  }

  @Override
  public int size() {
    return size;
  }

  @Override
  public Headers headers() {
    return headers;
  }

  @Override
  public @Nullable String method() {
    return calls.size() == 1 && !hasOthers ? calls.get(0).method() : null;
  }

  @Override
  public @Nullable Json params() {
    Carried<?> call = carried();
    return call == null ? null : call.content.paramsAsJson();
  }

  @Override
  public boolean isCall() {
    return true;
  }

  @Override
  public boolean isIdempotent() {
    return !hasOthers && calls.stream().allMatch(Pending::isIdempotent);
  }

  @Override
  public boolean isUrgent() {
    return calls.size() == 1 && calls.get(0).urgent;
  }

  @Override
  public long timeLeft() {
    return hasOthers
        ? Long.MAX_VALUE
        : calls.stream().mapToLong(Pending::timeLeft).max().orElse(Long.MAX_VALUE);
  }

  @Override
  public boolean takesItems() {
    return calls.stream().allMatch(Pending::takesItems);
  }

  @Override
  public boolean isDone() {
    // An expired call ends its message before its future, any other call after the callbacks of its
    // future.
    return left == 0 || calls.stream().allMatch(call -> call.future.isDone());
  }

  @Override
  public boolean isUnwanted() {
    return !hasOthers && isDone();
  }

  @Override
  public boolean fail(Throwable cause) {
    calls.forEach(call -> caller.fail(call, cause));
    return true;
  }
}
