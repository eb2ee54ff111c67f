package dev.repartee.json;

import java.util.List;

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

  static Json oneOf(List<Json> alternatives) {
    JsonWriter out = new JsonWriter().ascii("{\"oneOf\":[");
    for (int i = 0; i < alternatives.size(); i++) {
      out.ascii(i == 0 ? "" : ",").json(alternatives.get(i));
    }
    return json(out.ascii("]}"));
  }

  /**
   * Returns the schema with the annotations {@code description} and {@code deprecated}, which do
   * not change validation. Returns the schema itself if it needs none. They may stand beside a {@code
   * $ref}: readers of draft-07 ignore them there. A reference inside of an {@code allOf} would be
   * read by generators of code as a new type.
   *
   * @param description the description, or empty
   */
  public static Json annotated(Json schema, String description, boolean deprecated) {
    if (description.isEmpty() && !deprecated) {
      return schema;
    }
    JsonWriter out = new JsonWriter();
    if (schema.kind() == Json.Kind.OBJECT && schema.length() > 2) {
      out.raw(schema.array(), 0, schema.length() - 1).put(',');
    } else {
      out.put('{'); // the schemas true and {} are equivalent
    }
    if (!description.isEmpty()) {
      out.ascii("\"description\":").string(description).ascii(deprecated ? "," : "");
    }
    return json(out.ascii(deprecated ? "\"deprecated\":true}" : "}"));
  }

  static Json json(JsonWriter out) {
    return Json.wrap(out.toBytes());
  }
}
