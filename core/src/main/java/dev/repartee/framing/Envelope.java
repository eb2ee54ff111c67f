package dev.repartee.framing;

/**
 * A message format other than JSON-RPC 2.0, which an endpoint chooses by its name: {@code
 * tcp://127.0.0.1:7000#envelope=jsonrpc-1.0}. An implementation also implements {@link
 * dev.repartee.Dialect}; this interface is the part that transports need.
 *
 * <p>Implementations are found by {@link java.util.ServiceLoader} (in a module: {@code provides
 * dev.repartee.framing.Envelope with ...}) when an endpoint names an envelope for the first time.
 * Immutable and thread-safe.
 */
public interface Envelope {
  /** Returns the name in URIs: lower-case letters, digits, dots and hyphens. */
  String name();

  /**
   * Returns the framing on byte streams if the endpoint names none.
   *
   * @param otherwise the default of the transport
   */
  default Framing framing(Framing otherwise) {
    return otherwise;
  }

  /**
   * Returns the envelope with that name; always the same object.
   *
   * @throws IllegalArgumentException if the name is unknown; the message lists the known names
   */
  static Envelope named(String name) {
    return Envelopes.named(name);
  }
}
