package dev.repartee.openrpc;

import dev.repartee.json.Json;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A node that reads its text once, on the first use of its members or elements. It is for schemas
 * that are searched many times, since each search of a {@link Node} reads the text again. It keeps
 * its parts, which need many times the memory of the text. Not thread-safe.
 */
final class CachedNode {
  /**
   * Follows references, and keeps their targets by JSON pointer, unless they are large. Not
   * thread-safe.
   */
  static final class Targets {
    /** The bytes of targets that are kept. */
    private static final int MOST_KEPT = 8 << 20;

    private final References references;
    private final Map<String, CachedNode> known = new HashMap<>();
    private long kept;

    Targets(References references) {
      this.references = references;
    }

    /** Follows references, as {@link References#follow} does. */
    CachedNode follow(CachedNode from) {
      if (from.get("$ref") == null) {
        return from;
      }
      Node target = references.follow(from.node);
      if (target == from.node) {
        return from;
      }
      CachedNode cached = known.get(target.pointer());
      if (cached == null) {
        kept += target.value().length();
        if (kept > MOST_KEPT) {
          known.clear();
          kept = target.value().length();
        }
        cached = new CachedNode(target);
        known.put(cached.pointer(), cached);
      }
      return cached;
    }
  }

  private final Node node;
  private @Nullable String pointer;
  private @Nullable Map<String, CachedNode> members;
  private @Nullable List<CachedNode> elements;

  CachedNode(Node node) {
    this.node = node;
  }

  /** Creates an outermost value that is not in the document. */
  CachedNode(Json value, String pointer) {
    this(new Node(value, pointer, false));
  }

  Json value() {
    return node.value();
  }

  String pointer() {
    String known = pointer;
    if (known == null) {
      known = node.pointer();
      pointer = known;
    }
    return known;
  }

  /** Returns the member of this name; null if it is missing. */
  @Nullable CachedNode get(String name) {
    return members().get(name);
  }

  /** Returns the members of this object; empty for another kind. Not to be changed. */
  Map<String, CachedNode> members() {
    Map<String, CachedNode> known = members;
    if (known == null) {
      known = new LinkedHashMap<>();
      for (Map.Entry<String, Node> member : node.members().entrySet()) {
        known.put(member.getKey(), new CachedNode(member.getValue()));
      }
      members = known;
    }
    return known;
  }

  /** Returns the elements of this array; empty for another kind. Not to be changed. */
  List<CachedNode> elements() {
    List<CachedNode> known = elements;
    if (known == null) {
      known = new ArrayList<>();
      for (Node element : node.elements()) {
        known.add(new CachedNode(element));
      }
      elements = known;
    }
    return known;
  }

  /**
   * Returns the elements of the array in the member of this name; empty if it is missing.
   *
   * @throws OpenRpcException if the member has another kind
   */
  List<CachedNode> elements(String name) {
    CachedNode member = get(name);
    if (member == null) {
      return List.of();
    }
    member.node.require(Json.Kind.ARRAY);
    return member.elements();
  }
}
