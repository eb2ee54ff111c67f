package dev.repartee.openrpc;

import dev.repartee.internal.JsonPointer;
import dev.repartee.internal.Text;
import dev.repartee.internal.TextChecks;
import dev.repartee.json.Json;
import dev.repartee.openrpc.schema.Effort;
import dev.repartee.openrpc.schema.SchemaValidator;
import dev.repartee.openrpc.schema.SchemaValidator.Fault;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Checks the params and results of a method against its description. A schema that is not valid, or
 * that a lenient document does not contain, accepts every value. Thread-safe.
 */
final class MethodCheck implements TextChecks.OfMethod {
  /** The maximum number of faults that are reported for the params of a call. */
  private static final int MOST = 5;

  private static final int LONGEST_NAME = 100;

  private final MethodDescriptor method;
  private final List<ContentCheck> params = new ArrayList<>();
  private final List<String> unchecked = new ArrayList<>();
  private final @Nullable ContentCheck result;
  private final boolean checksResults;
  private final @Nullable QuickCheck byPosition;
  private final @Nullable QuickCheck byName;

  /**
   * The schema of a parameter or a result.
   *
   * @param quick the check that decides most values; null if the schema is not simple
   * @param exact the check that decides the others
   * @param time the maximum time for a value
   */
  private record ContentCheck(
      ContentDescriptor content, @Nullable QuickCheck quick, SchemaValidator exact, Duration time) {
    /** @throws OpenRpcException if a reference of a lenient document has no target */
    static ContentCheck of(ContentDescriptor content, References references, Duration time) {
      Json schema = StandaloneSchema.of(content.node(), references);
      return new ContentCheck(
          content,
          QuickCheck.of(content.node(), references),
          SchemaValidator.ofValues(schema),
          time);
    }

    static ContentCheck ofAny(ContentDescriptor content, Duration time) {
      return new ContentCheck(content, QuickCheck.ANY, SchemaValidator.ofValues(Json.TRUE), time);
    }

    List<Fault> faults(Json value) {
      if (quick != null && quick.fits(value)) {
        return List.of();
      }
      try {
        return exact.faults(value, time, () -> {});
      } catch (Effort.ExceededException e) {
        return List.of(new Fault("", "the value " + e.getMessage()));
      } catch (IllegalArgumentException e) { // of a schema that is not valid
        return List.of();
      }
    }
  }

  /**
   * @param time the maximum time for a value
   * @param checksResults whether results are checked
   */
  MethodCheck(
      MethodDescriptor method, References references, Duration time, boolean checksResults) {
    this.method = method;
    List<ContentDescriptor> contents = method.params();
    if (contents != null) {
      contents.forEach(content -> params.add(check(content, references, time)));
    }
    ContentDescriptor content = method.result();
    this.result =
        content == null || method.stream() != null ? null : check(content, references, time);
    this.checksResults = checksResults;
    boolean isQuick = contents != null && params.stream().allMatch(param -> param.quick != null);
    this.byPosition = isQuick && accepts(ParamStructure.BY_POSITION) ? quickByPosition() : null;
    this.byName = isQuick && accepts(ParamStructure.BY_NAME) ? quickByName() : null;
  }

  private ContentCheck check(ContentDescriptor content, References references, Duration time) {
    try {
      return ContentCheck.of(content, references, time);
    } catch (OpenRpcException e) {
      unchecked.add(e.getMessage());
      return ContentCheck.ofAny(content, time);
    }
  }

  /** Returns why values of the method are accepted unchecked, in a sentence for each. */
  List<String> unchecked() {
    return unchecked;
  }

  private boolean accepts(ParamStructure form) {
    return method.paramStructure() == ParamStructure.EITHER || method.paramStructure() == form;
  }

  private boolean isVariadic() {
    return !params.isEmpty() && params.get(params.size() - 1).content.variadic();
  }

  /** Returns the number of params that must be present in an array. */
  private int required() {
    int required = 0;
    for (int i = 0; i < params.size(); i++) {
      if (params.get(i).content.required() && !params.get(i).content.variadic()) {
        required = i + 1;
      }
    }
    return required;
  }

  private @Nullable QuickCheck quickByPosition() {
    return isVariadic() ? null : QuickCheck.ofElements(quickParams(), required());
  }

  private List<QuickCheck> quickParams() {
    List<QuickCheck> checks = new ArrayList<>();
    params.forEach(param -> {
      if (param.quick != null) {
        checks.add(param.quick);
      }
    });
    return checks;
  }

