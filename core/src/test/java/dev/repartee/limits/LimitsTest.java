package dev.repartee.limits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class LimitsTest {
  @Test
  void countsArePositive() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Limits.builder().frameBytes(0).build())
        .withMessage("the limit frameBytes is at least 1, not 0");
  }

  @Test
  void timesAreNotNegative() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Limits.builder().idleTimeout(Duration.ofMillis(-1)).build())
        .withMessage("the time idleTimeout is from zero to 106751 days, not PT-0.001S");
  }

  @Test
  void timesFitIntoNanoseconds() {
    assertThatIllegalArgumentException()
        .isThrownBy(() ->
            Limits.builder().callTimeout(Duration.ofSeconds(Long.MAX_VALUE)).build());
  }

  @ParameterizedTest
  @MethodSource("setters")
  void copyDiffersInOneLimitOnly(Method setter) throws Exception {
    Object value = setter.getParameterTypes()[0] == int.class ? 7 : Duration.ofMillis(7);
    Limits.Builder builder = Limits.DEFAULT.toBuilder();
    assertThat(setter.invoke(builder, value)).isSameAs(builder);
    Limits changed = builder.build().toBuilder().build();
    Map<String, Object> expected = values(Limits.DEFAULT);
    expected.put(setter.getName(), value);
    assertThat(values(changed)).isEqualTo(expected);
  }

  @Test
  void everyLimitHasASetter() throws Exception {
    assertThat(setters().map(Method::getName))
        .containsExactlyInAnyOrderElementsOf(values(Limits.DEFAULT).keySet());
  }

  @Test
  void limitsDoNotChangeWithTheirBuilder() {
    Limits.Builder builder = Limits.builder().batch(7);
    Limits built = builder.build();
    builder.batch(8);
    built.toBuilder().batch(9);
    assertThat(built.batch()).isEqualTo(7);
  }

  private static Stream<Method> setters() {
    return Arrays.stream(Limits.Builder.class.getDeclaredMethods())
        .filter(method -> Modifier.isPublic(method.getModifiers()))
        .filter(method -> method.getParameterCount() == 1);
  }

  /** Returns each limit by the name of its accessor. */
  private static Map<String, Object> values(Limits limits) throws ReflectiveOperationException {
    Map<String, Object> values = new HashMap<>();
    for (Method method : Limits.class.getDeclaredMethods()) {
      if (method.getParameterCount() == 0
          && Modifier.isPublic(method.getModifiers())
          && !Modifier.isStatic(method.getModifiers())
          && method.getReturnType() != Limits.Builder.class) {
        values.put(method.getName(), method.invoke(limits));
      }
    }
    return values;
  }
}
