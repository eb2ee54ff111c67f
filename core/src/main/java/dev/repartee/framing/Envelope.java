package dev.repartee.framing;

import dev.repartee.json.Json;
import org.jspecify.annotations.Nullable;

/**
 * A message format other than JSON-RPC 2.0, which an endpoint chooses by its name: {@code
 * tcp://127.0.0.1:7000#envelope=jsonrpc-1.0}. An implementation also implements {@link
 * dev.repartee.message.Dialect}; this interface is the part that transports need.
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
   * Returns an OpenRPC document that describes the methods of the one protocol that has this
   * envelope, for programs that cannot ask the service for it; null, the default, if there is none.
   * The member {@code x-connect} lists calls to make first on each connection: objects with {@code
   * method} and {@code params}.
   */
  default @Nullable Json description() {
    return null;
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
