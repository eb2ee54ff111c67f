package dev.repartee.openrpc;

/** The form of the params that a method accepts (OpenRPC, Method Object). */
public enum ParamStructure {
  /** An array. */
  BY_POSITION("by-position"),
  /** An object. */
  BY_NAME("by-name"),
  /** An array or an object; the default. */
  EITHER("either");

  private final String text;

  ParamStructure(String text) {
    this.text = text;
  }

  /** Returns the word in documents, such as {@code by-name}. */
  public String text() {
    return text;
  }

  static ParamStructure of(Node method) {
    Node given = method.get("paramStructure");
    if (given == null) {
      return EITHER;
    }
    for (ParamStructure structure : values()) {
      if (structure.text.equals(given.value().string())) {
        return structure;
      }
    }
    if (method.isLenient()) {
      return EITHER;
    }
    throw given.fault("expected by-position, by-name or either, found " + given.shown());
  }
}
