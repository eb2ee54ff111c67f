package dev.repartee.bridge;

import dev.repartee.RpcException;
import dev.repartee.access.Access;
import dev.repartee.access.Principal;
import dev.repartee.json.Json;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reduces the OpenRPC document of a backend to the methods that its reader may call, as the {@code
 * rpc.discover} of a server does.
 */
final class Documents {
  static final String DISCOVER = "rpc.discover";

  private static final String COMPONENTS = "components";
  private static final Pattern REFERENCE = Pattern.compile("#/components/([^/\"]+)/([^/\"]+)");

  private Documents() {}

  /**
   * Returns the document for a caller. Of the components those remain to which it refers.
   *
   * @throws RpcException if the answer of the backend is not a document
   */
  static Json visible(Json document, Access access, @Nullable Principal caller) {
    if (document.kind() != Json.Kind.OBJECT) {
      throw new RpcException(
          403, "The description of the backend cannot be restricted to the caller");
    }
    Map<String, Json> members = new LinkedHashMap<>(document.members());
    for (String list : List.of("methods", "x-notifications")) {
      members.computeIfPresent(list, (name, all) -> visibleMethods(all, access, caller));
    }
    Json components = members.remove(COMPONENTS);
    if (components != null && components.kind() == Json.Kind.OBJECT) {
      members.put(COMPONENTS, referred(components, Json.of(members)));
    }
    return Json.of(members);
  }

  private static Json visibleMethods(Json all, Access access, @Nullable Principal caller) {
    return Json.of(
        all.kind() == Json.Kind.ARRAY
            ? all.elements().stream()
                .filter(method -> isVisible(method, access, caller))
                .toList()
            : List.of());
  }

  /** Returns whether a method may be called; false for a reference, whose name is elsewhere. */
  private static boolean isVisible(Json method, Access access, @Nullable Principal caller) {
    String name = method.kind() == Json.Kind.OBJECT ? method.string("name") : null;
    return name != null && access.allows(caller, name, null);
  }

  /** Returns the components to which a document refers, itself or by other components. */
  private static Json referred(Json components, Json document) {
    Map<String, Map<String, Json>> left = new HashMap<>();
    components.members().forEach((section, entries) -> {
      if (entries.kind() == Json.Kind.OBJECT) {
        left.put(section, new HashMap<>(entries.members()));
      }
    });
    Map<String, Map<String, Json>> kept = new LinkedHashMap<>();
    Queue<Json> texts = new ArrayDeque<>(List.of(document));
    for (Json text = texts.poll(); text != null; text = texts.poll()) {
      Matcher reference = REFERENCE.matcher(text.toString());
      while (reference.find()) {
        String section = reference.group(1);
        String name = reference.group(2);
        Json entry = left.getOrDefault(section, Map.of()).get(name);
        if (entry != null
            && kept.computeIfAbsent(section, s -> new LinkedHashMap<>()).putIfAbsent(name, entry)
                == null) {
          texts.add(entry);
        }
      }
    }
    return Json.of(kept);
  }
}
