package dev.repartee.jackson;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonProperty;
import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.Service;
import dev.repartee.json.Binder;
import dev.repartee.json.Json;
import dev.repartee.json.JsonException;
import dev.repartee.json.JsonTypes;
import dev.repartee.json.Naming;
import dev.repartee.limits.Limits;
import dev.repartee.transport.ChannelPair;
import java.math.BigInteger;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Timer;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.PropertyNamingStrategies;
import tools.jackson.databind.json.JsonMapper;

/** Mappers, binders and names that belong to one endpoint. */
@NullMarked
class EndpointMapperTest {
  /** A number in hexadecimal digits, without any member that Jackson could see. */
  static final class Hex {
    private final long value;

    Hex(long value) {
      this.value = value;
    }
  }

  private static Binder hex(String prefix) {
    return Binder.text(
        Hex.class,
        "a number such as " + prefix + "1f",
        text -> new Hex(Long.parseLong(text.substring(prefix.length()), 16)),
        hex -> prefix + Long.toHexString(hex.value));
  }

  /** A bean with a member that only a binder of an endpoint knows. */
  static final class Bean {
    public Hex firstNumber = new Hex(255);
    public List<Hex> otherNumbers = List.of(new Hex(1));
  }

  /** A record of Jackson's, by its annotation. */
  @JsonIgnoreProperties(ignoreUnknown = true)
  record Block(Hex blockNumber, Map<String, Hex> namedOnes) {}

  /** A record of core's. */
  record Plain(int blockNumber, Inside insideOf) {}

  /** A bean inside a record of core's. */
  static final class Inside {
    public int theCount = 3;
    public Record theRecord = new Pair(1);

    @JsonProperty("asItIs")
    public int named;
  }

  record Pair(int leftSide) {}

  private static final JsonTypes ONE = JsonTypes.standard().with(hex("0x"));

  @Test
  void aBeanReadsAndWritesTheTypeOfABinderOfTheEndpoint() {
    JsonTypes other = JsonTypes.standard().with(hex("#"));
    assertThat(ONE.toJson(new Bean()))
        .hasToString("{\"firstNumber\":\"0xff\",\"otherNumbers\":[\"0x1\"]}");
    assertThat(other.toJson(new Bean()))
        .hasToString("{\"firstNumber\":\"#ff\",\"otherNumbers\":[\"#1\"]}");
    Bean read = Json.parse("{\"firstNumber\":\"0x10\"}").as(ONE.of(Bean.class));
    assertThat(read.firstNumber.value).isEqualTo(16);
    Json block = Json.parse("""
        {"blockNumber":"0xa","namedOnes":{"a":"0xb"}}""");
    assertThat(ONE.toJson(block.as(ONE.of(Block.class)))).isEqualTo(block);
    assertThatExceptionOfType(JsonException.class)
        .isThrownBy(() -> Json.parse("{\"firstNumber\":1}").as(ONE.of(Bean.class)))
        .withMessage("member 'firstNumber': expected a number such as 0x1f, got a number");
  }

