package dev.repartee;

import dev.repartee.transport.ChannelInfo;
import java.lang.System.Logger.Level;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The listener that writes failures and violations to the system's log; see {@link Listener#LOG}. */
final class LoggingListener implements Listener {
  /** The number of records in one period. */
  private static final int MOST = 20;

  private static final long PERIOD = TimeUnit.SECONDS.toNanos(10);

  /** The name of the logger. */
  static final String NAME = "dev.repartee";

  /** The maximum number of characters of a record. */
  private static final int LONGEST = 300;

  private static final Pattern CONTROLS = Pattern.compile("\\p{Cntrl}+");

  // Guarded by this.
  private long began;
  private int written;
  private int omitted;

  @Override
  public void violation(ChannelInfo channel, String violation) {
    String from = channel.remote().isEmpty()
        ? channel.transport()
        : channel.transport() + " " + channel.remote();
    write(from + ": " + violation, null);
  }

  @Override
  public void failed(Call call, Throwable cause) {
    write("the method '" + call.method() + "' failed; the caller got -32603", cause);
  }

  private void write(String what, @Nullable Throwable cause) {
    int before = admitted(System.nanoTime());
    if (before >= 0) {
      String more = before == 0 ? "" : " (" + before + " earlier records were left out)";
      System.getLogger(NAME).log(Level.WARNING, printable(what) + more, cause);
    }
  }

  /** Returns one line of bounded length: the text may contain input of the peer. */
  private static String printable(String text) {
    String line = CONTROLS.matcher(text).replaceAll(" ");
    return line.length() <= LONGEST ? line : line.substring(0, LONGEST) + "...";
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
