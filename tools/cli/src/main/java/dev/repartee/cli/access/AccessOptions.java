package dev.repartee.cli.access;

import dev.repartee.Options;
import dev.repartee.access.Access;
import dev.repartee.access.Authenticator;
import dev.repartee.cli.access.AuthSpec.Place;
import dev.repartee.cli.terminal.Failure;
import dev.repartee.cli.terminal.Stdio;
import dev.repartee.internal.log.RotatingFile;
import dev.repartee.security.Authenticators;
import dev.repartee.transport.Endpoint;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/**
 * The authentication, permissions and quotas of a serving command. Without these options, no class
 * of the module of authenticators is loaded.
 */
public final class AccessOptions implements AutoCloseable {
  @Option(names = "--auth", paramLabel = "SPEC", description = """
          Admit only callers with valid credentials; may be repeated, and one of the ways suffices. \
          Over HTTP and WebSocket: basic:FILE (passwords, written by 'repartee passwd'), \
          bearer:FILE or key:HEADER,FILE (tokens), \
          jwt:JWKS,issuer=...,audience=...[,roles=CLAIM], introspect:URL,client=FILE. \
          With TLS: mtls:CA[,FILE] (client certificates). At unix: peer:uid=..., peer:user=... or \
          peer:group=... (users of this machine), each with [,role=ROLE].""")
  List<String> auth = new ArrayList<>();

  @Option(names = "--allow", paramLabel = "ROLE=PATTERN", description = """
          Allow callers with this role the methods that match the pattern, in which * stands for \
          any characters; the role * is everybody. May be repeated. With this option, all other methods are \
          forbidden.""")
  List<String> allow = new ArrayList<>();

  @Option(names = "--deny", paramLabel = "PATTERN", description = """
          Forbid the methods that match the pattern to everybody; may be repeated.""")
  List<String> deny = new ArrayList<>();

  @Option(names = "--quota", paramLabel = "LIMITS", description = """
          Limit each caller: 100/s, or calls=100/s,in-flight=10,bytes=1m/s. A call beyond a limit \
          gets the error -32000, over HTTP with the status 429.""")
  @Nullable String quota;

  @Option(names = "--audit", paramLabel = "FILE", description = """
          Append a line of JSON for each decision about a call or a caller: time, address, \
          principal, method, outcome. At 10 MiB the file is renamed to FILE.1. - is standard \
          error.""")
  @Nullable String audit;

  private @Nullable AuditLog log;

  /**
   * Checks that each endpoint supports one of the ways to authenticate, if there are any.
   *
   * @return the endpoints, with the authority of client certificates
   * @throws Failure if an option has no effect, or an endpoint could not be called
   */
  public List<Endpoint> checked(List<Endpoint> endpoints) {
    if (auth.isEmpty()) {
      return endpoints;
    }
    List<AuthSpec> specs = auth.stream().map(AuthSpec::parse).toList();
    for (AuthSpec spec : specs) {
      Place place = spec.kind().place;
      if (endpoints.stream().noneMatch(endpoint -> place.has(endpoint.scheme()))) {
        throw Failure.usage("--auth " + spec.kind().word() + ": proves nothing at "
            + endpoints.stream().map(Endpoint::shown).collect(Collectors.joining(" and "))
            + "; it needs an endpoint with " + place.shown
            + (endpoints.size() > 1 ? "" : "; " + remedy(endpoints.get(0).scheme())));
      }
    }
    List<Endpoint> checked = new ArrayList<>();
    for (Endpoint endpoint : endpoints) {
      if (specs.stream().noneMatch(spec -> spec.kind().place.has(endpoint.scheme()))) {
        throw Failure.usage(
            "nobody could call " + endpoint.shown() + ": " + remedy(endpoint.scheme()));
      }
      checked.add(withAuthority(endpoint, specs));
    }
    return checked;
  }

