package dev.repartee;

import dev.repartee.framing.Envelope;
import dev.repartee.framing.Framing;
import dev.repartee.message.Dialect;
import dev.repartee.transport.Endpoint;
import java.util.LinkedHashMap;
import java.util.Map;

/** The dialect and the framing of an endpoint, from its URI and the options of this side. */
final class EndpointDialect {
  private EndpointDialect() {}

  /**
   * Returns the dialect of an endpoint.
   *
   * @param own the dialect of the options
   * @throws IllegalArgumentException if the endpoint names an envelope and the options have another
   *     dialect than {@link Dialect#PLAIN}; additional members are no difference
   */
  static Dialect of(Dialect own, Endpoint endpoint) {
    Envelope envelope = endpoint.envelope();
    if (envelope == null || envelope.getClass() == own.origin().getClass()) {
      return own;
    } else if (Dialect.withoutMembers(own) != Dialect.PLAIN) {
      throw new IllegalArgumentException("the endpoint has the option envelope=" + envelope.name()
          + ", but the options set another dialect; leave out one of them");
    } else if (envelope instanceof Dialect dialect) {
      return dialect;
    }
    throw new IllegalStateException("the envelope '" + envelope.name() + "' cannot be used, since "
        + envelope.getClass().getName() + " does not implement " + Dialect.class.getName());
  }

  /** Returns the endpoint with the usual framing of the dialect, unless it names one. */
  static Endpoint framed(Options options, Endpoint endpoint) {
    Map<String, String> given = endpoint.options();
    Framing usual = options.framing();
    if (usual == Framing.AUTO // the framing of the transport
        || given.containsKey("framing")
        || given.containsKey("envelope")) {
      return endpoint;
    }
    Map<String, String> all = new LinkedHashMap<>(given);
    all.put("framing", usual.label());
    return new Endpoint(endpoint.scheme(), endpoint.address(), all);
  }
}
