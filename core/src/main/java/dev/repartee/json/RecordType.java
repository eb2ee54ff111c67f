package dev.repartee.json;

import static java.lang.invoke.MethodType.methodType;

import dev.repartee.internal.reflect.Javadoc;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.Type;
import java.util.List;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The type of a record: a JSON object with a member for each component. A member may be missing if
 * its component is optional or has a default. Unknown members and members that occur twice are
 * refused. Empty optionals are not written.
 *
 * <p>The type is created in two steps, because a record may contain itself: {@link #describe} sets
 * the components before the type is published to other threads.
 */
final class RecordType<R> extends StreamingType<@Nullable R> implements TypeResolver.Part {
  private static final Json ANY_OBJECT = Json.parse("{\"type\":\"object\"}");

  private final Type type;
  private final JsonTypes types;
  private final MethodHandle canonical;

  /** The treatment of unknown members that the record declares; null if the reader decides it. */
  private final @Nullable UnknownMembers unknown;

  /**
   * The canonical constructor, which reads its arguments from the buffer; has the type
   * (ComponentBuffer)Object. Null until the first record is read: many are only written, and the
   * JDK generates classes for the handle. A race creates two equal handles.
   */
  private @Nullable MethodHandle constructor;

  private Component[] components = {};
  private int tags;
  private MemberNames names = new MemberNames(null, List.of());
  private @Nullable Json schema;

  /**
   * Creates the type without its components.
   *
   * @param type the record with its type arguments
   * @param types the registry that maps the type
   * @param canonical the constructor
   */
  RecordType(Type type, JsonTypes types, MethodHandle canonical) {
    this.type = type;
    this.types = types;
    UnknownMembers.Policy policy =
        canonical.type().returnType().getAnnotation(UnknownMembers.Policy.class);
    this.unknown = policy == null ? null : policy.value();
    this.canonical = canonical;
  }

  /**
   * Sets the components.
   *
   * @param tags the number of members at the start that are no components of the record, but name it
   */
  void describe(List<Component> components, int tags) {
    this.components = components.toArray(new Component[0]);
    this.tags = tags;
    this.names = new MemberNames(
        unknown, components.stream().map(component -> component.name).toList());
  }

  @Override
  public void drawSchema() {
    schema = drawSchema(JsonType::schema, name -> "");
  }

  /**
   * Checks the defaults by reading each once.
   *
   * @throws IllegalArgumentException if a default does not fit its component
   */
  @Override
  public void check() {
    for (Component component : components) {
      if (component.fallback != null) {
        Component.requireFit(
            "the default of component '" + component.name + "'",
            component.fallback,
            component.type);
      }
    }
  }

  @Override
  public @Nullable R read(JsonReader c) {
    if (c.isNull()) {
      return null;
    }
    ComponentBuffer slots = c.slots();
    int outer = slots.enter(components.length);
    int read = 0;
    for (int i = names.first(c); i >= 0; i = names.next(c, i)) {
      if (!slots.isAbsent(i)) {
        throw names.twice(i);
      }
      try {
        components[i].read(c, slots);
      } catch (JsonException e) {
        throw names.in(i, e);
      }
      read++;
    }
    if (read < components.length) {
      fillIn(slots);
    }
    R value = construct(slots);
    slots.leave(outer);
    return value;
  }

  private void fillIn(ComponentBuffer slots) {
    StringBuilder missing = new StringBuilder();
    for (int i = 0; i < components.length; i++) {
      if (slots.isAbsent(i) && !components[i].readFallback(slots)) {
        missing.append(missing.isEmpty() ? "missing: " : ", ").append(names.at(i));
      }
    }
    if (!missing.isEmpty()) {
      throw JsonException.unfit(missing.toString());
    }
  }

  @SuppressWarnings("unchecked")
  private R construct(ComponentBuffer slots) {
    MethodHandle known = constructor;
    MethodHandle construct = known == null ? constructor() : known;
    try {
      return (R) (Object) construct.invokeExact(slots);
    } catch (RuntimeException e) {
      // The message of the exception is not sent to the peer: it may contain internals of the
      // program.
      throw new JsonException("the values of " + named() + " do not go together", e);
    } catch (Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException(e); // a canonical constructor declares no checked exception
    }
  }

  private MethodHandle constructor() {
    MethodHandle[] arguments = new MethodHandle[components.length - tags];
    for (int i = 0; i < arguments.length; i++) {
      arguments[i] = components[tags + i].argument(canonical.type().parameterType(i));
    }
    // In the types, P1 to Pn are the classes of the components and R is the record.
    // (P1, ..., Pn)R -> (ComponentBuffer, ..., ComponentBuffer)R
    MethodHandle filtered = MethodHandles.filterArguments(canonical, 0, arguments);
    // (ComponentBuffer)R: all of them are the same buffer
    MethodHandle joined = MethodHandles.permuteArguments(
        filtered,
        methodType(canonical.type().returnType(), ComponentBuffer.class),
        new int[arguments.length]);
    MethodHandle made = joined.asType(methodType(Object.class, ComponentBuffer.class));
    constructor = made;
    return made;
  }

  private String named() {
    return Stream.of(components)
        .skip(tags)
        .map(component -> component.name)
        .collect(Collectors.joining(", "));
  }

  @Override
  public void write(JsonWriter out, @Nullable R value) {
    if (value == null) {
      out.nil();
      return;
    }
    out.open('{');
    int start = out.size();
    for (Component component : components) {
      component.write(out, value, out.size() == start);
    }
    out.close('}');
  }

  /**
   * Returns the schema. A record inside itself is described as any object: a reference would need a
   * place for the definition.
   */
  @Override
  public Json schema() {
    return schema == null ? ANY_OBJECT : schema;
  }

  @Override
  public Json schema(SchemaDefinitions definitions) {
    return definitions.named(type, types, () -> describe(definitions));
  }

  /** Returns the schema that describes the members, with references to named types. */
  Json describe(SchemaDefinitions definitions) {
    Javadoc texts = Javadoc.of(canonical.type().returnType());
    return drawSchema(member -> member.schema(definitions), texts::component);
  }

  private Json drawSchema(Function<JsonType<?>, Json> schemas, UnaryOperator<String> descriptions) {
    JsonWriter out = new JsonWriter().ascii("{\"type\":\"object\",\"properties\":{");
    JsonWriter required = new JsonWriter();
    for (Component component : components) {
      component.label.write(out, component == components[0]);
      out.json(component.schema(schemas, descriptions));
      if (component.fallback == null) {
        required.ascii(required.size() > 0 ? "," : "").string(component.name);
      }
    }
    out.put('}');
    if (required.size() > 0) {
      out.ascii(",\"required\":[").raw(required.array(), 0, required.size()).put(']');
    }
    boolean open = unknown == UnknownMembers.IGNORE;
    return Schemas.json(out.ascii(open ? "}" : ",\"additionalProperties\":false}"));
  }
}
