package dev.repartee.mcp.oauth;

import dev.repartee.json.Json;
import dev.repartee.security.http.SmallExchange.Answer;
import java.io.IOException;
import java.net.URI;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Finds the identity of this client at an authorization server (specification, "Client
 * Registration"): a registration of the application, otherwise a client id metadata document,
 * otherwise a dynamic registration (RFC 7591).
 */
final class Registrar {
  static final String BASIC = "client_secret_basic";
  static final String POST = "client_secret_post";
  static final String KEY = "private_key_jwt";
  static final String NONE = "none";

  private final Settings settings;
  private final String server;
  private final Http http;

  Registrar(Settings settings, URI server, Http http) {
    this.settings = settings;
    this.server = Discovery.identifier(server);
    this.http = http;
  }

  /** Returns the client of the registration, or the client that the document describes, or null. */
  @Nullable Client known(ServerMetadata at) {
    Registration trusted = settings.trusted().get(server);
    Registration known = trusted == null ? settings.registered().get(at.issuer()) : trusted;
    if (known != null) {
      return new Client(known, method(at, known), null, 0);
    }
    URI document = settings.document();
    return document != null && at.documents()
        ? new Client(Registration.of(document.toString()), NONE, null, 0)
        : null;
  }

  /**
   * Returns the client for the grant of an authorization code.
   *
   * @throws AuthorizationException if the server supports no way to register
   */
  Client find(ServerMetadata at, URI redirect) {
    Client known = known(at);
    if (known != null) {
      return known;
    }
    Client stored = stored(at);
    if (stored != null && redirect.toString().equals(stored.redirect()) && !stored.isExpired()) {
      return stored;
    }
    URI endpoint = at.registration();
    if (endpoint == null) {
      throw unregistered(at);
    }
    Client client = register(at, endpoint, redirect);
    try {
      settings.store().write(entry(at), client.json().toString());
    } catch (IOException e) {
      throw new AuthorizationException("the registration cannot be stored: " + e.getMessage(), e);
    }
    return client;
  }

  static AuthorizationException unregistered(ServerMetadata at) {
    return new AuthorizationException("the authorization server " + at.issuer()
        + " does not know this client: register it there, and set its id with 'registered'");
  }

  private @Nullable Client stored(ServerMetadata at) {
    String text;
    try {
      text = settings.store().read(entry(at));
    } catch (IOException e) {
      throw new AuthorizationException("the registration cannot be read: " + e.getMessage(), e);
    }
    try {
      return text == null ? null : Client.read(text);
    } catch (AuthorizationException e) {
      return null; // a new registration replaces it
    }
  }

  /** Removes a dynamic registration that the authorization server no longer accepts. */
  void forget(ServerMetadata at) {
    try {
      settings.store().remove(entry(at));
    } catch (IOException e) {
      throw new AuthorizationException("the registration cannot be removed: " + e.getMessage(), e);
    }
  }

  private static String entry(ServerMetadata at) {
    return "client at " + at.issuer();
  }

  private Client register(ServerMetadata at, URI endpoint, URI redirect) {
    Map<String, Object> metadata = new LinkedHashMap<>();
    metadata.put("client_name", settings.name());
    metadata.put("redirect_uris", List.of(redirect.toString()));
    metadata.put("grant_types", List.of("authorization_code", "refresh_token"));
    metadata.put("response_types", List.of("code"));
    metadata.put("token_endpoint_auth_method", wanted(at));
    boolean web = "https".equalsIgnoreCase(redirect.getScheme());
    metadata.put("application_type", web ? "web" : "native");
    Answer answer = http.post(
        endpoint, Map.of("Content-Type", "application/json"), Json.of(metadata).toString());
    if (answer.status() != 200 && answer.status() != 201) {
      throw new AuthorizationException("the registration of the redirect URI " + redirect
          + " failed: " + answer + reason(answer, Set.of())
          + "; register the client by hand, and set its id with 'registered'");
    }
    Document given = new Document("the registration at " + answer.source(), answer.body());
    String id = given.requiredSendable("client_id");
    String secret = given.sendable("client_secret");
    Registration registration =
        secret == null ? Registration.of(id) : Registration.withSecret(id, secret);
    return new Client(
        registration,
        method(at, registration, given.optionalString("token_endpoint_auth_method")),
        redirect.toString(),
        given.number("client_secret_expires_at"));
  }

  /**
   * Returns the error of an answer for a message, after a colon; empty without an error.
   *
   * @param secrets texts to remove, in case the server repeats them
   */
  static String reason(Answer answer, Set<String> secrets) {
    try {
      Document error = new Document("", answer.body());
      String code = error.optionalString("error");
      String description = error.optionalString("error_description");
      String text = (code == null ? "" : code)
          + (code == null || description == null ? "" : ": ")
          + (description == null ? "" : description);
      for (String secret : secrets) {
        text = text.replace(secret, "***");
      }
      return text.isEmpty() ? "" : ": " + AuthorizationException.told(text);
    } catch (AuthorizationException e) {
      return "";
    }
  }

  /** Returns the method to register for: a program on a device cannot keep a secret. */
  private static String wanted(ServerMetadata at) {
    for (String method : List.of(NONE, BASIC, POST)) {
      if (at.methods().contains(method)) {
        return method;
      }
    }
    throw unregistered(at);
  }

  private static String method(
      ServerMetadata at, Registration registration, @Nullable String registered) {
    if (registration.secret() == null) {
      return NONE;
    }
    if (registered != null && List.of(NONE, BASIC, POST).contains(registered)) {
      return registered;
    }
    return at.methods().contains(NONE) ? NONE : method(at, registration);
  }

  /** Returns the method of authentication that both the registration and the metadata support. */
  static String method(ServerMetadata at, Registration registration) {
    String algorithm = registration.algorithm();
    if (algorithm != null) {
      List<String> algorithms = at.algorithms();
      if (!at.methods().contains(KEY)) {
        throw unfit(at, "private_key_jwt", at.methods());
      }
      if (algorithms != null && !algorithms.contains(algorithm)) {
        throw unfit(at, algorithm, algorithms);
      }
      return KEY;
    }
    if (registration.secret() == null) {
      return NONE;
    }
    for (String method : List.of(BASIC, POST)) {
      if (at.methods().contains(method)) {
        return method;
      }
    }
    throw unfit(at, "a client secret", at.methods());
  }

  private static AuthorizationException unfit(
      ServerMetadata at, String given, List<String> accepted) {
    return new AuthorizationException("the client is registered with " + given
        + ", but the authorization server " + at.issuer() + " accepts only "
        + AuthorizationException.told(String.join(", ", accepted)));
  }
}
