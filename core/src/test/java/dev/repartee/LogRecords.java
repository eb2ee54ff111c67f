package dev.repartee;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Predicate;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/** Keeps some records of the logger: threads that other tests have left may log too. */
final class LogRecords extends Handler implements AutoCloseable {
  final BlockingQueue<LogRecord> all = new LinkedBlockingQueue<>();
  private final Predicate<LogRecord> wanted;
  private final Logger logger = Logger.getLogger("dev.repartee");
  private final @Nullable Level before = logger.getLevel();

  LogRecords(Predicate<LogRecord> wanted) {
    this.wanted = wanted;
    logger.setUseParentHandlers(false);
    logger.setLevel(Level.ALL);
    logger.addHandler(this);
  }

  /** Keeps the records that the calling thread writes. */
  static LogRecords ofThisThread() {
    Thread here = Thread.currentThread();
    return new LogRecords(each -> Thread.currentThread() == here);
  }

  @Override
  public void publish(LogRecord each) {
    if (wanted.test(each)) {
      all.add(each);
    }
  }

  @Override
  public void flush() {}

  @Override
  public void close() {
    logger.removeHandler(this);
    logger.setLevel(before);
    logger.setUseParentHandlers(true);
  }
}
