package dev.repartee.openrpc;

import dev.repartee.internal.JsonPointer;
import dev.repartee.internal.Text;
import dev.repartee.json.Json;
import dev.repartee.json.JsonException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A value in a document with its JSON pointer. The accessors check kinds; a fault names the
 * pointer.
 *
 * @param parent the object or array with the value; null for the outermost value
 * @param token the name or index in the parent; the JSON pointer of the outermost value
 * @param isLenient whether a member of another kind than expected counts as missing
 */
record Node(Json value, @Nullable Node parent, String token, boolean isLenient) {
  /** The maximum number of characters of a value in an error message. */
  private static final int LONGEST = 60;

  /** Creates an outermost value. */
  Node(Json value, String pointer, boolean isLenient) {
    this(value, null, pointer, isLenient);
  }

  /**
   * Returns the JSON pointer. It is not kept: many members of an object with a long name would need
   * many times the memory of the document.
   */
  String pointer() {
    StringBuilder pointer = new StringBuilder();
    Deque<String> tokens = new ArrayDeque<>();
    Node node = this;
    for (Node outer = parent; outer != null; outer = node.parent) {
      tokens.push(node.token);
      node = outer;
    }
    pointer.append(node.token);
    tokens.forEach(token -> pointer.append('/').append(JsonPointer.escaped(token)));
    return pointer.toString();
  }

  /** Returns the member of this name; null if it is missing. */
  @Nullable Node get(String name) {
    Json member = value.get(name);
    return member == null ? null : at(name, member);
  }

  /** Returns the member of this name and kind; null if it is missing. */
  @Nullable Node get(String name, Json.Kind kind) {
    Node member = get(name);
    return member == null || isLenient && member.value.kind() != kind ? null : member.require(kind);
  }

  private Node at(String token, Json part) {
    return new Node(part, this, token, isLenient);
  }

  /** Returns the string in the member of this name; an empty one if a lenient document has none. */
  String string(String name) {
    String text = optionalString(name);
    if (text == null && !isLenient) {
      throw missing(name);
    }
    return text == null ? "" : text;
  }

  /** Returns the string in the member of this name; null if it is missing. */
  @Nullable String optionalString(String name) {
    Node member = get(name, Json.Kind.STRING);
    return member == null ? null : member.value.string();
  }

  /** Returns the integer in the member of this name; zero if a lenient document has none. */
  long integer(String name) {
    Node member = get(name, Json.Kind.NUMBER);
    try {
      if (member != null) {
        return member.value.as(long.class);
      }
    } catch (JsonException e) {
      if (!isLenient) {
        throw member.fault("expected an integer, found " + member.shown());
      }
    }
    if (!isLenient) {
      throw missing(name);
    }
    return 0;
  }

  /** Returns the boolean in the member of this name; false if it is missing. */
  boolean flag(String name) {
    Node member = get(name, Json.Kind.BOOLEAN);
    return member != null && member.value.equals(Json.TRUE);
  }

  /** Returns the elements of the array in the member of this name; empty if it is missing. */
  List<Node> elements(String name) {
    Node array = get(name, Json.Kind.ARRAY);
    return array == null ? List.of() : array.elements();
  }

  /** Returns the elements of this array; empty for another kind. */
  List<Node> elements() {
    List<Node> elements = new ArrayList<>();
    for (Json element : value.elements()) {
      elements.add(at(String.valueOf(elements.size()), element));
    }
    return elements;
  }

  /** Returns the members of the object in the member of this name; empty if it is missing. */
  Map<String, Node> members(String name) {
    Node object = get(name, Json.Kind.OBJECT);
    return object == null ? Map.of() : object.members();
  }

  /** Returns the members of this object; empty for another kind. */
  Map<String, Node> members() {
    Map<String, Node> members = new LinkedHashMap<>();
    value.members().forEach((name, member) -> members.put(name, at(name, member)));
    return members;
  }

  /** Returns this node; fails if its value has another kind. */
  Node require(Json.Kind kind) {
    if (value.kind() != kind) {
      throw fault("expected " + kind.phrase() + ", found " + shown());
    }
    return this;
  }

  /** Returns the value in a form for error messages. */
  String shown() {
    return value.length() <= LONGEST
        ? Text.shortened(value.toString(), LONGEST)
        : value.kind().phrase();
  }

  OpenRpcException missing(String name) {
    return fault("the member '" + name + "' is missing");
  }

  OpenRpcException fault(String fault) {
    return new OpenRpcException(pointer(), fault);
  }
}
