package dev.repartee.netty;

import static dev.repartee.testkit.RawConnection.post;
import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Call;
import dev.repartee.Lane;
import dev.repartee.Repartee;
import dev.repartee.Rpc;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.testkit.RawConnection;
import io.netty.util.internal.ThreadExecutorMap;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests how an HTTP server closes. */
class HttpCloseTest {
  private static final Duration LONG = Duration.ofSeconds(20);
  private static final String AWAIT = post("""
      {"jsonrpc":"2.0","method":"await","id":0}\
      """);
  private static final String LINGER = post("""
      {"jsonrpc":"2.0","method":"linger","id":0}\
      """);
  private static final String CALL = post("""
      {"jsonrpc":"2.0","method":"sum","params":[1,2],"id":1}\
      """);

  private final Methods methods = new Methods();
  private Server server;

  /** Methods that close the server. */
  public final class Stopping {
    @Rpc(lane = Lane.INLINE)
    public String stop() {
      server.close();
      return "stopping";
    }

    /**
     * Releases the other calls when the connection of this call has been closed for new requests.
     */
    @Rpc(lane = Lane.INLINE)
    public String stopAndRelease() {
      server.close();
      Objects.requireNonNull(ThreadExecutorMap.currentExecutor())
          .execute(methods.released::countDown);
      return "stopping";
    }
  }

  /** A method with a stream of events. */
  public final class Reporting {
    @Rpc
    public String report(Call call) throws InterruptedException {
      call.progress("begun");
      return methods.await();
    }
  }

  @BeforeEach
  void serve() throws Exception {
    server = Repartee.listen(
        "http://127.0.0.1:0/",
        methods.service().and(Service.of(new Stopping())).and(Service.of(new Reporting())));
  }

  @AfterEach
  void close() {
    methods.released.countDown();
    server.close();
  }

  private CompletableFuture<Void> closeWithin(Duration limit) {
    return CompletableFuture.runAsync(() -> server.close(limit), work -> new Thread(work).start());
  }

