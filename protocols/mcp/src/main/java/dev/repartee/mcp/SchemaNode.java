package dev.repartee.mcp;

import dev.harrel.jsonschema.JsonNode;
import dev.harrel.jsonschema.JsonNodeFactory;
import dev.harrel.jsonschema.SimpleType;
import dev.repartee.Json;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A value as the validator of JSON Schemas sees it, with the way to it. For one thread. */
final class SchemaNode implements JsonNode {
  static final JsonNodeFactory FACTORY = new JsonNodeFactory() {
    @Override
    public JsonNode wrap(Object node) {
      return node instanceof JsonNode known ? known : new SchemaNode((Json) node, "");
    }

    @Override
    public JsonNode create(String text) {
      return new SchemaNode(Json.parse(text), "");
    }
  };

  private final Json json;
  private final String pointer;
  private final SimpleType type;
  private @Nullable List<JsonNode> elements;
  private @Nullable Map<String, JsonNode> members;

  SchemaNode(Json json, String pointer) {
    this.json = json;
    this.pointer = pointer;
    this.type = switch (json.kind()) {
      case NULL -> SimpleType.NULL;
      case BOOLEAN -> SimpleType.BOOLEAN;
      case STRING -> SimpleType.STRING;
      case ARRAY -> SimpleType.ARRAY;
      case OBJECT -> SimpleType.OBJECT;
      case NUMBER ->
        json.as(BigDecimal.class).stripTrailingZeros().scale() <= 0
            ? SimpleType.INTEGER
            : SimpleType.NUMBER;
    };
  }

  @Override
  public String getJsonPointer() {
    return pointer;
  }

  @Override
  public SimpleType getNodeType() {
    return type;
  }

  @Override
  public boolean asBoolean() {
    return json.equals(Json.TRUE);
  }

  @Override
  public String asString() {
    return type == SimpleType.STRING ? json.as(String.class) : json.toString();
  }

  @Override
  public BigInteger asInteger() {
    return asNumber().toBigInteger();
  }

  @Override
  public BigDecimal asNumber() {
    return json.as(BigDecimal.class);
  }

  @Override
  public List<JsonNode> asArray() {
    if (elements == null) {
      elements = new ArrayList<>();
      for (Json element : json.elements()) {
        elements.add(new SchemaNode(element, pointer + "/" + elements.size()));
      }
    }
    return elements;
  }

  @Override
  public Map<String, JsonNode> asObject() {
    if (members == null) {
      Map<String, JsonNode> all = new LinkedHashMap<>();
      json.members()
          .forEach((name, value) -> all.put(
              name, new SchemaNode(value, pointer + "/" + JsonNode.encodeJsonPointer(name))));
      members = all;
    }
    return members;
  }

  @Override
  public String toString() {
    return json.toString();
  }
}
