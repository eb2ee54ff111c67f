package dev.repartee.a2a.client;

import static dev.repartee.transport.http.HttpResponse.UNSENT;

import dev.repartee.HttpException;
import dev.repartee.limits.MemoryBudget;
import dev.repartee.transport.DisconnectedException;
import dev.repartee.transport.Headers;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpClient.Redirect;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Sends HTTP requests with the headers of the user. Only a client of the user may follow redirects.
 * Thread-safe.
 */
final class HttpCalls {
  private final HttpClient client;
  private final Supplier<Headers> headers;
  private final Duration timeout;
  private final int frameBytes;
  private final MemoryBudget budget;

  /**
   * Creates a sender.
   *
   * @param headers returns the headers of each request
   * @param timeout the time limit for an answer
   * @param frameBytes the limit for the size of an answer or event, in bytes
   * @param budget the memory for answers while they arrive
   */
  HttpCalls(
      HttpClient client,
      Supplier<Headers> headers,
      Duration timeout,
      int frameBytes,
      MemoryBudget budget) {
    this.client = client;
    this.headers = headers;
    this.timeout = timeout;
    this.frameBytes = frameBytes;
    this.budget = budget;
  }

  int frameBytes() {
    return frameBytes;
  }

  /**
   * An answer.
   *
   * @param status the HTTP status
   * @param headers the header fields
   * @param body the unread content
   */
  record Answer(int status, HttpHeaders headers, Body body) {
    private @Nullable String header(String name) {
      return headers.firstValue(name).orElse(null);
    }

    /** Returns the content type in lower case without parameters, or an empty string. */
    String type() {
      String type = headers.firstValue("content-type").orElse("");
      int semicolon = type.indexOf(';');
      return (semicolon < 0 ? type : type.substring(0, semicolon)).strip().toLowerCase(Locale.ROOT);
    }

    HttpException refusal(String message) {
      return new HttpException(
          message, status, header("content-type"), header("retry-after"), header(UNSENT));
    }
  }

  /** Sends a GET. */
  Answer get(URI uri, Map<String, String> more) {
    return send(uri, HttpRequest.newBuilder(uri).GET(), more);
  }

  /** Sends a POST with JSON. */
  Answer post(URI uri, byte[] json, Map<String, String> more) {
    return send(
        uri,
        HttpRequest.newBuilder(uri)
            .setHeader("Content-Type", "application/json")
            .POST(BodyPublishers.ofByteArray(json)),
        more);
  }

  private Answer send(URI uri, HttpRequest.Builder request, Map<String, String> more) {
    headers.get().fields().forEach(request::setHeader);
    more.forEach(request::setHeader);
    CompletableFuture<HttpResponse<Body>> future =
        client.sendAsync(request.build(), info -> new Body(frameBytes, budget));
    try {
      HttpResponse<Body> response = future.get(timeout.toMillis(), TimeUnit.MILLISECONDS);
      return new Answer(response.statusCode(), response.headers(), response.body());
    } catch (TimeoutException e) {
      end(future);
      throw new DisconnectedException(
          "the agent at " + uri + " has sent no answer within " + timeout.toSeconds() + " s", e);
    } catch (ExecutionException e) {
      Throwable cause = e.getCause() == null ? e : e.getCause();
      String reason =
          cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage();
      String message = "the agent at " + uri + " cannot be reached: " + reason;
      // With redirects another server may have got the call before.
      throw cause instanceof ConnectException && client.followRedirects() == Redirect.NEVER
          ? DisconnectedException.unsent(message, "there is no connection", cause)
          : new DisconnectedException(message, cause);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      end(future);
      CancellationException cancelled = new CancellationException("the call was interrupted");
      cancelled.initCause(e);
      throw cancelled;
    }
  }

  /** Ends a request, also if its answer has begun meanwhile: nobody reads the body then. */
  private static void end(CompletableFuture<HttpResponse<Body>> future) {
    future.cancel(true);
    future.whenComplete((response, failure) -> {
      if (response != null) {
        response.body().cancel();
      }
    });
  }

  /** Reads a whole body. */
  byte[] whole(URI uri, Body body) {
    try {
      return body.readAll(timeout);
    } catch (InterruptedIOException e) {
      throw new DisconnectedException("the agent at " + uri + " does not finish its answer", e);
    } catch (IOException e) {
      throw new DisconnectedException("the answer of " + uri + " was cut: " + e.getMessage(), e);
    }
  }
}
