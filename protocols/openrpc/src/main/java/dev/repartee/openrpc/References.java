package dev.repartee.openrpc;

import dev.repartee.internal.JsonPointer;
import dev.repartee.internal.Text;
import dev.repartee.json.Json;
import dev.repartee.transport.Endpoint;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Resolves references ({@code $ref}) within a document. Each object on the path of a reference is
 * read once: many references into a large document cost no more than its size. In a lenient
 * document, a reference without a target counts as an object without known members. Thread-safe.
 */
final class References {
  private static final int LONGEST = 1_000;

  /** The greatest length of a chain of references. */
  private static final int MAX_HOPS = 32;

  private final Node root;

  /** The members of the objects and arrays on the paths of references, by JSON pointer. */
  private final Map<String, Map<String, Node>> known = new ConcurrentHashMap<>();

  /** The Java objects that were read, by class and JSON pointer. */
  private final Map<Read, Object> read = new ConcurrentHashMap<>();

  private record Read(Class<?> type, String pointer) {}

  References(Node root) {
    this.root = root;
  }

  /**
   * Reads the objects in an array. An object that several references lead to is read once, and
   * shared: a small document cannot describe more than its size.
   */
  <T> List<T> all(Node node, String member, Class<T> type, Function<Node, T> reader) {
    return node.elements(member).stream().map(each -> one(each, type, reader)).toList();
  }

  /** Reads an object, or the target of a reference. */
  <T> T one(Node node, Class<T> type, Function<Node, T> reader) {
    Node resolved = resolve(node);
    Read key = new Read(type, resolved.pointer());
    Object known = read.get(key);
    if (known == null) {
      known = reader.apply(resolved);
      read.put(key, known);
    }
    return type.cast(known);
  }

  /**
   * Follows references. Returns the object itself if it is not a reference.
   *
   * @throws OpenRpcException as {@link #follow} does, or if the value or the target is not an object
   */
  Node resolve(Node node) {
    Node resolved = follow(node);
    return root.isLenient() ? resolved : resolved.require(Json.Kind.OBJECT);
  }

  /**
   * Follows references, for schemas, which may be booleans. Returns the value itself if it is not a
   * reference.
   *
   * @throws OpenRpcException if a reference has no target, leads out of the document, or leads back
   *     to itself
   */
  Node follow(Node node) {
    Node resolved = node;
    Set<String> path = new LinkedHashSet<>();
    for (String reference = referenceIn(node);
        reference != null;
        reference = referenceIn(resolved)) {
      if (!path.add(resolved.pointer()) || path.size() > MAX_HOPS) {
        if (root.isLenient()) {
          return new Node(Json.EMPTY_OBJECT, resolved.pointer(), true);
        }
        throw node.fault("the references form a loop: " + String.join(" -> ", path));
      }
      Node target = root.isLenient() ? find(reference) : target(resolved, reference);
      if (target == null) {
        return resolved;
      }
      resolved = target;
    }
    return resolved;
  }

  private static @Nullable String referenceIn(Node node) {
    return node.value().string("$ref");
  }

  /**
   * Returns the target of one reference.
   *
   * @throws OpenRpcException as {@link #resolve}, except for loops
   */
  Node target(Node from, String reference) {
    if (!reference.startsWith("#")) {
      throw from.fault("the reference '" + shortened(reference)
          + "' leads to another document, which is not read; see --refs and --allow-remote");
    }
    Node target = find(reference);
    if (target == null) {
      throw from.fault("the reference '" + shortened(reference) + "' has no target");
    }
    return target;
  }

  private static String shortened(String reference) {
    return Text.shortened(reference, 200);
  }

  /**
   * Returns the target of a reference into this document (RFC 6901, section 6); null if there is
   * none. The document as a whole is no target, since no part of it has that form.
   */
  @Nullable Node find(String reference) {
    if (!reference.startsWith("#/") || reference.length() > LONGEST) {
      return null;
    }
    try {
      return at(Endpoint.decoded(reference.substring(1)));
    } catch (IllegalArgumentException e) { // not a URI
      return null;
    }
  }

  /** Returns the document as a whole. */
  Node root() {
    return root;
  }

  /** Returns the name that a token of a JSON pointer in a URI stands for. */
  static String decoded(String token) {
    return JsonPointer.unescaped(Endpoint.decoded(token));
  }

  /** Goes from the root to the target. Nothing is kept of a path that has no target. */
  private @Nullable Node at(String pointer) {
    Node node = root;
    for (int slash = pointer.isEmpty() ? -1 : 0; slash >= 0 && node != null; ) {
      int next = pointer.indexOf('/', slash + 1);
      String token = pointer.substring(slash + 1, next < 0 ? pointer.length() : next);
      node = members(pointer.substring(0, slash), node).get(JsonPointer.unescaped(token));
      slash = next;
    }
    return node;
  }

  /** Returns the members of the node at a pointer. */
  private Map<String, Node> members(String pointer, Node node) {
    Map<String, Node> members = known.get(pointer);
    if (members == null) {
      members = members(node);
      known.put(pointer, members);
    }
    return members;
  }

  private static Map<String, Node> members(Node node) {
    if (node.value().kind() != Json.Kind.ARRAY) {
      return node.members();
    }
    Map<String, Node> elements = new LinkedHashMap<>();
    node.elements().forEach(element -> elements.put(String.valueOf(elements.size()), element));
    return elements;
  }
}
