package dev.repartee.telemetry;

import dev.repartee.Call;
import dev.repartee.RefusedCall;
import dev.repartee.json.Json;
import dev.repartee.json.JsonObjectBuilder;
import dev.repartee.message.Dialect;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.propagation.TextMapGetter;
import io.opentelemetry.context.propagation.TextMapPropagator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Reads and writes the context of a trace in the {@link Carrier}s of a message. The fields of a peer
 * may have any content: the propagators ignore fields that they cannot read, and this class bounds
 * the fields that they get.
 */
final class Propagation {
  /** The member of params by name for facts beside the arguments, as MCP and ACP define it. */
  static final String META = "_meta";

  private static final String BAGGAGE = "baggage";

  /** The maximum number of characters of a baggage (W3C Baggage section 4.4). */
  static final int BAGGAGE_LENGTH = 8192;

  /** The maximum number of members of a baggage, each of which uses memory in each context. */
  static final int BAGGAGE_MEMBERS = 64;

  /**
   * The maximum number of characters of another field. A {@code tracestate} has up to 512 (W3C
   * Trace Context section 3.3.1.5), and may be dropped.
   */
  static final int FIELD_LENGTH = 512;

  private final TextMapPropagator propagator;
  private final Set<Carrier> carriers;

  Propagation(TextMapPropagator propagator, Set<Carrier> carriers) {
    this.propagator = propagator;
    this.carriers = carriers;
  }

  /** Returns the context in the message of a served call; the given one if there is none. */
  Context extract(Context outer, Call call) {
    Context found = outer;
    if (carriers.contains(Carrier.HEADERS)) {
      found = extract(found, call::header);
    }
    if (carriers.contains(Carrier.MEMBERS)) {
      found = extract(found, name -> text(call.member(name)));
    }
    Json meta = hasMeta(call) ? meta(call.params()) : null;
    return meta == null ? found : extract(found, meta::string);
  }

  private static @Nullable String text(@Nullable Json member) {
    return member == null ? null : member.string();
  }

  /**
   * Returns the context in the header fields or members of a call that was refused; the given one
   * if there is none.
   */
  Context extract(Context outer, RefusedCall call) {
    Context found = carriers.contains(Carrier.HEADERS) ? extract(outer, call::header) : outer;
    return carriers.contains(Carrier.MEMBERS)
        ? extract(found, name -> text(call.member(name)))
        : found;
  }

  /** Returns a dialect that reads the members of the context, if they are a carrier. */
  Dialect reading(Dialect dialect) {
    return carriers.contains(Carrier.MEMBERS)
        ? Dialect.withMembers(dialect, propagator.fields().toArray(String[]::new))
        : dialect;
  }

  private Context extract(Context outer, Function<String, @Nullable String> fields) {
    return propagator.extract(outer, fields, Getter.BOUNDED);
  }

  private boolean hasMeta(Call call) {
    return carriers.contains(Carrier.META) || call.dialect().hasMeta();
  }

  /** Returns {@code _meta}; null if the params have no such object. */
  static @Nullable Json meta(@Nullable Json params) {
    Json meta = params == null ? null : params.get(META);
    return meta == null || meta.kind() != Json.Kind.OBJECT ? null : meta;
  }

  /** Writes a context to an outgoing call; returns the call to pass on. */
  Call inject(Context context, Call call) {
    Map<String, String> fields = fields(propagator, context);
    if (fields.isEmpty()) {
      return call;
    }
    if (carriers.contains(Carrier.HEADERS)) {
      fields.forEach((name, value) -> put(call::requestHeader, name, value));
    }
    if (carriers.contains(Carrier.MEMBERS)) {
      fields.forEach((name, value) -> put(call::requestMember, name, Json.of(value)));
    }
    return hasMeta(call) ? withMeta(call, fields) : call;
  }

