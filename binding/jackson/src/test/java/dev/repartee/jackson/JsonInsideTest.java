package dev.repartee.jackson;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import dev.repartee.json.Json;
import java.util.List;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@NullMarked
class JsonInsideTest {
  record Envelope(@JsonProperty("first") Json first, List<Json> more) {}

  @JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "kind")
  @JsonSubTypes(@JsonSubTypes.Type(value = Note.class, name = "note"))
  interface Item {}

  record Note(Json body, int size) implements Item {}

  @ParameterizedTest
  @ValueSource(
      strings = {
        "null",
        "true",
        "0",
        "-12345678901234567890.1000e-2",
        "\"\"",
        "\"a\\u0041\\/\\n é 😀\"",
        "[]",
        "{}",
        "[ 1 , [ { \"a\" : \"]}\" } ] ]",
        "{ \"a\":\t1.10, \"b\":{\"b\":[null]} }",
      })
  void textPassesThroughUntouched(String value) {
    Json json =
        Json.parse("{ \"more\":[" + value + ", " + value + " ,1]  ,\"first\" :  " + value + " }");
    Envelope envelope = json.as(Envelope.class);
    assertThat(envelope.first()).hasToString(value);
    assertThat(envelope.more()).extracting(Json::toString).containsExactly(value, value, "1");
    assertThat(Json.of(envelope))
        .hasToString("{\"first\":" + value + ",\"more\":[" + value + "," + value + ",1]}");
    // The value does not begin at byte 0 of the text.
    assertThat(Json.parse("[[]," + json + "]").at(1)).hasToString(json.toString());
    List<Envelope> listed = Json.parse("[" + json + "," + json + "]").as(listOfEnvelopes());
    assertThat(listed).containsExactly(envelope, envelope);
  }

  record Envelopes(List<Envelope> all) {}

  private static java.lang.reflect.Type listOfEnvelopes() {
    return Envelopes.class.getRecordComponents()[0].getGenericType();
  }

  @Test
  void valueBufferedBeforeItsKindIsKnownKeepsItsValue() {
    String text = """
        {"body":{"a":[1.10,12345678901234567890.123,1e-7,12345678901234567890,"\\u0041",\
        null]},"size":1,"kind":"note"}""";
    Note note = (Note) Json.parse(text).as(Item.class);
    assertThat(note.body())
        .hasToString(
            "{\"a\":[1.10,12345678901234567890.123,1e-7,12345678901234567890,\"A\",null]}");
  }

  @Test
  void valueBehindABufferedOneIsReadFromTheText() {
    String text = "{\"size\":1,\"kind\":\"note\",\"body\":[ 1 ]}";
    Note note = (Note) Json.parse(text).as(Item.class);
    assertThat(note.body().as(int[].class)).containsExactly(1);
  }
}
