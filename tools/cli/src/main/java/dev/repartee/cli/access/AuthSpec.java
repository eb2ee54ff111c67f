package dev.repartee.cli.access;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.access.Authenticator;
import dev.repartee.cli.terminal.Failure;
import dev.repartee.security.Authenticators;
import dev.repartee.security.Introspection;
import dev.repartee.security.Jwt;
import dev.repartee.security.PeerUsers;
import java.io.IOException;
import java.net.URI;
import java.nio.file.FileSystems;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A value of {@code --auth} of a server. Errors name the part of the value and an example.
 *
 * @param kind the way to authenticate
 * @param text the text after the kind and the colon
 */
record AuthSpec(Kind kind, String text) {
  /** The ways to authenticate a caller. */
  enum Kind {
    BASIC("basic:users", Place.HEADERS),
    BEARER("bearer:tokens", Place.HEADERS),
    KEY("key:X-API-Key,keys", Place.HEADERS),
    JWT(
        "jwt:https://login.example/jwks,issuer=https://login.example,audience=https://api.example",
        Place.HEADERS),
    INTROSPECT("introspect:https://login.example/introspect,client=FILE", Place.HEADERS),
    MTLS("mtls:ca.pem,clients", Place.TLS),
    PEER("peer:user=ada", Place.UNIX);

    final String example;
    final Place place;

    Kind(String example, Place place) {
      this.example = example;
      this.place = place;
    }

    /** Returns the word before the colon. */
    String word() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** The endpoints at which a way to authenticate has an effect. */
  enum Place {
    HEADERS("http:, https:, ws: and wss:, and message brokers", "https?|wss?|nats(\\+tls)?|amqps?"),
    TLS("https:, wss: and tls:", "https|wss|tls"),
    UNIX("unix:", "unix");

    final String shown;
    private final Pattern schemes;

    Place(String shown, String schemes) {
      this.shown = shown;
      this.schemes = Pattern.compile(schemes);
    }

    boolean has(String scheme) {
      return schemes.matcher(scheme).matches();
    }
  }

  /** Splits a value at its first colon. */
  static AuthSpec parse(String value) {
    int colon = value.indexOf(':');
    String word = colon < 0 ? value : value.substring(0, colon);
    for (Kind kind : Kind.values()) {
      if (kind.word().equals(word)) {
        if (colon < 0 || colon == value.length() - 1) {
          throw fault(kind, "nothing follows '" + word + ":'");
        }
        return new AuthSpec(kind, value.substring(colon + 1));
      }
    }
    throw Failure.usage("--auth: '" + word + "' is no way to prove who calls; use basic:, bearer:,"
        + " key:, jwt:, introspect:, mtls: or peer:; example: --auth " + Kind.BASIC.example);
  }

  /**
   * Returns the authenticator.
   *
   * @throws Failure if the value is invalid, or a file cannot be used
   */
  Authenticator authenticator() {
    try {
      return switch (kind) {
        case BASIC -> Authenticators.basic(path(text));
        case BEARER -> Authenticators.bearer(path(text));
        case KEY -> {
          List<String> parts = parts();
          if (parts.size() != 2) {
            throw fault(kind, "it is the name of a header field, a comma and a file");
          }
          yield Authenticators.apiKey(parts.get(0), path(parts.get(1)));
        }
        case JWT -> Authenticators.jwt(jwt());
        case INTROSPECT -> Authenticators.introspection(introspection());
        case MTLS -> {
          List<String> parts = parts();
          if (parts.size() > 2) {
            throw fault(kind, "it is the file of an authority, and at most one file of clients");
          }
          yield parts.size() == 1
              ? Authenticators.certificate()
              : Authenticators.certificate(path(parts.get(1)));
        }
        case PEER -> Authenticators.peer(peers());
      };
    } catch (NoSuchFileException e) {
      throw fault(kind, "there is no file '" + e.getFile() + "'");
    } catch (IOException e) {
      throw fault(kind, "'" + text + "' cannot be used: " + Failure.reason(e));
    } catch (IllegalArgumentException | IllegalStateException e) {
      throw fault(kind, Failure.reason(e));
    }
  }

  /** Returns the file of the certificate authority; null if the kind has none. */
  @Nullable String authority() {
    return kind == Kind.MTLS ? parts().get(0) : null;
  }

  private Jwt jwt() {
    List<String> parts = parts();
    String keys = parts.get(0);
    if (keys.contains("=") && !keys.contains("://")) {
      throw fault(kind, "the JWK set comes first, as the address or file");
    }
    Jwt.Builder jwt = Jwt.builder();
    if (isAddress(keys)) {
      jwt.keys(URI.create(keys));
    } else {
      jwt.keys(path(keys));
    }
    List<String> audience = values("audience");
    if (audience.isEmpty() || values("issuer").isEmpty()) {
      throw fault(kind, (audience.isEmpty() ? "audience=" : "issuer=") + " is missing");
    }
    jwt.audience(audience.toArray(new String[0]));
    for (String part : parts.subList(1, parts.size())) {
      String value = value(part);
      switch (name(part)) {
        case "issuer" -> jwt.issuer(value);
        case "audience" -> {} // together with the others
        case "roles" -> jwt.roles(value.split("/"));
        case "name" -> jwt.name(value);
        case "algorithms" -> jwt.algorithms(value.split("\\+"));
        case "metadata" -> jwt.resourceMetadata(URI.create(value));
        case "expiry" -> {
          requireDisconnect(value);
          jwt.endConnections();
        }
        default ->
          throw unknown(part, "issuer, audience, roles, name, algorithms, metadata and expiry");
      }
    }
    return jwt.build();
  }

