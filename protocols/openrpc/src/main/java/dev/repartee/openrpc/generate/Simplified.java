package dev.repartee.openrpc.generate;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Replaces references to parts of other schemas, such as {@code
 * #/components/schemas/Order/properties/id}, by the types of these parts. Only the schemas that the
 * author has named are other names for types.
 */
final class Simplified {
  private final Set<Declaration> parts;

  /**
   * Creates the replacement.
   *
   * @param parts the declarations of parts; only aliases among them are replaced
   */
  Simplified(Set<Declaration> parts) {
    this.parts = parts;
  }

  boolean isReplaced(Declaration declared) {
    return parts.contains(declared)
        && declared.body() instanceof Body.Alias alias
        && !contains(alias.type(), declared, new HashSet<>());
  }

  /** Returns whether a type contains an alias, which then cannot be replaced. */
  private boolean contains(Type type, Declaration searched, Set<Declaration> visited) {
    if (type instanceof Type.ListOf list) {
      return contains(list.items(), searched, visited);
    } else if (type instanceof Type.MapOf map) {
      return contains(map.values(), searched, visited);
    } else if (type instanceof Type.OrNull nullable) {
      return contains(nullable.type(), searched, visited);
    } else if (type instanceof Type.Named named) {
      Declaration declared = named.declaration();
      return declared == searched
          || declared.body() instanceof Body.Alias alias
              && visited.add(declared)
              && contains(alias.type(), searched, visited);
    }
    return false;
  }

  void define(Declaration declared) {
    Body body = declared.body();
    if (body instanceof Body.Members object) {
      declared.define(new Body.Members(
          object.members().stream().map(this::member).toList(),
          object.additional() == null ? null : type(object.additional())));
    } else if (body instanceof Body.Union union) {
      List<Body.Alternative> alternatives = union.alternatives().stream()
          .map(
              each -> new Body.Alternative(type(each.type()), each.label(), each.tag(), each.doc()))
          .toList();
      declared.define(new Body.Union(union.tag(), alternatives));
    } else if (body instanceof Body.Alias alias) {
      declared.define(new Body.Alias(type(alias.type())));
    }
  }

  private Body.Member member(Body.Member member) {
    return new Body.Member(member.name(), type(member.type()), member.required(), member.doc());
  }

  Type type(Type type) {
    if (type instanceof Type.ListOf list) {
      return new Type.ListOf(type(list.items()));
    } else if (type instanceof Type.MapOf map) {
      return new Type.MapOf(type(map.values()));
    } else if (type instanceof Type.OrNull nullable) {
      return Type.OrNull.of(type(nullable.type()));
    } else if (type instanceof Type.Named named
        && named.declaration().body() instanceof Body.Alias alias
        && isReplaced(named.declaration())) {
      return type(alias.type());
    }
    return type;
  }
}
