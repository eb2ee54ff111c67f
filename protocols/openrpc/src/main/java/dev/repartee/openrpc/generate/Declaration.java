package dev.repartee.openrpc.generate;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A type with a name. Its body is set after types refer to it, since types may be recursive. Equal
 * only to itself.
 */
final class Declaration {
  private final String name;
  private final Doc doc;
  private @Nullable Body body;

  /**
   * Creates a declaration.
   *
   * @param name the name in the document, before the rules of a language; not unique
   */
  Declaration(String name, Doc doc) {
    this.name = name;
    this.doc = doc;
  }

  String name() {
    return name;
  }

  Doc doc() {
    return doc;
  }

  Body body() {
    return Objects.requireNonNull(body, "the body is set when the document has been read");
  }

  void define(Body body) {
    this.body = body;
  }

  /** Returns the name only: the body may refer back to this declaration. */
  @Override
  public String toString() {
    return name;
  }
}
