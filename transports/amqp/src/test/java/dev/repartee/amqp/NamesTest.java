package dev.repartee.amqp;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.LongString;
import com.rabbitmq.client.impl.LongStringHelper;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class NamesTest {
  private static BasicProperties aged(String time, long millis) {
    LongString header = LongStringHelper.asLongString(time);
    return Names.aged(
        new BasicProperties.Builder()
            .expiration(time)
            .headers(Map.of("repartee-timeout-ms", header, "tenant", header))
            .build(),
        millis);
  }

  @ParameterizedTest
  @CsvSource({"1500, 0, 1500", "1500, 400, 1100", "1500, 1501, 0"})
  void aMessageThatReturnsToItsQueueHasTheTimeThatIsLeft(String time, long millis, String left) {
    BasicProperties aged = aged(time, millis);
    assertThat(aged.getExpiration()).isEqualTo(left);
    assertThat(aged.getHeaders().get("repartee-timeout-ms")).hasToString(left);
    assertThat(aged.getHeaders().get("tenant")).hasToString(time);
  }

  @ParameterizedTest
  @ValueSource(strings = {"-1", "1e3", "soon", "99999999999999999999"})
  void aTimeThatIsNoNumberStaysAsItIs(String time) {
    BasicProperties aged = aged(time, 400);
    assertThat(aged.getExpiration()).isEqualTo(time);
    assertThat(aged.getHeaders().get("repartee-timeout-ms")).hasToString(time);
  }

  @Test
  void aMessageWithoutTimeStaysWithoutIt() {
    BasicProperties aged = Names.aged(new BasicProperties.Builder().build(), 400);
    assertThat(aged.getExpiration()).isNull();
    assertThat(aged.getHeaders()).isNull();
  }
}
