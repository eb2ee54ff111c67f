package dev.repartee.broker;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ReceivedHeadersTest {
  private final ReceivedHeaders headers = new ReceivedHeaders();

  @Test
  void namesIgnoreCaseAndValuesOfOneNameAreJoined() {
    headers.add("Authorization", "Bearer one");
    headers.add("authorization", "Bearer two");
    assertThat(headers.get().get("AUTHORIZATION")).isEqualTo("Bearer one, Bearer two");
  }

  @Test
  void theHeadersOfTheTransportAreLeftOut() {
    headers.add("Repartee-Window", "1");
    headers.add("repartee-idempotent", "true");
    headers.add("Nats-Msg-Id", "1");
    assertThat(headers.get()).isEmpty();
  }

  @Test
  void theRemainingTimeIsKeptForTheEngine() {
    headers.add("repartee-timeout-ms", "1500");
    assertThat(headers.get().get("Repartee-Timeout-Ms")).isEqualTo("1500");
  }

  @Test
  void theRemainingTimeIsKeptBesideTooManyHeaders() {
    headers.add("Repartee-Timeout-Ms", "1500");
    for (int i = 0; i < 128; i++) {
      headers.add("n" + i, "");
    }
    assertThat(headers.get()).hasSize(129).containsEntry("Repartee-Timeout-Ms", "1500");
    headers.add("n128", "");
    assertThat(headers.get()).isEqualTo(Map.of("Repartee-Timeout-Ms", "1500"));
  }

  @Test
  void theRemainingTimeIsKeptBesideTooLargeHeaders() {
    headers.add("a", "x".repeat((16 << 10) - 1));
    headers.add("Repartee-Timeout-Ms", "1500");
    assertThat(headers.get()).hasSize(2);
    headers.add("b", "");
    assertThat(headers.get()).isEqualTo(Map.of("Repartee-Timeout-Ms", "1500"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "-1",
        "+1",
        "1.5",
        "1e3",
        "1e400",
        "NaN",
        "Infinity",
        "0x10",
        " 1",
        "1, 2",
        "[1]",
        "\u0661",
        "99999999999999999999"
      })
  void aRemainingTimeThatIsNoNumberOfMillisecondsIsLeftOut(String value) {
    headers.add("Repartee-Timeout-Ms", value);
    assertThat(headers.get()).isEmpty();
  }

  @Test
  void twoRemainingTimesAreLeftOut() {
    headers.add("Repartee-Timeout-Ms", "1500");
    headers.add("repartee-timeout-ms", "1500");
    headers.add("REPARTEE-TIMEOUT-MS", "1500");
    assertThat(headers.get()).isEmpty();
  }

  @Test
  void aHeaderWithAControlCharacterIsLeftOut() {
    headers.add("a", "1\r\nb: 2");
    headers.add("c\n", "1");
    headers.add("d", "1\t2");
    assertThat(headers.get()).isEqualTo(Map.of("d", "1\t2"));
  }

  @Test
  void aNameThatIsNotVisibleAsciiIsLeftOut() {
    headers.add("author\u0131zation", "1"); // equals Authorization, ignoring the case of Unicode
    headers.add("\u212A", "1"); // the sign of Kelvin
    headers.add("a b", "1");
    headers.add("", "1");
    assertThat(headers.get()).isEmpty();
  }

  @Test
  void aMessageWithTooManyHeadersHasNone() {
    for (int i = 0; i < 127; i++) {
      headers.add("n" + i, "");
    }
    headers.add("n0", "");
    assertThat(headers.get()).hasSize(127);
    headers.add("n0", "");
    assertThat(headers.get()).isEmpty();
  }

  @Test
  void aMessageWithTooLargeHeadersHasNone() {
    headers.add("a", "x".repeat((16 << 10) - 1));
    assertThat(headers.get()).hasSize(1);
    headers.add("b", "");
    assertThat(headers.get()).isEmpty();
    headers.add("c", "");
    assertThat(headers.get()).isEmpty();
  }
}
