package dev.repartee.jackson;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.json.Json;
import dev.repartee.json.JsonType;
import dev.repartee.json.JsonTypes;
import java.lang.reflect.Type;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.PropertyNamingStrategies;
import tools.jackson.databind.SerializationFeature;

@NullMarked
class OwnMapperTest {
  /**
   * Installed in META-INF/services of the tests; binds one type and leaves all others to the
   * default binder.
   */
  public static final class SnakeCase extends JacksonBinder {
    /** For the {@link java.util.ServiceLoader}. */
    public SnakeCase() {
      super(JacksonBinder.builder()
          .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
          .enable(SerializationFeature.INDENT_OUTPUT)
          .build());
    }

    @Override
    public @Nullable JsonType<?> bind(Type type, JsonTypes types) {
      return type == Wait.class ? super.bind(type, types) : null;
    }
  }

  static final class Wait {
    public TimeUnit theUnit = TimeUnit.DAYS;
    public Json theValue = Json.NULL;
  }

  static final class Other {
    public TimeUnit theUnit = TimeUnit.DAYS;
  }

  @Test
  void mapperOfAUserWinsOverTheDefault() {
    Json json = Json.parse("{\"the_unit\":\"HOURS\",\"the_value\":[1, 2]}");
    Wait wait = json.as(Wait.class);
    assertThat(wait.theUnit).isEqualTo(TimeUnit.HOURS);
    assertThat(Json.of(wait)).isEqualTo(json);
  }

  @Test
  void typesItDoesNotBindAreLeftToTheDefault() {
    assertThat(Json.of(new Other())).hasToString("{\"theUnit\":\"DAYS\"}");
  }
}
