package dev.repartee.testkit.fault;

/**
 * The faults of a connection, one for each direction.
 *
 * @param toServer the fault for data from the client
 * @param toClient the fault for data from the server
 */
public record Faults(Fault toServer, Fault toClient) {
  /** No faults. */
  public static final Faults NONE = both(Fault.NONE);

  /** Returns the same fault for both directions. */
  public static Faults both(Fault fault) {
    return new Faults(fault, fault);
  }

  /** Returns a fault for data from the client only. */
  public static Faults toServer(Fault fault) {
    return new Faults(fault, Fault.NONE);
  }

  /** Returns a fault for data from the server only. */
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
