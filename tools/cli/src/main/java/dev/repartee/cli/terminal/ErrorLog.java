package dev.repartee.cli.terminal;

import dev.repartee.internal.log.LineQueue;
import java.util.function.Consumer;
import java.util.logging.ConsoleHandler;
import java.util.logging.Formatter;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/**
 * Writes log records to the standard error on one thread. A pipe that nobody reads, or a terminal that
 * Ctrl-S has stopped, blocks only this thread. With a {@link ConsoleHandler} it would block the thread
 * that serves the connections: any peer can cause a record.
 */
public final class ErrorLog extends Handler {
  private static final int RECORDS = 1000;

  private final LineQueue lines;

  ErrorLog(Formatter formatter, Consumer<String> target) {
    setFormatter(formatter);
    lines = LineQueue.start(
        "repartee-log", RECORDS, target, left -> "repartee: " + left + " records were left out");
  }

  /** Replaces the handlers of the root logger that write to the standard error. */
  public static void install() {
    Logger root = Logger.getLogger("");
    for (Handler handler : root.getHandlers()) {
      if (handler instanceof ConsoleHandler) {
        ErrorLog log = new ErrorLog(handler.getFormatter(), System.err::println);
        log.setLevel(handler.getLevel());
        root.removeHandler(handler);
        root.addHandler(log);
      }
    }
  }

  @Override
  public void publish(LogRecord record) {
    if (isLoggable(record)) {
      lines.add(getFormatter().format(record).stripTrailing());
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
