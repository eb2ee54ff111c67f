package dev.repartee;

import static java.lang.invoke.MethodType.methodType;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A record as an object with a member for each component. A member may be missing where its component
 * is optional or has a default; one that is unknown or stands twice is refused. An empty optional is
 * left out when the record is written.
 *
 * <p>Made in two steps, since a record may hold itself: {@link #describe} fills in the components
 * before anybody else sees the type.
 */
final class RecordType<R> extends CursorType<@Nullable R> {
  private static final Json ANY_OBJECT = Json.parse("{\"type\":\"object\"}");

  private final MethodHandle canonical;

  /** The same, fed from the slots: of the type (Slots)Object, as soon as the components are known. */
  private MethodHandle constructor;

  private Component[] components = {};
  private Names names = new Names(List.of());
  private @Nullable Json schema;

  RecordType(MethodHandle canonical) {
    this.canonical = canonical;
    this.constructor = canonical;
  }

  void describe(List<Component> components) {
    this.components = components.toArray(new Component[0]);
    this.names = new Names(components.stream().map(component -> component.name).toList());
    int count = components.size();
    MethodHandle[] arguments = new MethodHandle[count];
    for (int i = 0; i < count; i++) {
      arguments[i] = components.get(i).argument(canonical.type().parameterType(i));
    }
    this.constructor = MethodHandles.permuteArguments(
            MethodHandles.filterArguments(canonical, 0, arguments),
            methodType(canonical.type().returnType(), Slots.class),
            new int[count])
        .asType(methodType(Object.class, Slots.class));
  }

  /** Reads every default once, and draws up the schema; throws if a default does not fit. */
  void complete() {
    Slots slots = new Slots();
    slots.enter(components.length);
    for (Component component : components) {
      try {
        component.readFallback(slots);
      } catch (JsonException | StackOverflowError e) {
        String fault = e instanceof JsonException ? e.getMessage() : "it leads back to itself";
        throw new IllegalArgumentException(
            "the default of component '" + component.name + "' does not fit: " + fault, e);
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
    Slots slots = c.slots();
    int outer = slots.enter(components.length);
    int read = 0;
    for (int next = 0; c.more(); next++) {
      if (next == components.length || !components[next].label.stepOver(c)) {
        next = find(c, next);
      }
      if (!slots.isAbsent(next)) {
        throw JsonException.unfit("member '" + names.at(next) + "' stands twice");
      }
      try {
        components[next].read(c, slots);
      } catch (JsonException e) {
        throw e.in("member " + Names.quote(names.at(next)));
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

  /** Steps over the name of a member that is not the next component's, or not plainly written. */
  private int find(Cursor c, int guess) {
    int from = c.at + 1;
    int to = c.name();
    int index = names.find(c.bytes, from, to, guess);
    if (index < 0) {
      throw JsonException.unfit(names.unknown("member", c.bytes, from, to));
    }
    return index;
  }

  private void fillIn(Slots slots) {
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
  private R construct(Slots slots) {
    try {
      return (R) (Object) constructor.invokeExact(slots);
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
    return Stream.of(components).map(component -> component.name).collect(Collectors.joining(", "));
  }

  @Override
  public void write(Output out, @Nullable R value) {
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

  /** The schema; a record inside itself is any object, since a reference would need a place to be. */
  @Override
  public Json schema() {
    return schema == null ? ANY_OBJECT : schema;
  }

  private Json drawSchema() {
    Output out = new Output().ascii("{\"type\":\"object\",\"properties\":{");
    Output required = new Output();
    for (Component component : components) {
      component.label.write(out, component == components[0]);
      out.json(component.schema());
      if (component.fallback == null) {
        required.ascii(required.size() > 0 ? "," : "").string(component.name);
      }
    }
    out.put('}');
    if (required.size() > 0) {
      out.ascii(",\"required\":[").raw(required.array(), 0, required.size()).put(']');
    }
    return Schemas.json(out.ascii(",\"additionalProperties\":false}"));
  }
}
