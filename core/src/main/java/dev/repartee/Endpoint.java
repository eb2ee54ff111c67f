package dev.repartee;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * An address that JSON-RPC is spoken at: {@code tcp://127.0.0.1:7000}, {@code unix:/run/app.sock},
 * {@code exec:clangd --log=error}.
 *
 * <p>What follows the scheme belongs to the transport, byte for byte. Options of ours may ride behind
 * a trailing {@code #key=value&key=value} of known keys: {@code tcp://host:7000#framing=lines}.
 *
 * @param scheme what stands before the first colon, in lower case
 * @param address what stands behind it, without the options
 * @param options the options, in order
 */
public record Endpoint(String scheme, String address, Map<String, String> options) {
  /** Copies the options. */
  public Endpoint {
    options = java.util.Collections.unmodifiableMap(new LinkedHashMap<>(options));
  }

  /**
   * Reads a URI.
   *
   * @throws IllegalArgumentException if it has no scheme, or a trailing option that is not known to
   *     any transport; the message says what is
   */
  public static Endpoint parse(String uri) {
    throw new UnsupportedOperationException();
  }

  /** The option, or that default. */
  public String option(String key, String otherwise) {
    return options.getOrDefault(key, otherwise);
  }

  /** This endpoint at another address, as when port 0 became a real one. */
  public Endpoint at(String address) {
    return new Endpoint(scheme, address, options);
  }

  /** This endpoint without options: the peer's own address. */
  public Endpoint bare() {
    return new Endpoint(scheme, address, Map.of());
  }

  /** The URI. */
  @Override
  public String toString() {
    StringBuilder uri = new StringBuilder(scheme).append(':').append(address);
    char separator = '#';
    for (Map.Entry<String, String> option : options.entrySet()) {
      uri.append(separator).append(option.getKey()).append('=').append(option.getValue());
      separator = '&';
    }
    return uri.toString();
  }

  static final Set<String> COMMON_OPTIONS = Set.of("framing");
}
