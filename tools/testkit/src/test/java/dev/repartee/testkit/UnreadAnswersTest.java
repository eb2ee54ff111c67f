package dev.repartee.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.CallFuture;
import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.Server;
import dev.repartee.limits.Limits;
import dev.repartee.limits.MemoryBudget;
import dev.repartee.testkit.attack.TargetServer;
import dev.repartee.testkit.memory.HeldWatch;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The process-wide memory budget for unsent answers, over TCP. */
class UnreadAnswersTest {
  private static final String PING = """
      {"jsonrpc":"2.0","method":"rpc.ping","id":1}""";
  private static final String STATUS = """
      {"jsonrpc":"2.0","method":"rpc.status","id":1}""";
  private static final String PONG = """
      {"jsonrpc":"2.0","result":"pong","id":1}""";

  /** A size greater than the buffers of two sockets. */
  private static final int MUCH = 15_000_000;

  private final MemoryBudget held = MemoryBudget.ofAnswers();
  private final MemoryBudget.Share others = held.share(0);
  private Server server;

  @BeforeEach
  void listen() throws Exception {
    server = Repartee.listen("tcp://127.0.0.1:0", new TargetServer().service());
    awaitHeld(0, 0);
  }

  @AfterEach
  void nothingIsHeldAfterwards() throws Exception {
    others.hold(0);
    awaitHeld(0, 0);
    server.close();
  }

  private void awaitHeld(long from, long to) throws InterruptedException {
    HeldWatch.await(held, from, to);
  }

  private void fill() {
    assertThat(others.hold(held.max())).isTrue();
  }

  private static String text(int length) {
    return """
        {"jsonrpc":"2.0","method":"text","params":[%s],"id":1}""".formatted(length);
  }

  private static String echo(int length) {
    return """
        {"jsonrpc":"2.0","method":"echo","params":["%s"],"id":1}""".formatted("x".repeat(length));
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void memoryOfQueuedAnswersIsHeldUntilTheyAreRead(boolean inline) throws Exception {
    try (RawConnection raw = new RawConnection(server)) {
      raw.send((inline ? echo(MUCH) : text(MUCH)) + "\n");
      awaitHeld(1 << 20, 2L * MUCH);
      assertThat(raw.line()).hasSizeGreaterThan(MUCH);
      awaitHeld(0, 0);
      assertThat(raw.send(PING + "\n").line()).isEqualTo(PONG);
    }
  }

  @Test
  void memoryOfQueuedAnswersIsReleasedWhenTheConnectionEnds() throws Exception {
    try (RawConnection raw = new RawConnection(server)) {
      raw.send(text(MUCH) + "\n");
      awaitHeld(1 << 20, 2L * MUCH);
      raw.socket().setSoLinger(true, 0);
    }
    awaitHeld(0, 0);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aClientThatDoesNotReadAnswersBeyondTheBudgetIsCutOff(boolean inline) throws Exception {
    fill();
    try (RawConnection raw = new RawConnection(server)) {
      raw.send((inline ? echo(MUCH) : text(MUCH)) + "\n");
      assertThat(raw.rest()).hasSizeLessThan(MUCH);
    }
  }

  @Test
  void smallAnswersAreSentWhenTheBudgetIsExhausted() throws IOException {
    fill();
    try (RawConnection raw = new RawConnection(server)) {
      assertThat(raw.send(PING + "\n").line()).isEqualTo(PONG);
      assertThat(raw.send(text(60_000) + "\n").line()).hasSizeGreaterThan(60_000);
    }
  }

  /** The server waits for an answer. It must therefore continue to read, but not to serve. */
  @Test
  void aClientThatOwesAnAnswerAndReadsNothingCausesNoMoreAnswers() throws Exception {
    Limits limits = Limits.builder().runningCalls(4).outboundBytes(10_000).build();
    try (Server small = Repartee.listen(
            "tcp://127.0.0.1:0",
            new TargetServer().service(),
            Options.builder().limits(limits).build());
        RawConnection raw = new RawConnection(small)) {
      assertThat(raw.send(PING + "\n").line()).isEqualTo(PONG);
      Peer client = small.peers().iterator().next();
      CallFuture<Integer> owed = client.callAsync("owed", Integer.class);
      String id = raw.line().replaceAll(".*\"id\":([0-9]+).*", "$1");
      for (int i = 0; i < 50; i++) {
        raw.send(text(MUCH / 3) + "\n");
      }
      raw.send("""
          {"jsonrpc":"2.0","result":1,"id":%s}
          """.formatted(id));
      assertThat(owed.get(60, TimeUnit.SECONDS)).isEqualTo(1);
      assertThat(held.held()).isLessThan(5L * MUCH);
    }
  }

  @Test
  void answersOfABatchAreHeldUntilTheLastIsThere() throws Exception {
    String slow = """
        {"jsonrpc":"2.0","method":"sleep","params":[60000],"id":2}""";
    try (RawConnection raw = new RawConnection(server)) {
      raw.send("[" + slow + "," + text(1_000_000) + "," + text(1_000_000) + "]\n");
      awaitHeld(2_000_000, 2_100_000);
      raw.send("""
          {"jsonrpc":"2.0","method":"rpc.cancel","params":{"id":2}}
          """);
      assertThat(raw.line()).hasSizeGreaterThan(2_000_000).contains("-32800");
    }
  }

  @Test
  void aBatchWithAnswersBeyondTheBudgetIsRefusedAndTheConnectionGoesOn() throws IOException {
    fill();
    try (RawConnection raw = new RawConnection(server)) {
      raw.send("[" + text(10_000) + "," + text(10_000) + "]\n");
      assertThat(raw.line()).contains("-32000", "\"limit\":\"heldBytes\"", "\"id\":null");
      assertThat(raw.send(PING + "\n").line()).isEqualTo(PONG);
    }
  }

  private static void awaitOneRuns(RawConnection raw) throws IOException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    String status;
    do {
      status = raw.send(STATUS + "\n").line();
    } while (!status.contains("\"running\":1,\"waiting\":0") && System.nanoTime() - end < 0);
    assertThat(status).contains("\"running\":1,\"waiting\":0");
  }

  @Test
  void aBatchWithTooLargeAnswersIsRefusedAndKeepsNoneOfThem() throws Exception {
    String slow = """
        {"jsonrpc":"2.0","method":"sleep","params":[60000],"id":2}""";
    try (RawConnection raw = new RawConnection(server)) {
      raw.send("[" + slow + ("," + text(1_000_000)).repeat(20) + "," + PING + "]\n");
      awaitOneRuns(raw); // the slow one: all answers were complete
      awaitHeld(0, 0);
      raw.send("""
          {"jsonrpc":"2.0","method":"rpc.cancel","params":{"id":2}}
          """);
      assertThat(raw.line()).contains("-32003", "frameBytes");
    }
  }
}
