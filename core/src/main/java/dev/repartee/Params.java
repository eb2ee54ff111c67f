package dev.repartee;

import dev.repartee.json.JsonWriter;

/** Writes the params of a call: an array or an object. */
@FunctionalInterface
interface Params {
  void write(JsonWriter out);
}