  private Introspection introspection() {
    List<String> parts = parts();
    Introspection.Builder introspection =
        Introspection.builder().endpoint(URI.create(parts.get(0)));
    List<String> audience = values("audience");
    if (!audience.isEmpty()) {
      introspection.audience(audience.toArray(new String[0]));
    }
    if (values("client").isEmpty()) {
      throw fault(kind, "client= is missing, the file with CLIENT-ID:SECRET of this server");
    }
    for (String part : parts.subList(1, parts.size())) {
      String value = value(part);
      switch (name(part)) {
        case "client" -> introspection.credentials(path(value));
        case "issuer" -> introspection.issuer(value);
        case "audience" -> {} // together with the others
        case "roles" -> introspection.roles(value.split("/"));
        case "name" -> introspection.name(value);
        case "metadata" -> introspection.resourceMetadata(URI.create(value));
        case "expiry" -> {
          requireDisconnect(value);
          introspection.endConnections();
        }
        default ->
          throw unknown(part, "client, issuer, audience, roles, name, metadata and expiry");
      }
    }
    return introspection.build();
  }

  private void requireDisconnect(String value) {
    if (!value.equals("disconnect")) {
      throw fault(kind, "expiry=" + value + " is unknown; expiry=disconnect ends WebSockets");
    }
  }

  private PeerUsers peers() {
    List<String> parts = parts();
    String[] roles = values("role").toArray(new String[0]);
    PeerUsers.Builder users = PeerUsers.builder();
    if (parts.stream().noneMatch(part -> part.matches("(uid|user|group)=.+"))) {
      throw fault(kind, "it names no user: uid=, user= or group=");
    }
    for (String part : parts) {
      String value = value(part);
      switch (name(part)) {
        case "uid" -> users.user(userOf(value), roles);
        case "user" -> users.user(existing(value, false), roles);
        case "group" -> users.group(existing(value, true), roles);
        case "role" -> {} // for all of these users
        default -> throw unknown(part, "uid, user, group and role");
      }
    }
    return users.build();
  }

  /** Returns the name of the user with a number, or the number if it has no name. */
  private String userOf(String uid) {
    if (!uid.matches("\\d{1,10}")) {
      throw fault(kind, "uid=" + uid + " is not the number of a user");
    }
    try {
      Process id = new ProcessBuilder("id", "-nu", uid)
          .redirectError(ProcessBuilder.Redirect.DISCARD)
          .start();
      String name = new String(id.getInputStream().readNBytes(256), UTF_8).strip();
      return name.isEmpty() ? uid : name;
    } catch (IOException e) {
      return uid; // there is no such program
    }
  }

  /** Returns the name of a user or group, which must exist: a typing error would admit nobody. */
  private String existing(String name, boolean isGroup) {
    try {
      var users = FileSystems.getDefault().getUserPrincipalLookupService();
      if (isGroup) {
        users.lookupPrincipalByGroupName(name);
      } else {
        users.lookupPrincipalByName(name);
      }
      return name;
    } catch (IOException e) {
      throw fault(kind, "this machine has no " + (isGroup ? "group '" : "user '") + name + "'");
    } catch (UnsupportedOperationException e) {
      throw fault(kind, "this system does not know the users of a socket");
    }
  }

  private List<String> parts() {
    List<String> parts = List.of(text.split(",", -1));
    if (parts.contains("")) {
      throw fault(kind, "there is nothing before or after a comma");
    }
    return parts;
  }

  private List<String> values(String name) {
    return parts().stream()
        .filter(part -> part.startsWith(name + "="))
        .map(AuthSpec::value)
        .toList();
  }

  private static String name(String part) {
    return part.substring(0, Math.max(0, part.indexOf('=')));
  }

  private static String value(String part) {
    return part.substring(part.indexOf('=') + 1);
  }

  private Failure unknown(String part, String known) {
    return fault(kind, "'" + part + "' is unknown; known are " + known + ", each with a value");
  }

  private static boolean isAddress(String text) {
    return text.regionMatches(true, 0, "http:", 0, 5)
        || text.regionMatches(true, 0, "https:", 0, 6);
  }

  private static Path path(String file) {
    try {
      return Path.of(file);
    } catch (InvalidPathException e) {
      throw new IllegalArgumentException("'" + file + "' is no name of a file");
    }
  }

  private static Failure fault(Kind kind, String what) {
    return Failure.usage(
        "--auth " + kind.word() + ": " + what + "; example: --auth '" + kind.example + "'");
  }
}
