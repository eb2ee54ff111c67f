package dev.repartee.mcp.oauth;

import dev.repartee.internal.Origin;
import dev.repartee.internal.UriReference;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodySubscriber;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Sends the HTTP requests of an authorization. Bodies are limited to {@value #BODY} bytes, and an
 * exchange to ten seconds. A redirect is followed within its origin, and only for GET.
 */
final class Http {
  static final int BODY = 1 << 20;
  private static final int REDIRECTS = 3;
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  /** An answer. */
  record Answer(String source, int status, HttpHeaders headers, byte[] body) {
    boolean isJson() {
      String type = headers.firstValue("content-type").orElse("").toLowerCase(Locale.ROOT);
      return type.matches("application/([\\w.-]+\\+)?json\\s*(;.*)?");
    }

    /** Hides the body, which may contain secrets. */
    @Override
    public String toString() {
      return source + ": HTTP status " + status;
    }
  }

  private static final class Shared {
    static final HttpClient CLIENT = HttpClient.newBuilder()
        .connectTimeout(PATIENCE)
        .followRedirects(HttpClient.Redirect.NEVER)
        .build();
  }

  private final Addresses addresses;

  Http(Addresses addresses) {
    this.addresses = addresses;
  }

  /** Reads a document. */
  Answer get(URI uri) {
    URI to = uri;
    for (int redirects = 0; ; redirects++) {
      Answer answer =
          send(HttpRequest.newBuilder(to).header("Accept", "application/json").GET(), to);
      if (answer.status < 300 || answer.status >= 400 || answer.status == 304) {
        return answer;
      }
      to = target(to, answer, redirects);
    }
  }

  private URI target(URI from, Answer answer, int redirects) {
    String location = answer.headers.firstValue("location").orElse("");
    URI target;
    try {
      target = UriReference.resolve(from, location);
    } catch (IllegalArgumentException e) {
      target = from;
    }
    if (location.isEmpty() || !Origin.isSame(from, target) || redirects >= REDIRECTS) {
      throw new AuthorizationException(named(from) + " redirects to '"
          + AuthorizationException.told(location) + "'; only "
          + REDIRECTS + " redirects within the same origin are followed");
    }
    return addresses.check("redirect of " + named(from), target.toString());
  }

  /**
   * Sends a form or an object, which may contain secrets. The address is checked again: the host
   * may resolve to another address than before, for example after a login.
   */
  Answer post(URI uri, Map<String, String> headers, String body) {
    addresses.check("endpoint of the authorization server", uri.toString());
    HttpRequest.Builder request = HttpRequest.newBuilder(uri).POST(BodyPublishers.ofString(body));
    headers.forEach(request::setHeader);
    return send(request.setHeader("Accept", "application/json"), uri);
  }

  private static Answer send(HttpRequest.Builder request, URI uri) {
    CompletableFuture<HttpResponse<byte[]>> sent =
        Shared.CLIENT.sendAsync(request.timeout(PATIENCE).build(), info -> new Body());
    try {
      HttpResponse<byte[]> answer = sent.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
      return new Answer(named(uri), answer.statusCode(), answer.headers(), answer.body());
    } catch (ExecutionException e) {
      Throwable cause = e.getCause() == null ? e : e.getCause();
      String why = cause.getMessage();
      throw new AuthorizationException(
          named(uri) + " gives no answer: "
              + (why == null ? cause.getClass().getSimpleName() : why),
          cause);
    } catch (TimeoutException e) {
      sent.cancel(true);
      throw new AuthorizationException(
          named(uri) + " gives no answer within " + PATIENCE.toSeconds() + " seconds");
    } catch (InterruptedException e) {
      sent.cancel(true);
      Thread.currentThread().interrupt();
      throw new AuthorizationException("the authorization was interrupted");
    }
  }

  /** Returns an address for a message: without the query, which may contain secrets. */
  static String named(URI uri) {
    String text = uri.toString();
    int query = text.indexOf('?');
    return query < 0 ? text : text.substring(0, query);
  }

  /** Collects a body of limited size. */
  private static final class Body implements BodySubscriber<byte[]> {
    private final CompletableFuture<byte[]> whole = new CompletableFuture<>();
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private Flow.@Nullable Subscription subscription;

    @Override
    public CompletionStage<byte[]> getBody() {
      return whole;
    }

    @Override
    public void onSubscribe(Flow.Subscription given) {
      subscription = given;
      given.request(Long.MAX_VALUE);
    }

    @Override
    public void onNext(List<ByteBuffer> parts) {
      for (ByteBuffer part : parts) {
        if (bytes.size() + part.remaining() > BODY) {
          if (subscription != null) {
            subscription.cancel();
          }
          whole.completeExceptionally(new IOException("the body has more than " + BODY + " bytes"));
          return;
        }
        byte[] copy = new byte[part.remaining()];
        part.get(copy);
        bytes.writeBytes(copy);
      }
    }

    @Override
    public void onError(Throwable failure) {
      whole.completeExceptionally(failure);
    }

    @Override
    public void onComplete() {
      whole.complete(bytes.toByteArray());
    }
  }
}
