package dev.repartee;

import java.lang.invoke.MethodHandle;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A record as an object with a member for each component. A member may be missing where its component
 * is optional or has a default; one that is unknown or stands twice is refused. An empty optional is
 * left out when the record is written.
 *
 * <p>Made in two steps, since a record may hold itself: {@link #describe} fills in the components
 * before anybody else sees the type.
 */
final class RecordType<R> extends Structured<@Nullable R> {
  /**
   * One component.
   *
   * @param fallback what stands for it where it is missing, null where it is required
   * @param accessor of the type (Object)Object
   */
  record Component(
      String name,
      JsonType<@Nullable Object> type,
      @Nullable Json fallback,
      MethodHandle accessor) {
    @Nullable Object missing() {
      return fallback == null
          ? ABSENT
          : type.read(fallback.array(), 0, fallback.length()); // anew: it may be mutable
    }
  }

  private static final Object ABSENT = new Object();
  private static final Json ANY_OBJECT = Json.parse("{\"type\":\"object\"}");

  private final MethodHandle constructor;
  private List<Component> components = List.of();
  private Names names = new Names(List.of());
  private @Nullable Json schema;

  /** The constructor's type is (Object[])Object. */
  RecordType(MethodHandle constructor) {
    this.constructor = constructor;
  }

  void describe(List<Component> components) {
    this.components = components;
    this.names = new Names(components.stream().map(Component::name).toList());
  }

  /** Reads every default once, and draws up the schema; throws if a default does not fit. */
  void complete() {
    for (Component component : components) {
      try {
        component.missing();
      } catch (JsonException | StackOverflowError e) {
        String fault = e instanceof JsonException ? e.getMessage() : "it leads back to itself";
        throw new IllegalArgumentException(
            "the default of component '" + component.name() + "' does not fit: " + fault, e);
      }
    }
    schema = drawSchema();
  }

  @Override
  @Nullable R read(Cursor c) {
    if (c.isNull()) {
      return null;
    }
    c.enter('{', "an object");
    @Nullable Object[] values = new @Nullable Object[components.size()];
    Arrays.fill(values, ABSENT);
    int guess = 0;
    while (c.more()) {
      int from = c.at + 1;
      int to = c.name();
      int index = names.find(c.bytes, from, to, guess);
      if (index < 0) {
        throw JsonException.unfit(names.unknown("member", c.bytes, from, to));
      }
      if (values[index] != ABSENT) {
        throw JsonException.unfit("member '" + names.at(index) + "' stands twice");
      }
      values[index] = c.member(components.get(index).type(), names.at(index));
      guess = index + 1;
    }
    complete(values);
    return construct(values);
  }

  private void complete(@Nullable Object[] values) {
    StringBuilder missing = new StringBuilder();
    for (int i = 0; i < values.length; i++) {
      if (values[i] == ABSENT) {
        values[i] = components.get(i).missing();
      }
      if (values[i] == ABSENT) {
        missing.append(missing.isEmpty() ? "missing: " : ", ").append(names.at(i));
      }
    }
    if (!missing.isEmpty()) {
      throw JsonException.unfit(missing.toString());
    }
  }

  @SuppressWarnings("unchecked")
  private R construct(@Nullable Object[] values) {
    try {
      return (R) (Object) constructor.invokeExact(values);
    } catch (RuntimeException e) {
      // The text of the exception is the program's own, and may be none of the peer's business.
      throw new JsonException("the values of " + named() + " do not go together", e);
    } catch (Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException(e); // a canonical constructor declares no checked exception
    }
  }

  private String named() {
    return String.join(", ", components.stream().map(Component::name).toList());
  }

  @Override
  public void write(Output out, @Nullable R value) {
    if (value == null) {
      out.nil();
      return;
    }
    out.open('{');
    boolean first = true;
    for (Component component : components) {
      Object part = access(component.accessor(), value);
      if (part != null && OptionalType.isEmpty(part)) {
        continue;
      }
      if (!first) {
        out.put(',');
      }
      first = false;
      out.string(component.name()).put(':');
      component.type().write(out, part);
    }
    out.close('}');
  }

  private static @Nullable Object access(MethodHandle accessor, Object value) {
    try {
      return (Object) accessor.invokeExact(value);
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException(e); // an accessor declares no checked exception
    }
  }

  /** The schema; a record inside itself is any object, since a reference would need a place to be. */
  @Override
  public Json schema() {
    return schema == null ? ANY_OBJECT : schema;
  }

  private Json drawSchema() {
    Output out = new Output().ascii("{\"type\":\"object\",\"properties\":{");
    Output required = new Output();
    for (int i = 0; i < components.size(); i++) {
      Component component = components.get(i);
      out.ascii(i > 0 ? "," : "").string(component.name()).put(':');
      out.json(component.type().schema());
      if (component.fallback() == null) {
        required.ascii(required.size() > 0 ? "," : "").string(component.name());
      }
    }
    out.put('}');
    if (required.size() > 0) {
      out.ascii(",\"required\":[").raw(required.array(), 0, required.size()).put(']');
    }
    return Schemas.json(out.ascii(",\"additionalProperties\":false}"));
  }
}
