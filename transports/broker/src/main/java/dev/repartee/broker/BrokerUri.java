package dev.repartee.broker;

import dev.repartee.transport.Endpoint;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/** The rules that the URIs of all brokers share. */
public final class BrokerUri {
  private BrokerUri() {}

  /**
   * Refuses options of the other role.
   *
   * @param role the role that the options belong to: {@code clients} or {@code services}
   * @throws IllegalArgumentException if the endpoint has one of the options; the message contains
   *     it
   */
  public static void refuse(Endpoint endpoint, String role, String... options) {
    for (String option : options) {
      if (endpoint.options().containsKey(option)) {
        throw new IllegalArgumentException("'" + endpoint.shown() + "' has the option " + option
            + ", which is one of " + role + "; leave it out");
      }
    }
  }

  /**
   * Returns a part of the address without its percent-encoding.
   *
   * @throws IllegalArgumentException if the encoding is malformed; the message contains the remedy
   */
  public static String decoded(Endpoint endpoint, String part) {
    try {
      return Endpoint.decoded(part);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("'" + endpoint.shown()
          + "' has a percent sign that begins no code; write %25 for a percent sign");
    }
  }

  /**
   * Returns the endpoint for clients of a worker, without its credentials.
   *
   * @param ofWorkers the options that apply only to the worker; they are omitted, too
   */
  public static Endpoint forClients(Endpoint worker, Set<String> ofWorkers) {
    Map<String, String> options = new LinkedHashMap<>(worker.options());
    options.keySet().removeAll(ofWorkers);
    String address = worker.address().replaceFirst("^//[^/]*@", "//");
    return new Endpoint(worker.scheme(), address, options);
  }
}
