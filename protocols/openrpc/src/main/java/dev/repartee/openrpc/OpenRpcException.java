package dev.repartee.openrpc;

/**
 * Reports an OpenRPC document that cannot be used. The message is a sentence with the JSON pointer
 * of the fault.
 */
public final class OpenRpcException extends IllegalArgumentException {
  private static final long serialVersionUID = 1;

  private final String pointer;
  private final String reason;

  /**
   * Creates an exception.
   *
   * @param pointer the JSON pointer of the fault; empty for the document as a whole
   * @param fault the sentence about the fault, without the pointer
   */
  public OpenRpcException(String pointer, String fault) {
    super((pointer.isEmpty() ? "the document" : pointer) + ": " + fault);
    this.pointer = pointer;
    this.reason = fault;
  }

  /** Returns the fault without its place. */
  public String reason() {
    return reason;
  }

  /**
   * Returns the JSON pointer (RFC 6901) of the fault in the document; empty if the fault is the
   * document as a whole.
   */
  public String pointer() {
    return pointer;
  }
}
