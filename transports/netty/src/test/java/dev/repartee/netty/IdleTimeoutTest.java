package dev.repartee.netty;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Options;
import dev.repartee.Repartee;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.internal.FakeClock;
import dev.repartee.limits.ClockLimits;
import dev.repartee.limits.Limits;
import dev.repartee.testkit.RawConnection;
import java.io.InputStream;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The limit {@code idleTimeout}: a client that still reads does not count as silent. */
class IdleTimeoutTest {
  private static final int SIZE = 15_000_000;
  private static final String CALL = """
      {"jsonrpc":"2.0","method":"big","params":[%s],"id":1}""".formatted(SIZE);

  private static final String BIG = "x".repeat(SIZE);

  private final CountDownLatch called = new CountDownLatch(1);

  private final Service service = Service.builder()
      .method("big", call -> {
        called.countDown();
        return BIG;
      })
      .build();

  @ParameterizedTest
  @ValueSource(strings = {"http://127.0.0.1:0/", "ws://127.0.0.1:0/"})
  void aLargeAnswerArrivesThoughTheClientSendsNothing(String uri) throws Exception {
    FakeClock clock = new FakeClock();
    Limits limits =
        ClockLimits.builder(clock).idleTimeout(Duration.ofSeconds(1)).build();
    Options options = Options.builder().limits(limits).build();
    boolean webSocket = uri.startsWith("ws:");
    String request = webSocket
        ? RawConnection.handshake()
            + new String(RawConnection.frame(0x81, CALL.getBytes(UTF_8)), ISO_8859_1)
        : RawConnection.post(CALL);
    try (Server server = Repartee.listen(uri, service, options);
        RawConnection raw = EarlyBytes.send(server, request)) {
      if (webSocket) {
        assertThat(raw.answer()).startsWith("HTTP/1.1 101 ");
      }
      assertThat(called.await(60, TimeUnit.SECONDS)).isTrue();
      InputStream in = raw.socket().getInputStream();
      assertThat(in.read()).as("the answer is being sent").isNotNegative();
      clock.advance(Duration.ofSeconds(3)); // meanwhile the client reads nothing
      clock.awaitCheck();
      assertThat(in.readNBytes(SIZE - 1)).hasSize(SIZE - 1);
    }
  }
}
