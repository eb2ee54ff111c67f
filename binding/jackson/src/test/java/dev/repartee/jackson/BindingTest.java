package dev.repartee.jackson;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.annotation.JsonTypeName;
import com.fasterxml.jackson.annotation.JsonValue;
import dev.repartee.RpcMethod;
import dev.repartee.Service;
import dev.repartee.json.Inline;
import dev.repartee.json.Json;
import dev.repartee.json.JsonType;
import dev.repartee.json.OneOf;
import dev.repartee.json.SchemaDefinitions;
import java.io.InputStream;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.math.BigDecimal;
import java.net.URI;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.Year;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;

@NullMarked
class BindingTest {
  enum Size {
    SMALL,
    @JsonProperty("very-large")
    LARGE {
      @Override
      public String toString() {
        return "for people";
      }
    }
  }

  @JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "kind")
  @JsonSubTypes({@JsonSubTypes.Type(Circle.class), @JsonSubTypes.Type(Square.class)})
  sealed interface Shape {}

  @JsonTypeName("circle")
  record Circle(double radius) implements Shape {}

  @JsonTypeName("square")
  record Square(double side) implements Shape {}

  /** Its subtypes are known because it is sealed. */
  @JsonTypeInfo(use = JsonTypeInfo.Id.SIMPLE_NAME, property = "is")
  sealed interface Sealed {}

  record One(int n) implements Sealed {}

  @JsonTypeInfo(use = JsonTypeInfo.Id.DEDUCTION)
  @JsonSubTypes({@JsonSubTypes.Type(Left.class), @JsonSubTypes.Type(Right.class)})
  interface Side {}

  record Left(int left) implements Side {}

  record Right(int right) implements Side {}

  record Renamed(
      @JsonProperty("the-x") int x,
      Optional<String> note,
      @Nullable String text) {}

  record Code(@JsonValue String code) {}

  /** A record that core binds, with components that Jackson binds. */
  record Order(Size size, LocalDate due, Optional<Duration> patience, List<Shape> shapes) {}

  static final class Bean {
    private int count;
    private @Nullable Order order;

    public int getCount() {
      return count;
    }

    public void setCount(int count) {
      this.count = count;
    }

    public @Nullable Order getOrder() {
      return order;
    }

    public void setOrder(@Nullable Order order) {
      this.order = order;
    }
  }

  /** Declares one component of each type, for reflection. */
  @SuppressWarnings("unused")
  record Types(
      Map<Size, Instant> bySize,
      Map<Integer, List<UUID>> byNumber,
      Deque<Shape> deque,
      List<Instant> instants,
      Optional<Size> size,
      Map<String, Shape> shapes) {}

  static Type type(String component) {
    return Stream.of(Types.class.getRecordComponents())
        .filter(c -> c.getName().equals(component))
        .map(RecordComponent::getGenericType)
        .findFirst()
        .orElseThrow();
  }

  static List<List<Object>> valuesAndTexts() {
    return List.of(
        List.of(Size.class, "\"SMALL\"", Size.SMALL),
        List.of(Size.class, "\"very-large\"", Size.LARGE),
        List.of(DayOfWeek.class, "\"MONDAY\"", DayOfWeek.MONDAY),
        List.of(Instant.class, "\"1970-01-01T00:00:00Z\"", Instant.EPOCH),
        List.of(LocalDate.class, "\"2026-01-31\"", LocalDate.of(2026, 1, 31)),
        List.of(LocalTime.class, "\"12:30:00\"", LocalTime.of(12, 30)),
        List.of(Year.class, "2026", Year.of(2026)),
        List.of(Duration.class, "\"PT1H30M\"", Duration.ofMinutes(90)),
        List.of(
            OffsetDateTime.class,
            "\"2026-01-31T12:00:00+05:30\"",
            OffsetDateTime.parse("2026-01-31T12:00:00+05:30")),
        List.of(UUID.class, "\"00000000-0000-0001-0000-000000000002\"", new UUID(1, 2)),
        List.of(URI.class, "\"https://example.org/a?b\"", URI.create("https://example.org/a?b")),
        List.of(Code.class, "\"x\"", new Code("x")),
        List.of(Shape.class, "{\"kind\":\"circle\",\"radius\":1.5}", new Circle(1.5)),
        List.of(Sealed.class, "{\"is\":\"One\",\"n\":1}", new One(1)),
        List.of(Side.class, "{\"right\":1}", new Right(1)),
        List.of(Circle.class, "{\"kind\":\"circle\",\"radius\":1.5}", new Circle(1.5)),
        List.of(
            Renamed.class, "{\"the-x\":1,\"text\":null}", new Renamed(1, Optional.empty(), null)),
        List.of(
            Order.class,
            """
                {"size":"SMALL","due":"2026-01-31","patience":"PT5S",\
                "shapes":[{"kind":"square","side":2.0}]}""",
            new Order(
                Size.SMALL,
                LocalDate.of(2026, 1, 31),
                Optional.of(Duration.ofSeconds(5)),
                List.of(new Square(2)))),
        List.of(
            type("bySize"),
            "{\"very-large\":\"1970-01-01T00:00:00Z\"}",
            Map.of(Size.LARGE, Instant.EPOCH)),
        List.of(
            type("byNumber"),
            "{\"7\":[\"00000000-0000-0001-0000-000000000002\"]}",
            Map.of(7, List.of(new UUID(1, 2)))),
        List.of(type("instants"), "[\"1970-01-01T00:00:00Z\"]", List.of(Instant.EPOCH)),
        List.of(type("size"), "\"very-large\"", Optional.of(Size.LARGE)),
        List.of(
            type("shapes"),
            "{\"a\":{\"kind\":\"circle\",\"radius\":1.0}}",
            Map.of("a", new Circle(1))));
  }

  @ParameterizedTest
  @MethodSource("valuesAndTexts")
  void typesThatCoreDoesNotBindAreReadAndWritten(List<Object> example) {
    Type type = (Type) example.get(0);
    Json text = Json.parse((String) example.get(1));
    Object value = text.as(type);
    assertThat(value).isEqualTo(example.get(2));
    RpcMethod echo = Objects.requireNonNull(Service.of(new Echo()).find("echo"));
    assertThat(echo.name()).isEqualTo("echo");
    if (!(value instanceof Map)) { // the key type of a map is known only from its declaration
      assertThat(Json.of(value)).isEqualTo(text);
    }
  }

  static class Echo {
    @SuppressWarnings("unused")
    public Object echo(Object value) {
      return value;
    }
  }

  @Test
  void collectionsOfOtherKindsAreBound() {
    Deque<Shape> deque = Json.parse("[{\"kind\":\"square\",\"side\":1.0}]").as(type("deque"));
    assertThat(deque).containsExactly(new Square(1));
  }

  @Test
  void beansMayContainTypesThatCoreBinds() {
    String text = """
        {"count":3,"order":{"size":"SMALL","due":"2026-01-31","shapes":[]}}""";
    Bean bean = Json.parse(text).as(Bean.class);
    assertThat(bean.getOrder())
        .isEqualTo(new Order(Size.SMALL, LocalDate.of(2026, 1, 31), Optional.empty(), List.of()));
    assertThat(Json.of(bean)).hasToString(text);
  }

  record Exact(@JsonProperty("d") BigDecimal d, double f) {}

  @Test
  void aTreeIsWrittenAsItIsWhereverItStands() {
    Json text = Json.parse("{\"a\":[1,\"x\",true,{}]}");
    JsonNode tree = text.as(JsonNode.class);
    assertThat(Json.of(tree)).isEqualTo(text);
    assertThat(Json.of(List.of(tree))).hasToString("[" + text + "]");
    assertThat(Json.of(Map.of("b", tree.path("a")))).hasToString("{\"b\":[1,\"x\",true,{}]}");
  }

  @Test
  void decimalsKeepTheirDigits() {
    Exact exact = Json.parse("{\"d\":12345678901234567890.10,\"f\":3}").as(Exact.class);
    assertThat(exact.d()).isEqualTo(new BigDecimal("12345678901234567890.10"));
    assertThat(Json.of(exact)).hasToString("{\"d\":12345678901234567890.10,\"f\":3.0}");
  }

  @Test
  void nanAndInfinityAreNotWritten() {
    Exact exact = new Exact(BigDecimal.ONE, Double.NaN);
    assertThatThrownBy(() -> Json.of(exact)).hasMessageContaining("NaN is not a JSON number");
  }

  @Test
  void nullIsJavasNull() {
    assertThat((Object) Json.NULL.as(Size.class)).isNull();
    assertThat(Json.parse("[null]").<List<Instant>>as(type("instants"))).containsOnlyNulls();
  }

  static class Streams {
    @SuppressWarnings("unused")
    public int sum(InputStream in) {
      return 0;
    }
  }

  @Test
  void typesThatCannotBeReadOrWrittenAreRefusedAtCreation() {
    assertThatThrownBy(() -> Service.of(new Streams()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("Streams.sum: parameter 'in': cannot bind java.io.InputStream");
  }

  @Test
  void schemasTellOfEnumsAndDates() {
    class Rota {
      @SuppressWarnings("unused")
      public Instant next(Size size, LocalDate from, Code code) {
        return Instant.EPOCH;
      }
    }
    RpcMethod next = Objects.requireNonNull(Service.of(new Rota()).find("next"));
    assertThat(Objects.requireNonNull(next.parameters()).stream()
            .map(p -> p.schema().toString()))
        .containsExactly(
            "{\"enum\":[\"SMALL\",\"very-large\"]}",
            "{\"type\":\"string\",\"format\":\"date\"}",
            "true");
    assertThat(next.result()).hasToString("{\"type\":\"string\",\"format\":\"date-time\"}");
  }

  record Parcel(Size size, List<Size> others, Instant sent) {}

  @Test
  void aDocumentDescribesAnEnumOnce() {
    SchemaDefinitions definitions = new SchemaDefinitions("#/");
    assertThat(JsonType.of(Parcel.class).schema(definitions))
        .hasToString("{\"$ref\":\"#/Parcel\"}");
    assertThat(definitions.schemas()).containsOnlyKeys("Parcel", "Size");
    assertThat(definitions.schemas().get("Size"))
        .hasToString("{\"enum\":[\"SMALL\",\"very-large\"]}");
    assertThat(String.valueOf(definitions.schemas().get("Parcel")))
        .contains(
            "\"size\":{\"$ref\":\"#/Size\"},\"others\":{\"type\":\"array\",\"items\":{\"$ref\":")
        .contains("\"sent\":{\"type\":\"string\",\"format\":\"date-time\"}");
  }

  @OneOf(member = "type")
  sealed interface Stop permits Depot, Station {}

  record Depot(Size size) implements Stop {}

  record Station(@Nullable Stop next) implements Stop {}

  @Inline
  record Code4(String text) {}

  /** A bean of Jackson with types of core inside. */
  record Route(@JsonProperty("from") Stop start, Depot end, Code4 code, List<Stop> others) {}

  @Test
  void alternativesOfCoreKeepTheirFormInABean() {
    Route route = new Route(
        new Station(new Depot(Size.SMALL)), new Depot(Size.LARGE), new Code4("x"), List.of());
    String json =
        "{\"from\":{\"type\":\"station\",\"next\":{\"type\":\"depot\",\"size\":\"SMALL\"}},"
            + "\"end\":{\"type\":\"depot\",\"size\":\"very-large\"},\"code\":\"x\",\"others\":[]}";
    assertThat(Json.of(route)).hasToString(json);
    assertThat(Json.parse(json).as(Route.class)).isEqualTo(route);
    assertThatThrownBy(() -> Json.parse(json.replace("station", "x")).as(Route.class))
        .hasMessageContaining("expected \"depot\" or \"station\"");
  }

  @OneOf
  sealed interface Term permits Constant, Value, Negation {}

  enum Constant implements Term {
    ZERO
  }

  enum Sign {
    @OneOf.Name("-")
    MINUS
  }

  record Value(int value) implements Term {}

  /** A bean of Jackson inside of alternatives that it contains. */
  record Negation(@JsonProperty("of") Term term, Constant constant, Sign sign) implements Term {}

  @Test
  void alternativesAndBeansContainEachOther() {
    Term term = new Negation(
        new Negation(new Value(1), Constant.ZERO, Sign.MINUS), Constant.ZERO, Sign.MINUS);
    String json = "{\"of\":{\"of\":{\"value\":1},\"constant\":\"ZERO\",\"sign\":\"-\"},"
        + "\"constant\":\"ZERO\",\"sign\":\"-\"}";
    assertThat(Json.of(term)).hasToString(json);
    assertThat(Json.parse(json).as(Term.class)).isEqualTo(term);
    assertThat(Json.parse(json).as(Negation.class)).isEqualTo(term);
  }
}
