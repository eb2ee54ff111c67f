package dev.repartee.broker;

import dev.repartee.internal.Clock;
import dev.repartee.internal.Threads;
import dev.repartee.internal.UserCode;
import dev.repartee.limits.Limits;
import dev.repartee.limits.TimeLimits;
import dev.repartee.message.RpcError;
import dev.repartee.transport.Attributes;
import dev.repartee.transport.ChannelInfo;
import dev.repartee.transport.FrameService;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Serves the messages that a broker delivers to one worker of a service: runs them, sends their
 * replies, then settles them. Thread-safe; nothing blocks.
 *
 * <p>A message that was delivered before to a worker that was lost may have been handled. It is
 * handled again only if its methods are declared idempotent ({@link dev.repartee.Rpc#idempotent}),
 * or if the client declares the message so. Even then it is returned to the queue at most
 * {@link #ATTEMPTS} times, since it may be the cause of the losses. Any other message is answered
 * with {@link RpcError#OUTCOME_UNKNOWN} and becomes a dead letter, as does a message that is not
 * JSON-RPC.
 *
 * <p>At most {@link Limits#runningCalls} messages run at the same time; one more is answered with
 * {@link RpcError#BUSY}. A broker with flow control should not deliver more.
 */
public final class Worker {
  /**
   * The number of times that an idempotent message is returned to the queue after the loss of a
   * worker.
   */
  public static final int ATTEMPTS = 3;

  /** The maximum number of stored keys of requests that were cancelled before they arrived. */
  private static final int CANCELLED = 1_000;

  /** The maximum length of these keys in characters; no broker accepts longer ones in a request. */
  private static final int LONGEST_KEY = 4_096;

  private final FrameService service;
  private final ChannelInfo info;
  private final Limits limits;
  private final AtomicInteger running = new AtomicInteger();

  /** The messages that are being served. */
  private final Set<Served> all = ConcurrentHashMap.newKeySet();

  /** Those that have a key, by key. */
  private final Map<String, Served> served = new ConcurrentHashMap<>();

  /** Completes when a closing worker has finished all messages; null before {@link #finish}. */
  private volatile @Nullable CompletableFuture<@Nullable Void> idle;

  /** The keys that were cancelled before their message arrived, oldest first. Guarded by itself. */
  private final Map<String, Boolean> cancelled = new LinkedHashMap<>() {
    private static final long serialVersionUID = 1;

    @Override
    protected boolean removeEldestEntry(Map.Entry<String, Boolean> eldest) {
      return size() > CANCELLED;
    }
  };

  /**
   * Creates a worker.
   *
   * @param service serves the frames
   * @param info describes the channel of their calls
   */
  public Worker(FrameService service, ChannelInfo info, Limits limits) {
    this.service = service.of(info, Attributes.NONE);
    this.info = info;
    this.limits = limits;
  }

  /**
   * Serves a message with the attributes of its delivery. Inline methods run before this returns.
   */
  public void serve(Delivery delivery) {
    Attributes attributes = delivery.attributes();
    serve(delivery, attributes == Attributes.NONE ? service : service.of(info, attributes));
  }

  /**
   * Serves a message with the service of its sender. Inline methods run before this returns.
   *
   * @param service a {@linkplain FrameService#of copy} of the service of this worker, with the
   *     attributes of the sender
   */
  public void serve(Delivery delivery, FrameService service) {
    String key = delivery.key();
    if (key != null && wasCancelled(key)) {
      delivery.done();
      return;
    }
    Served sink = new Served(delivery, limits);
    byte[] body = delivery.body();
    if (body.length >= limits.frameBytes()) {
      refuse(
          sink,
          RpcError.TOO_LARGE,
          "The message has " + body.length + " bytes; the limit frameBytes is "
              + limits.frameBytes());
      return;
    }
    if (delivery.isRepeated() && !mayRunAgain(sink)) {
      return;
    }
    // finish() sets "idle" before it reads these two: it knows this message, or it is turned away
    // here. Who removes it from "all" ends it.
    all.add(sink);
    int count = running.incrementAndGet();
    if (idle != null) {
      if (all.remove(sink)) {
        turnAway(sink);
      }
      left();
      return;
    }
    if (count > limits.runningCalls()) {
      all.remove(sink);
      left();
      answer(
          sink,
          RpcError.BUSY,
          "The worker runs as many messages as its limit runningCalls allows: "
              + limits.runningCalls());
      return;
    }
    if (key != null) {
      served.put(key, sink);
    }
    settle(sink, service.serve(body, 0, body.length, sink), () -> {
      if (key != null) {
        served.remove(key, sink);
      }
      all.remove(sink);
      sink.settle(service);
      left();
    });
    if (key != null && wasCancelled(key)) { // it was cancelled before it arrived
      sink.cancel();
    }
  }

  private void left() {
    running.decrementAndGet();
    endIfIdle();
  }

  /** Returns a message to the queue, or refuses it, because the worker ends. */
  private void turnAway(Served sink) {
    if (sink.delivery().mayComeAgain()) {
      sink.delivery().again();
    } else {
      answer(sink, RpcError.BUSY, "The service is closing");
    }
  }

  private static void settle(Served sink, FrameService.InFlight inFlight, Runnable action) {
    sink.servedBy(inFlight);
    inFlight.whenDone(action);
  }

  /**
   * Returns whether a message that a lost worker may have handled should be handled now; if not,
   * settles it.
   */
  private boolean mayRunAgain(Served sink) {
    Delivery delivery = sink.delivery();
    int runs = delivery.attempts() + (delivery.isCounted() ? 0 : 1);
    byte[] body = delivery.body();
    boolean idempotent = delivery.isIdempotent() || service.isIdempotent(body, 0, body.length);
    if (!idempotent) {
      refuse(
          sink,
          RpcError.OUTCOME_UNKNOWN,
          "The worker that had received the message was lost before its answer; it may have run."
              + " It was not run again, since its method is not declared idempotent");
    } else if (runs > ATTEMPTS) {
      refuse(
          sink,
          RpcError.OUTCOME_UNKNOWN,
          "Several workers were lost while they handled the message, the last one at attempt "
              + runs + "; it was not run again");
    } else if (delivery.isCounted()) {
      return true;
    } else {
      delivery.again();
    }
    return false;
  }

  /** Answers a message with an error, without running any part of it. */
  public void refuse(Delivery delivery, int code, String reason) {
    answer(new Served(delivery, limits), code, reason);
  }

  /**
   * Answers a message with an error, and makes it a dead letter.
   *
   * @param reason the message of the error, and the reason of the dead letter
   */
  public void bury(Delivery delivery, int code, String reason) {
    refuse(new Served(delivery, limits), code, reason);
  }

  private void refuse(Served sink, int code, String reason) {
    sink.poison(reason);
    answer(sink, code, reason);
  }

  private void answer(Served sink, int code, String reason) {
    byte[] body = sink.delivery().body();
    settle(
        sink, service.refuse(body, 0, body.length, code, reason, sink), () -> sink.settle(service));
  }

  /** Cancels a message that is being served, or that will arrive soon. */
  public void cancel(String key) {
    if (key.length() > LONGEST_KEY) {
      return;
    }
    synchronized (cancelled) {
      cancelled.put(key, true);
    }
    Served sink = served.get(key);
    if (sink != null) {
      sink.cancel();
    }
  }

  private boolean wasCancelled(String key) {
    synchronized (cancelled) {
      return cancelled.containsKey(key);
    }
  }

  /**
   * Allows a message that is being served to send this number of additional bytes before its reply.
   */
  public void grant(String key, long bytes) {
    Served sink = served.get(key);
    if (sink != null) {
      sink.grant(bytes);
    }
  }

  /** Returns the number of messages that are being served. */
  public int running() {
    return running.get();
  }

  /**
   * Returns a stage that completes when no message is being served. Messages that still run after
   * the limit are cancelled: idempotent ones are returned to the queue for another worker, all
   * others are answered with {@link RpcError#OUTCOME_UNKNOWN}.
   */
  public CompletionStage<?> finish(Duration limit) {
    CompletableFuture<@Nullable Void> end = new CompletableFuture<>();
    idle = end;
    endIfIdle();
    Clock.Timer late = TimeLimits.clock(limits).schedule(limit, Threads.CALLS, () -> {
      UserCode.forEach(all, each -> {
        if (all.remove(each)) {
          each.stop(service); // its handlers may ignore it
        }
      });
      end.complete(null);
    });
    end.thenRun(late::cancel);
    return end;
  }

  private void endIfIdle() {
    CompletableFuture<@Nullable Void> end = idle;
    if (end != null && running.get() == 0) {
      end.complete(null);
    }
  }
}