  @Test
  void aTypeThatNobodyBindsIsNeverWrittenAsAnEmptyObject() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Json.of(new Bean()))
        .withMessageContaining("Bean: member 'firstNumber': ")
        .withMessageContaining("Hex has no JSON form; give a Binder for it");
    JsonTypes own =
        JsonTypes.standard().with(new JacksonBinder(JsonMapper.builder().build()));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> own.toJson(new Bean()))
        .withMessageContaining("Hex has no JSON form; give a Binder for it");
    assertThatIllegalStateException()
        .isThrownBy(() -> Json.parse("{\"shape\":{}}").as(Drawing.class))
        .withMessageContaining("Jackson cannot read")
        .withMessageContaining("Drawing: member 'shape': ")
        .withMessageContaining("Shape");
    assertThat(Json.of(Map.of("a", new Nothing()))).hasToString("{\"a\":{}}");
  }

  interface Shape {}

  static final class Drawing {
    public @Nullable Shape shape;
  }

  /** Has no members on purpose. */
  record Nothing() {}

  @Test
  void twoEndpointsHaveTheirOwnMappers() {
    JsonMapper snake = JacksonBinder.builder()
        .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
        .build();
    Options options =
        Options.builder().binder(hex("0x")).binder(new JacksonBinder(snake)).build();
    ChannelPair pair = ChannelPair.open(Limits.DEFAULT);
    Service service = Service.builder()
        .method("echo", call -> call.params().at(0))
        .method("text", call -> String.valueOf(call.params()))
        .build();
    try (Peer server = Peer.open(pair.server(), service, Options.DEFAULT);
        Peer client = Peer.open(pair.client(), Service.NONE, options)) {
      assertThat(client.call("text", String.class, new Bean()))
          .isEqualTo("[{\"first_number\":\"0xff\",\"other_numbers\":[\"0x1\"]}]");
      assertThat(client.call("echo", Bean.class, new Bean()).firstNumber.value).isEqualTo(255);
      assertThat(Json.of(new Inside()).toString()).contains("theCount");
      assertThat(server.isOpen()).isTrue();
    }
  }

  @Test
  void theDefaultMapperFollowsTheNamesOfTheEndpointAndAMapperOfTheUserDoesNot() {
    JsonTypes snake = JsonTypes.standard().naming(Naming.SNAKE_CASE);
    Plain plain = new Plain(7, new Inside());
    Json written = Json.parse("""
        {"block_number":7,"inside_of":{"the_count":3,"the_record":{"left_side":1},"asItIs":0}}""");
    assertThat(snake.toJson(plain)).isEqualTo(written);
    JsonTypes mixed = snake.with(new JacksonBinder(JacksonBinder.builder().build()));
    assertThat(mixed.toJson(plain)).hasToString("""
        {"block_number":7,"inside_of":{"theCount":3,"theRecord":{"leftSide":1},"asItIs":0}}""");
    assertThatExceptionOfType(JsonException.class)
        .isThrownBy(() ->
            Json.parse("{\"blockNumber\":\"0x1\"}").as(snake.with(hex("0x")).of(Block.class)))
        .withMessage("missing: block_number");
  }

  @ParameterizedTest
  @ValueSource(strings = {"a", "blockHash", "parentURL", "URLParser", "eip1559Fee", "with_Score"})
  void coreAndJacksonMeanTheSameBySnakeCase(String name) {
    assertThat(Naming.SNAKE_CASE.name(name))
        .isEqualTo(PropertyNamingStrategies.SNAKE_CASE.nameForField(null, null, name));
  }

  @Test
  void aBinderMayReplaceATypeOfCoreInsideABeanToo() {
    JsonTypes types = JsonTypes.standard()
        .with(Binder.text(
            BigInteger.class,
            "a hexadecimal number",
            text -> new BigInteger(text, 16),
            number -> number.toString(16)));
    Json bean = Json.parse("{\"amount\":\"ff\"}");
    assertThat(bean.as(types.of(Account.class)).amount).isEqualTo(255);
    assertThat(types.toJson(bean.as(types.of(Account.class)))).isEqualTo(bean);
  }

  static final class Account {
    public BigInteger amount = BigInteger.ZERO;
  }

  static Stream<Object> internals() {
    return Stream.of(
        Thread.currentThread(),
        new Timer(true),
        new IllegalStateException("secret"),
        Runtime.getRuntime(),
        new ProcessBuilder());
  }

  static final class Holder {
    public @Nullable Object held;
  }

  @ParameterizedTest
  @MethodSource("internals")
  void objectsOfJavaThatAreNoDataAreRefused(Object internal) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Json.of(internal))
        .withMessageContaining("cannot bind " + internal.getClass().getTypeName())
        .withMessageEndingWith(
            "to JSON: no Binder knows it; give one to the options or the service,"
                + " or use dev.repartee.json.Json");
    Holder holder = new Holder();
    holder.held = List.of(internal);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Json.of(holder))
        .withMessageContaining("member 'held': element 0: ")
        .withMessageContaining("has no JSON form; give a Binder for it");
  }

  @Test
  void objectsOfJavaWithAJsonFormAreWritten() {
    assertThat(Json.of(List.of(Locale.GERMANY, new AtomicReference<>(1), Map.entry("a", 2))))
        .hasToString("[\"de-DE\",1,{\"a\":2}]");
  }

  static final class Failing {
    public int getValue() {
      throw new UnsupportedOperationException("of the user");
    }
  }

  @Test
  void theExceptionOfAGetterIsThrownAsItIs() {
    assertThatExceptionOfType(UnsupportedOperationException.class)
        .isThrownBy(() -> Json.of(new Failing()))
        .withMessage("of the user");
  }
}
