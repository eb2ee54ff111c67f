package dev.repartee;

/** Builds JSON Schemas (draft-07) from those of the parts. */
final class Schemas {
  private Schemas() {}

  static Json array(Json items) {
    return json(new Output().ascii("{\"type\":\"array\",\"items\":").json(items).put('}'));
  }

  static Json map(Json values) {
    return json(new Output()
        .ascii("{\"type\":\"object\",\"additionalProperties\":")
        .json(values)
        .put('}'));
  }

  static Json orNull(Json value) {
    return json(new Output().ascii("{\"anyOf\":[").json(value).ascii(",{\"type\":\"null\"}]}"));
  }

  static Json json(Output out) {
    return Json.wrap(out.toBytes());
  }
}
