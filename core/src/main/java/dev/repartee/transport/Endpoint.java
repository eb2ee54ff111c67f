package dev.repartee.transport;

import dev.repartee.framing.Envelope;
import dev.repartee.framing.Framing;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The address of a JSON-RPC server or client: {@code tcp://127.0.0.1:7000}, {@code
 * unix:/run/app.sock}, {@code exec:clangd --log=error}.
 *
 * <p>The text after the scheme is passed to the transport unchanged. It may end in options of this
 * library, {@code #key=value&key=value}: {@code tcp://host:7000#framing=lines}. The text after the
 * last {@code #} is parsed as options only if all of it consists of {@code key=value} pairs joined
 * by {@code &}. A key has lower-case letters, digits and hyphens, and starts with a letter. A value
 * has letters, digits and {@code . _ ~ : / + % , = * @ [ ] -}. Any other {@code #} belongs to the
 * address. If an address itself ends like options, add an option after it: {@code
 * unix:/tmp/a#b=c#framing=auto}. Options directly after a URI at the end of an {@code exec:}
 * command are refused, since they could belong to either; quotes around that URI, or a space before
 * {@code #}, decide it.
 *
 * <p>Every transport has the options {@code framing} (see {@link Framing}), {@code envelope} (the
 * {@linkplain Envelope#name name} of a message format other than JSON-RPC 2.0) and {@code lenient}.
 * The latter lists the deviations of the peer that are tolerated: the names of {@link Lenience}
 * in lower case with hyphens, separated by commas, or {@code all}. For example: {@code
 * tcp://host:7000#lenient=null-params,missing-version}.
 *
 * @param scheme the text before the first colon, in lower case
 * @param address the text after the first colon, without the options
 * @param options the options, in order
 */
public record Endpoint(String scheme, String address, Map<String, String> options) {
  private static final String FRAMING = "framing";
  private static final String LENIENT = "lenient";
  private static final String ENVELOPE = "envelope";
  private static final Set<String> WITHOUT_QUERY = Set.of("exec", "mem", "pipe", "unix");
  static final Set<String> COMMON_OPTIONS = Set.of(ENVELOPE, FRAMING, LENIENT);

  // Strings, not Patterns: most programs use no option, and compiling would slow their start.
  private static final String OPTION = "[a-z][a-z0-9-]*=[A-Za-z0-9._~:/+%,=*@\\[\\]-]*";
  // Possessive: a group that can backtrack needs a stack frame for each pair.
  static final String OPTIONS = OPTION + "(&" + OPTION + ")*+";
  private static final String EXEC_OPTION = ".*&(cwd|env|stderr)=.*";
  private static final String LIST = "//[^?#]*, *[A-Za-z][A-Za-z0-9+.-]*://.*";
  // A password with a character that has to be encoded, such as a slash: no port follows the colon.
  private static final String RAW_PASSWORD = "^([^/?#]*)//[^/?#@:\\[]*:(?![0-9]*([/?#]|$)).*@";
  private static final String HOST_AND_PORT = "([0-9.]+|\\[[0-9A-Fa-f:.]+\\]|):[0-9]{1,5}";

  /** Copies the options. */
  public Endpoint {
    options = java.util.Collections.unmodifiableMap(new LinkedHashMap<>(options));
  }

  /**
   * Parses a URI.
   *
   * @throws IllegalArgumentException if the URI has no scheme, an option that its transport does
   *     not have, a duplicate option or an unknown value of an option. The message names the remedy
   */
  public static Endpoint parse(String uri) {
    int colon = uri.indexOf(':');
    if (colon < 0 || !isScheme(uri.substring(0, colon))) {
      throw new IllegalArgumentException("'" + shown(uri) + "' has no scheme; " + hint(uri));
    }
    String scheme = uri.substring(0, colon).toLowerCase(Locale.ROOT);
    String address = uri.substring(colon + 1);
    requireOne(uri, scheme, address);
    int hash = address.lastIndexOf('#');
    if (hash < 0 || !address.substring(hash + 1).matches(OPTIONS)) {
      return new Endpoint(scheme, address, Map.of());
    }
    if (scheme.equals("exec")) {
      requireNoInnerUri(uri, address.substring(0, hash), address.substring(hash + 1));
    }
    Map<String, String> options = options(uri, scheme, address.substring(hash + 1));
    return new Endpoint(scheme, address.substring(0, hash), options);
  }

  /** Refuses a list of URIs. Commands and paths of files may contain anything. */
  private static void requireOne(String uri, String scheme, String address) {
    boolean suspect = address.indexOf(',') >= 0 && !WITHOUT_QUERY.contains(scheme);
    if (suspect && address.matches(LIST)) {
      throw new IllegalArgumentException("'" + shown(uri) + "' is more than one URI; an endpoint is"
          + " one of them (a comma that belongs to the URI is written as %2C)");
    }
  }

  /** Returns whether a text is a URI scheme (RFC 3986 section 3.1). */
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

  /**
   * Returns the URIs of a text with alternatives, such as {@code tcp://one:7000|tcp://two:7000}: it
   * is divided at each vertical bar that is followed by the scheme of an installed transport. Other
   * bars belong to a URI, as in {@code exec:sh -c 'cat | sort'}; a bar in a password is written
   * {@code %7C}.
   */
  public static List<String> alternatives(String uris) {
    List<String> all = new ArrayList<>();
    int from = 0;
    for (int bar = uris.indexOf('|'); bar >= 0; bar = uris.indexOf('|', bar + 1)) {
      int colon = uris.indexOf(':', bar);
      if (colon >= 0 && Transports.isKnown(uris.substring(bar + 1, colon))) {
        all.add(uris.substring(from, bar));
        from = bar + 1;
      }
    }
    all.add(uris.substring(from));
    return all;
  }

  /**
   * Returns a URI for messages, without its secrets: dots replace user names and passwords, the
   * query, and the variables of a child process.
   *
   * @param uri any text, even if it is not a URI; may have {@link #alternatives}
   */
  public static String shown(String uri) {
    return uri.indexOf('|') < 0
        ? masked(uri)
        : alternatives(uri).stream().map(Endpoint::masked).collect(Collectors.joining("|"));
  }

  private static String masked(String uri) {
    String shown = uri.replaceFirst("^([^/?#]*)//[^/?#]*@", "$1//...@")
        .replaceFirst(RAW_PASSWORD, "$1//...@")
        .replaceAll("//[^/?#@&]*@", "//...@")
        .replaceAll("([#&]env=)[^&]*", "$1...");
    int query = shown.indexOf('?');
    return query < 0 || query == shown.length() - 1 || hasNoQuery(shown)
        ? shown
        : shown.substring(0, query + 1) + "...";
  }

  /** Returns whether a question mark belongs to a command or a path. */
  private static boolean hasNoQuery(String uri) {
    int colon = uri.indexOf(':');
    return colon >= 0 && WITHOUT_QUERY.contains(uri.substring(0, colon).toLowerCase(Locale.ROOT));
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

  /**
   * Refuses options directly after a URI at the end of a command: they could belong to that URI or
   * to {@code exec:}. Options that only {@code exec:} has decide it, and so does the scheme {@code
   * stdio}, the other end of the same connection.
   */
  private static void requireNoInnerUri(String uri, String command, String options) {
    String word = command.substring(lastOf(command, " \t\n=") + 1);
    int colon = word.indexOf(':');
    if (colon < 0
        || command.startsWith("[")
        || ("&" + options).matches(EXEC_OPTION)
        || !word.substring(0, colon).matches("[a-z][a-z0-9+.-]*")
        || word.startsWith("stdio:")
        || word.matches(".*['\"].*")
        || Transports.options(word.substring(0, colon)) == null) {
      return;
    }
    throw new IllegalArgumentException("'" + shown(uri) + "' has options after a URI of the"
        + " command; put that URI and its options in quotes, as in exec:PROGRAM"
        + " 'tcp://HOST:PORT#framing=lines', or write a space before '#' if they are options of"
        + " exec:");
  }

  private static int lastOf(String text, String characters) {
    int last = text.length() - 1;
    while (last >= 0 && characters.indexOf(text.charAt(last)) < 0) {
      last--;
    }
    return last;
  }

  private static Map<String, String> options(String uri, String scheme, String text) {
    Set<String> known = Transports.options(scheme); // null: Transports.of refuses the scheme
    Map<String, String> options = new LinkedHashMap<>();
    for (String pair : text.split("&")) {
      int equals = pair.indexOf('=');
      String key = pair.substring(0, equals);
      if (known != null && !known.contains(key)) {
        throw new IllegalArgumentException("'" + shown(uri) + "' has the unknown option '" + key
            + "'; known for " + scheme + " are " + String.join(", ", known));
      }
      if (options.put(key, pair.substring(equals + 1)) != null) {
        throw new IllegalArgumentException(
            "'" + shown(uri) + "' has the option '" + key + "' twice");
      }
    }
    if (options.containsKey(FRAMING)) {
      Framing.named(options.getOrDefault(FRAMING, ""));
    }
    if (options.containsKey(LENIENT)) {
      Lenience.named(options.getOrDefault(LENIENT, ""));
    }
    if (options.containsKey(ENVELOPE)) {
      Envelope.named(options.getOrDefault(ENVELOPE, ""));
    }
    return options;
  }

  /**
   * Returns the command of an {@code exec:} endpoint and its arguments. If the address is a JSON
   * array of strings, these are the words. Otherwise the address is split like a shell does,
   * without expansions.
   *
   * @throws IllegalArgumentException if there is no command, if a quote is not closed, or if the
   *     JSON is not an array of strings
   */
  public List<String> command() {
    return ExecTransport.words(this);
  }

  /** Returns the deviations in the option {@code lenient}; empty without that option. */
  public Set<Lenience> lenience() {
    String labels = options.get(LENIENT);
    return labels == null ? Set.of() : Lenience.named(labels);
  }

  /** Returns the message format in the option {@code envelope}; null for JSON-RPC 2.0. */
  public @Nullable Envelope envelope() {
    String name = options.get(ENVELOPE);
    return name == null ? null : Envelope.named(name);
  }

  /**
   * Returns the framing in the option {@code framing}. Without that option it is the framing of the
   * envelope, or else {@code otherwise}, the default of the transport.
   */
  public Framing framing(Framing otherwise) {
    Envelope envelope = envelope();
    Framing usual = envelope == null ? otherwise : envelope.framing(otherwise);
    return Framing.named(option(FRAMING, usual.label()));
  }

  /** Returns the value of an option, or {@code otherwise} if the option is missing. */
  public String option(String key, String otherwise) {
    return options.getOrDefault(key, otherwise);
  }

  /**
   * Returns this endpoint with another address, for example with the real port instead of port 0.
   */
  public Endpoint at(String address) {
    return new Endpoint(scheme, address, options);
  }

  /** Returns this endpoint without options. */
  public Endpoint bare() {
    return new Endpoint(scheme, address, Map.of());
  }

  /** Returns the URI for messages, without options and secrets; see {@link #shown(String)}. */
  public String shown() {
    return shown(bare().toString());
  }

  /**
   * Returns a part of a URI without its percent-encoding, which encodes UTF-8 (RFC 3986 section
   * 2.1). A plus sign stays.
   *
   * @throws IllegalArgumentException if no two hexadecimal digits follow a percent sign
   */
  public static String decoded(String part) {
    return URLDecoder.decode(part.replace("+", "%2B"), StandardCharsets.UTF_8);
  }

  /** Returns the URI, with the options. */
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
