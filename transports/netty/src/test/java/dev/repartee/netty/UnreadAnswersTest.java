package dev.repartee.netty;

import static dev.repartee.testkit.RawConnection.frame;
import static dev.repartee.testkit.RawConnection.post;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Repartee;
import dev.repartee.Server;
import dev.repartee.limits.MemoryBudget;
import dev.repartee.testkit.RawConnection;
import dev.repartee.testkit.attack.TargetServer;
import dev.repartee.testkit.memory.HeldWatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Tests the memory budget that the connections of a process share for responses, over HTTP and
 * WebSocket.
 */
class UnreadAnswersTest {
  private static final String PING = """
      {"jsonrpc":"2.0","method":"rpc.ping","id":1}""";
  private static final String PONG = """
      {"jsonrpc":"2.0","result":"pong","id":1}""";
  private static final String EVENTS = "Accept: text/event-stream";

  /** More bytes than the buffers of two sockets hold. */
  private static final int MUCH = 15_000_000;

  private static final String TEXT = """
      {"jsonrpc":"2.0","method":"text","params":[%s],"id":1}""".formatted(MUCH);

  private final MemoryBudget held = MemoryBudget.ofAnswers();
  private final MemoryBudget.Share others = held.share(0);
  private Server server;

  @BeforeEach
  void listen() throws Exception {
    server = Repartee.listen("http://127.0.0.1:0/", new TargetServer().service());
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

  private static byte[] message(String text) {
    return frame(0x81, text.getBytes(UTF_8));
  }

  @Test
  void anAnswerOverHttpIsHeldUntilItIsRead() throws Exception {
    try (RawConnection raw = new RawConnection(server)) {
      raw.send(post(TEXT));
      awaitHeld(MUCH, 2L * MUCH + 1_000);
      assertThat(raw.body()).hasSizeGreaterThan(MUCH);
      awaitHeld(0, 0);
      assertThat(raw.send(post(PING)).body()).isEqualTo(PONG);
    }
  }

  @Test
  void anAnswerBehindASlowOneIsHeldUntilTheConnectionEnds() throws Exception {
    try (RawConnection raw = new RawConnection(server)) {
      raw.send(post("""
          {"jsonrpc":"2.0","method":"sleep","params":[60000],"id":1}"""));
      raw.send(post(TEXT));
      awaitHeld(MUCH, 2L * MUCH + 1_000);
    }
    awaitHeld(0, 0);
  }

  @Test
  void anAnswerOverHttpThatFindsNoRoomBecomesARefusalAndTheConnectionGoesOn() throws Exception {
    fill();
    try (RawConnection raw = new RawConnection(server)) {
      assertThat(raw.send(post(TEXT)).answer())
          .startsWith("HTTP/1.1 503 ")
          .contains("the limit heldBytes of " + held.max() + " bytes");
      assertThat(raw.send(post(PING)).body()).isEqualTo(PONG);
    }
  }

  @Test
  void anAnswerAsAnEventIsHeldUntilTheConnectionEnds() throws Exception {
    try (RawConnection raw = new RawConnection(server)) {
      raw.send(post(TEXT, EVENTS));
      awaitHeld(MUCH, 2L * MUCH + 1_000);
    }
    awaitHeld(0, 0);
  }

  @Test
  void anAnswerAsAnEventThatFindsNoRoomEndsTheConnection() throws Exception {
    fill();
    try (RawConnection raw = new RawConnection(server)) {
      assertThat(raw.send(post(TEXT, EVENTS)).rest()).hasSizeLessThan(MUCH);
    }
  }

  @Test
  void anAnswerOverAWebSocketIsHeldUntilItIsRead() throws Exception {
    try (RawConnection raw = new RawConnection(server).upgrade()) {
      raw.send(message(TEXT));
      awaitHeld(MUCH, 2L * MUCH + 1_000);
      assertThat(raw.message()).hasSizeGreaterThan(MUCH);
      awaitHeld(0, 0);
      assertThat(raw.send(message(PING)).message()).isEqualTo(PONG);
    }
  }

  @Test
  void anAnswerOverAWebSocketIsReleasedWhenTheConnectionEnds() throws Exception {
    try (RawConnection raw = new RawConnection(server).upgrade()) {
      raw.send(message(TEXT));
      awaitHeld(MUCH, 2L * MUCH + 1_000);
      raw.socket().setSoLinger(true, 0);
    }
    awaitHeld(0, 0);
  }

  @Test
  void anAnswerOverAWebSocketThatFindsNoRoomEndsTheConnection() throws Exception {
    fill();
    try (RawConnection raw = new RawConnection(server).upgrade()) {
      assertThat(raw.send(message(TEXT)).rest()).hasSizeLessThan(MUCH);
    }
    try (RawConnection raw = new RawConnection(server).upgrade()) {
      assertThat(raw.send(message(PING)).message()).isEqualTo(PONG);
    }
  }
}
