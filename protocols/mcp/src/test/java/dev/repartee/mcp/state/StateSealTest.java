package dev.repartee.mcp.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.repartee.RpcException;
import dev.repartee.json.Json;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StateSealTest {
  private static final byte[] SECRET = RandomIds.bytes(StateSeal.SECRET_BYTES);
  private static final Json STATE = Json.parse("{\"name\":{\"action\":\"accept\"}}");
  private static final byte[] REQUEST = new byte[32];
  private static final byte[] OTHER = RandomIds.bytes(32);
  private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

  private static StateSeal at(Instant time) {
    return new StateSeal(SECRET, Duration.ofMinutes(10), Clock.fixed(time, ZoneOffset.UTC));
  }

  private static void assertRefused(StateSeal seal, String state, byte[] request) {
    assertThatExceptionOfType(RpcException.class)
        .isThrownBy(() -> seal.open(state, () -> request))
        .satisfies(e -> assertThat(e.code()).isEqualTo(-32602))
        .withMessageContaining("requestState");
  }

  @Test
  void aStateIsOpenedByAnyInstanceWithTheSameSecret() {
    String sealed = at(NOW).seal(STATE, REQUEST);
    assertThat(at(NOW.plusSeconds(599)).open(sealed, () -> REQUEST)).isEqualTo(STATE);
  }

  @Test
  void aStateOfAnotherRequestOrServerOrAnExpiredOneIsRejected() {
    String sealed = at(NOW).seal(STATE, REQUEST);
    assertRefused(at(NOW), sealed, OTHER);
    assertRefused(at(NOW.plusSeconds(601)), sealed, REQUEST);
    StateSeal other = new StateSeal(null, Duration.ofMinutes(10), Clock.systemUTC());
    assertRefused(other, sealed, REQUEST);
  }

  @Test
  void everyChangeOfAStateIsRejected() {
    String sealed = at(NOW).seal(STATE, REQUEST);
    for (int i = 0; i < sealed.length(); i++) {
      char changed = sealed.charAt(i) == 'A' ? 'Q' : 'A';
      String tampered = sealed.substring(0, i) + changed + sealed.substring(i + 1);
      assertRefused(at(NOW), tampered, REQUEST);
    }
    assertRefused(at(NOW), sealed + "-TAMPERED", REQUEST);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "x", "AAAA", "not base64!", "AAAAAAAAAAAAAAAAAAAAAAAA"})
  void textsThatAreNoStateAreRejected(String state) {
    assertRefused(at(NOW), state, REQUEST);
  }

  @Test
  void aStateIsUnreadableForTheClient() {
    assertThat(at(NOW).seal(STATE, REQUEST)).isNotEqualTo(at(NOW).seal(STATE, REQUEST));
  }

  @Test
  void noDigestIsComputedForAForgedState() {
    String sealed = at(NOW).seal(STATE, REQUEST);
    String forged = sealed.substring(0, sealed.length() - 4) + "AAAA";
    assertThatExceptionOfType(RpcException.class)
        .isThrownBy(() -> at(NOW).open(forged, () -> {
          throw new AssertionError("it was");
        }))
        .withMessageContaining("requestState");
  }
}
