package dev.repartee.jackson;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import dev.repartee.json.JsonException;
import dev.repartee.json.JsonType;
import dev.repartee.json.JsonTypes;
import dev.repartee.json.UnknownMembers;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

/** Beans of Jackson follow the endpoint's treatment of unknown members, not the mapper's. */
class UnknownPropertiesTest {
  /** A bean with a record inside. */
  @SuppressWarnings("checkstyle:VisibilityModifier")
  public static class Order {
    public int size;
    public Place place = new Place("");
  }

  record Place(String street) {}

  /** A bean that ignores unknown members by itself. */
  @JsonIgnoreProperties(ignoreUnknown = true)
  public static class Loose {
    public int size;
  }

  private static final byte[] TEXT = """
      {"new":[1],"size":3,"place":{"street":"a","zip":1}}""".getBytes(UTF_8);

  @Test
  void unknownMembersOfBeansAreIgnoredOrRefusedAtAnyDepth() {
    JsonType<Order> type = JsonType.of(Order.class);
    Order order = type.read(TEXT, 0, TEXT.length, UnknownMembers.IGNORE);
    assertThat(order.size).isEqualTo(3);
    assertThat(order.place).isEqualTo(new Place("a"));
    assertThatThrownBy(() -> type.read(TEXT, 0, TEXT.length, UnknownMembers.REFUSE))
        .isInstanceOf(JsonException.class)
        .hasMessageContaining("unknown member 'new'");
    assertThatThrownBy(() -> type.read(TEXT, 0, TEXT.length)).isInstanceOf(JsonException.class);
  }

  @Test
  void theMapperDoesNotDecide() {
    JacksonBinder binder = new JacksonBinder(JsonMapper.builder().build()); // it ignores them
    JsonType<?> type = Objects.requireNonNull(binder.bind(Order.class, JsonTypes.standard()));
    assertThatThrownBy(() -> type.read(TEXT, 0, TEXT.length, UnknownMembers.REFUSE))
        .isInstanceOf(JsonException.class);
    assertThat(type.read(TEXT, 0, TEXT.length, UnknownMembers.IGNORE)).isInstanceOf(Order.class);
  }

  @Test
  void anAnnotationOfJacksonDecidesForItsType() {
    JsonType<Loose> type = JsonType.of(Loose.class);
    assertThat(type.read(TEXT, 0, TEXT.length, UnknownMembers.REFUSE).size).isEqualTo(3);
  }
}
