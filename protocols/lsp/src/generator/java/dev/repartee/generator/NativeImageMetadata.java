package dev.repartee.generator;

import java.util.ArrayList;
import java.util.List;

/**
 * The metadata for GraalVM native images about the generated code: the methods that the binder
 * looks up, the interfaces of the messages, and the proxies. Each entry has the condition that the
 * program uses its type. An image then contains no other types of the protocol.
 */
final class NativeImageMetadata {
  private final String base;
  private final List<String> entries = new ArrayList<>();

  NativeImageMetadata(Protocol protocol) {
    this.base = protocol.base();
    entries.add("    {\"type\": \"" + base + ".binding.GeneratedBinder\", \"methods\": ["
        + "{\"name\": \"<init>\", \"parameterTypes\": []}]}");
  }

  /**
   * Adds a type of the protocol.
   *
   * @param codec the class with its methods {@code read} and {@code write}
   */
  void type(String name, String codec) {
    String type = base + "." + Protocol.TYPES + ".";
    add(
        type + name,
        "\"type\": \"" + type + codec + "\", \"methods\": ["
            + "{\"name\": \"read\", \"parameterTypes\": [\"dev.repartee.json.JsonReader\"]}, "
            + "{\"name\": \"write\", \"parameterTypes\": [\"dev.repartee.json.JsonWriter\", \""
            + type + name + "\"]}]");
  }

  /** Adds an interface of messages. */
  void handler(String name) {
    String type = base + "." + Protocol.HANDLERS + "." + name;
    add(type, "\"type\": \"" + type + "\", \"allDeclaredMethods\": true");
  }

  /** Adds an interface for proxies, which inherits its methods. */
  void side(String name) {
    String type = base + "." + Protocol.HANDLERS + "." + name;
    add(type, "\"type\": \"" + type + "\", \"allPublicMethods\": true");
    add(type, "\"type\": {\"proxy\": [\"" + type + "\"]}");
  }

  private void add(String condition, String entry) {
    entries.add("    {\"condition\": {\"typeReached\": \"" + condition + "\"}, " + entry + "}");
  }

  /** Returns the file. */
  String json() {
    return "{\n  \"reflection\": [\n" + String.join(",\n", entries) + "\n  ],\n  \"resources\": [\n"
        + "    {\"glob\": \"META-INF/services/dev.repartee.json.Binder\"}\n  ]\n}\n";
  }
}
