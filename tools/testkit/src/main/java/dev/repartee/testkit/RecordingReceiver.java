package dev.repartee.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.framing.FrameFault;
import dev.repartee.framing.Receiver;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A receiver that records its frames and events in order: frames as text, events in angle brackets,
 * such as {@link #CLOSED}. Thread-safe.
 */
public class RecordingReceiver implements Receiver {
  /** The value of {@link #next()} for the end of input. */
  public static final String INPUT_CLOSED = "<input closed>";

  /** The value of {@link #next()} for the end of the channel. */
  public static final String CLOSED = "<closed>";

  private static final long PATIENCE_SECONDS = 60;

  private final BlockingQueue<String> heard = new LinkedBlockingQueue<>();
  private final CompletableFuture<@Nullable Throwable> end = new CompletableFuture<>();
  private volatile boolean stalled;

  /** Creates a receiver that is ready. */
  public RecordingReceiver() {}

  /** Makes the receiver not ready, or ready again; then the caller must resume the channel. */
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
  public void inputClosed(@Nullable Throwable cause) {
    heard.add(INPUT_CLOSED);
  }

  @Override
  public void closed(@Nullable Throwable cause) {
    if (!end.complete(cause)) {
      heard.add("<closed again>");
    }
    heard.add(CLOSED);
  }

  /** Returns the next frame or event; fails the test if there is none within 20 s. */
  public String next() {
    try {
      String next = heard.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
      if (next == null) {
        throw new AssertionError("nothing was received for " + PATIENCE_SECONDS + " s");
      }
      return next;
    } catch (InterruptedException e) {
      throw new AssertionError("interrupted while receiving", e);
    }
  }

  /** Returns the number of frames and events that {@link #next()} has not returned yet. */
  public int backlog() {
    return heard.size();
  }

  /** Waits for the end of the channel and returns its cause; null after a graceful close. */
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
