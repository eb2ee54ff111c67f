package dev.repartee.security;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Layer;
import dev.repartee.Server;
import dev.repartee.access.Authenticator;
import dev.repartee.access.Credentials;
import dev.repartee.access.Principal;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;

/** Calls over HTTP. */
final class Posts {
  private static final HttpClient CLIENT = HttpClient.newHttpClient();

  private Posts() {}

  /** Returns the layer that sets the principals that an authenticator finds. */
  static Layer authentication(Authenticator authenticator) {
    return (call, next) -> {
      Principal principal =
          Requests.found(authenticator, new Credentials(call.channel(), call.attributes()));
      if (principal != null) {
        call.set(Principal.KEY, principal);
      }
      return next.handle(call);
    };
  }

  /** Returns a request with a call and header fields, names and values. */
  static HttpRequest request(Server server, String method, String... fields) {
    HttpRequest.Builder request = HttpRequest.newBuilder(
            URI.create(server.endpoint().toString()))
        .header("Content-Type", "application/json")
        .POST(HttpRequest.BodyPublishers.ofString(
            "{\"jsonrpc\":\"2.0\",\"method\":\"" + method + "\",\"id\":1}"));
    if (fields.length > 0) {
      request.headers(fields);
    }
    return request.build();
  }

  /** Sends a request, which the server may refuse before the call. */
  static HttpResponse<String> send(HttpRequest request) throws Exception {
    return CLIENT.send(request, HttpResponse.BodyHandlers.ofString());
  }

  /** Sends a call, which the server answers. */
  static HttpResponse<String> call(Server server, String method, String... fields)
      throws Exception {
    HttpResponse<String> response = send(request(server, method, fields));
    assertThat(response.body()).contains("\"id\":1");
    return response;
  }
}
