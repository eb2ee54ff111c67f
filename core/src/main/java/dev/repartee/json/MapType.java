package dev.repartee.json;

import dev.repartee.internal.Names;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A JSON object as a map from member names to values, in the order of the text. An object with
 * duplicate names is refused.
 *
 * @param <V> the type of the values
 */
final class MapType<V extends @Nullable Object> extends StreamingType<@Nullable Map<?, V>> {
  /** The size of the smallest table for one entry. */
  private static final int ONE = 2;

  /** The default size of a table. */
  private static final int SEVERAL = 16;

  private final JsonType<V> value;

  MapType(JsonType<V> value) {
    this.value = value;
  }

  @Override
  public @Nullable Map<?, V> read(JsonReader c) {
    if (c.isNull()) {
      return null;
    }
    c.enterObject();
    Map<String, V> members = null;
    while (c.more()) {
      String name = c.readName();
      if (members != null && members.containsKey(name)) {
        throw JsonException.unfit("member " + Names.quote(name) + " occurs twice");
      }
      V member = c.member(value, name);
      if (members == null) {
        // A table for 16 entries at each level of nested objects would occupy most of the heap.
        members = new LinkedHashMap<>(c.atEnd() ? ONE : SEVERAL);
      }
      members.put(name, member);
    }
    return members == null ? new LinkedHashMap<>() : members;
  }

  @Override
  public void write(JsonWriter out, @Nullable Map<?, V> map) {
    if (map == null) {
      out.nil();
      return;
    }
    out.open('{');
    boolean first = true;
    for (Map.Entry<?, V> entry : map.entrySet()) {
      if (!(entry.getKey() instanceof CharSequence name)) {
        throw new IllegalArgumentException("a map with the key "
            + entry.getKey()
            + " cannot become a JSON object: member names are strings");
      }
      if (!first) {
        out.put(',');
      }
      first = false;
      out.string(name).put(':');
      value.write(out, entry.getValue());
    }
    out.close('}');
  }

  @Override
  public Json schema() {
    return Schemas.map(value.schema());
  }

  @Override
  public Json schema(SchemaDefinitions definitions) {
    return Schemas.map(value.schema(definitions));
  }
}
