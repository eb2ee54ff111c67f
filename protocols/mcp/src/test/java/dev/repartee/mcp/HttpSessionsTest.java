package dev.repartee.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Options;
import dev.repartee.access.Principal;
import dev.repartee.internal.FakeClock;
import dev.repartee.mcp.http.HttpSession;
import dev.repartee.mcp.http.HttpSessions;
import dev.repartee.mcp.state.SessionMemory;
import java.time.Duration;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class HttpSessionsTest {
  private static final Principal ANN = Principal.bearer("ann", Set.of());
  private static final Principal BOB = Principal.bearer("bob", Set.of());

  private final FakeClock clock = new FakeClock();
  private final HttpSessions sessions = new HttpSessions(
      new HttpBackend(new Protocol(TestServer.builder().build())), Options.DEFAULT, clock);

  @AfterEach
  void close() {
    sessions.close();
  }

  private String create() {
    return create(ANN, "127.0.0.1:1", 100);
  }

  private String create(@Nullable Principal principal, String remote, int said) {
    return Objects.requireNonNull(sessions.create(principal, remote, said)).id();
  }

  /** Begins a session, and uses it. */
  private String used(@Nullable Principal principal, String remote) {
    String id = create(principal, remote, 100);
    assertThat(sessions.find(id, principal)).isNotNull();
    return id;
  }

  @Test
  void aSessionIsFoundOnlyByItsPrincipal() {
    String id = create();
    assertThat(sessions.find(id, ANN)).isNotNull();
    assertThat(sessions.find(id, Principal.bearer("ann", Set.of("more")))).isNotNull();
    assertThat(sessions.find(id, BOB)).isNull();
    assertThat(sessions.find(id, null)).isNull();
    assertThat(sessions.end(id, BOB)).isFalse();
    assertThat(sessions.end(id, ANN)).isTrue();
    assertThat(sessions.find(id, ANN)).isNull();
  }

  @Test
  void anIdleSessionIsEnded() {
    String idle = used(ANN, "");
    String used = used(ANN, "");
    clock.advance(Duration.ofMinutes(29));
    assertThat(sessions.find(used, ANN)).isNotNull();
    clock.advance(Duration.ofSeconds(61)); // a second after the last check of the timer
    create();
    assertThat(sessions.find(idle, ANN)).isNull();
    assertThat(sessions.find(used, ANN)).isNotNull();
  }

  @Test
  void anIdleSessionIsEndedAlsoIfNoOtherOneBegins() {
    create();
    clock.advance(Duration.ofMinutes(1));
    assertThat(sessions.values()).hasSize(1);
    clock.advance(Duration.ofMinutes(1));
    assertThat(sessions.values()).isEmpty();
    assertThat(clock.timers()).isZero();
  }

  @Test
  void aSessionWithoutASecondRequestIsEndedAfterAMinute() {
    String unused = create();
    String used = used(ANN, "");
    clock.advance(Duration.ofSeconds(61));
    create();
    assertThat(sessions.find(unused, ANN)).isNull();
    assertThat(sessions.find(used, ANN)).isNotNull();
  }

  @Test
  void aPrincipalAtItsLimitLosesItsLongestIdleSessionAndNoOtherPrincipalDoes() {
    String other = used(BOB, "127.0.0.1:1");
    clock.advance(Duration.ofSeconds(1));
    String first = used(ANN, "127.0.0.1:1");
    clock.advance(Duration.ofSeconds(1));
    for (int i = 1; i < 1_000; i++) {
      used(ANN, "127.0.0.1:1");
    }
    assertThat(sessions.find(first, ANN)).isNotNull();
    clock.advance(Duration.ofSeconds(1));
    create();
    assertThat(sessions.find(first, ANN)).isNotNull(); // now the most recently used session
    assertThat(sessions.find(other, BOB)).isNotNull();
    assertThat(sessions.values().size()).isEqualTo(1_001);
  }

  @Test
  void anUnusedSessionIsEndedBeforeAUsedOne() {
    String used = used(ANN, "");
    clock.advance(Duration.ofSeconds(3));
    String unused = create();
    for (int i = 2; i < 1_000; i++) {
      used(ANN, "");
    }
    clock.advance(Duration.ofSeconds(3));
    create();
    assertThat(sessions.find(unused, ANN)).isNull();
    assertThat(sessions.find(used, ANN)).isNotNull();
  }

  @ParameterizedTest
  @ValueSource(ints = {100, 64 << 10})
  void aFloodOfUnusedSessionsEndsNoUsedSessionOfTheirOwner(int said) {
    String used = used(ANN, "");
    for (int i = 0; i < 3_000; i++) {
      clock.advance(Duration.ofMillis(1));
      create(ANN, "", said);
    }
    assertThat(sessions.find(used, ANN)).isNotNull();
  }

  @ParameterizedTest
  @CsvSource({"100, 65536", "65536, 100"})
  void anUnusedSessionOutlivesAFloodOfUnusedSessionsOfAnotherSize(int said, int flood) {
    for (int i = 0; i < 2_000; i++) {
      create(ANN, "", flood);
    }
    String begun = create(ANN, "", said);
    for (int i = 0; i < 2_000; i++) {
      create(ANN, "", flood);
    }
    assertThat(sessions.find(begun, ANN)).isNotNull();
  }

  @Test
  void ofUnusedSessionsOfOneSizeTheOldestIsEnded() {
    String oldest = create();
    String next = create();
    for (int i = 2; i <= 1_000; i++) {
      create();
    }
    assertThat(sessions.find(oldest, ANN)).isNull();
    assertThat(sessions.find(next, ANN)).isNotNull();
  }

  @Test
  void oneAddressCannotTakeAllSessions() {
    String other = used(null, "192.0.2.1:7");
    for (int i = 0; i < 10_001; i++) {
      create(null, "192.0.2.9:" + i, 100);
    }
    assertThat(sessions.values().size()).isLessThan(10_000);
    assertThat(sessions.find(other, null)).isNotNull();
    assertThat(sessions.find(create(null, "192.0.2.2:7", 100), null)).isNotNull();
  }

  @Test
  void atTenThousandSessionsTheOwnerWithTheMostLosesOne() {
    String few = used(BOB, "");
    for (int i = 0; i < 10_100; i++) {
      used(Principal.bearer("p" + i % 11, Set.of()), "");
    }
    assertThat(sessions.values().size()).isBetween(1_000, 10_000);
    assertThat(sessions.find(few, BOB)).isNotNull();
  }

  @Test
  void theClientDataOfAllSessionsHasOneMemoryBudget() {
    String other = used(BOB, "");
    for (int i = 0; i < 3_000; i++) {
      create(null, "192.0.2.9:" + i, 64 << 10);
    }
    assertThat(sessions.values().stream().mapToLong(HttpSession::held).sum())
        .isBetween(100L << 10, SessionMemory.HTTP.max());
    assertThat(sessions.find(other, BOB)).isNotNull();
  }

  @Test
  void theSubscriptionsOfOneOwnerTakeHalfOfTheMemoryOfSessions() {
    for (int i = 0; i < 1_000; i++) {
      HttpSession session = Objects.requireNonNull(sessions.create(ANN, "", 100));
      assertThat(sessions.find(session.id(), ANN)).isNotNull();
      ((ServerSession) session.session()).subscribe("x".repeat(ServerSession.MAX_REMEMBERED));
    }
    assertThat(sessions.values().stream().mapToLong(HttpSession::held).sum())
        .isBetween(1_000_000L, SessionMemory.HTTP.max() / 2);
  }
}
