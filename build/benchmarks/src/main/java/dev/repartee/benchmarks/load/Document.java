package dev.repartee.benchmarks.load;

import dev.repartee.json.Json;
import java.util.ArrayList;
import java.util.List;

/** The payload of the echoes: a list of records with all types of JSON values. */
public record Document(List<Item> items) {
  /** One record. */
  public record Item(
      int id, String name, double score, List<String> tags, boolean active, String note) {}

  /** Returns the smallest document with a JSON text of at least {@code bytes} bytes. */
  static Document ofSize(int bytes) {
    List<Item> items = new ArrayList<>();
    Document document = new Document(items);
    do {
      items.add(item(items.size()));
    } while (Json.of(document).length() < bytes);
    return document;
  }

  /** Returns whether another document has as many records. */
  public boolean isAsLongAs(Document other) {
    return items.size() == other.items.size();
  }

  private static Item item(int i) {
    return new Item(
        i * 7919 + 1,
        "item number " + i,
        i * 1.25 + 0.1,
        List.of("red", "tag-" + i % 10),
        i % 3 != 0,
        "says \"caf\u00e9\" once");
  }
}
