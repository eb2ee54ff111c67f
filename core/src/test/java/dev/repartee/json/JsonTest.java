package dev.repartee.json;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.ProtocolException;
import dev.repartee.limits.LimitException;
import dev.repartee.message.Id;
import dev.repartee.message.JsonRpc;
import dev.repartee.message.Notification;
import dev.repartee.message.Request;
import dev.repartee.message.Response;
import dev.repartee.message.RpcError;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JsonTest {
  @Test
  void aValueThatIsKeptKeepsNoMoreThanTwiceItsLength() {
    Json small = Json.parse("{\"pad\":\"" + "x".repeat(1_000) + "\",\"a\":[1,2]}");
    assertThat(small.get("a").source()).hasSize(5);
    Json most = Json.parse("{\"a\":" + "9".repeat(300) + ",\"pad\":\"" + "x".repeat(200) + "\"}");
    assertThat(most.get("a").source().length)
        .isLessThanOrEqualTo(2 * most.get("a").length());
  }

  @Test
  void aLargeValueIsNotCopiedFromLevelToLevel() {
    Json text = Json.parse("{\"a\": {\"b\" :[ \"" + "x".repeat(1_000) + "\" ]},\"c\":1}");
    Json inner = text.members().get("a").get("b").elements().get(0);
    assertThat(inner.source()).isSameAs(text.source());
    assertThat(inner)
        .hasToString("\"" + "x".repeat(1_000) + "\"")
        .isEqualTo(Json.parse(inner.toString()));
    assertThat(inner).hasSameHashCodeAs(Json.parse(inner.toString()));
    assertThat(inner.as(String.class)).hasSize(1_000);
    assertThat(inner.length()).isEqualTo(1_002);
    assertThat(inner.kind()).isEqualTo(Json.Kind.STRING);
    assertThat(inner.toBytes()).hasSize(1_002).isEqualTo(inner.array());
    assertThat(Json.of(List.of(inner))).hasToString("[" + inner + "]");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "12345678901234567890.10",
        "\"\\u0061\\/\"",
        "{\"a\" :1, \"a\":2}",
        "[1,\n2]",
        "-0",
        "1E+2",
        "\"\u2028\uD834\uDD1E\""
      })
  void aValueKeepsTheTextItCameIn(String text) {
    assertThat(Json.parse(text)).hasToString(text);
  }

  @Test
  void whiteSpaceAroundAValueIsDropped() {
    assertThat(Json.parse(" \t\r\n[ 1 ] \n")).hasToString("[ 1 ]");
    assertThat(Json.parse(" 5 ")).hasToString("5");
  }

  @Test
  void aFaultIsReportedWithItsPlace() {
    assertThatThrownBy(() -> Json.parse("[1,2"))
        .isInstanceOfSatisfying(JsonException.class, e -> assertThat(e.offset()).isEqualTo(4))
        .hasMessage("at offset 4: the text ends inside an object or array");
  }

  @Test
  void everyPrefixOfATextIsRefused() {
    String text = "{\"k\\u00e9y\":[-1.5e+3,true,false,null,\"\uD834\uDD1E\\n\",{}]}";
    byte[] bytes = text.getBytes(UTF_8);
    for (int end = 0; end < bytes.length; end++) {
      byte[] prefix = Arrays.copyOf(bytes, end);
      assertThatThrownBy(() -> Json.parse(prefix))
          .as(new String(prefix, UTF_8))
          .isInstanceOf(JsonException.class);
    }
    assertThat(Json.parse(text)).hasToString(text);
  }

  @Test
  void stringsAreValidatedAtEveryOffsetOfAWord() {
    for (int length = 0; length < 40; length++) {
      String plain = "x".repeat(length);
      assertThat(Json.parse('"' + plain + '"')).hasToString('"' + plain + '"');
      assertThat(Json.parse('"' + plain + "\\\"\"")).hasToString('"' + plain + "\\\"\"");
      assertThatThrownBy(() -> Json.parse('"' + plain + "\u0001\""))
          .isInstanceOf(JsonException.class);
      assertThatThrownBy(() -> Json.parse('"' + plain + "\\x\"")).isInstanceOf(JsonException.class);
      byte[] broken = ('"' + plain + "?\"").getBytes(UTF_8);
      broken[length + 1] = (byte) 0x80;
      assertThatThrownBy(() -> Json.parse(broken)).isInstanceOf(JsonException.class);
    }
  }

  @Test
  void membersAndElementsAreFound() {
    Json json = Json.parse("""
        { "a" : [ 1 , "x,]" , {"b":[]} ] , "\\u0062" : { } , "c":null }""");
    assertThat(json.members()).containsOnlyKeys("a", "b", "c");
    assertThat(json.get("b")).hasToString("{ }");
    assertThat(json.get("d")).isNull();
    Json array = Objects.requireNonNull(json.get("a"));
    assertThat(array.elements()).map(Json::toString).containsExactly("1", "\"x,]\"", "{\"b\":[]}");
    assertThat(array.at(1)).hasToString("\"x,]\"");
    assertThat(array.at(3)).isNull();
    assertThat(Json.EMPTY_ARRAY.elements()).isEmpty();
    assertThat(Json.EMPTY_OBJECT.members()).isEmpty();
    assertThat(Json.parse("5").get("a")).isNull();
  }

  @Test
  void aStringIsReadWithoutItsQuotesAndEscapes() {
    Json object = Json.parse("""
        {"a":"x\\n\\u0041","b":1,"c":null,"a2":["y"]}""");
    assertThat(object.string("a")).isEqualTo("x\nA");
    assertThat(object.get("a").string()).isEqualTo("x\nA");
    assertThat(object.get("a").text()).isEqualTo("x\nA");
  }

  @ParameterizedTest
  @ValueSource(strings = {"1", "null", "true", "[\"y\"]", "{\"b\":\"z\"}"})
  void aValueOfAnotherKindHasNoStringButAText(String other) {
    Json value = Json.parse(other);
    assertThat(value.string()).isNull();
    assertThat(value.string("a")).isNull();
    assertThat(value.text()).isEqualTo(other);
    assertThat(Json.parse("{\"a\":" + other + "}").string("a")).isNull();
  }

  @Test
  void idsOfDifferentLiteralsAreDifferent() {
    assertThat(Id.of(1)).isEqualTo(Id.of(Json.parse("1"))).hasToString("1");
    assertThat(Id.of("1")).isNotEqualTo(Id.of(1)).hasToString("\"1\"");
    assertThat(Id.of(Json.parse("1.0"))).isNotEqualTo(Id.of(1));
    assertThatThrownBy(() -> Id.of(Json.TRUE)).hasMessageContaining("not true");
  }

  @Test
  void messagesAreReadAndWritten() {
    String batch = """
        [{"jsonrpc":"2.0","method":"m","params":[1],"id":"x"},\
        {"jsonrpc":"2.0","method":"n"},\
        {"jsonrpc":"2.0","result":null,"id":1},\
        {"jsonrpc":"2.0","error":{"code":-5,"message":"é","data":[]},"id":null}]""";
    assertThat(JsonRpc.read(batch.getBytes(UTF_8)))
        .containsExactly(
            new Request(Id.of("x"), "m", Json.parse("[1]")),
            new Notification("n", null),
            Response.of(Id.of(1), Json.NULL),
            Response.of(Id.NULL, new RpcError(-5, "é", Json.EMPTY_ARRAY)))
        .map(message -> new String(JsonRpc.write(message), UTF_8))
        .satisfies(texts -> assertThat("[" + String.join(",", texts) + "]").isEqualTo(batch));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"[]", "\"busy\"", "{\"message\":\"\"}", "{\"code\":0.5,\"message\":\"\"}"})
  void aResponseWithAnInvalidErrorBreaksTheProtocol(String error) {
    String response = """
        {"jsonrpc":"2.0","error":%s,"id":1}""".formatted(error);
    assertThatThrownBy(() -> JsonRpc.read(response.getBytes(UTF_8)))
        .isInstanceOf(ProtocolException.class)
        .hasMessageStartingWith("the member 'code' of the error");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "a", "\"\\/\b\f\n\r\t\u0001\u007f", "é€\uD834\uDD1E", "\uD834x"})
  void aStringComesBackFromItsJson(String text) {
    assertThat(Json.of(text).as(String.class)).isEqualTo(text);
  }

  @Test
  void numbersAreWrittenShort() {
    JsonWriter out = new JsonWriter(1);
    out.number(0L).put(' ').number(Long.MIN_VALUE).put(' ').number(Long.MAX_VALUE);
    out.put(' ')
        .number(19.0)
        .put(' ')
        .number(-1.5)
        .put(' ')
        .number(-0.0)
        .put(' ')
        .number(0.1f);
    assertThat(out).hasToString("0 -9223372036854775808 9223372036854775807 19 -1.5 -0.0 0.1");
    assertThatThrownBy(() -> out.number(Double.NaN)).hasMessage("NaN is not a JSON number");
  }

  @Test
  void anOutputRefusesToGrowPastItsLimit() {
    JsonWriter out = new JsonWriter(4).limit(10);
    assertThatThrownBy(() -> out.ascii("12345678901"))
        .isInstanceOf(LimitException.class)
        .hasMessageContaining("10");
    assertThat(out.ascii("1234567890")).hasToString("1234567890");
  }
}
