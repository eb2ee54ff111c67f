package dev.repartee.a2a.client;

import dev.repartee.limits.LimitException;
import dev.repartee.limits.MemoryBudget;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.http.HttpResponse.BodySubscriber;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The body of an answer. A thread that reads requests one piece at a time and waits for it; a slow
 * reader therefore slows down the server. One thread reads; any thread may cancel.
 */
final class Body implements BodySubscriber<Body> {
  /**
   * A piece of the body. At the end the buffers are null, and the failure is the reason for an
   * early end.
   */
  private record Piece(
      @Nullable List<ByteBuffer> buffers, @Nullable Throwable failure) {}

  /** An answer of up to this many bytes is not charged to the budget. */
  private static final int FREE = 64 << 10;

  private final int limit;
  private final MemoryBudget budget;

  /**
   * Contains at most one piece and the end, because the next piece is requested after the previous
   * one was removed.
   */
  private final BlockingQueue<Piece> pieces = new LinkedBlockingQueue<>();

  private final CompletableFuture<Body> started = CompletableFuture.completedFuture(this);
  private volatile Flow.@Nullable Subscription subscription;
  private volatile boolean cancelled;

  /**
   * Creates a body. Its size in bytes has to be less than the limit.
   *
   * @param budget the memory for whole bodies while they arrive
   */
  Body(int limit, MemoryBudget budget) {
    this.limit = limit;
    this.budget = budget;
  }

  @Override
  public CompletionStage<Body> getBody() {
    return started;
  }

  @Override
  public void onSubscribe(Flow.Subscription given) {
    subscription = given;
    if (cancelled) {
      given.cancel();
    } else {
      given.request(1);
    }
  }

  @Override
  public void onNext(List<ByteBuffer> buffers) {
    pieces.add(new Piece(buffers, null));
  }

  @Override
  public void onError(Throwable failure) {
    pieces.add(new Piece(null, failure));
  }

  @Override
  public void onComplete() {
    pieces.add(new Piece(null, null));
  }

  /** Ends the request. A waiting reader throws an exception. */
  void cancel() {
    cancelled = true;
    Flow.Subscription reading = subscription;
    if (reading != null) {
      reading.cancel();
    }
    pieces.add(new Piece(null, new IOException("the answer was cancelled")));
  }

  /**
   * Waits for the next piece and returns its bytes.
   *
   * @return null at the end of the body
   * @throws InterruptedIOException if no piece arrives within the time
   * @throws IOException if the connection was lost, or the request was cancelled
   */
  byte @Nullable [] read(Duration time) throws IOException {
    try {
      Piece piece = pieces.poll(time.toMillis(), TimeUnit.MILLISECONDS);
      if (piece == null) {
        cancel();
        throw new InterruptedIOException("nothing arrived within " + time.toSeconds() + " s");
      }
      List<ByteBuffer> buffers = piece.buffers;
      if (buffers == null) {
        if (piece.failure != null) {
          throw new IOException(String.valueOf(piece.failure.getMessage()), piece.failure);
        }
        return null;
      }
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      for (ByteBuffer buffer : buffers) {
        byte[] part = new byte[buffer.remaining()];
        buffer.get(part);
        bytes.writeBytes(part);
      }
      Flow.Subscription reading = subscription;
      if (reading != null) {
        reading.request(1);
      }
      return bytes.toByteArray();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      cancel();
      throw new IOException("the thread was interrupted", e);
    }
  }

  private byte @Nullable [] readUntil(long end) throws IOException {
    return read(Duration.ofNanos(Math.max(0, end - System.nanoTime())));
  }

  /**
   * Reads the body to its end. The end has to arrive within the time.
   *
   * @throws LimitException if the body is larger than the limit or the budget allows
   */
  byte[] readAll(Duration time) throws IOException {
    MemoryBudget.Share share = budget.share(FREE);
    try {
      return readAll(System.nanoTime() + time.toNanos(), share);
    } catch (LimitException e) {
      cancel();
      throw e;
    } finally {
      share.hold(0);
    }
  }

  private byte[] readAll(long end, MemoryBudget.Share share) throws IOException {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    for (byte[] part = readUntil(end); part != null; part = readUntil(end)) {
      long size = all.size() + (long) part.length;
      if (size >= limit) {
        throw new LimitException("frameBytes", limit);
      } else if (!share.hold(2 * size)) { // the stream and the array that it returns
        throw share.refusal();
      }
      all.writeBytes(part);
    }
    return all.toByteArray();
  }
}
