package dev.repartee.security.http;

import dev.repartee.internal.Clock;
import dev.repartee.internal.Threads;
import dev.repartee.transport.http.client.Http1Client;
import dev.repartee.transport.http.client.LimitedBody;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;

/**
 * Sends single HTTP requests with small answers. A body has at most {@value #BODY} bytes, and an
 * exchange takes at most ten seconds. No redirect is followed.
 */
public final class SmallExchange {
  /** The maximum number of bytes of a body. */
  public static final int BODY = 1 << 20;

  /** The maximum duration of an exchange. */
  public static final Duration PATIENCE = Duration.ofSeconds(10);

  private static final HttpClient CLIENT = new Http1Client(PATIENCE);

  /**
   * An answer.
   *
   * @param source the address without its query
   */
  public record Answer(String source, int status, HttpHeaders headers, byte[] body) {
    /** Returns whether the body is JSON by its media type. */
    public boolean isJson() {
      String type = headers.firstValue("content-type").orElse("").toLowerCase(Locale.ROOT);
      return type.matches("application/([\\w.-]+\\+)?json\\s*(;.*)?");
    }

    /** Hides the body, which may contain secrets. */
    @Override
    public String toString() {
      return source + ": HTTP status " + status;
    }
  }

  private SmallExchange() {}

  /**
   * Sends a request. Does not block. Cancelling the future ends the exchange.
   *
   * @return a future of the answer. It fails with an {@link IOException}; its message names the
   *     address without its query
   */
  public static CompletableFuture<Answer> send(HttpRequest.Builder builder) {
    HttpRequest request = builder.build();
    String source = named(request.uri());
    CompletableFuture<HttpResponse<byte[]>> sent = CLIENT.sendAsync(request, LimitedBody.of(BODY));
    CompletableFuture<Answer> result = new CompletableFuture<>();
    sent.whenComplete((response, failure) -> {
      if (failure == null) {
        result.complete(
            new Answer(source, response.statusCode(), response.headers(), response.body()));
      } else {
        result.completeExceptionally(unanswered(source, failure));
      }
    });
    Clock.Timer timer = Clock.SYSTEM.schedule(
        PATIENCE,
        Threads.CALLS,
        () -> result.completeExceptionally(unanswered(source, new TimeoutException())));
    result.whenComplete((answer, failure) -> {
      timer.cancel();
      if (failure != null) {
        sent.cancel(true);
      }
    });
    return result;
  }

  private static IOException unanswered(String source, Throwable cause) {
    String why = cause instanceof TimeoutException
        ? " within " + PATIENCE.toSeconds() + " seconds"
        : ": "
            + (cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage());
    return new IOException(source + " gives no answer" + why, cause);
  }

  /** Returns an address for a message: without the query, which may contain secrets. */
  public static String named(URI uri) {
    String text = uri.toString();
    int query = text.indexOf('?');
    return query < 0 ? text : text.substring(0, query);
  }
}
