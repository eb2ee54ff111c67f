package dev.repartee.json;

/** Builds JSON Schemas (draft-07) from the schemas of their parts. */
public final class Schemas {
  private Schemas() {}

  static Json array(Json items) {
    return json(
        new JsonWriter().ascii("{\"type\":\"array\",\"items\":").json(items).put('}'));
  }

  static Json map(Json values) {
    return json(new JsonWriter()
        .ascii("{\"type\":\"object\",\"additionalProperties\":")
        .json(values)
        .put('}'));
  }

  static Json orNull(Json value) {
    return json(new JsonWriter().ascii("{\"anyOf\":[").json(value).ascii(",{\"type\":\"null\"}]}"));
  }

  /**
   * Returns the schema with a {@code description}, an annotation that does not change validation.
   * Returns the schema itself if the description is empty.
   */
  public static Json described(Json schema, String description) {
    if (description.isEmpty()) {
      return schema;
    }
    JsonWriter out = new JsonWriter();
    if (schema.kind() == Json.Kind.OBJECT && schema.length() > 2) {
      out.raw(schema.array(), 0, schema.length() - 1).put(',');
    } else {
      out.put('{'); // the schemas true and {} are equivalent
    }
    return json(out.ascii("\"description\":").string(description).put('}'));
  }

  static Json json(JsonWriter out) {
    return Json.wrap(out.toBytes());
  }
}
