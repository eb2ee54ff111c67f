package dev.repartee.openrpc;

import dev.repartee.internal.JsonPointer;
import dev.repartee.json.Json;
import dev.repartee.json.JsonObjectBuilder;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Joins documents to one. Not thread-safe. */
final class Merger {
  private static final String NOTIFICATIONS = "x-notifications";

  private final List<Json> notifications = new ArrayList<>();

  /** The methods and the notifications, by the member of the document. */
  private final Map<String, List<Json>> methods =
      Map.of("methods", new ArrayList<>(), NOTIFICATIONS, notifications);

  private final Map<String, Map<String, Json>> components = new LinkedHashMap<>();

  /** Adds the methods of a document under a prefix. */
  void add(String prefix, OpenRpc document) {
    Node root = new Node(document.json(), "", false);
    Map<String, String> renamed = renamed(prefix, root);
    Map<String, Integer> offsets = new HashMap<>();
    methods.forEach((member, all) -> offsets.put(member, all.size()));
    Rewriting.Rule rule = (node, reference, part) -> moved(node, reference, renamed, offsets);
    methods.forEach((member, all) -> {
      for (Node method : root.elements(member)) {
        Node target = document.references().resolve(method);
        all.add(prefixed(Rewriting.of(target, Part.METHOD, rule), prefix));
      }
    });
    Node parts = root.get("components");
    if (parts != null) {
      parts
          .members()
          .forEach((kind, all) -> all.members().forEach((name, part) -> {
            Part known = Part.COMPONENTS.named(kind);
            String pointer = part.pointer();
            components
                .computeIfAbsent(kind, any -> new LinkedHashMap<>())
                .put(
                    renamed.get(pointer),
                    known == null ? part.value() : Rewriting.of(part, known, rule));
          }));
    }
  }

  /** Returns the new names of the components, by their JSON pointers. */
  private Map<String, String> renamed(String prefix, Node root) {
    Map<String, String> renamed = new HashMap<>();
    String word = prefix.replaceAll("[^A-Za-z0-9]+$", "").replaceAll("[^A-Za-z0-9._-]", "_");
    Node parts = root.get("components");
    if (parts != null) {
      parts.members().forEach((kind, all) -> {
        Map<String, Json> taken = components.getOrDefault(kind, Map.of());
        Map<String, Node> own = all.members();
        own.forEach((name, part) -> {
          String free = name;
          for (int i = 1; taken.containsKey(free) || i > 1 && own.containsKey(free); i++) {
            free = word + (word.isEmpty() ? "" : "_") + name + (i == 1 ? "" : i);
          }
          renamed.put(part.pointer(), free);
        });
      });
    }
    return renamed;
  }

  private static String moved(
      Node from, String reference, Map<String, String> renamed, Map<String, Integer> offsets) {
    String pointer = reference.substring(1);
    String[] steps = pointer.split("/", 5); // an empty one, components, kind, name, the rest
    if (steps.length > 3 && steps[1].equals("components")) {
      String name = renamed.get(
          "/components/" + steps[2] + "/" + JsonPointer.escaped(References.decoded(steps[3])));
      if (name != null) {
        return "#/components/" + steps[2] + "/" + JsonPointer.inFragment(name)
            + (steps.length > 4 ? "/" + steps[4] : "");
      }
    } else if (steps.length > 2
        && offsets.containsKey(steps[1])
        && steps[2].matches("[0-9]{1,8}")) {
      String member = "/" + steps[1] + "/";
      int index = Integer.parseInt(steps[2]) + offsets.get(steps[1]);
      return "#" + member + index + pointer.substring(member.length() + steps[2].length());
    }
    throw from.fault("the reference '" + reference + "' leads to a part that is not merged");
  }

  private static Json prefixed(Json method, String prefix) {
    JsonObjectBuilder copy = JsonObjectBuilder.of(method);
    copy.put("name", prefix + method.string("name"));
    Json stream = method.get("x-stream");
    String unsubscribe = stream == null ? null : stream.string("unsubscribe");
    if (unsubscribe != null) {
      copy.put(
          "x-stream",
          JsonObjectBuilder.of(stream).put("unsubscribe", prefix + unsubscribe).build());
    }
    return copy.build();
  }

  /** Returns the document. */
  Json json(Info info) {
    JsonObjectBuilder parts = new JsonObjectBuilder();
    components.forEach((kind, all) -> parts.put(kind, Json.of(all)));
    return new JsonObjectBuilder()
        .put("openrpc", "1.4.1")
        .put(
            "info",
            new JsonObjectBuilder()
                .put("title", info.title())
                .put("version", info.version())
                .put("description", info.description())
                .build())
        .put("methods", methods.get("methods"))
        .put(NOTIFICATIONS, notifications.isEmpty() ? null : notifications)
        .put("components", components.isEmpty() ? null : parts.build())
        .build();
  }
}
