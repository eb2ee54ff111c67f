package dev.repartee.openrpc;

import dev.repartee.json.Json;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Checks the references of a document: each has a target, and no part refers to itself without an
 * end. Not thread-safe.
 */
final class ReferenceCheck {
  /** The keywords of which the schemas apply to the same value, besides {@code $ref}. */
  private static final List<String> SAME_VALUE =
      List.of("allOf", "anyOf", "oneOf", "not", "if", "then", "else");

  /** The maximum number of schemas, one in the other, that apply to the same value. */
  private static final int DEEPEST = 500;

  private final References references;

  /** The targets of references that lead to no loop, by JSON pointer. */
  private final Set<String> ended = new HashSet<>();

  /** The schemas that are followed. */
  private final List<Node> path = new ArrayList<>();

  /** The indexes in the path of the targets of references, by JSON pointer. */
  private final Map<String, Integer> open = new HashMap<>();

  ReferenceCheck(References references) {
    this.references = references;
  }

  /**
   * Checks the references in a part of the document.
   *
   * @throws OpenRpcException with the pointer of the first fault
   */
  void check(Node node, Part part) {
    check(node, part, false);
  }

  /** @param isFollowed whether the schema was followed with the one that has it */
  private void check(Node node, Part part, boolean isFollowed) {
    if (part == Part.SCHEMA && node.value().kind() == Json.Kind.BOOLEAN) {
      return;
    }
    Map<String, Node> members = node.members(); // each look into the node would read its text again
    if (part == Part.SCHEMA) {
      node.require(Json.Kind.OBJECT);
      if (!isFollowed) {
        follow(node, members);
      }
    } else if (members.containsKey("$ref")) {
      references.resolve(node);
    }
    boolean follows = part == Part.SCHEMA && reference(members) == null;
    part.forEach(
        members, (inner, kind) -> check(inner, kind, follows && isForSameValue(inner, node)));
  }

  private static @Nullable String reference(Map<String, Node> members) {
    Node reference = members.get("$ref");
    return reference == null ? null : reference.value().string();
  }

  private static boolean isForSameValue(Node inner, Node schema) {
    Node parent = inner.parent();
    return parent == schema
        ? SAME_VALUE.contains(inner.token())
        : parent != null
            && parent.parent() == schema
            && parent.value().kind() == Json.Kind.ARRAY
            && SAME_VALUE.contains(parent.token());
  }

  /** Follows the schemas that apply to the same value. Only references can lead to a loop. */
  private void follow(Node schema) {
    follow(schema, schema.members());
  }

  private void follow(Node schema, Map<String, Node> members) {
    if (path.size() == DEEPEST) {
      throw schema.fault("the references nest too deep");
    }
    path.add(schema);
    String reference = reference(members);
    if (reference != null) {
      followTarget(references.target(schema, reference));
    } else {
      for (String keyword : SAME_VALUE) {
        Node nested = members.get(keyword);
        if (nested != null && nested.value().kind() == Json.Kind.ARRAY) {
          nested.elements().forEach(this::follow);
        } else if (nested != null) {
          follow(nested);
        }
      }
    }
    path.remove(path.size() - 1);
  }

  private void followTarget(Node target) {
    String pointer = target.pointer();
    if (ended.contains(pointer)) {
      return;
    }
    Integer first = open.putIfAbsent(pointer, path.size());
    if (first != null) {
      throw target.fault("the references form a loop: "
          + path.subList(first, path.size()).stream()
              .map(Node::pointer)
              .collect(Collectors.joining(" -> ")));
    }
    follow(target);
    open.remove(pointer);
    ended.add(pointer);
  }
}
