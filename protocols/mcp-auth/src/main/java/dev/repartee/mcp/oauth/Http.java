package dev.repartee.mcp.oauth;

import dev.repartee.internal.Origin;
import dev.repartee.internal.UriReference;
import dev.repartee.security.http.SmallExchange;
import dev.repartee.security.http.SmallExchange.Answer;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/**
 * Sends the HTTP requests of an authorization, within the limits of {@link SmallExchange}. A
 * redirect is followed within its origin, and only for GET.
 */
final class Http {
  private static final int REDIRECTS = 3;

  private final Addresses addresses;

  Http(Addresses addresses) {
    this.addresses = addresses;
  }

  /** Reads a document. */
  Answer get(URI uri) {
    URI to = uri;
    for (int redirects = 0; ; redirects++) {
      Answer answer =
          send(HttpRequest.newBuilder(to).header("Accept", "application/json").GET());
      if (answer.status() < 300 || answer.status() >= 400 || answer.status() == 304) {
        return answer;
      }
      to = target(to, answer, redirects);
    }
  }

  private URI target(URI from, Answer answer, int redirects) {
    String location = answer.headers().firstValue("location").orElse("");
    URI target;
    try {
      target = UriReference.resolve(from, location);
    } catch (IllegalArgumentException e) {
      target = from;
    }
    if (location.isEmpty() || !Origin.isSame(from, target) || redirects >= REDIRECTS) {
      throw new AuthorizationException(SmallExchange.named(from) + " redirects to '"
          + AuthorizationException.told(location) + "'; only "
          + REDIRECTS + " redirects within the same origin are followed");
    }
    return addresses.check("redirect of " + SmallExchange.named(from), target.toString());
  }

  /**
   * Sends a form or an object, which may contain secrets. The address is checked again: the host
   * may resolve to another address than before, for example after a login.
   */
  Answer post(URI uri, Map<String, String> headers, String body) {
    addresses.check("endpoint of the authorization server", uri.toString());
    HttpRequest.Builder request = HttpRequest.newBuilder(uri).POST(BodyPublishers.ofString(body));
    headers.forEach(request::setHeader);
    return send(request.setHeader("Accept", "application/json"));
  }

  private static Answer send(HttpRequest.Builder request) {
    CompletableFuture<Answer> sent = SmallExchange.send(request);
    try {
      return sent.get();
    } catch (ExecutionException e) {
      Throwable cause = e.getCause() == null ? e : e.getCause();
      throw new AuthorizationException(String.valueOf(cause.getMessage()), cause.getCause());
    } catch (InterruptedException e) {
      sent.cancel(true);
      Thread.currentThread().interrupt();
      throw new AuthorizationException("the authorization was interrupted");
    }
  }
}
