package dev.repartee.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.Lane;
import dev.repartee.RpcException;
import dev.repartee.RpcMethod;
import dev.repartee.Service;
import dev.repartee.json.Json;
import java.math.BigDecimal;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class DemoTest {
  private final Demo demo = new Demo();

  private static BigDecimal number(String digits) {
    return new BigDecimal(digits);
  }

  @Test
  void arithmeticIsExact() {
    assertThat(demo.subtract(number("42"), number("23"))).hasToString("19");
    assertThat(demo.add(number("0.1"), number("0.2"))).hasToString("0.3");
    assertThat(demo.sum(number("1"), number("2"), number("12345678901234567890")))
        .hasToString("12345678901234567893");
    assertThat(demo.sum()).hasToString("0");
  }

  @Test
  void echoAndGetDataReturnJsonUnchanged() {
    Json value = Json.parse("{\"n\": 12345678901234567890.10}");
    assertThat(demo.echo(value)).isSameAs(value);
    assertThat(demo.data()).hasToString("[\"hello\",5]");
  }

  @Test
  void failThrowsTheGivenError() {
    assertThatThrownBy(() -> demo.fail(7, "no", Optional.of(Json.TRUE)))
        .isInstanceOfSatisfying(RpcException.class, e -> {
          assertThat(e.code()).isEqualTo(7);
          assertThat(e.error().message()).isEqualTo("no");
          assertThat(e.data()).isEqualTo(Json.TRUE);
        });
    assertThatThrownBy(() -> demo.fail(7, "no", Optional.empty()))
        .isInstanceOfSatisfying(RpcException.class, e -> assertThat(e.data()).isNull());
  }

  @Test
  void everyMethodIsServedUnderItsName() {
    assertThat(Service.of(demo).methods())
        .extracting(RpcMethod::name)
        .containsExactlyInAnyOrder(
            "subtract",
            "add",
            "sum",
            "update",
            "notify_hello",
            "notify_sum",
            "get_data",
            "echo",
            "sleep",
            "fail",
            "countdown",
            "numbers",
            "ask",
            "whoami");
  }

  @Test
  void onlyMethodsThatCanBlockLeaveTheReadingThread() {
    assertThat(Service.of(demo).methods())
        .filteredOn(method -> method.lane(false) != Lane.INLINE)
        .extracting(RpcMethod::name)
        .containsExactlyInAnyOrder("sleep", "countdown", "numbers", "ask");
  }
}
