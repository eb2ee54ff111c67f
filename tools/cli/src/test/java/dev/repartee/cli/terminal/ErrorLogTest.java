package dev.repartee.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.ConsoleHandler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import org.junit.jupiter.api.Test;

class ErrorLogTest {
  private final ConsoleHandler replaced = new ConsoleHandler();
  private final List<String> lines = new CopyOnWriteArrayList<>();

  private void publish(LogRecord... records) {
    try (Closing log = new Closing(new ErrorLog(replaced, lines::add))) {
      List.of(records).forEach(log.log::publish);
    }
  }

  /** A handler is no {@link AutoCloseable} before Java 26. */
  private record Closing(ErrorLog log) implements AutoCloseable {
    @Override
    public void close() {
      log.close();
    }
  }

  private static LogRecord record(String message) {
    return new LogRecord(Level.WARNING, message);
  }

  @Test
  void theFilterOfTheReplacedHandlerApplies() {
    replaced.setFilter(record -> !record.getMessage().equals("noise"));
    publish(record("noise"), record("a failure"));
    assertThat(lines).singleElement().asString().contains("a failure");
  }

  @Test
  void aRecordWhoseExceptionHasNoTextIsWrittenWithoutIt() {
    LogRecord broken = record("the handler has failed");
    broken.setThrown(new IllegalStateException() {
      @Override
      public String getMessage() {
        throw new UnsupportedOperationException();
      }
    });
    publish(broken);
    assertThat(lines).containsExactly("repartee: the handler has failed");
  }
}
