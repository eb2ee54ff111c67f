package dev.repartee.cli.options;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.Options;
import dev.repartee.cli.terminal.Failure;
import dev.repartee.cli.terminal.Stdio;
import dev.repartee.limits.NetworkRange;
import dev.repartee.transport.Endpoint;
import dev.repartee.transport.Transport;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Base64;
import java.util.HashSet;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/**
 * The credentials that a command sends to its server, in the header field {@code Authorization}.
 * They come from a file or the environment, never from the command line, which other users of the
 * machine can see. They are sent only with TLS or to this machine. Error messages do not contain
 * them.
 */
public abstract class CredentialOptions {
  /** The schemes that encrypt header fields on their way to any host. */
  private static final Set<String> SECURE = Set.of("https", "wss", "amqps", "nats+tls");

  private static final Pattern SPEC = Pattern.compile(
      "(?<kind>basic|bearer):(@(?<file>.+)|env:(?<variable>[A-Za-z_][A-Za-z0-9_]*))",
      Pattern.DOTALL);

  private static final Pattern TOKEN = Pattern.compile("[!-~]+");

  /** The credentials of a command that only calls. */
  public static final class Own extends CredentialOptions {
    @Option(names = "--auth", paramLabel = "SPEC", description = """
            Credentials for the server: basic:@FILE with NAME:PASSWORD, or bearer:@FILE with a \
            token; basic:env:NAME and bearer:env:NAME read an environment variable. Sent with TLS or to \
            this machine only. A client certificate belongs to the URI: #cert=FILE&key=FILE.""")
    @Nullable String auth;

    @Override
    @Nullable String spec() {
      return auth;
    }

    @Override
    String option() {
      return "--auth";
    }
  }

  /** The credentials of a server for its backend; its option {@code --auth} is for clients. */
  public static final class ForBackend extends CredentialOptions {
    @Option(names = "--backend-auth", paramLabel = "SPEC", description = """
            Credentials for the backend, as --auth of call: basic:@FILE, bearer:@FILE, \
            basic:env:NAME or bearer:env:NAME.""")
    @Nullable String auth;

    @Override
    @Nullable String spec() {
      return auth;
    }

    @Override
    String option() {
      return "--backend-auth";
    }
  }

  @Option(names = "--netrc", paramLabel = "FILE", description = """
          Read the name and password from a file with lines such as 'machine HOST login NAME \
          password SECRET'. Only the entry for the host of the URI is used.""")
  @Nullable String netrc;

  /** The files that were reported as readable by others. Guarded by this object. */
  private final Set<String> reported = new HashSet<>();

  private CredentialOptions() {}

  /** Returns the credentials as on the command line; null if not given. */
  abstract @Nullable String spec();

  /** Returns the name of the option of {@link #spec}. */
  abstract String option();

  /**
   * Returns the options with the credentials for a server.
   *
   * @throws Failure if they cannot be read, or must not be sent to the server
   */
  public Options addTo(Options options, String uri, Stdio stdio) {
    String spec = spec();
    String file = netrc;
    if (spec == null && file == null) {
      return options;
    }
    if (spec != null && file != null) {
      throw Failure.usage("give " + option() + " or --netrc, not both");
    }
    String host = host(uri);
    String value = spec == null ? fromNetrc(file, host, stdio) : fromSpec(spec, stdio);
    return HeaderOptions.add(options, "Authorization: " + value, option() + " cannot be sent");
  }

  /** Returns whether there are credentials. */
  public boolean areGiven() {
    return spec() != null || netrc != null;
  }

  private String given() {
    return spec() == null ? "--netrc" : option();
  }

