package dev.repartee.broker;

import dev.repartee.limits.Limits;
import dev.repartee.message.RpcError;
import dev.repartee.transport.DisconnectedException;
import dev.repartee.transport.FrameService;
import dev.repartee.transport.FrameSink;
import dev.repartee.transport.OutboundFrame;
import dev.repartee.transport.QueuedBytes;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A message that a {@link Worker} serves, and the destination of its replies. Thread-safe.
 *
 * <p>Messages before the reply count until the client grants their bytes again. A client that does
 * not read them blocks only its own call.
 */
final class Served implements FrameSink {
  private static final byte[] NOTHING = new byte[0];
  private static final String CLOSED =
      "The worker was closed while it handled the message; it may have run in part";

  private final Delivery delivery;
  private final Limits limits;
  private final ReentrantLock lock = new ReentrantLock();

  /** The bytes before the reply that the client has not granted yet. */
  private final QueuedBytes unpaid;

  // Guarded by the lock.
  private FrameService.@Nullable InFlight inFlight;
  private boolean cancelled;

  /** Whether the worker ends before the message does. */
  private boolean stopped;

  private boolean replied;
  private boolean lost;
  private boolean settled;
  private @Nullable String poison;
  private @Nullable Runnable room;

  Served(Delivery delivery, Limits limits) {
    this.delivery = delivery;
    this.limits = limits;
    int window = Math.min(RequestChannel.WINDOW, limits.outboundBytes()); // larger ones are abuse
    this.unpaid =
        new QueuedBytes(Math.min(delivery.window(), window), lock, "the client of the message");
  }

  Delivery delivery() {
    return delivery;
  }

  /** Makes the message a dead letter when it is settled. */
  void poison(String reason) {
    lock.lock();
    try {
      poison = reason;
    } finally {
      lock.unlock();
    }
  }

  void servedBy(FrameService.InFlight run) {
    lock.lock();
    try {
      inFlight = run;
      if (!cancelled && !settled) { // settled: the worker has ended meanwhile
        return;
      }
    } finally {
      lock.unlock();
    }
    run.abandon();
  }

  /** Cancels the calls of the message, and settles it immediately, because the worker ends. */
  void stop(FrameService service) {
    lock.lock();
    try {
      stopped = !cancelled && !replied;
    } finally {
      lock.unlock();
    }
    cancel();
    settle(service);
  }

  /** Cancels the calls of the message; no reply is sent. */
  void cancel() {
    FrameService.InFlight run;
    lock.lock();
    try {
      cancelled = true;
      unpaid.close(null);
      run = inFlight;
    } finally {
      lock.unlock();
    }
    if (run != null) {
      run.abandon();
    }
  }

  void grant(long bytes) {
    Runnable action = null;
    lock.lock();
    try {
      if (unpaid.remove(bytes, 0)) {
        action = room;
      }
    } finally {
      lock.unlock();
    }
    if (action != null) {
      action.run();
    }
  }

  @Override
  public boolean streams() {
    return delivery.expectsReply() && delivery.window() > 0;
  }

  @Override
  public OutboundFrame open() {
    return new OutboundFrame(limits.frameBytes() - 1);
  }

  @Override
  public void commit(OutboundFrame frame) {
    byte[] body = frame.toBytes();
    lock.lock();
    try {
      if (cancelled) {
        return;
      }
      if (replied) {
        throw new DisconnectedException("the message is answered already", null);
      }
      if (frame.isInitiated()) {
        if (!streams()) {
          return; // the client accepts only the reply
        }
        unpaid.add(body.length, 0);
      } else {
        replied = true;
        notePoison(frame.errorCode());
      }
    } finally {
      lock.unlock();
    }
    if (!frame.isInitiated()) {
      frame.errorCode().ifPresent(delivery::failed);
    }
    if (delivery.expectsReply()) {
      delivery.reply(body, frame.isInitiated());
    }
  }

  private void notePoison(OptionalInt code) {
    if (poison == null && code.isPresent()) {
      switch (code.getAsInt()) {
        case RpcError.PARSE_ERROR -> poison = "The message is not JSON";
        case RpcError.INVALID_REQUEST -> poison = "The message is JSON, but not JSON-RPC";
        default -> {}
      }
    }
  }

  @Override
  public boolean awaitRoom(long time, TimeUnit unit) throws InterruptedException {
    return unpaid.awaitRoom(time, unit);
  }

  @Override
  public void onRoom(Runnable action) {
    lock.lock();
    try {
      room = action;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void abort(Throwable cause) {
    lock.lock();
    try {
      lost = !replied;
    } finally {
      lock.unlock();
    }
  }

  /** Settles the message once, after all its calls or the worker have ended. */
  void settle(FrameService service) {
    boolean ended;
    boolean answerLost;
    boolean silent;
    String reason;
    lock.lock();
    try {
      if (settled) {
        return;
      }
      settled = true;
      ended = stopped && !replied;
      answerLost = lost && !replied;
      silent = !replied && streams();
      reason = poison;
      cancelled &= !ended; // for the error below
    } finally {
      lock.unlock();
    }
    byte[] body = delivery.body();
    if (ended
        && delivery.mayComeAgain()
        && (delivery.isIdempotent() || service.isIdempotent(body, 0, body.length))) {
      delivery.again();
      return;
    }
    if (ended) {
      refuse(service, RpcError.OUTCOME_UNKNOWN, CLOSED);
      if (reason == null && !delivery.expectsReply()) {
        reason = CLOSED; // otherwise it is not reported
      }
    } else if (answerLost) {
      refuse(
          service,
          RpcError.INTERNAL_ERROR,
          "The reply could not be written; the call may have run");
    } else if (silent) {
      delivery.reply(NOTHING, false);
    }
    if (reason == null) {
      delivery.done();
    } else {
      delivery.dead(reason);
    }
  }

  private void refuse(FrameService service, int code, String message) {
    byte[] body = delivery.body();
    service.refuse(body, 0, body.length, code, message, this);
  }
}