  /** Returns the fields that a propagator writes for a context; mutable. */
  static Map<String, String> fields(TextMapPropagator propagator, Context context) {
    Map<String, String> fields = new LinkedHashMap<>();
    propagator.inject(context, fields, (to, name, value) -> {
      if (to != null) {
        to.put(name, value);
      }
    });
    return fields;
  }

  /** Adds fields to the params of a call, unless it has arguments by position. */
  private static Call withMeta(Call call, Map<String, String> fields) {
    Json params = call.params();
    if (Json.EMPTY_ARRAY.equals(params)) {
      params = null;
    }
    if (params != null && params.kind() != Json.Kind.OBJECT) {
      return call;
    }
    JsonObjectBuilder meta = JsonObjectBuilder.of(meta(params));
    fields.forEach(meta::put);
    return call.with(JsonObjectBuilder.of(params).put(META, meta.build()).build());
  }

  private static <T> void put(BiConsumer<String, T> place, String name, T value) {
    try {
      place.accept(name, value);
    } catch (IllegalArgumentException tooLarge) {
      // The message has no room for the field. A call without a trace is better than no call.
    }
  }

  /** Returns a served call without the fields of the context in its params. */
  Call strip(Call call) {
    Json params = call.params();
    Json meta = carriers.contains(Carrier.META) && !call.dialect().hasMeta() ? meta(params) : null;
    if (params == null || meta == null) {
      return call;
    }
    Map<String, Json> left = meta.members();
    if (!left.keySet().removeAll(propagator.fields())) {
      return call;
    }
    JsonObjectBuilder stripped = new JsonObjectBuilder();
    params.members().forEach((name, value) -> {
      if (!name.equals(META)) {
        stripped.put(name, value);
      } else if (!left.isEmpty()) {
        stripped.put(META, left);
      }
    });
    return call.with(stripped.build());
  }

  /** Reads fields, but none that is too long. */
  enum Getter implements TextMapGetter<Function<String, @Nullable String>> {
    BOUNDED;

    @Override
    @SuppressWarnings("deprecation") // earlier versions of the API require it
    public Iterable<String> keys(Function<String, @Nullable String> carrier) {
      return List.of(); // the propagators ask for the names that they know
    }

    @Override
    public @Nullable String get(@Nullable Function<String, @Nullable String> carrier, String name) {
      String value = carrier == null ? null : carrier.apply(name);
      if (value == null) {
        return null;
      }
      if (name.equalsIgnoreCase(BAGGAGE)) {
        return isWellFormed(value) ? cut(value) : null;
      }
      return value.length() > FIELD_LENGTH ? null : value;
    }

    /**
     * Returns whether a baggage has only the characters and the percent-encoding of W3C Baggage
     * section 3.3.1. For each other member the propagator of OpenTelemetry logs a warning, with a
     * stack trace, on the thread that serves: a stranger could fill a disk.
     */
    private static boolean isWellFormed(String baggage) {
      int length = Math.min(baggage.length(), BAGGAGE_LENGTH);
      for (int i = 0; i < length; i++) {
        char c = baggage.charAt(i);
        boolean isAllowed = c == '\t' || c >= ' ' && c <= '~' && c != '"' && c != '\\';
        if (!isAllowed || c == '%' && !isEncoded(baggage, i)) {
          return false;
        }
      }
      return true;
    }

    private static boolean isEncoded(String baggage, int percent) {
      return percent + 2 < baggage.length()
          && Character.digit(baggage.charAt(percent + 1), 16) >= 0
          && Character.digit(baggage.charAt(percent + 2), 16) >= 0;
    }

    /** Returns the first members of a baggage; each ends at a comma. */
    private static String cut(String baggage) {
      int end = 0;
      for (int members = 0; members < BAGGAGE_MEMBERS; members++) {
        int comma = baggage.indexOf(',', end == 0 ? 0 : end + 1);
        int next = comma < 0 ? baggage.length() : comma;
        if (next > BAGGAGE_LENGTH) {
          break;
        }
        end = next;
        if (comma < 0) {
          break;
        }
      }
      return baggage.substring(0, end);
    }
  }
}
