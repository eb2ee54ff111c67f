package dev.repartee.testkit;

/**
 * What goes wrong on a connection, each way for itself.
 *
 * @param toServer with what the client sends
 * @param toClient with what the server sends
 */
public record Faults(Fault toServer, Fault toClient) {
  /** Nothing goes wrong. */
  public static final Faults NONE = both(Fault.NONE);

  /** The same both ways. */
  public static Faults both(Fault fault) {
    return new Faults(fault, fault);
  }

  /** With what the client sends alone. */
  public static Faults toServer(Fault fault) {
    return new Faults(fault, Fault.NONE);
  }

  /** With what the server sends alone. */
  public static Faults toClient(Fault fault) {
    return new Faults(Fault.NONE, fault);
  }

  @Override
  public String toString() {
    return toServer == toClient
        ? "both ways: " + toServer
        : "to the server: " + toServer + ", to the client: " + toClient;
  }
}
