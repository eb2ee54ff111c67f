package dev.repartee.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Options;
import dev.repartee.Repartee;
import dev.repartee.Server;
import dev.repartee.limits.MemoryBudget;
import dev.repartee.testkit.memory.HeldWatch;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The process-wide memory budget for received messages, over TCP. */
class MemoryBudgetTest {
  private static final String PING = """
      {"jsonrpc":"2.0","method":"rpc.ping","id":1}
      """;
  private static final String PONG = """
      {"jsonrpc":"2.0","result":"pong","id":1}""";
  private static final String BUSY = "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32000,"
      + "\"message\":\"Busy; try again later\",\"data\":{\"limit\":\"heldBytes\",\"max\":"
      + MemoryBudget.ofProcess().max() + "}},\"id\":%s}";
  private static final String MUCH = " ".repeat(1 << 20);

  /** More than the uncounted bytes of a running call, less than those of a partial message. */
  private static final String PADDING = " ".repeat(100_000);

  private final MemoryBudget held = MemoryBudget.ofProcess();
  private final MemoryBudget.Share others = held.share(0);
  private Server server;

  @BeforeEach
  void listen() throws IOException, InterruptedException {
    server = Repartee.listen("tcp://127.0.0.1:0", Demo.SERVICE);
    awaitNothingHeld();
  }

  @AfterEach
  void nothingIsHeldAfterwards() throws InterruptedException {
    others.hold(0);
    awaitNothingHeld();
    server.close();
  }

  private void awaitNothingHeld() throws InterruptedException {
    awaitHeld(0, 0);
  }

  private void awaitHeld(long from, long to) throws InterruptedException {
    HeldWatch.await(held, from, to);
  }

  private void fill() {
    assertThat(others.hold(held.max())).isTrue();
  }

  private static String sleep(int millis, String id) {
    return """
        {"jsonrpc":"2.0","method":"sleep","params":[%s%s]%s}""".formatted(millis, PADDING, id);
  }

  // ---------------------------------------------------------------- release of memory

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void memoryOfAPartialMessageIsReleasedWhenTheConnectionEnds(boolean abruptly) throws Exception {
    try (RawConnection raw = new RawConnection(server)) {
      raw.send("\"" + MUCH);
      awaitHeld(1 << 20, 4 << 20);
      if (abruptly) {
        raw.socket().setSoLinger(true, 0);
      } else {
        assertThat(raw.endOutput().line()).contains("-32700");
      }
    }
    awaitNothingHeld();
  }

  @Test
  void memoryOfAPartialMessageIsReleasedWhenItIsServed() throws Exception {
    try (RawConnection raw = new RawConnection(server)) {
      raw.send("{" + MUCH);
      awaitHeld(1 << 20, 4 << 20);
      assertThat(raw.send(PING.substring(1)).line()).isEqualTo(PONG);
      awaitNothingHeld();
    }
  }

  @Test
  void memoryOfAMessageIsReleasedWhenItExceedsFrameBytes() throws Exception {
    try (RawConnection raw = new RawConnection(server)) {
      for (int i = 0; i < 20; i++) {
        raw.send("\"" + MUCH);
      }
      assertThat(raw.line()).contains("-32003");
      awaitNothingHeld();
    }
  }

  @Test
  void memoryOfARunningCallIsReleasedWhenItEnds() throws Exception {
    try (RawConnection raw = new RawConnection(server)) {
      raw.send(sleep(60_000, ",\"id\":7") + "\n");
      raw.send("""
          {"jsonrpc":"2.0","method":"rpc.cancel","params":{"id":7}}
          """);
      assertThat(raw.line()).contains("-32800");
      awaitNothingHeld();
      raw.send(sleep(60_000, ",\"id\":8") + "\n" + PING);
      assertThat(raw.line()).isEqualTo(PONG);
      awaitHeld(PADDING.length(), PADDING.length() + 1_000);
      raw.socket().setSoLinger(true, 0);
    }
    awaitNothingHeld();
  }

  @Test
  void memoryOfMessagesBehindANotificationIsReleasedWhenTheConnectionEnds() throws Exception {
    try (RawConnection raw = new RawConnection(server)) {
      raw.send(sleep(60_000, "") + "\n" + sleep(0, ",\"id\":1") + "\n" + sleep(0, "") + "\n["
          + sleep(0, "") + "," + sleep(0, ",\"id\":2") + "]\n");
      awaitHeld(5L * PADDING.length(), 6L * PADDING.length());
      raw.socket().setSoLinger(true, 0);
    }
    awaitNothingHeld();
  }

  @Test
  void memoryOfManySmallMessagesIsHeldToo() throws Exception {
    String small = """
        {"jsonrpc":"2.0","method":"update"}
        """;
    try (RawConnection raw = new RawConnection(server)) {
      raw.send(sleep(60_000, "") + "\n" + small.repeat(5_000));
      awaitHeld(5_000 * 256 + PADDING.length(), 5_000 * 300 + PADDING.length());
      raw.socket().setSoLinger(true, 0);
    }
    awaitNothingHeld();
  }

  // ---------------------------------------------------------------- exhausted budget

  @ParameterizedTest
  @ValueSource(
      strings = {"\"", "Content-Length: 10000000\r\n\r\n", "\0\200\0\0", "\036\"", "{\"a\":\""})
  void aMessageBeyondTheBudgetIsRefusedAndTheConnectionEnds(String start) throws Exception {
    fill();
    try (RawConnection raw = new RawConnection(server)) {
      assertThat(raw.send(start + MUCH).rest()).contains(BUSY.formatted("null"));
    }
    try (RawConnection raw = new RawConnection(server)) {
      assertThat(raw.send(PING).line()).isEqualTo(PONG);
    }
  }

  @Test
  void aCallBeyondTheBudgetIsRefusedAndTheConnectionGoesOn() throws Exception {
    fill();
    try (RawConnection raw = new RawConnection(server)) {
      assertThat(raw.send(sleep(0, ",\"id\":5") + "\n").line()).isEqualTo(BUSY.formatted(5));
      assertThat(raw.send(PING).line()).isEqualTo(PONG);
    }
  }

  @Test
  void aBatchBeyondTheBudgetIsRefusedAsAWhole() throws Exception {
    fill();
    String batch = "[" + PING.trim() + "," + sleep(0, "") + "]\n";
    try (RawConnection raw = new RawConnection(server)) {
      assertThat(raw.send(batch).line()).isEqualTo(BUSY.formatted("null"));
      assertThat(raw.send(PING).line()).isEqualTo(PONG);
    }
  }

  @Test
  void aNotificationBeyondTheBudgetEndsTheConnection() throws Exception {
    fill();
    try (RawConnection raw = new RawConnection(server)) {
      assertThat(raw.send(sleep(0, "") + "\n" + PING).rest()).doesNotContain("pong");
    }
  }

  @Test
  void aLargeMessageThatStopsInTheMiddleEndsTheConnection() throws Exception {
    Options hasty = Options.builder()
        .limits(limits -> limits.firstByteTimeout(Duration.ofMillis(500)))
        .build();
    try (Server impatient =
            Repartee.listen("tcp://127.0.0.1:0#framing=lines", Demo.SERVICE, hasty);
        RawConnection raw = new RawConnection(impatient)) {
      assertThat(raw.send("\"" + MUCH).rest()).isIn("", RawConnection.RESET);
    }
  }
}
