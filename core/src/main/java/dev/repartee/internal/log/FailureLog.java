package dev.repartee.internal.log;

import dev.repartee.internal.Text;
import java.lang.System.Logger.Level;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The log of failures and violations: the {@link System.Logger} with the name {@code dev.repartee}.
 * Bounds the number and the length of records, since a peer can cause as many as it likes.
 * Thread-safe.
 */
public final class FailureLog {
  /** The name of the logger. */
  public static final String NAME = "dev.repartee";

  /** The number of records in one period. */
  private static final int MOST = 20;

  private static final long PERIOD = TimeUnit.SECONDS.toNanos(10);

  /** The maximum number of characters of a record. */
  private static final int LONGEST = 300;

  // Guarded by this.
  private long began;
  private int written;
  private int omitted;

  /**
   * Writes a record, unless there were too many in the last seconds.
   *
   * @param cause null if there is no exception
   */
  public void write(String what, @Nullable Throwable cause) {
    int before = admitted(System.nanoTime());
    if (before >= 0) {
      String more = before == 0 ? "" : " (" + before + " earlier records were left out)";
      // One line of bounded length: the text may contain input of the peer.
      String line = Text.printable(Text.shortened(what, LONGEST));
      System.getLogger(NAME).log(Level.WARNING, line + more, cause);
    }
  }

  /**
   * Counts a record.
   *
   * @return the number of records that were left out before this one; -1 if this one is left out
   */
  private synchronized int admitted(long now) {
    if (written == 0 || now - began > PERIOD) {
      began = now;
      written = 0;
    }
    if (written == MOST) {
      omitted++;
      return -1;
    }
    written++;
    int before = omitted;
    omitted = 0;
    return before;
  }
}
