package dev.repartee.openrpc;

import dev.repartee.json.Json;
import java.util.HashMap;
import java.util.Map;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A kind of object in a document, with the members that hold further parts. A reference is possible
 * in place of each part. All other members are data, in which {@code $ref} has no meaning.
 */
enum Part {
  DOCUMENT(null),
  COMPONENTS(null),
  METHOD(null),
  CONTENT("contentDescriptors"),
  SCHEMA("schemas"),
  ERROR("errors"),
  PAIRING("examplePairings"),
  EXAMPLE("examples"),
  TAG("tags"),
  LINK("links");

  /** The members that hold a part, or an array of parts. */
  private final Map<String, Part> parts = new HashMap<>();

  /** The members that hold an object of parts. */
  private final Map<String, Part> named = new HashMap<>();

  private final @Nullable String component;

  static {
    DOCUMENT
        .parts("methods", METHOD)
        .parts("x-notifications", METHOD)
        .parts("components", COMPONENTS);
    for (Part part : values()) {
      if (part.component != null) {
        COMPONENTS.named.put(part.component, part);
      }
    }
    METHOD
        .parts("params", CONTENT)
        .parts("result", CONTENT)
        .parts("errors", ERROR)
        .parts("examples", PAIRING)
        .parts("tags", TAG)
        .parts("links", LINK);
    CONTENT.parts("schema", SCHEMA);
    PAIRING.parts("params", EXAMPLE).parts("result", EXAMPLE);
    for (String keyword : new String[] {
      "additionalItems",
      "additionalProperties",
      "allOf",
      "anyOf",
      "contains",
      "else",
      "if",
      "items",
      "not",
      "oneOf",
      "prefixItems",
      "propertyNames",
      "then",
      "unevaluatedItems",
      "unevaluatedProperties"
    }) {
      SCHEMA.parts(keyword, SCHEMA);
    }
    for (String keyword :
        new String[] {"$defs", "definitions", "dependentSchemas", "patternProperties", "properties"
        }) {
      SCHEMA.named.put(keyword, SCHEMA);
    }
  }

  Part(@Nullable String component) {
    this.component = component;
  }

  private Part parts(String member, Part part) {
    parts.put(member, part);
    return this;
  }

  /** Returns the member of {@code components} with parts of this kind; null if there is none. */
  @Nullable String component() {
    return component;
  }

  /** Returns the kind of the part, or of the parts in an array, in a member; null if it is data. */
  @Nullable Part parts(String member) {
    return parts.get(member);
  }

  /** Returns the kind of the parts in the object in a member; null if it has none. */
  @Nullable Part named(String member) {
    return named.get(member);
  }

  /** Passes each part in the members of a part of this kind to an action. */
  void forEach(Map<String, Node> members, BiConsumer<Node, Part> action) {
    members.forEach((name, member) -> {
      Part part = parts.get(name);
      if (part != null && member.value().kind() == Json.Kind.ARRAY) {
        member.elements().forEach(element -> action.accept(element, part));
      } else if (part != null) {
        action.accept(member, part);
      } else if (named.containsKey(name)) {
        member.members().values().forEach(each -> action.accept(each, named.get(name)));
      }
    });
  }
}
