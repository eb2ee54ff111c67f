package dev.repartee.spring;

import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * The records that clients log about failed attempts to connect, from creation to close. Ignores
 * the clients of applications in the cache of Spring, which go on connecting.
 */
final class Attempts extends Handler implements AutoCloseable {
  final Queue<LogRecord> all = new ConcurrentLinkedQueue<>();
  final CompletableFuture<LogRecord> first = new CompletableFuture<>();

  private final Logger logger = Logger.getLogger("dev.repartee");
  private final @Nullable Level before = logger.getLevel();
  private final String text;

  /**
   * Begins to collect records.
   *
   * @param text a part of the message or the exception of each record
   */
  Attempts(String text) {
    this.text = text;
    logger.setLevel(Level.FINE);
    logger.addHandler(this);
  }

  @Override
  public void publish(LogRecord entry) {
    if ((entry.getMessage() + entry.getThrown()).contains(text)) {
      all.add(entry);
      first.complete(entry);
    }
  }

  @Override
  public void flush() {}

  @Override
  public void close() {
    logger.removeHandler(this);
    logger.setLevel(before);
  }
}
