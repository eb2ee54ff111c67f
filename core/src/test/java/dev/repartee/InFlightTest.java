package dev.repartee;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class InFlightTest {
  private static final byte[] SEVEN = "7".getBytes(UTF_8);

  private static MessageQueue.Node call(String id) {
    return OwnedExchanges.request(id).node;
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3, 5, 6, 13, 14, 100})
  void ofCallsWithOneIdTheLastToArriveIsFoundHoweverManyOthersCame(int others) {
    InFlight inFlight = new InFlight(0);
    MessageQueue.Node first = call("7");
    MessageQueue.Node second = call("7");
    MessageQueue.Node third = call("7");
    inFlight.add(first);
    inFlight.add(second);
    inFlight.add(third);
    for (int i = 0; i < others; i++) {
      inFlight.add(call(String.valueOf(100 + i)));
    }
    assertThat(inFlight.find(SEVEN)).isSameAs(third);
    assertThat(inFlight.remove(third)).isTrue();
    assertThat(inFlight.find(SEVEN)).isSameAs(second);
    assertThat(inFlight.remove(second)).isTrue();
    assertThat(inFlight.find(SEVEN)).isSameAs(first);
    assertThat(inFlight.remove(first)).isTrue();
    assertThat(inFlight.find(SEVEN)).isNull();
    assertThat(inFlight.exchanges()).hasSize(others);
  }
}
