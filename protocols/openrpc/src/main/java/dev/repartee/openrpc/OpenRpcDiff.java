package dev.repartee.openrpc;

import dev.repartee.json.Json;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The differences between two documents of a service, by the rules in {@code
 * protocols/openrpc/README.md}. Texts, tags and examples are not compared.
 */
public final class OpenRpcDiff {
  private final SchemaFit params;
  private final SchemaFit results;
  private final boolean hasSameComponents;
  private final List<Change> changes = new ArrayList<>();

  private OpenRpcDiff(OpenRpc old, OpenRpc current) {
    CachedNode.Targets before = new CachedNode.Targets(old.references());
    CachedNode.Targets after = new CachedNode.Targets(current.references());
    this.params = new SchemaFit(before, after);
    this.results = new SchemaFit(after, before);
    this.hasSameComponents =
        Objects.equals(old.json().get("components"), current.json().get("components"));
  }

  /**
   * Returns the changes from an old to a new document, in the order of the old document, and then
   * the methods that the new one adds; then those of the notifications that the server sends. A
   * change that cannot be compared exactly counts as breaking.
   */
  public static List<Change> between(OpenRpc old, OpenRpc current) {
    OpenRpcDiff diff = new OpenRpcDiff(old, current);
    for (MethodDescriptor method : old.methods()) {
      MethodDescriptor now = current.method(method.name());
      if (now == null) {
        diff.add(Change.Kind.REMOVED, method, "the method is removed", true);
      } else if (!diff.isSame(method.json(), now.json())) {
        diff.compare(method, now);
      }
    }
    for (MethodDescriptor method : current.methods()) {
      if (old.method(method.name()) == null) {
        diff.add(Change.Kind.ADDED, method, "the method is added", false);
      }
    }
    diff.compareNotifications(old, current);
    return List.copyOf(diff.changes);
  }

  private boolean isSame(Json old, Json now) {
    return old.equals(now) && (hasSameComponents || !SchemaFit.hasReference(old));
  }

  private void add(Change.Kind kind, MethodDescriptor method, String text, boolean breaks) {
    changes.add(new Change(kind, method.name(), text, breaks));
  }

  private void changed(MethodDescriptor method, String text, boolean breaks) {
    add(Change.Kind.CHANGED, method, text, breaks);
  }

  private void compare(MethodDescriptor old, MethodDescriptor now) {
    if (old.paramStructure() != now.paramStructure()) {
      changed(
          old,
          "params are accepted " + now.paramStructure().text() + " instead of "
              + old.paramStructure().text(),
          now.paramStructure() != ParamStructure.EITHER);
    }
    List<ContentDescriptor> before = old.params();
    List<ContentDescriptor> after = now.params();
    if (before != null && after != null) {
      if (old.paramStructure() == ParamStructure.BY_POSITION
          && now.paramStructure() == ParamStructure.BY_POSITION) {
        compareByPosition(old, before, after);
      } else {
        compareByName(old, before, after, now.paramStructure() != ParamStructure.BY_NAME);
      }
    }
    compareResults(old, now);
    compareStreams(old, old.stream(), now.stream());
    compareErrors(old, old.errors(), now.errors());
    compareDeprecation(old, now);
  }

  private void compareDeprecation(MethodDescriptor old, MethodDescriptor now) {
    if (old.deprecated() != now.deprecated()) {
      changed(
          old,
          "the " + (old.sent() ? "notification" : "method") + " is "
              + (now.deprecated() ? "" : "no longer ") + "deprecated",
          false);
    }
  }

  /** For notifications that the server sends, callers are clients that receive them. */
  private void compareNotifications(OpenRpc old, OpenRpc current) {
    for (MethodDescriptor sent : old.notifications()) {
      MethodDescriptor now = current.notification(sent.name());
      if (now == null) {
        add(Change.Kind.REMOVED, sent, "the notification is no longer sent", true);
      } else if (!isSame(sent.json(), now.json())) {
        compareSent(sent, now);
      }
    }
    for (MethodDescriptor sent : current.notifications()) {
      if (old.notification(sent.name()) == null) {
        add(Change.Kind.ADDED, sent, "the notification is sent", false);
      }
    }
  }

  private void compareSent(MethodDescriptor old, MethodDescriptor now) {
    if (old.paramStructure() != now.paramStructure()) {
      changed(
          old,
          "params are sent " + now.paramStructure().text() + " instead of "
              + old.paramStructure().text(),
          true);
    }
    List<ContentDescriptor> before = old.params();
    List<ContentDescriptor> after = now.params();
    if (before != null && after != null) {
      boolean isByName = now.paramStructure() == ParamStructure.BY_NAME;
      for (int i = 0; i < before.size(); i++) {
        ContentDescriptor param = before.get(i);
        ContentDescriptor same = match(after, param.name(), i, isByName);
        if (same == null) {
          removed(old, param);
        } else {
          compareSent(old, param, same);
        }
      }
      for (int i = 0; i < after.size(); i++) {
        String name = after.get(i).name();
        if (match(before, name, i, isByName) == null) {
          changed(old, "the parameter '" + name + "' is added", false);
        }
      }
    }
    compareDeprecation(old, now);
  }

  /** Returns the parameter of this name, or at this index; null if there is none. */
  private static @Nullable ContentDescriptor match(
      List<ContentDescriptor> params, String name, int index, boolean isByName) {
    if (isByName) {
      return named(params, name);
    }
    return index < params.size() ? params.get(index) : null;
  }

