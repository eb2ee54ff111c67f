package dev.repartee.mcp.oauth;

import dev.repartee.internal.Origin;
import dev.repartee.security.http.SmallExchange.Answer;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Finds the metadata of an MCP server and of its authorization server (specification,
 * "Authorization Server Discovery").
 */
final class Discovery {
  private static final String RESOURCE = "/.well-known/oauth-protected-resource";
  private static final String OAUTH = "/.well-known/oauth-authorization-server";
  private static final String OPENID = "/.well-known/openid-configuration";

  private final URI server;
  private final String name;
  private final Addresses addresses;
  private final Http http;

  Discovery(URI server, Addresses addresses, Http http) {
    this.server = server;
    this.name = identifier(server);
    this.addresses = addresses;
    this.http = http;
  }

  /**
   * Returns the metadata of the MCP server: from the address in a challenge, otherwise from the
   * well-known address for its path, otherwise from the well-known address of its root.
   */
  ResourceMetadata resource(Challenge challenge) {
    String named = challenge.metadata();
    if (named != null) {
      URI uri = addresses.check("resource_metadata of " + name, named);
      Answer answer = http.get(uri);
      if (answer.status() != 200) {
        throw new AuthorizationException("the resource_metadata of " + name + " at " + answer
            + "; the server has to publish it");
      }
      return read(answer);
    }
    String path = path(server);
    List<String> places = path.isEmpty() ? List.of(RESOURCE) : List.of(RESOURCE + path, RESOURCE);
    List<Answer> failed = new ArrayList<>();
    for (String place : places) {
      Answer answer = http.get(URI.create(Origin.of(server) + place));
      if (answer.status() == 200 && answer.isJson()) {
        return read(answer);
      }
      failed.add(answer);
    }
    requireAbsent("protected resource metadata of " + name, failed);
    return new ResourceMetadata(name, List.of(Origin.of(server)), Set.of(), false, true);
  }

  /**
   * Fails unless the answers show that the document does not exist. Other errors may be temporary.
   */
  private static void requireAbsent(String what, List<Answer> answers) {
    for (Answer answer : answers) {
      if (answer.status() >= 500) {
        throw new AuthorizationException("no " + what + ": " + answer);
      }
    }
  }

  /** Returns the canonical URI of an MCP server. */
  static String identifier(URI server) {
    return Origin.of(server) + path(server);
  }

  /** Returns the path without a slash at its end. */
  private static String path(URI uri) {
    String path = uri.getRawPath() == null ? "" : uri.getRawPath();
    return path.endsWith("/") ? path.substring(0, path.length() - 1) : path;
  }

  private ResourceMetadata read(Answer answer) {
    Document document = new Document(answer.source(), answer.body());
    String resource = document.string("resource");
    if (!isServer(resource)) {
      throw new AuthorizationException("the metadata " + answer.source()
          + " is of another resource: '" + AuthorizationException.told(resource) + "', not of "
          + name);
    }
    List<String> servers = document.texts("authorization_servers");
    if (servers == null || servers.isEmpty()) {
      throw new AuthorizationException(answer.source() + " names no authorization server");
    }
    return new ResourceMetadata(
        resource,
        servers,
        set(document.texts("scopes_supported")),
        document.isTrue("dpop_bound_access_tokens_required"),
        false);
  }

  /** Returns whether a resource is the MCP server, or all servers below a path of its origin. */
  private boolean isServer(String resource) {
    try {
      URI uri = new URI(resource);
      return uri.getRawFragment() == null
          && uri.getRawUserInfo() == null
          && Origin.isSame(uri, server)
          && (uri.getRawQuery() == null || uri.getRawQuery().equals(server.getRawQuery()))
          && (path(server) + "/").startsWith(path(uri) + "/");
    } catch (URISyntaxException e) {
      return false;
    }
  }

  private static Set<String> set(@Nullable List<String> texts) {
    return texts == null ? Set.of() : new LinkedHashSet<>(texts);
  }

  /**
   * Returns the metadata of an authorization server.
   *
   * @param legacy whether the default addresses of 2025-03-26 replace metadata that is absent
   */
  ServerMetadata server(String issuer, boolean legacy) {
    URI uri = addresses.check("authorization server of " + name, issuer);
    if (uri.getRawQuery() != null) {
      throw new AuthorizationException("the issuer " + issuer + " has a query");
    }
    List<Answer> failed = new ArrayList<>();
    for (String place : places(path(uri))) {
      Answer answer = http.get(URI.create(Origin.of(uri) + place));
      if (answer.status() == 200 && answer.isJson()) {
        return read(issuer, answer);
      }
      failed.add(answer);
    }
    if (!legacy) {
      throw new AuthorizationException(
          "the authorization server " + issuer + " publishes no metadata: " + failed);
    }
    requireAbsent("metadata of the authorization server " + issuer, failed);
    return new ServerMetadata(
        issuer,
        addresses.check("authorization endpoint", issuer + "/authorize"),
        addresses.check("token endpoint", issuer + "/token"),
        addresses.check("registration endpoint", issuer + "/register"),
        ServerMetadata.DEFAULT_METHODS,
        null,
        Set.of(),
        false,
        false,
        true,
        List.of());
  }

  /** Returns the places of metadata for an issuer, in the order of the specification. */
  static List<String> places(String path) {
    return path.isEmpty()
        ? List.of(OAUTH, OPENID)
        : List.of(OAUTH + path, OPENID + path, path + OPENID);
  }

  private ServerMetadata read(String issuer, Answer answer) {
    Document document = new Document(answer.source(), answer.body());
    String named = document.string("issuer");
    if (!named.equals(issuer)) {
      throw new AuthorizationException("the metadata " + answer.source()
          + " is of another issuer: '" + AuthorizationException.told(named) + "', not of "
          + issuer);
    }
    List<String> pkce = document.texts("code_challenge_methods_supported");
    List<String> methods = document.texts("token_endpoint_auth_methods_supported");
    List<String> bindings = document.texts("dpop_signing_alg_values_supported");
    document.string("token_endpoint");
    return new ServerMetadata(
        issuer,
        endpoint(document, "authorization_endpoint"),
        Objects.requireNonNull(endpoint(document, "token_endpoint")),
        endpoint(document, "registration_endpoint"),
        methods == null ? ServerMetadata.DEFAULT_METHODS : methods,
        document.texts("token_endpoint_auth_signing_alg_values_supported"),
        set(document.texts("scopes_supported")),
        document.isTrue("authorization_response_iss_parameter_supported"),
        document.isTrue("client_id_metadata_document_supported"),
        pkce != null && pkce.contains("S256"),
        bindings == null ? List.of() : bindings);
  }

  private @Nullable URI endpoint(Document document, String name) {
    String text = document.optionalString(name);
    return text == null ? null : addresses.check(name + " in " + document.source(), text);
  }
}