  /** Returns the proof of identity of callers at endpoints of a scheme, and the option for it. */
  private static String remedy(String scheme) {
    return switch (scheme) {
      case "stdio" ->
        "its only caller is the program that starts this command; leave out --auth, or stdio:";
      case "pipe" -> "the permissions of its files decide who calls; leave out --auth, or pipe:";
      case "tcp" ->
        "a client of tcp: cannot prove who it is; use tls: with --auth mtls:CA, or unix: with --auth"
            + " peer:user=NAME";
      case "unix" -> "a client of unix: proves its user only; add --auth peer:user=NAME";
      case "tls" -> "a client of tls: proves its certificate only; add --auth mtls:CA";
      case "ssh" ->
        "a client of ssh: is admitted by its key, #authorized=FILE; leave out --auth, or ssh:";
      case "xmpp" ->
        "a client of xmpp: is admitted by its address, #allow=ACCOUNTS; leave out --auth, or xmpp:";
      case "zmq+tcp" ->
        "a client of zmq+tcp: is admitted by its key, #curve-clients=FILE; leave out --auth, or"
            + " zmq+tcp:";
      case "http", "ws" ->
        "a client of " + scheme + ": proves who it is by a header field; add --auth bearer:FILE, or"
            + " use " + scheme + "s:";
      default ->
        Place.HEADERS.has(scheme)
            ? "a client of " + scheme + ": proves who it is by a header; add --auth bearer:FILE"
            : "no way of --auth is possible at " + scheme + ":; serve there without --auth";
    };
  }

  /** Returns an endpoint that requires certificates of the authority of {@code --auth mtls:}. */
  private static Endpoint withAuthority(Endpoint endpoint, List<AuthSpec> specs) {
    Endpoint result = endpoint;
    for (AuthSpec spec : specs) {
      String authority = spec.authority();
      if (authority == null || !Place.TLS.has(endpoint.scheme())) {
        continue;
      }
      Map<String, String> options = new LinkedHashMap<>(result.options());
      String other = options.put("ca", authority);
      if (other != null && !other.equals(authority)) {
        throw Failure.usage("--auth mtls: has the authority '" + authority + "', but "
            + endpoint.shown() + " has another one; an endpoint has one file of authorities");
      }
      result = new Endpoint(endpoint.scheme(), endpoint.address(), options);
    }
    return result;
  }

  /**
   * Returns the options of a server with the authenticator, the rules, the quota and the audit.
   *
   * @throws Failure if the value of an option is invalid, or a file cannot be used
   */
  public Options addTo(Options options, Stdio stdio) {
    if (auth.isEmpty() && allow.isEmpty() && deny.isEmpty() && quota == null && audit == null) {
      return options;
    }
    Access.Builder access = Access.builder();
    if (!auth.isEmpty()) {
      access.authenticator(authenticator());
    }
    for (String rule : allow) {
      int equals = rule.indexOf('=');
      String role = rule.substring(0, Math.max(0, equals));
      String pattern = rule.substring(equals + 1);
      if (role.isBlank() || pattern.isBlank() || pattern.indexOf(',') >= 0) {
        throw Failure.usage(
            "--allow: '" + rule + "' is not ROLE=PATTERN, with one pattern; example:"
                + " --allow 'user=order*' --allow admin=*");
      }
      if (auth.isEmpty() && !role.equals(Access.ANYONE)) {
        throw Failure.usage("--allow: without --auth nobody has the role '" + role
            + "'; example: --auth basic:users --allow '" + rule + "'");
      }
      access.allow(role, pattern);
    }
    deny.forEach(access::deny);
    if (audit != null) {
      AuditLog opened = AuditLog.open(audit, RotatingFile.MAX_FILE, stdio);
      log = opened;
      access.audit(opened);
    }
    Options.Builder builder = options.toBuilder().access(access.build());
    if (quota != null) {
      builder.layer(QuotaSpec.parse(quota));
    }
    return builder.build();
  }

  /**
   * Returns the authenticator that admits a caller in any of the given ways. Only secrets can be
   * guessed, and only their failures slow an address down.
   */
  private Authenticator authenticator() {
    List<Authenticator> secrets = new ArrayList<>();
    List<Authenticator> all = new ArrayList<>();
    for (String value : auth) {
      AuthSpec spec = AuthSpec.parse(value);
      boolean isSecret = spec.kind().place == Place.HEADERS;
      (isSecret ? secrets : all).add(spec.authenticator());
    }
    if (!secrets.isEmpty()) {
      all.add(Authenticators.throttled(anyOf(secrets)));
    }
    return anyOf(all);
  }

  private static Authenticator anyOf(List<Authenticator> authenticators) {
    return authenticators.size() == 1
        ? authenticators.get(0)
        : Authenticators.anyOf(authenticators.toArray(new Authenticator[0]));
  }

  /** Writes the rest of the audit. */
  @Override
  public void close() {
    AuditLog opened = log;
    if (opened != null) {
      opened.close();
    }
  }
}
