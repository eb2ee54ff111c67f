package dev.repartee.json;

import dev.repartee.internal.reflect.Annotations;
import java.lang.reflect.Type;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A registry of the mappings between Java types and JSON: the types that this module supports
 * itself, the binders for all others, and the naming of members. Immutable and thread-safe.
 *
 * <p>{@link #standard()} has the installed {@link Binder}s and the names of Java. {@link Json#of},
 * {@link Json#as(Class)} and {@link JsonType#of(Class)} use it. The options of an endpoint may
 * define a separate registry. One program can then call APIs with different conventions:
 *
 * <pre>{@code
 * Options options = Options.builder()
 *     .naming(Naming.SNAKE_CASE)
 *     .binder(Binder.base64())
 *     .build();
 * }</pre>
 *
 * <p>A registry keeps the mappings of the classes that it was asked for; create it once and share
 * it: {@link Json#as(JsonType) json.as(types.of(Order.class))}.
 *
 * <p>JSON {@code null} reads as Java's null for every type except primitives, {@link Json} and the
 * optional types. A method must refuse a null that it cannot use.
 */
public final class JsonTypes {
  private static final JsonTypes STANDARD = new JsonTypes();

  private final Binders binders;
  private final Naming naming;

  /** The type {@code Object}. */
  private final NaturalType natural = new NaturalType(this);

  /** The types by declared class. */
  private final Function<Class<?>, JsonType<?>> declared;

  /** The types by the run-time class of a value; for writing only. */
  private final Function<Class<?>, JsonType<?>> found;

  /** The objects that binders keep; see {@link #keep}. */
  private final Map<Binder, Object> kept = new ConcurrentHashMap<>();

  /**
   * Creates the standard registry. A {@link ClassValue} does not keep a class from being unloaded,
   * as the registry of the process must not.
   */
  private JsonTypes() {
    this.binders = new Binders(List.of());
    this.naming = Naming.AS_DECLARED;
    this.declared = new ClassValue<JsonType<?>>() {
      @Override
      protected JsonType<?> computeValue(Class<?> type) {
        return TypeResolver.resolve(type, JsonTypes.this);
      }
    }::get;
    this.found = new ClassValue<JsonType<?>>() {
      @Override
      protected JsonType<?> computeValue(Class<?> type) {
        return TypeResolver.resolveFound(type, JsonTypes.this);
      }
    }::get;
  }

  /**
   * Creates the registry of an endpoint, with maps as caches: the value in a {@link ClassValue}
   * would refer to its registry, and so would stay in the class for ever.
   */
  private JsonTypes(Binders binders, Naming naming) {
    this.binders = binders;
    this.naming = naming;
    this.declared = cached(type -> TypeResolver.resolve(type, this));
    this.found = cached(type -> TypeResolver.resolveFound(type, this));
  }

  private static Function<Class<?>, JsonType<?>> cached(Function<Class<?>, JsonType<?>> resolve) {
    Map<Class<?>, JsonType<?>> known = new ConcurrentHashMap<>();
    return type -> {
      JsonType<?> mapping = known.get(type);
      if (mapping == null) { // not computeIfAbsent: resolving a type may resolve others
        mapping = resolve.apply(type);
        known.put(type, mapping);
      }
      return mapping;
    };
  }

  /** Returns the registry of the process, with the installed binders and the names of Java. */
  public static JsonTypes standard() {
    return STANDARD;
  }

  /** Returns a registry with one more binder; {@link Binder#order} determines its position. */
  public JsonTypes with(Binder binder) {
    return new JsonTypes(binders.with(Objects.requireNonNull(binder, "binder")), naming);
  }

  /**
   * Returns a registry with these names of members. They apply to the records that this module
   * binds, in both directions, in schemas and in error messages, and to the named params of
   * methods. A binder that defines its naming itself, for example with your Jackson mapper, keeps
   * it.
   */
  public JsonTypes naming(Naming naming) {
    return new JsonTypes(binders, Objects.requireNonNull(naming, "naming"));
  }

  /** Returns the naming of members. */
  public Naming naming() {
    return naming;
  }

  /** Returns the binders in the order of their priority. Loads the installed ones. */
  public List<Binder> binders() {
    return binders.all();
  }

  /**
   * Returns the object that a binder keeps for this registry, such as its mapper. It lives as long
   * as the registry.
   *
   * @param create creates the object at the first call; two threads may do so in parallel, and the
   *     first object is kept
   */
  @SuppressWarnings("unchecked") // a binder keeps one object
  public <K> K keep(Binder binder, Supplier<K> create) {
    Object known = kept.get(binder);
    if (known == null) {
      Object created = create.get();
      known = kept.putIfAbsent(binder, created);
      known = known == null ? created : known;
    }
    return (K) known;
  }

  /**
   * Returns the mapping of a class, as {@link #of(Type)} does. The result is cached.
   *
   * @throws IllegalArgumentException if neither core nor a binder supports the type
   */
  @SuppressWarnings("unchecked") // a JsonType is only used with the Java type it was made from
  public <T> JsonType<T> of(Class<T> type) {
    return (JsonType<T>) declared.apply(type);
  }

  /**
   * Returns the mapping of a type. The mapping of a generic type is built anew at each call; keep
   * it.
   *
   * @throws IllegalArgumentException if neither core nor a binder supports the type
   */
  public JsonType<?> of(Type type) {
    return type instanceof Class<?> raw ? declared.apply(raw) : TypeResolver.resolve(type, this);
  }

  /**
   * Returns the mapping of a generic type, as {@link #of(Type)} does.
   *
   * @throws IllegalArgumentException if neither core nor a binder supports the type
   */
  @SuppressWarnings("unchecked") // a JsonType is only used with the Java type it was made from
  public <T> JsonType<T> of(TypeToken<T> type) {
    return (JsonType<T>) of(type.type());
  }

  /**
   * Converts a Java value to JSON by its run-time class, as {@link Json#of} does.
   *
   * @throws IllegalArgumentException if neither core nor a binder can write the value
   */
  public Json toJson(@Nullable Object value) {
    if (value instanceof Json json) {
      return json;
    }
    JsonWriter out = new JsonWriter();
    write(out, value);
    return Json.wrap(out.toBytes());
  }

  /**
   * Writes a value by its run-time class.
   *
   * @throws IllegalArgumentException if the class is not supported, or the value contains itself
   */
  public void write(JsonWriter out, @Nullable Object value) {
    if (value == null) {
      out.nil();
    } else if (value instanceof Json json) {
      out.json(json);
    } else if (!binders.areInstalled()) {
      dynamic(out, value); // a binder may replace any class
    } else if (value instanceof String text) {
      out.string(text);
    } else if (value instanceof Boolean bool) {
      out.bool(bool);
    } else if (value instanceof Number number) {
      write(out, number);
    } else {
      dynamic(out, value);
    }
  }

  private void write(JsonWriter out, Number value) {
    if (value instanceof Integer || value instanceof Long) {
      out.number(value.longValue());
    } else if (value instanceof Double) {
      out.number(value.doubleValue());
    } else if (value instanceof BigDecimal decimal) {
      out.number(decimal);
    } else if (value instanceof BigInteger integer) {
      out.number(integer);
    } else {
      dynamic(out, value);
    }
  }

  @SuppressWarnings("unchecked") // the type was found by the value's class
  private void dynamic(JsonWriter out, Object value) {
    ((JsonType<Object>) found.apply(value.getClass())).write(out, value);
  }

  NaturalType natural() {
    return natural;
  }

  /** See {@link Binders#replacement}. */
  @Nullable JsonType<?> replacement(Type type, Class<?> raw) {
    return binders.replacement(type, raw, this);
  }

  /** See {@link Binders#claim}. */
  @Nullable JsonType<?> claim(Type type, Class<?> raw) {
    return binders.claim(type, Annotations.foreign(raw), this);
  }

  /** See {@link Binders#find}. */
  @Nullable JsonType<?> bindIfKnown(Type type) {
    return binders.find(type, this);
  }

  /** See {@link Binders#bind}. */
  JsonType<?> bind(Type type) {
    return binders.bind(type, this);
  }

  /**
   * The type {@code Object}. The JSON text decides which class is read: null, {@code Boolean}, {@code
   * Long} or {@code BigInteger}, {@code Double} if it is exact and otherwise {@code BigDecimal},
   * {@code String}, {@code List}, {@code Map}. The class of the value decides how it is written.
   */
  static final class NaturalType extends StreamingType<@Nullable Object> {
    private final JsonTypes types;
    private final ListType<@Nullable Object> list = new ListType<>(false, this);
    private final MapType<@Nullable Object> map = new MapType<>(this);

    /** Creates the type of a registry, which writes the values by their classes. */
    NaturalType(JsonTypes types) {
      this.types = types;
    }

    @Override
    public @Nullable Object read(JsonReader c) {
      return switch (Json.Kind.of(c.bytes[c.at])) {
        case OBJECT -> map.read(c);
        case ARRAY -> list.read(c);
        case STRING -> c.readString();
        case BOOLEAN -> Scalars.readBoolean(c);
        case NUMBER -> Decimals.readNatural(c);
        case NULL -> c.nothing();
      };
    }

    @Override
    public void write(JsonWriter out, @Nullable Object value) {
      types.write(out, value);
    }
  }
}
