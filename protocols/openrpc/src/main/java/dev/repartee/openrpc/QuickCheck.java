package dev.repartee.openrpc;

import dev.repartee.json.Json;
import dev.repartee.json.JsonException;
import dev.repartee.json.JsonReader;
import dev.repartee.json.JsonType;
import dev.repartee.json.JsonWriter;
import dev.repartee.openrpc.schema.SchemaValidator;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Checks values against simple schemas while it reads their bytes, many times faster than the
 * general validator. It knows types, members, elements, texts, and the limits of integers. It may
 * refuse a value that fits, such as {@code 1.0} for an integer; only the general validator decides
 * that a value does not fit. Thread-safe.
 */
abstract class QuickCheck {
  /** The maximum number of schemas of one check. */
  private static final int MOST = 200;

  /** Reads a value to the answer whether it fits: the way to the bytes of a value. */
  private final JsonType<Boolean> answer = new JsonType<>() {
    @Override
    public Boolean read(byte[] bytes, int from, int to) {
      return fits(bytes, from, to);
    }

    @Override
    public void write(JsonWriter out, Boolean value) {
      throw new UnsupportedOperationException();
    }
  };

  static final QuickCheck ANY = new QuickCheck() {
    @Override
    boolean fits(JsonReader in) {
      in.skip();
      return true;
    }
  };

  /**
   * Returns whether the value certainly fits. If it does, the reader is after the value; otherwise
   * it is anywhere.
   *
   * @throws JsonException if the value does not fit
   */
  abstract boolean fits(JsonReader in);

  /** Returns whether a value certainly fits. */
  final boolean fits(Json value) {
    return value.as(answer);
  }

  /** Returns whether the value {@code bytes[from, to)} certainly fits. */
  final boolean fits(byte[] bytes, int from, int to) {
    try {
      return fits(new JsonReader(bytes, from, to));
    } catch (JsonException e) {
      return false;
    }
  }

  /** Returns the check of a schema; null if the schema is not simple. */
  static @Nullable QuickCheck of(Node schema, References references) {
    return new Compiler(references).of(schema);
  }

  /** Returns a check of an object with these members. */
  static QuickCheck ofObject(Map<String, QuickCheck> members, Set<String> required) {
    return new OfObject(members, required, null);
  }

  /**
   * Returns a check of an array with these elements.
   *
   * @param required the number of elements that must be present
   */
  static QuickCheck ofElements(List<QuickCheck> elements, int required) {
    return new OfElements(elements.toArray(QuickCheck[]::new), required);
  }

  /** Translates schemas to checks. */
  private static final class Compiler {
    private final References references;

    /** The checks of the targets of references, by JSON pointer. */
    private final Map<String, Later> known = new HashMap<>();

    private int count;

    Compiler(References references) {
      this.references = references;
    }

    @Nullable QuickCheck of(Node schema) {
      if (schema.value().equals(Json.TRUE)) {
        return ANY;
      }
      if (schema.value().kind() != Json.Kind.OBJECT || ++count > MOST) {
        return null;
      }
      String reference = schema.value().string("$ref");
      if (reference != null) {
        return ofTarget(references.target(schema, reference));
      }
      Map<String, Node> keywords = schema.members();
      keywords.keySet().removeIf(SchemaValidator::isAnnotation);
      Node type = keywords.remove("type");
      if (keywords.isEmpty()) {
        return type == null ? ANY : ofTypes(type);
      }
      QuickCheck check = ofKeywords(type == null ? null : type.value().string(), keywords);
      return keywords.isEmpty() ? check : null; // null if a keyword is left
    }

    private @Nullable QuickCheck ofTarget(Node target) {
      Later later = known.get(target.pointer());
      if (later == null) {
        later = new Later();
        known.put(target.pointer(), later);
        QuickCheck check = of(target);
        // A lenient document may have references that lead to each other only.
        later.check = check instanceof Later other && other.check == null ? null : check;
        if (later.check == null) {
          count = MOST; // a check that refers to it is of no use, either
          return null;
        }
      }
      return later;
    }

    /** Returns the check of a type; removes the keywords that it knows. */
    private @Nullable QuickCheck ofKeywords(@Nullable String type, Map<String, Node> keywords) {
      if (type == null) {
        return null;
      }
      switch (type) {
        case "string":
          return ofTexts(keywords.remove("enum"), keywords.remove("const"));
        case "integer":
          return ofIntegers(keywords.remove("minimum"), keywords.remove("maximum"));
        case "array":
          Node items = keywords.remove("items");
          QuickCheck element = items == null ? ANY : of(items);
          return element == null ? null : new OfArray(element);
        case "object":
          return ofObject(
              keywords.remove("properties"),
              keywords.remove("required"),
              keywords.remove("additionalProperties"));
        default:
          return null;
      }
    }

    private static @Nullable QuickCheck ofTexts(@Nullable Node values, @Nullable Node constant) {
      List<Json> all = constant != null
          ? List.of(constant.value())
          : values == null ? List.of() : values.value().elements();
      Set<String> texts = new HashSet<>();
      all.stream().map(Json::string).filter(text -> text != null).forEach(texts::add);
      return texts.isEmpty() || constant != null && values != null ? null : new OfTexts(texts);
    }

    private static @Nullable QuickCheck ofIntegers(@Nullable Node least, @Nullable Node most) {
      try {
        return new OfInteger(
            least == null ? Long.MIN_VALUE : least.value().as(long.class),
            most == null ? Long.MAX_VALUE : most.value().as(long.class));
      } catch (JsonException e) { // a limit that is no integer
        return null;
      }
    }

