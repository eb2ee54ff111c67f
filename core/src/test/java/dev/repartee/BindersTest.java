package dev.repartee;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.internal.Text;
import dev.repartee.json.Binder;
import dev.repartee.json.Json;
import dev.repartee.json.JsonException;
import dev.repartee.json.JsonType;
import dev.repartee.json.JsonTypes;
import dev.repartee.json.JsonWriter;
import dev.repartee.transport.ChannelInfo;
import java.lang.annotation.Annotation;
import java.lang.reflect.Type;
import java.time.DayOfWeek;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@NullMarked
class BindersTest {
  /** Binds the days of the week. Installed in META-INF/services of the tests. */
  public static final class Days implements Binder, JsonType<DayOfWeek> {
    /** For the {@link java.util.ServiceLoader}. */
    public Days() {}

    @Override
    public @Nullable JsonType<?> bind(Type type, JsonTypes types) {
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
    public void write(JsonWriter out, DayOfWeek value) {
      out.string(value.name());
    }
  }

  /**
   * Listed before the other binder, but with a later order. Claims the records with a certain
   * annotation.
   */
  public static final class Aside implements Binder {
    static final Set<Type> KNOWN = Set.of(
        DayOfWeek.class, Thread.State.class, Marked.class, MarkedInside.class, MarkedAbove.class);

    /** For the {@link java.util.ServiceLoader}. */
    public Aside() {}

    @Override
    public @Nullable JsonType<?> bind(Type type, JsonTypes types) {
      return KNOWN.contains(type) ? new Word() : null;
    }

    @Override
    public boolean claims(Class<? extends Annotation> annotation) {
      return annotation == Tag.class;
    }

    @Override
    public int order() {
      return 1;
    }
  }

  /** Writes the same word for any value. */
  static final class Word implements JsonType<Object> {
    @Override
    public Object read(byte[] bytes, int from, int to) {
      throw new JsonException("expected no word");
    }

    @Override
    public void write(JsonWriter out, Object value) {
      out.string("claimed");
    }
  }

  @Tag("claimed")
  record Marked(int x) {}

  record MarkedInside(int x) {
    @Tag("claimed")
    static int more() {
      return 0;
    }
  }

  @Tag("claimed")
  interface Parent {}

  record MarkedAbove(int x) implements Parent {}

  @DisplayName("somebody else's")
  record MarkedOtherwise(@Param("the-x") int x) {}

  record Shift(DayOfWeek day, List<DayOfWeek> off) {}

  @SuppressWarnings("unused")
  static class Rota {
    public Map<String, DayOfWeek> next(DayOfWeek day, Optional<Shift> shift) {
      return Map.of("next", day.plus(1));
    }
  }

  @Test
  void anInstalledBinderBindsTypesInsideCoreTypes() {
    Shift shift = new Shift(DayOfWeek.MONDAY, List.of(DayOfWeek.SUNDAY));
    assertThat(Json.of(shift)).hasToString("{\"day\":\"MONDAY\",\"off\":[\"SUNDAY\"]}");
    assertThat(Json.of(shift).as(Shift.class)).isEqualTo(shift);
  }

  @Test
  void bindersAreAskedInTheirOrder() {
    assertThat(Json.of(DayOfWeek.MONDAY)).hasToString("\"MONDAY\"");
    assertThat(Json.of(Thread.State.NEW)).hasToString("\"claimed\"");
  }

  @Test
  void aRecordIsBoundByTheBinderThatClaimsItsAnnotation() {
    for (Object claimed : List.of(new Marked(1), new MarkedInside(1), new MarkedAbove(1))) {
      assertThat(Json.of(claimed)).hasToString("\"claimed\"");
    }
    assertThat(Json.of(new MarkedOtherwise(1))).hasToString("{\"the-x\":1}");
  }

  @Test
  void aValueThatABinderRefusesIsReportedWithItsPlace() {
    assertThatThrownBy(() -> Json.parse("{\"day\":\"MONDAY\",\"off\":[\"X\"]}").as(Shift.class))
        .isInstanceOf(JsonException.class)
        .hasMessage("member 'off': element 0: expected a day of the week");
  }

  @Test
  void methodsMayTakeAndReturnTypesOfABinder() throws Exception {
    RpcMethod next = Objects.requireNonNull(Service.of(new Rota()).find("next"));
    Call call = new Call(
        "next",
        Json.parse("[\"SUNDAY\"]"),
        null,
        new ChannelInfo("test", "", "message"),
        new Cancellation(),
        null);
    assertThat(Json.of(next.handler().handle(call))).hasToString("{\"next\":\"MONDAY\"}");
  }
}