  private @Nullable QuickCheck quickByName() {
    Map<String, QuickCheck> members = new HashMap<>();
    Set<String> required = new HashSet<>();
    for (ContentCheck param : params) {
      if (param.quick != null) {
        members.put(param.content.name(), param.quick);
      }
      if (param.content.required()) {
        required.add(param.content.name());
      }
    }
    return required.size() > Long.SIZE ? null : QuickCheck.ofObject(members, required);
  }

  @Override
  public boolean acceptsParams(byte[] text, int from, int to) {
    if (method.params() == null) {
      return true;
    }
    if (from == to) {
      return byPosition != null && byPosition.fits(Json.EMPTY_ARRAY);
    }
    QuickCheck quick = text[from] == '[' ? byPosition : byName;
    return quick != null && quick.fits(text, from, to);
  }

  @Override
  public boolean acceptsResult(byte[] text, int from, int to) {
    return result == null
        || !checksResults
        || result.quick != null && result.quick.fits(text, from, to);
  }

  /** Returns the faults of the params of a call; empty if they fit. */
  List<Fault> ofParams(@Nullable Json given) {
    if (method.params() == null) {
      return List.of();
    }
    Json params = given == null ? Json.EMPTY_ARRAY : given;
    boolean isArray = params.kind() == Json.Kind.ARRAY;
    QuickCheck quick = isArray ? byPosition : byName;
    if (quick != null && quick.fits(params)) {
      return List.of();
    }
    if (given != null && !accepts(isArray ? ParamStructure.BY_POSITION : ParamStructure.BY_NAME)) {
      return List.of(
          new Fault("", "the params are accepted " + method.paramStructure().text()));
    }
    List<Fault> faults = isArray ? ofArray(params.elements()) : ofObject(params.members());
    return faults.size() > MOST ? faults.subList(0, MOST) : faults;
  }

  /** An optional parameter may be null, to pass a later one. */
  private List<Fault> ofArray(List<Json> given) {
    List<Fault> faults = new ArrayList<>();
    int last = params.size() - 1;
    for (int i = 0; i < given.size(); i++) {
      if (i > last && !isVariadic()) {
        faults.add(new Fault("/" + i, "the method has " + params.size() + " parameters"));
        break;
      }
      ContentCheck param = params.get(Math.min(i, last));
      Json value = given.get(i);
      if (param.content.variadic()) {
        // The schema describes the array of the further params.
        Json rest = Json.of(given.subList(i, given.size()));
        for (Fault fault : param.faults(rest)) {
          faults.add(new Fault(moved(fault.pointer(), i), fault.reason()));
        }
        break;
      }
      if (!value.isNull() || param.content.required()) {
        add(faults, "/" + i, param.faults(value));
      }
    }
    for (int i = given.size(); i < params.size(); i++) {
      missing(faults, params.get(i).content);
    }
    return faults;
  }

  /** Returns the pointer into the params of a pointer into the array of the further params. */
  private static String moved(String pointer, int by) {
    if (pointer.isEmpty()) {
      return pointer;
    }
    String[] steps = pointer.substring(1).split("/", 2);
    return "/" + (Integer.parseInt(steps[0]) + by) + (steps.length == 1 ? "" : "/" + steps[1]);
  }

  private List<Fault> ofObject(Map<String, Json> given) {
    List<Fault> faults = new ArrayList<>();
    Map<String, Json> unknown = new HashMap<>(given);
    for (ContentCheck param : params) {
      Json value = unknown.remove(param.content.name());
      if (value == null) {
        missing(faults, param.content);
      } else {
        add(faults, "/" + JsonPointer.escaped(param.content.name()), param.faults(value));
      }
    }
    unknown.keySet().stream()
        .sorted()
        .limit(MOST)
        .map(name -> Text.shortened(name, LONGEST_NAME))
        .forEach(name -> faults.add(
            new Fault("/" + JsonPointer.escaped(name), "the method has no such parameter")));
    return faults;
  }

  private static void missing(List<Fault> faults, ContentDescriptor param) {
    if (param.required() && !param.variadic()) {
      faults.add(new Fault("", "the parameter '" + param.name() + "' is missing"));
    }
  }

  private static void add(List<Fault> faults, String place, List<Fault> more) {
    more.forEach(fault -> faults.add(new Fault(place + fault.pointer(), fault.reason())));
  }

  /** Returns whether results have to be checked. */
  boolean checksResult() {
    return checksResults && result != null;
  }

  /** Returns the faults of a result; empty if it fits. */
  List<Fault> ofResult(Json value) {
    return result == null ? List.of() : result.faults(value);
  }
}