    private @Nullable QuickCheck ofObject(
        @Nullable Node properties, @Nullable Node required, @Nullable Node additional) {
      Map<String, QuickCheck> members = new HashMap<>();
      for (Map.Entry<String, Node> property : properties == null
          ? Set.<Map.Entry<String, Node>>of()
          : properties.members().entrySet()) {
        QuickCheck check = of(property.getValue());
        if (check == null) {
          return null;
        }
        members.put(property.getKey(), check);
      }
      Set<String> names = new HashSet<>();
      if (required != null) {
        required.value().elements().forEach(name -> names.add(name.text()));
      }
      boolean isClosed = additional != null && additional.value().equals(Json.FALSE);
      QuickCheck others = additional == null ? ANY : isClosed ? null : of(additional);
      if (others == null && !isClosed
          || names.size() > Long.SIZE
          || !members.keySet().containsAll(names)) {
        return null;
      }
      return new OfObject(members, names, others);
    }

    private static @Nullable QuickCheck ofTypes(Node type) {
      Set<Json.Kind> kinds = EnumSet.noneOf(Json.Kind.class);
      List<Json> names =
          type.value().kind() == Json.Kind.ARRAY ? type.value().elements() : List.of(type.value());
      boolean hasInteger = false;
      for (Json name : names) {
        switch (name.text()) {
          case "null" -> kinds.add(Json.Kind.NULL);
          case "boolean" -> kinds.add(Json.Kind.BOOLEAN);
          case "string" -> kinds.add(Json.Kind.STRING);
          case "array" -> kinds.add(Json.Kind.ARRAY);
          case "object" -> kinds.add(Json.Kind.OBJECT);
          case "number" -> kinds.add(Json.Kind.NUMBER);
          case "integer" -> hasInteger = true;
          default -> {
            return null;
          }
        }
      }
      return hasInteger && !kinds.contains(Json.Kind.NUMBER)
          ? kinds.isEmpty() ? new OfInteger(Long.MIN_VALUE, Long.MAX_VALUE) : null
          : new OfKinds(kinds);
    }
  }

  /** The check of a definition that may refer to itself. Set before another thread gets it. */
  private static final class Later extends QuickCheck {
    private @Nullable QuickCheck check;

    @Override
    boolean fits(JsonReader in) {
      QuickCheck known = check;
      return known != null && known.fits(in);
    }
  }

  private static final class OfKinds extends QuickCheck {
    private final Set<Json.Kind> kinds;

    OfKinds(Set<Json.Kind> kinds) {
      this.kinds = kinds;
    }

    @Override
    boolean fits(JsonReader in) {
      if (!kinds.contains(in.kind())) {
        return false;
      }
      in.skip();
      return true;
    }
  }

  private static final class OfInteger extends QuickCheck {
    private final long least;
    private final long most;

    OfInteger(long least, long most) {
      this.least = least;
      this.most = most;
    }

    @Override
    boolean fits(JsonReader in) {
      if (in.kind() != Json.Kind.NUMBER) {
        return false;
      }
      long value = in.readLong();
      return value >= least && value <= most;
    }
  }

  private static final class OfTexts extends QuickCheck {
    private final Set<String> texts;

    OfTexts(Set<String> texts) {
      this.texts = texts;
    }

    @Override
    boolean fits(JsonReader in) {
      return in.kind() == Json.Kind.STRING && texts.contains(in.readString());
    }
  }

  private static final class OfArray extends QuickCheck {
    private final QuickCheck element;

    OfArray(QuickCheck element) {
      this.element = element;
    }

    @Override
    boolean fits(JsonReader in) {
      in.enterArray();
      while (in.more()) {
        if (!element.fits(in)) {
          return false;
        }
      }
      return true;
    }
  }

  private static final class OfElements extends QuickCheck {
    private final QuickCheck[] elements;
    private final int required;

    OfElements(QuickCheck[] elements, int required) {
      this.elements = elements;
      this.required = required;
    }

    @Override
    boolean fits(JsonReader in) {
      in.enterArray();
      int count = 0;
      while (in.more()) {
        if (count == elements.length || !elements[count++].fits(in)) {
          return false;
        }
      }
      return count >= required;
    }
  }

  private static final class OfObject extends QuickCheck {
    private final Map<String, QuickCheck> members = new HashMap<>();
    private final Map<String, Long> bits = new HashMap<>();
    private final long required;
    private final @Nullable QuickCheck others;

    /** @param others the check of other members; null if there are none */
    OfObject(Map<String, QuickCheck> members, Set<String> required, @Nullable QuickCheck others) {
      this.members.putAll(members);
      List<String> names = new ArrayList<>(required);
      names.forEach(name -> bits.put(name, 1L << names.indexOf(name)));
      this.required = names.size() == Long.SIZE ? -1 : (1L << names.size()) - 1;
      this.others = others;
    }

    @Override
    boolean fits(JsonReader in) {
      in.enterObject();
      long seen = 0;
      while (in.more()) {
        String name = in.readName();
        QuickCheck member = members.get(name);
        QuickCheck check = member == null ? others : member;
        if (check == null || !check.fits(in)) {
          return false;
        }
        Long bit = bits.get(name);
        seen |= bit == null ? 0 : bit;
      }
      return seen == required;
    }
  }
}
