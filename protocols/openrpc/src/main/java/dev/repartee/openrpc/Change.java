package dev.repartee.openrpc;

/**
 * A difference between two documents of a service.
 *
 * @param method the name of the method
 * @param text the difference in a few words, such as {@code the parameter 'count' is required}
 * @param breaks whether a caller that was written for the old document may fail
 */
public record Change(Kind kind, String method, String text, boolean breaks) {
  /** The kind of a difference. */
  public enum Kind {
    /** The new document has a further method. */
    ADDED,
    /** The new document lacks the method. */
    REMOVED,
    /** Both documents have the method. */
    CHANGED
  }

  /** Returns a line for people: a mark, the method and the difference. */
  @Override
  public String toString() {
    String mark = switch (kind) {
      case ADDED -> "+ ";
      case REMOVED -> "- ";
      case CHANGED -> "~ ";
    };
    return mark + method + ": " + text;
  }
}
