package dev.repartee.openrpc;

import dev.repartee.json.Json;
import dev.repartee.json.JsonObjectBuilder;

/** Copies a part of a document with other references. Everything else is copied unchanged. */
final class Rewriting {
  /** Returns the new text of a reference. */
  interface Rule {
    /**
     * @param from the object with the reference
     * @param part the kind of the target
     */
    String changed(Node from, String reference, Part part);
  }

  private Rewriting() {}

  /** Returns the copy of a part. */
  static Json of(Node node, Part part, Rule rule) {
    Json value = node.value();
    if (value.kind() != Json.Kind.OBJECT) {
      return value;
    }
    String reference = value.string("$ref");
    if (reference != null) {
      return JsonObjectBuilder.of(value)
          .put("$ref", rule.changed(node, reference, part))
          .build();
    }
    JsonObjectBuilder copy = new JsonObjectBuilder();
    node.members().forEach((name, member) -> copy.put(name, member(member, part, name, rule)));
    return copy.build();
  }

  private static Json member(Node member, Part part, String name, Rule rule) {
    Part parts = part.parts(name);
    if (parts != null && member.value().kind() == Json.Kind.ARRAY) {
      return Json.of(
          member.elements().stream().map(each -> of(each, parts, rule)).toList());
    } else if (parts != null) {
      return of(member, parts, rule);
    }
    Part named = part.named(name);
    if (named == null || member.value().kind() != Json.Kind.OBJECT) {
      return member.value();
    }
    JsonObjectBuilder copy = new JsonObjectBuilder();
    member.members().forEach((key, each) -> copy.put(key, of(each, named, rule)));
    return copy.build();
  }
}
