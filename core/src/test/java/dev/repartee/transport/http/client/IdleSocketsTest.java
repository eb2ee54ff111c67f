package dev.repartee.transport.http.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.internal.FakeClock;
import dev.repartee.transport.http.client.RawServer.Connection;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class IdleSocketsTest {
  private final FakeClock clock = new FakeClock();
  private final IdleSockets idle = new IdleSockets(clock);
  private RawServer server;
  private Target target;

  @BeforeEach
  void start() throws IOException {
    server = new RawServer();
    target = Target.of(server.uri("/"));
  }

  @AfterEach
  void stop() throws IOException {
    server.close();
  }

  private ClientSocket connected() throws IOException {
    return ClientSocket.open(
        target,
        () -> {
          throw new AssertionError("a connection without TLS");
        },
        channel -> {});
  }

  @Test
  void aConnectionIsClosedAfterHalfAMinute() throws IOException {
    idle.add(target, connected());
    try (Connection connection = server.accept()) {
      clock.advance(Duration.ofSeconds(30));
      assertThat(connection.isOver()).isTrue();
    }
    assertThat(idle.take(target)).isNull();
  }

  @Test
  void aConnectionThatIsUsedAgainHasNoTimer() throws IOException {
    ClientSocket socket = connected();
    try (Connection connection = server.accept()) {
      for (int i = 0; i < 100; i++) {
        idle.add(target, socket);
        assertThat(idle.take(target)).isSameAs(socket);
      }
      assertThat(clock.timers()).isZero();
      clock.advance(Duration.ofSeconds(30));
      connection.send("open");
    }
    assertThat(socket.isQuiet()).isFalse();
    socket.close();
  }

  /** A server may close each connection: its timer would keep its buffers in memory. */
  @Test
  void aConnectionThatTheServerHasClosedHasNoTimer() throws IOException {
    for (int i = 0; i < 100; i++) {
      idle.add(target, connected());
      server.accept().close();
      assertThat(idle.take(target)).isNull();
    }
    assertThat(clock.timers()).isZero();
  }
}