  private void compareSent(MethodDescriptor method, ContentDescriptor old, ContentDescriptor now) {
    String name = "the parameter '" + now.name() + "'";
    compareNames(method, old, now);
    if (old.required() != now.required()) {
      changed(
          method, name + " is " + (now.required() ? "always sent" : "optional"), old.required());
    }
    compareVariadic(method, old, now);
    compareValues(method, name, old, now);
  }

  private void compareByPosition(
      MethodDescriptor method, List<ContentDescriptor> before, List<ContentDescriptor> after) {
    for (int i = 0; i < Math.min(before.size(), after.size()); i++) {
      compare(method, before.get(i), after.get(i));
    }
    for (ContentDescriptor removed :
        before.subList(Math.min(after.size(), before.size()), before.size())) {
      removed(method, removed);
    }
    for (ContentDescriptor added :
        after.subList(Math.min(after.size(), before.size()), after.size())) {
      added(method, added, false);
    }
  }

  private void compareByName(
      MethodDescriptor method,
      List<ContentDescriptor> before,
      List<ContentDescriptor> after,
      boolean orderMatters) {
    List<String> common = new ArrayList<>(names(before));
    common.retainAll(names(after));
    for (ContentDescriptor param : before) {
      ContentDescriptor now = named(after, param.name());
      if (now == null) {
        removed(method, param);
      } else {
        compare(method, param, now);
      }
    }
    List<String> shared = names(after).stream().filter(common::contains).toList();
    if (orderMatters && !shared.equals(common)) {
      changed(method, "the parameters have another order", true);
    }
    int last = common.isEmpty() ? -1 : names(after).indexOf(shared.get(shared.size() - 1));
    for (int i = 0; i < after.size(); i++) {
      if (!common.contains(after.get(i).name())) {
        added(method, after.get(i), orderMatters && i < last);
      }
    }
  }

  private static List<String> names(List<ContentDescriptor> params) {
    return params.stream().map(ContentDescriptor::name).toList();
  }

  private static @Nullable ContentDescriptor named(List<ContentDescriptor> params, String name) {
    return params.stream()
        .filter(param -> param.name().equals(name))
        .findFirst()
        .orElse(null);
  }

  private void removed(MethodDescriptor method, ContentDescriptor param) {
    changed(method, "the parameter '" + param.name() + "' is removed", true);
  }

  private void added(MethodDescriptor method, ContentDescriptor param, boolean moves) {
    changed(
        method,
        "the " + (param.required() ? "required" : "optional") + " parameter '" + param.name()
            + "' is added" + (moves ? " before others" : ""),
        param.required() || moves);
  }

  private void compare(MethodDescriptor method, ContentDescriptor old, ContentDescriptor now) {
    String name = "the parameter '" + now.name() + "'";
    compareNames(method, old, now);
    if (old.required() != now.required()) {
      changed(method, name + " is " + (now.required() ? "required" : "optional"), now.required());
    }
    compareVariadic(method, old, now);
    CachedNode before = new CachedNode(old.node());
    CachedNode after = new CachedNode(now.node());
    String misfit = params.misfit(before, after);
    if (misfit != null) {
      changed(method, name + " accepts fewer values: " + misfit, true);
    } else if (results.misfit(after, before) != null) {
      changed(method, name + " accepts more values", false);
    }
  }

  private void compareNames(MethodDescriptor method, ContentDescriptor old, ContentDescriptor now) {
    if (!old.name().equals(now.name())) {
      changed(
          method,
          "the parameter '" + old.name() + "' is named '" + now.name() + "'",
          method.paramStructure() == ParamStructure.EITHER);
    }
  }

  private void compareVariadic(
      MethodDescriptor method, ContentDescriptor old, ContentDescriptor now) {
    if (old.variadic() != now.variadic()) {
      changed(
          method,
          "the parameter '" + now.name() + "' is " + (now.variadic() ? "" : "no longer ")
              + "variadic",
          true);
    }
  }

  private void compareResults(MethodDescriptor method, MethodDescriptor current) {
    ContentDescriptor old = method.result();
    ContentDescriptor now = current.result();
    if (old == null || now == null) {
      if (old != now) {
        changed(method, now == null ? "it has no result" : "it has a result", now == null);
      }
      return;
    }
    compareValues(method, "the result", old, now);
  }

  /** Compares values that clients receive. */
  private void compareValues(
      MethodDescriptor method, String name, ContentDescriptor old, ContentDescriptor now) {
    CachedNode before = new CachedNode(old.node());
    CachedNode after = new CachedNode(now.node());
    String misfit = results.misfit(after, before);
    if (misfit != null) {
      changed(method, name + " may have other values: " + misfit, true);
    } else if (params.misfit(before, after) != null) {
      changed(method, name + " has fewer values", false);
    }
  }

  private void compareStreams(
      MethodDescriptor method, @Nullable StreamDescriptor old, @Nullable StreamDescriptor now) {
    if (!Objects.equals(old, now)) {
      changed(
          method,
          old == null
              ? "it answers with a stream"
              : now == null ? "it answers without a stream" : "the form of its stream differs",
          true);
    }
  }

  private void compareErrors(
      MethodDescriptor method, List<ErrorDescriptor> before, List<ErrorDescriptor> after) {
    compareErrors(method, before, after, "removed");
    compareErrors(method, after, before, "added");
  }

  private void compareErrors(
      MethodDescriptor method,
      List<ErrorDescriptor> some,
      List<ErrorDescriptor> others,
      String change) {
    Set<Long> codes = new HashSet<>(others.stream().map(ErrorDescriptor::code).toList());
    for (ErrorDescriptor error : some) {
      if (codes.add(error.code())) {
        changed(method, "the error " + error.code() + " is " + change, false);
      }
    }
  }
}
