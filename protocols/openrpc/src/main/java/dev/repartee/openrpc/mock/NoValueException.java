package dev.repartee.openrpc.mock;

/** Reports that the sampler has found no value for a schema. */
final class NoValueException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final String pointer;
  private final String reason;
  private final boolean certain;

  private NoValueException(String pointer, String reason, boolean certain) {
    super(pointer + ": " + reason, null, false, false); // alternatives fail often: no stack trace
    this.pointer = pointer;
    this.reason = reason;
    this.certain = certain;
  }

  /** Returns the failure for a schema that no value fits. */
  static NoValueException certain(String pointer, String reason) {
    return new NoValueException(pointer, reason, true);
  }

  /** Returns the failure for a schema that a value may fit. */
  static NoValueException unknown(String pointer, String reason) {
    return new NoValueException(pointer, reason, false);
  }

  /** Returns the JSON pointer of the schema in the document. */
  String pointer() {
    return pointer;
  }

  String reason() {
    return reason;
  }

  /** Returns whether it is certain that no value fits. */
  boolean isCertain() {
    return certain;
  }
}