  /** Returns the host of a server to which credentials may be sent. */
  private String host(String uri) {
    Endpoint endpoint;
    boolean hasHeaders;
    try {
      endpoint = Endpoint.parse(uri);
      hasHeaders = Transport.of(endpoint).hasHeaders();
    } catch (IllegalArgumentException e) {
      throw Failure.usage(Failure.reason(e));
    }
    if (!hasHeaders) {
      throw Failure.usage(endpoint.scheme() + ": has no place for " + given() + "; a server there "
          + proof(endpoint.scheme()));
    }
    String host = "";
    try {
      String given = new URI(endpoint.bare().toString()).getHost();
      host = given == null ? "" : given.replaceAll("[\\[\\]]", "");
    } catch (URISyntaxException e) {
      // The transport refuses it; the message would contain the whole URI.
    }
    boolean isLocal =
        NetworkRange.isLoopback(host) && endpoint.option("proxy", "none").equals("none");
    if (!SECURE.contains(endpoint.scheme()) && !isLocal) {
      throw Failure.usage(given() + " is not sent to " + endpoint.shown() + " without TLS, because"
          + " others could read it; use https: or wss:, or a tunnel to this machine");
    }
    return host;
  }

  /** Returns how a server knows its clients over a transport without headers. */
  private static String proof(String scheme) {
    return switch (scheme) {
      case "tls" -> "knows its clients by the certificate of the URI, #cert=FILE&key=FILE";
      case "unix" -> "knows its clients by their user";
      case "ssh" -> "knows its clients by their key, #identity=FILE";
      case "xmpp" -> "knows its clients by the account of the URI, xmpp://ACCOUNT/SERVICE";
      case "zmq+tcp" -> "knows its clients by their key, #curve-key=FILE";
      case "tcp" -> "does not know its clients; use tls: with #cert=FILE&key=FILE";
      default -> "needs no credentials";
    };
  }

  private String fromSpec(String spec, Stdio stdio) {
    Matcher matcher = SPEC.matcher(spec);
    if (!matcher.matches()) {
      throw Failure.usage(option() + " is basic:@FILE, bearer:@FILE, basic:env:NAME or"
          + " bearer:env:NAME; a secret is no part of the command line, which other users of this"
          + " machine can see: write it to a file that only you can read");
    }
    String file = matcher.group("file");
    String place;
    String text;
    if (file != null) {
      place = "'" + file + "'";
      text = read(file, stdio);
    } else {
      place = "the environment variable " + matcher.group("variable");
      text = System.getenv(matcher.group("variable"));
      if (text == null) {
        throw Failure.usage(option() + ": " + place + " is not set");
      }
    }
    String secret = text.strip();
    if (matcher.group("kind").equals("basic")) {
      if (secret.indexOf(':') < 1 || secret.lines().count() != 1) {
        throw Failure.usage(option() + ": " + place + " is not one line NAME:PASSWORD");
      }
      return basic(secret);
    }
    if (!TOKEN.matcher(secret).matches()) {
      throw Failure.usage(option() + ": " + place
          + " is not one token of printable ASCII characters without spaces");
    }
    return "Bearer " + secret;
  }

  private String fromNetrc(@Nullable String file, String host, Stdio stdio) {
    String name = String.valueOf(file);
    Netrc.Entry entry;
    try {
      entry = new Netrc(read(name, stdio)).find(host);
    } catch (IllegalArgumentException e) {
      throw Failure.usage("'" + name + "' " + Failure.reason(e));
    }
    if (entry == null) {
      throw Failure.usage("'" + name + "' has no login and password for '" + host
          + "'; add a line: machine " + host + " login NAME password SECRET");
    }
    if (entry.login().isEmpty() || entry.login().indexOf(':') >= 0) {
      throw Failure.usage("'" + name + "': the login for '" + host + "' is empty or has a colon");
    }
    return basic(entry.login() + ":" + entry.password());
  }

  private static String basic(String pair) {
    return "Basic " + Base64.getEncoder().encodeToString(pair.getBytes(UTF_8));
  }

  private synchronized String read(String file, Stdio stdio) {
    String text = SecretFile.read(file, given());
    if (SecretFile.isReadableByOthers(file) && reported.add(file)) {
      stdio.say("other users of this machine can read '" + file + "'; restrict it with chmod 600");
    }
    return text;
  }
}
