package dev.repartee.mcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.repartee.Json;
import dev.repartee.RpcException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StateSealTest {
  private static final byte[] SECRET = Unguessable.bytes(StateSeal.SECRET_BYTES);
  private static final Json STATE = Json.parse("{\"name\":{\"action\":\"accept\"}}");
  private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

  private static StateSeal at(Instant time) {
    return new StateSeal(SECRET, Duration.ofMinutes(10), Clock.fixed(time, ZoneOffset.UTC));
  }

  private static void assertRefused(StateSeal seal, String state, String request) {
    assertThatExceptionOfType(RpcException.class)
        .isThrownBy(() -> seal.open(state, request))
        .satisfies(e -> assertThat(e.code()).isEqualTo(-32602))
        .withMessageContaining("requestState");
  }

  @Test
  void whatWasSealedIsOpenedByAnyInstanceOfTheSameSecret() {
    String sealed = at(NOW).seal(STATE, "request");
    assertThat(at(NOW.plusSeconds(599)).open(sealed, "request")).isEqualTo(STATE);
  }

  @Test
  void aStateOfAnotherRequestOrServerOrTimeIsRefused() {
    String sealed = at(NOW).seal(STATE, "request");
    assertRefused(at(NOW), sealed, "other");
    assertRefused(at(NOW.plusSeconds(601)), sealed, "request");
    StateSeal other = new StateSeal(null, Duration.ofMinutes(10), Clock.systemUTC());
    assertRefused(other, sealed, "request");
  }

  @Test
  void everyChangeOfAStateIsNoticed() {
    String sealed = at(NOW).seal(STATE, "request");
    for (int i = 0; i < sealed.length(); i++) {
      char changed = sealed.charAt(i) == 'A' ? 'Q' : 'A';
      String tampered = sealed.substring(0, i) + changed + sealed.substring(i + 1);
      assertRefused(at(NOW), tampered, "request");
    }
    assertRefused(at(NOW), sealed + "-TAMPERED", "request");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "x", "AAAA", "not base64!", "AAAAAAAAAAAAAAAAAAAAAAAA"})
  void whatIsNoStateIsRefused(String state) {
    assertRefused(at(NOW), state, "request");
  }

  @Test
  void aStateTellsTheClientNothing() {
    assertThat(at(NOW).seal(STATE, "request")).isNotEqualTo(at(NOW).seal(STATE, "request"));
  }
}