  private void running() throws InterruptedException {
    assertThat(methods.waiting.await(60, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void theCloseEndsThoughCodeOfTheUserHoldsAllEventLoops() throws Exception {
    CountDownLatch released = EarlyBytes.hold();
    try {
      closeWithin(Duration.ZERO).get(60, TimeUnit.SECONDS);
    } finally {
      released.countDown();
    }
  }

  @Test
  void aConnectionThatWaitsToBeAcceptedGetsAnAnswer() throws Exception {
    CountDownLatch released = EarlyBytes.hold();
    try (RawConnection waiting = new RawConnection(server)) {
      waiting.send(CALL);
      closeWithin(Duration.ZERO).get(60, TimeUnit.SECONDS);
      released.countDown();
      assertThat(waiting.answer())
          .startsWith("HTTP/1.1 408 ")
          .containsIgnoringCase("repartee-unsent: 1\r\n");
    } finally {
      released.countDown();
    }
  }

  @Test
  void aRunningCallIsAnsweredAndTheConnectionThenEnds() throws Exception {
    try (RawConnection raw = new RawConnection(server);
        RawConnection idle = new RawConnection(server)) {
      assertThat(idle.send(CALL).answer()).endsWith("\"result\":3,\"id\":1}");
      raw.send(AWAIT);
      running();
      CompletableFuture<Void> closed = closeWithin(LONG);
      assertThat(idle.answer()) // this shows that the close has begun
          .startsWith("HTTP/1.1 408 ")
          .containsIgnoringCase("repartee-unsent: 1\r\n");
      assertThat(idle.isOver()).isTrue();
      assertThat(closed).isNotDone();
      methods.released.countDown();
      String answer = raw.answer();
      assertThat(answer).endsWith("\"result\":\"released\",\"id\":0}");
      if (!answer.contains("connection: close")) { // the close had not reached this connection
        assertThat(raw.answer()).startsWith("HTTP/1.1 408 ");
      }
      assertThat(raw.isOver()).isTrue();
      closed.get(60, TimeUnit.SECONDS);
    }
  }

  @Test
  void aCallThatNeverEndsIsCancelledAfterTheLimit() throws Exception {
    try (RawConnection raw = new RawConnection(server)) {
      raw.send(LINGER);
      running();
      server.close(Duration.ofMillis(50));
      assertThat(methods.cancelled.await(60, TimeUnit.SECONDS)).isTrue();
      assertThat(raw.isOver()).isTrue();
    }
  }

  @Test
  void aStreamThatNeverEndsIsCutAfterTheLimit() throws Exception {
    try (RawConnection raw = new RawConnection(server)) {
      raw.send(post("""
          {"jsonrpc":"2.0","method":"tick","id":0}\
          """, "Accept: text/event-stream"));
      raw.head();
      raw.chunk();
      server.close(Duration.ofMillis(50));
      assertThat(methods.cancelled.await(60, TimeUnit.SECONDS)).isTrue();
      assertThat(raw.isOver())
          .isTrue(); // without the last chunk: the client sees an incomplete response
    }
  }

  @Test
  void aCallThatIgnoresItsCancellationDoesNotDelayTheClose() throws Exception {
    try (RawConnection raw = new RawConnection(server)) {
      raw.send(AWAIT);
      running();
      server.close(Duration.ofMillis(50));
      assertThat(raw.isOver()).isTrue();
    }
  }

  @Test
  void anIdleConnectionEndsWithAResponseToARequestThatWasNotRead() throws Exception {
    CompletableFuture<Void> closed;
    try (RawConnection used = new RawConnection(server);
        RawConnection fresh = new RawConnection(server)) {
      assertThat(used.send(CALL).answer()).endsWith("\"result\":3,\"id\":1}");
      closed = closeWithin(LONG);
      for (RawConnection raw : List.of(used, fresh)) {
        assertThat(raw.answer()).startsWith("HTTP/1.1 408 ").contains("connection: close");
        raw.send(AWAIT);
        assertThat(raw.isOver()).isTrue();
      }
    }
    closed.get(60, TimeUnit.SECONDS);
    assertThat(methods.waiting.getCount()).as("calls that wait").isEqualTo(1);
  }

  @Test
  void aStreamThatHasAnnouncedNoEndOfItsConnectionIsFollowedByOne() throws Exception {
    CompletableFuture<Void> closed;
    try (RawConnection raw = new RawConnection(server);
        RawConnection idle = new RawConnection(server)) {
      assertThat(idle.send(CALL).answer()).endsWith("\"result\":3,\"id\":1}");
      raw.send(post("""
          {"jsonrpc":"2.0","method":"report","id":0}\
          """, "Accept: text/event-stream"));
      assertThat(raw.head()).doesNotContain("connection: close");
      assertThat(raw.chunk()).contains("begun");
      closed = closeWithin(LONG);
      assertThat(idle.answer()).startsWith("HTTP/1.1 408 ");
      methods.released.countDown();
      assertThat(raw.chunk()).contains("\"result\":\"released\"");
      assertThat(raw.chunk()).isEmpty();
      assertThat(raw.answer()).startsWith("HTTP/1.1 408 ").contains("connection: close");
      assertThat(raw.isOver()).isTrue();
    }
    closed.get(60, TimeUnit.SECONDS);
  }

  @Test
  void aPartialRequestIsAnsweredThatTheServerCloses() throws Exception {
    CompletableFuture<Void> closed;
    try (RawConnection raw = new RawConnection(server)) {
      assertThat(raw.send(CALL + CALL.substring(0, CALL.length() - 1)).answer())
          .endsWith("\"result\":3,\"id\":1}");
      closed = closeWithin(LONG);
      assertThat(raw.answer())
          .startsWith("HTTP/1.1 503 ")
          .contains("connection: close", "retry-after: 1\r\n")
          .containsIgnoringCase("repartee-unsent: 1\r\n");
      assertThat(raw.isOver()).isTrue();
    }
    closed.get(60, TimeUnit.SECONDS);
  }

  @Test
  void aCallMayCloseTheServerThatServesItAndIsAnswered() throws Exception {
    CompletableFuture<Void> joined = CompletableFuture.runAsync(
        () -> {
          try {
            server.join();
          } catch (InterruptedException e) {
            throw new IllegalStateException(e);
          }
        },
        work -> new Thread(work).start());
    try (RawConnection raw = new RawConnection(server);
        RawConnection other = new RawConnection(server)) {
      other.send(AWAIT);
      running();
      raw.send(post("""
          {"jsonrpc":"2.0","method":"stop","id":2}\
          """));
      assertThat(raw.answer()).endsWith("\"result\":\"stopping\",\"id\":2}");
      assertThat(raw.answer()).startsWith("HTTP/1.1 408 ");
      assertThat(raw.isOver()).isTrue();
      assertThat(joined).isNotDone();
      methods.released.countDown();
      assertThat(other.answer()).endsWith("\"result\":\"released\",\"id\":0}");
    }
    joined.get(60, TimeUnit.SECONDS);
  }

  @Test
  void theLastAnswerSaysThatTheConnectionCloses() throws Exception {
    try (RawConnection raw = new RawConnection(server)) {
      raw.send(AWAIT);
      running();
      raw.send(post("""
          {"jsonrpc":"2.0","method":"stopAndRelease","id":2}\
          """));
      assertThat(raw.answer())
          .doesNotContain("connection: close")
          .endsWith("\"result\":\"released\",\"id\":0}");
      assertThat(raw.answer())
          .contains("connection: close")
          .endsWith("\"result\":\"stopping\",\"id\":2}");
      assertThat(raw.isOver()).isTrue();
    }
  }
}
