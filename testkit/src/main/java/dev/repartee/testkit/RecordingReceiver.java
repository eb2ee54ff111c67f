package dev.repartee.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.FrameFault;
import dev.repartee.Receiver;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A receiver that keeps what it is given, in order: frames as their text, and the events around them
 * as texts that no frame can be.
 */
public class RecordingReceiver implements Receiver {
  /** What {@link #next()} answers for the end of input. */
  public static final String INPUT_ENDED = "<input ended>";

  /** What {@link #next()} answers for the end of the channel. */
  public static final String CLOSED = "<closed>";

  private static final long PATIENCE_SECONDS = 20;

  private final BlockingQueue<String> heard = new LinkedBlockingQueue<>();
  private final CompletableFuture<@Nullable Throwable> end = new CompletableFuture<>();
  private volatile boolean stalled;

  /** A receiver that is ready. */
  public RecordingReceiver() {}

  /** Stops being ready, or is ready again; the channel has to be resumed then. */
  public void stall(boolean stalled) {
    this.stalled = stalled;
  }

  @Override
  public boolean frame(byte[] bytes, int from, int to) {
    heard.add(new String(bytes, from, to - from, UTF_8));
    return true;
  }

  @Override
  public void fault(FrameFault fault) {
    heard.add("<fault> " + fault.reason());
  }

  @Override
  public boolean ready() {
    return !stalled;
  }

  @Override
  public void inputEnded() {
    heard.add(INPUT_ENDED);
  }

  @Override
  public void closed(@Nullable Throwable cause) {
    if (!end.complete(cause)) {
      heard.add("<closed again>");
    }
    heard.add(CLOSED);
  }

  /** What was heard next; fails the test after some seconds of silence. */
  public String next() {
    try {
      String next = heard.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
      if (next == null) {
        throw new AssertionError("nothing was heard for " + PATIENCE_SECONDS + " s");
      }
      return next;
    } catch (InterruptedException e) {
      throw new AssertionError("interrupted while listening", e);
    }
  }

  /** How much was heard and not asked for yet. */
  public int backlog() {
    return heard.size();
  }

  /** Waits for the end of the channel and answers its cause, null after an orderly one. */
  public @Nullable Throwable awaitClosed() {
    try {
      return end.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      throw new AssertionError("the channel did not end within " + PATIENCE_SECONDS + " s", e);
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }
}
