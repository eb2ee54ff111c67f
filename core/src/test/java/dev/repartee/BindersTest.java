package dev.repartee;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Type;
import java.time.DayOfWeek;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

@NullMarked
class BindersTest {
  /** Knows the days of the week; installed in META-INF/services of the tests. */
  public static final class Days implements Binder, JsonType<DayOfWeek> {
    /** For the service loader. */
    public Days() {}

    @Override
    public @Nullable JsonType<?> bind(Type type) {
      return type == DayOfWeek.class ? this : null;
    }

    @Override
    public DayOfWeek read(byte[] bytes, int from, int to) {
      try {
        return DayOfWeek.valueOf(Text.string(bytes, from, to));
      } catch (IllegalArgumentException e) {
        throw new JsonException("expected a day of the week");
      }
    }

    @Override
    public void write(Output out, DayOfWeek value) {
      out.string(value.name());
    }
  }

  record Shift(DayOfWeek day, List<DayOfWeek> off) {}

  @SuppressWarnings("unused")
  static class Rota {
    public Map<String, DayOfWeek> next(DayOfWeek day, Optional<Shift> shift) {
      return Map.of("next", day.plus(1));
    }
  }

  @Test
  void anInstalledBinderKnowsTypesInsideOfOurs() {
    Shift shift = new Shift(DayOfWeek.MONDAY, List.of(DayOfWeek.SUNDAY));
    assertThat(Json.of(shift)).hasToString("{\"day\":\"MONDAY\",\"off\":[\"SUNDAY\"]}");
    assertThat(Json.of(shift).as(Shift.class)).isEqualTo(shift);
  }

  @Test
  void whatABinderRefusesIsToldWithItsPlace() {
    assertThatThrownBy(() -> Json.parse("{\"day\":\"MONDAY\",\"off\":[\"X\"]}").as(Shift.class))
        .isInstanceOf(JsonException.class)
        .hasMessage("member 'off': element 0: expected a day of the week");
  }

  @Test
  void methodsMayTakeAndReturnWhatABinderKnows() throws Exception {
    RpcMethod next = Objects.requireNonNull(Service.of(new Rota()).find("next"));
    Call call = new Call(
        "next",
        Json.parse("[\"SUNDAY\"]"),
        null,
        null,
        new ChannelInfo("test", "", "message"),
        new Cancellation(),
        0,
        null);
    assertThat(Json.of(next.handler().handle(call))).hasToString("{\"next\":\"MONDAY\"}");
  }
}
