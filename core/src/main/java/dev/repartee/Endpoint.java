package dev.repartee;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * An address that JSON-RPC is spoken at: {@code tcp://127.0.0.1:7000}, {@code unix:/run/app.sock},
 * {@code exec:clangd --log=error}.
 *
 * <p>What follows the scheme belongs to the transport, byte for byte. Options of ours may ride behind
 * a trailing {@code #key=value&key=value} of known keys: {@code tcp://host:7000#framing=lines}. Only
 * what stands behind the last {@code #} can be options, and only if all of it is {@code key=value}
 * pairs joined by {@code &}: a key is lower-case letters, digits and hyphens, starting with a letter,
 * and a value is letters, digits and {@code . _ ~ : / + % , -}. Any other {@code #} belongs to the
 * address. An address that itself ends like options is written with options behind it: {@code
 * unix:/tmp/a#b=c#framing=auto}.
 *
 * <p>Every transport knows {@code framing} (see {@link Framing}) and {@code lenient}: which deviations
 * of the other side are tolerated, by the names of {@link Options.Lenience} in lower case with hyphens,
 * separated by commas, or {@code all}: {@code tcp://host:7000#lenient=null-params,missing-version}.
 *
 * @param scheme what stands before the first colon, in lower case
 * @param address what stands behind it, without the options
 * @param options the options, in order
 */
public record Endpoint(String scheme, String address, Map<String, String> options) {
  private static final String FRAMING = "framing";
  private static final String LENIENT = "lenient";
  static final Set<String> COMMON_OPTIONS = Set.of(FRAMING, LENIENT);

  // Compiled where one is met, since most programs meet none and pay for it when they start.
  private static final String OPTION = "[a-z][a-z0-9-]*=[A-Za-z0-9._~:/+%,-]*";
  // Possessive: what may be given back is kept on the stack, a level for each pair.
  private static final String OPTIONS = OPTION + "(&" + OPTION + ")*+";
  private static final String HOST_AND_PORT = "([0-9.]+|\\[[0-9A-Fa-f:.]+\\]|):[0-9]{1,5}";

  /** Copies the options. */
  public Endpoint {
    options = java.util.Collections.unmodifiableMap(new LinkedHashMap<>(options));
  }

  /**
   * Reads a URI.
   *
   * @throws IllegalArgumentException if it has no scheme, or a trailing option that is not known to
   *     any transport, or has no such value; the message says what is
   */
  public static Endpoint parse(String uri) {
    int colon = uri.indexOf(':');
    if (colon < 0 || !isScheme(uri.substring(0, colon))) {
      throw new IllegalArgumentException("'" + uri + "' has no scheme; " + hint(uri));
    }
    String scheme = uri.substring(0, colon).toLowerCase(Locale.ROOT);
    String address = uri.substring(colon + 1);
    int hash = address.lastIndexOf('#');
    if (hash < 0 || !address.substring(hash + 1).matches(OPTIONS)) {
      return new Endpoint(scheme, address, Map.of());
    }
    Map<String, String> options = options(uri, address.substring(hash + 1));
    return new Endpoint(scheme, address.substring(0, hash), options);
  }

  /** RFC 3986 section 3.1. */
  private static boolean isScheme(String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      boolean letter = c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z';
      boolean other = c >= '0' && c <= '9' || c == '+' || c == '.' || c == '-';
      if (!letter && (i == 0 || !other)) {
        return false;
      }
    }
    return !text.isEmpty();
  }

  private static String hint(String uri) {
    if (uri.matches(HOST_AND_PORT)) {
      return "did you mean tcp://" + uri + " or http://" + uri + "/?";
    }
    if (uri.startsWith("/") || uri.startsWith("./") || uri.startsWith("../")) {
      return "did you mean unix:" + uri + "?";
    }
    return "an endpoint is like tcp://127.0.0.1:7000, unix:/run/app.sock or exec:COMMAND";
  }

  private static Map<String, String> options(String uri, String text) {
    Map<String, String> options = new LinkedHashMap<>();
    for (String pair : text.split("&")) {
      int equals = pair.indexOf('=');
      String key = pair.substring(0, equals);
      if (!COMMON_OPTIONS.contains(key) && !Transports.options().contains(key)) {
        throw new IllegalArgumentException("'" + uri + "' has the unknown option '" + key
            + "'; known are " + String.join(", ", Transports.options()));
      }
      if (options.put(key, pair.substring(equals + 1)) != null) {
        throw new IllegalArgumentException("'" + uri + "' has the option '" + key + "' twice");
      }
    }
    if (options.containsKey(FRAMING)) {
      Framing.named(options.getOrDefault(FRAMING, ""));
    }
    if (options.containsKey(LENIENT)) {
      Options.Lenience.named(options.getOrDefault(LENIENT, ""));
    }
    return options;
  }

  /**
   * The words of the command that an {@code exec:} endpoint runs: exact if its address is a JSON array
   * of strings, else split as a shell does, without its expansions.
   *
   * @throws IllegalArgumentException if it names none, or a quote is not closed
   */
  public List<String> command() {
    return ExecTransport.words(this);
  }

  /** Returns the deviations that the option {@code lenient} names; none where it is not given. */
  Set<Options.Lenience> lenience() {
    String labels = options.get(LENIENT);
    return labels == null ? Set.of() : Options.Lenience.named(labels);
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
}
