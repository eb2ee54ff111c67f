package dev.repartee.openrpc.schema;

import dev.harrel.jsonschema.JsonNode;
import dev.harrel.jsonschema.JsonNodeFactory;
import dev.harrel.jsonschema.SimpleType;
import dev.repartee.json.Json;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.AbstractList;
import java.util.AbstractMap;
import java.util.AbstractSet;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A value in the form that the JSON Schema validator reads, with its place in the whole value. Not
 * thread-safe.
 *
 * <p>A node is a view of the parsed value. It is created for each read and not kept. Nodes do not
 * change, except for the cached name. Nodes that keep their own text and pointer were rejected:
 * they needed thousands of bytes of heap for each byte of text.
 *
 * <p>The nodes of a schema do not have an {@link Effort}. The nodes of a checked value count every
 * read.
 */
final class SchemaNode implements JsonNode {
  static final JsonNodeFactory FACTORY = new JsonNodeFactory() {
    @Override
    public JsonNode wrap(Object node) {
      return node instanceof JsonNode known ? known : schema((Json) node);
    }

    @Override
    public JsonNode create(String text) {
      return schema(Json.parse(text));
    }
  };

  /**
   * The place of a value.
   *
   * @param parent the place of the containing object or array; null for the whole value
   * @param step the name of the member, or the index of the element
   * @param depth the number of steps from the whole value
   */
  record Place(@Nullable Place parent, Object step, int depth) {
    static final Place ROOT = new Place(null, "", 0);

    Place to(Object next) {
      return new Place(this, next, depth + 1);
    }

    /** Returns the JSON pointer. */
    String pointer() {
      Deque<Object> steps = new ArrayDeque<>();
      for (Place place = this; place.parent != null; place = place.parent) {
        steps.push(place.step);
      }
      StringBuilder pointer = new StringBuilder();
      steps.forEach(next -> pointer.append('/').append(encoded(next)));
      return pointer.toString();
    }

    private static String encoded(Object step) {
      return step instanceof String name ? JsonNode.encodeJsonPointer(name) : step.toString();
    }
  }

  /** The number of characters of a text that count as one step. */
  private static final int CHARS = 128;

  /** The number of bits of a number that count as one step. */
  private static final int BITS = 32;

  /** The maximum number of zeros at the end of an integer that are shown. */
  private static final int MOST_ZEROS = 20;

  private final @Nullable Object value;
  private final Place place;
  private final @Nullable Effort effort;
  private @Nullable String name;

  private SchemaNode(@Nullable Object value, Place place, @Nullable Effort effort) {
    this.value = value;
    this.place = place;
    this.effort = effort;
  }

  /** Returns the node of a schema, or of a part of it. */
  static SchemaNode schema(Json json) {
    return new SchemaNode(json.as(Object.class), Place.ROOT, null);
  }

  /**
   * Returns the node of a value to be checked.
   *
   * @throws dev.repartee.json.JsonException if a number is too large for arithmetic, or an object
   *     has duplicate members
   */
  static SchemaNode checked(Json json, Effort effort) {
    return new SchemaNode(json.as(Object.class), Place.ROOT, effort);
  }

  private SchemaNode child(@Nullable Object child, Object step) {
    return new SchemaNode(child, place.to(step), effort);
  }

  /** Returns the node of a member's name, for {@code propertyNames}. */
  SchemaNode name(String name) {
    return child(name, name);
  }

  /** Counts a read of this value. */
  void step() {
    steps(1);
  }

  private void steps(int count) {
    if (effort != null) {
      effort.steps(count);
    }
  }

  /** Counts the evaluation of a keyword for this value. */
  void evaluation() {
    if (effort != null) {
      effort.evaluation();
    }
  }

  /**
   * Returns the JSON pointer of a schema, or the short name of the place of a checked value; see
   * {@link Effort#name}. The validator calls this method for each outcome that it keeps.
   */
  @Override
  public String getJsonPointer() {
    if (effort == null) {
      return place.pointer();
    }
    effort.outcome(place, size());
    if (name == null) {
      name = effort.name(place); // the same for all outcomes, because the validator compares it
    }
    return name;
  }

  private int size() {
    if (value instanceof List<?> list) {
      return list.size();
    }
    return value instanceof Map<?, ?> map ? map.size() : 0;
  }

  @Override
  public SimpleType getNodeType() {
    step();
    if (value == null) {
      return SimpleType.NULL;
    } else if (value instanceof Boolean) {
      return SimpleType.BOOLEAN;
    } else if (value instanceof String) {
      return SimpleType.STRING;
    } else if (value instanceof List) {
      return SimpleType.ARRAY;
    } else if (value instanceof Map) {
      return SimpleType.OBJECT;
    }
    return isInteger(value) ? SimpleType.INTEGER : SimpleType.NUMBER;
  }

