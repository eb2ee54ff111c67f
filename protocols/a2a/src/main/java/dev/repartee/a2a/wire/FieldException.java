package dev.repartee.a2a.wire;

/** Reports a member of a JSON object that does not have the required form. */
public final class FieldException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final String field;
  private final String description;

  /**
   * Creates an exception without a stack trace, because a peer can cause it as often as it likes.
   *
   * @param field the path of the member
   * @param description the fault
   */
  public FieldException(String field, String description) {
    super(field + ": " + description, null, false, false);
    this.field = field;
    this.description = description;
  }

  /** Returns the path of the member. */
  public String field() {
    return field;
  }

  /** Returns the fault. */
  public String description() {
    return description;
  }
}
