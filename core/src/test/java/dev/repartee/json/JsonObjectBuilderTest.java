package dev.repartee.json;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

@NullMarked
class JsonObjectBuilderTest {
  @Test
  void missingValuesAddNoMembers() {
    Json object = new JsonObjectBuilder()
        .put("b", 1)
        .put("none", null)
        .putUnlessEmpty("empty", List.of())
        .flag("unset", false)
        .putUnlessEmpty("a", List.of("x"))
        .flag("set", true)
        .build();
    assertThat(object).hasToString("{\"b\":1,\"a\":[\"x\"],\"set\":true}");
  }

  @Test
  void aBuilderOfAnObjectReplacesMembersInTheirPlaces() {
    Json object = Json.parse("{\"a\":1,\"b\":2.0}");
    assertThat(JsonObjectBuilder.of(object).put("a", "new").put("c", true).build())
        .hasToString("{\"a\":\"new\",\"b\":2.0,\"c\":true}");
    assertThat(JsonObjectBuilder.of(null).build()).isEqualTo(Json.EMPTY_OBJECT);
  }

  @Test
  void aRenamedMemberIsTheLastOne() {
    Json object = Json.parse("{\"a\":1,\"b\":2}");
    assertThat(JsonObjectBuilder.of(object).rename("a", "c").rename("none", "d").build())
        .hasToString("{\"b\":2,\"c\":1}");
  }

  @Test
  void mergedMembersDoNotReplaceThoseOfTheObject() {
    JsonObjectBuilder builder = new JsonObjectBuilder()
        .put("meta", Json.parse("{\"a\":1}"))
        .merge("meta", Json.parse("{\"a\":2,\"b\":3}"))
        .merge("more", Json.parse("{\"c\":4}"));
    assertThat(builder.has("more")).isTrue();
    assertThat(builder.build()).hasToString("""
        {"meta":{"a":1,"b":3},"more":{"c":4}}""");
  }
}
