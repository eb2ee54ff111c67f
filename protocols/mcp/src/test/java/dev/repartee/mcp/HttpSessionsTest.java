package dev.repartee.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Options;
import java.time.Duration;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class HttpSessionsTest {
  private static final Principal ANN = new Principal("ann", Set.of());
  private static final Principal BOB = new Principal("bob", Set.of());

  private final AtomicLong time = new AtomicLong();
  private final HttpSessions sessions =
      new HttpSessions(TestServer.builder().build(), Options.DEFAULT, time::get);

  @AfterEach
  void close() {
    sessions.close();
  }

  private String create() {
    return Objects.requireNonNull(sessions.create(ANN)).id();
  }

  private void pass(Duration duration) {
    time.addAndGet(duration.toNanos());
  }

  @Test
  void aSessionIsFoundByItsPrincipalAlone() {
    String id = create();
    assertThat(sessions.find(id, ANN)).isNotNull();
    assertThat(sessions.find(id, new Principal("ann", Set.of("more")))).isNotNull();
    assertThat(sessions.find(id, BOB)).isNull();
    assertThat(sessions.find(id, null)).isNull();
    assertThat(sessions.end(id, BOB)).isFalse();
    assertThat(sessions.end(id, ANN)).isTrue();
    assertThat(sessions.find(id, ANN)).isNull();
  }

  @Test
  void aSessionInWhichNothingIsAskedIsGivenUp() {
    String idle = create();
    String used = create();
    pass(Duration.ofMinutes(29));
    assertThat(sessions.find(used, ANN)).isNotNull();
    pass(Duration.ofMinutes(2));
    create();
    assertThat(sessions.find(idle, ANN)).isNull();
    assertThat(sessions.find(used, ANN)).isNotNull();
  }

  @Test
  void thereAreNoMoreThanTenThousandAtOnce() {
    for (int i = 0; i < 10_000; i++) {
      create();
    }
    assertThat(sessions.create(ANN)).isNull();
    pass(Duration.ofMinutes(31));
    assertThat(sessions.create(ANN)).isNotNull();
  }
}