  private boolean isInteger(Object number) {
    return number instanceof Long
        || number instanceof BigInteger
        || number instanceof Double real && real == Math.rint(real)
        || number instanceof BigDecimal decimal && stripped(decimal).scale() <= 0;
  }

  @Override
  public boolean asBoolean() {
    return Boolean.TRUE.equals(value);
  }

  @Override
  public String asString() {
    if (value instanceof String text) {
      steps(text.length() / CHARS); // the validator counts the code points
      return text;
    }
    return Json.of(value).toString();
  }

  @Override
  public BigInteger asInteger() {
    return asNumber().toBigInteger();
  }

  /** Returns the number in a normal form: equal numbers have equal scale. */
  @Override
  public BigDecimal asNumber() {
    return number(value);
  }

  private BigDecimal number(@Nullable Object number) {
    if (number instanceof Long integer) {
      return plain(BigDecimal.valueOf(integer).stripTrailingZeros());
    } else if (number instanceof Double real) {
      return plain(BigDecimal.valueOf(real).stripTrailingZeros());
    } else if (number instanceof BigInteger integer) {
      return stripped(new BigDecimal(integer));
    } else if (number instanceof BigDecimal decimal) {
      return stripped(decimal);
    }
    throw new IllegalStateException("not a number");
  }

  /** Strips trailing zeros. This needs a hundred microseconds for a thousand digits. */
  private BigDecimal stripped(BigDecimal number) {
    steps(number.unscaledValue().bitLength() / BITS);
    return plain(number.stripTrailingZeros());
  }

  /** Returns a number with its zeros before the point, as messages show it, unless they are many. */
  private static BigDecimal plain(BigDecimal number) {
    return number.scale() < 0 && number.scale() >= -MOST_ZEROS ? number.setScale(0) : number;
  }

  @Override
  public List<JsonNode> asArray() {
    List<?> elements = (List<?>) Objects.requireNonNull(value);
    return new AbstractList<>() {
      @Override
      public JsonNode get(int index) {
        step();
        return child(elements.get(index), index);
      }

      @Override
      public int size() {
        return elements.size();
      }
    };
  }

  @Override
  public Map<String, JsonNode> asObject() {
    Map<?, ?> members = (Map<?, ?>) Objects.requireNonNull(value);
    return effort == null ? kept(members) : new Members(members);
  }

  /** Returns nodes that are kept: the library compares the nodes of a schema by identity. */
  private Map<String, JsonNode> kept(Map<?, ?> members) {
    Map<String, JsonNode> kept = new LinkedHashMap<>();
    members.forEach((name, member) -> kept.put((String) name, child(member, name)));
    return kept;
  }

  private final class Members extends AbstractMap<String, JsonNode> {
    private final Map<?, ?> members;

    Members(Map<?, ?> members) {
      this.members = members;
    }

    @Override
    public boolean containsKey(Object name) {
      step();
      return members.containsKey(name);
    }

    @Override
    @SuppressWarnings("NullAway") // Map.get returns null for an unknown name
    public JsonNode get(Object name) {
      return members.containsKey(name) ? child(members.get(name), name) : null;
    }

    @Override
    public Set<Map.Entry<String, JsonNode>> entrySet() {
      return new AbstractSet<>() {
        @Override
        public Iterator<Map.Entry<String, JsonNode>> iterator() {
          Iterator<? extends Map.Entry<?, ?>> all = members.entrySet().iterator();
          return new Iterator<>() {
            @Override
            public boolean hasNext() {
              return all.hasNext();
            }

            @Override
            public Map.Entry<String, JsonNode> next() {
              step();
              Map.Entry<?, ?> next = all.next();
              String name = (String) next.getKey();
              return Map.entry(name, child(next.getValue(), name));
            }
          };
        }

        @Override
        public int size() {
          return members.size();
        }
      };
    }
  }

  /** Returns a text that is the same for two values exactly if they are equal by JSON Schema. */
  String canonical() {
    StringBuilder text = new StringBuilder();
    canonical(value, text);
    return text.toString();
  }

  private void canonical(@Nullable Object part, StringBuilder text) {
    step();
    if (part instanceof String string) {
      text.append(string.length()).append('"').append(string); // the length replaces escapes
    } else if (part instanceof List<?> list) {
      text.append('[');
      list.forEach(element -> {
        canonical(element, text);
        text.append(',');
      });
      text.append(']');
    } else if (part instanceof Map<?, ?> map) {
      text.append('{');
      new TreeMap<>(map).forEach((name, member) -> {
        canonical(name, text);
        canonical(member, text);
      });
      text.append('}');
    } else {
      text.append(part instanceof Number ? number(part) : part);
    }
  }

  @Override
  public String toString() {
    return asString();
  }
}
