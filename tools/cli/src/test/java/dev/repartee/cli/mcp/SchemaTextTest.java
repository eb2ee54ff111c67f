package dev.repartee.cli.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.json.Json;
import java.util.Collections;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class SchemaTextTest {
  @Test
  void everyPropertyHasALineWithItsType() {
    assertThat(SchemaText.of(Json.parse("""
        {"type":"object","required":["city"],"properties":{
          "city":{"type":"string","maxLength":80,"description":"Where,\\nin English"},
          "days":{"type":"integer","minimum":1,"maximum":10,"default":3},
          "unit":{"enum":["C","F"]},
          "when":{"type":["string","null"],"format":"date"},
          "either":{"anyOf":[{"type":"string","format":"uri"},{"type":"array","items":{"type":"number"}}]},
          "colour":{"oneOf":[{"const":"r","title":"red"},{"const":"g"}]},
          "place":{"$ref":"#/$defs/place"},
          "more":{"type":"array","items":{"$ref":"#/$defs/place"}},
          "any":true},
         "$defs":{"place":{"type":"object","required":["lat"],"properties":{
           "lat":{"type":"number","minimum":-90}}}}}""")))
        .isEqualTo("""
          city: string of at most 80 characters, required
              Where, in English
          days: integer from 1 to 10, default 3
          unit: one of C, F
          when: string or null
          either: string (uri) or array of number
          colour: one of r, g
          place: object
            lat: number of at least -90, required
          more: array of object
            lat: number of at least -90, required
          any: any value""".indent(2).stripTrailing().replaceFirst("^  ", "  "));
  }

  @Test
  void aSchemaThatRefersToItselfEnds() {
    String text = SchemaText.of(Json.parse("""
        {"properties":{"a":{"$ref":"#"},"b":{"$ref":"#"},"c":{"$ref":"#"},"d":{"$ref":"#"},
        "loop":{"$ref":"#/$defs/x"}},"$defs":{"x":{"$ref":"#/$defs/y"},"y":{"$ref":"#/$defs/x"}}}"""));
    assertThat(text.lines()).hasSize(1_000).endsWith("  ...");
  }

  @Test
  void theTextIsBoundedHoweverLongTheValuesAreAndHoweverOftenTheyAreNamed() {
    String value = "\"" + "v".repeat(10_000) + "\"";
    String values = String.join(",", Collections.nCopies(50, value));
    String properties = IntStream.range(0, 1_000)
        .mapToObj(i -> "\"p" + i + "\":{\"$ref\":\"#/$defs/x\"}")
        .collect(Collectors.joining(","));
    String text = SchemaText.of(Json.parse("""
        {"properties":{%s},"$defs":{"x":{"enum":[%s],"default":%s,"description":%s}}}\
        """.formatted(properties, values, value, value)));
    assertThat(text).hasSizeLessThan(300_000).startsWith("  p0: one of vvv").endsWith("\n  ...");
    assertThat(text.lines().mapToInt(String::length).max()).hasValue(4_006);
  }

  @Test
  void aSchemaWithManyChoicesOfItselfEnds() {
    String branches = String.join(",", Collections.nCopies(20, "{\"$ref\":\"#/$defs/x\"}"));
    String text = SchemaText.of(Json.parse("""
        {"properties":{"a":{"$ref":"#/$defs/x"}},"$defs":{"x":{"anyOf":[%s]}}}\
        """.formatted(branches)));
    assertThat(text).isEqualTo("  a: any value");
  }
}
