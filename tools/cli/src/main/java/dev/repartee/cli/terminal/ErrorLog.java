package dev.repartee.cli.terminal;

import dev.repartee.internal.log.LineQueue;
import java.util.function.Consumer;
import java.util.logging.ConsoleHandler;
import java.util.logging.Handler;
import java.util.logging.LogManager;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/**
 * Writes log records to the standard error on a separate thread. If the standard error is an unread
 * pipe, or a terminal stopped with Ctrl-S, only this thread blocks. A {@link ConsoleHandler} would
 * block the threads that serve connections: any peer can cause a record.
 */
public final class ErrorLog extends Handler {
  private static final int RECORDS = 1000;

  private final LineQueue lines;

  /**
   * @param replaced the previous handler; its formatter, filter and level apply
   */
  ErrorLog(ConsoleHandler replaced, Consumer<String> target) {
    setFormatter(replaced.getFormatter());
    setFilter(replaced.getFilter());
    setLevel(replaced.getLevel());
    lines = LineQueue.start(
        "repartee-log", RECORDS, target, left -> "repartee: " + left + " records were left out");
  }

  /** Replaces the handlers of the root logger that write to the standard error. */
  public static void install() {
    Logger root = Logger.getLogger("");
    for (Handler handler : root.getHandlers()) {
      if (handler instanceof ConsoleHandler console) {
        root.removeHandler(console);
        root.addHandler(new ErrorLog(console, System.err::println));
      }
    }
  }

  /**
   * Writes the records that wait, for 5 seconds at most, and ends the log. To be called before {@link
   * Runtime#halt}, which does not wait for the end that the JVM itself gives the log.
   */
  public static void end() {
    LogManager.getLogManager().reset();
  }

  @Override
  public void publish(LogRecord record) {
    if (isLoggable(record)) {
      lines.add(text(record).stripTrailing());
    }
  }

  private String text(LogRecord record) {
    try {
      return getFormatter().format(record);
    } catch (Exception e) { // such as from the exception in the record, which may be any class
      return "repartee: " + record.getMessage();
    }
  }

  /** Does nothing: the thread writes each record without delay. */
  @Override
  public void flush() {}

  /** Waits until the records are written, for 5 seconds at most. */
  @Override
  public void close() {
    lines.close();
  }
}
