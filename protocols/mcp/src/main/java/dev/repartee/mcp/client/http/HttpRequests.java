package dev.repartee.mcp.client.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.ProtocolException;
import dev.repartee.limits.LimitException;
import dev.repartee.limits.Limits;
import dev.repartee.mcp.auth.HttpAuthorization;
import dev.repartee.transport.DisconnectedException;
import dev.repartee.transport.Headers;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodySubscriber;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Sends HTTP requests to one address, with the headers of the user and of the authorization.
 * Repeats a request only if the server has not run it: after a refused authorization, {@value
 * HttpAuthorization#MAX_ATTEMPTS} times at most, and after a redirect within the same origin, three
 * times at most. Thread-safe.
 */
final class HttpRequests {
  /** The maximum number of bytes of an answer in a message. */
  private static final int TOLD = 200;

  private static final int REDIRECTS = 3;

  /** The maximum number of bytes of a body that is read to no purpose but to keep the connection. */
  private static final int DISCARDED = 64 << 10;

  private final HttpClient client;
  private final Headers headers;
  private final @Nullable HttpAuthorization authorization;
  private final int frameBytes;
  private volatile URI uri;

  HttpRequests(URI uri, Headers headers, @Nullable HttpAuthorization authorization, Limits limits) {
    this.uri = uri;
    this.headers = headers;
    this.authorization = authorization;
    this.frameBytes = limits.frameBytes();
    this.client = HttpThreads.client("https".equalsIgnoreCase(uri.getScheme()));
  }

  URI uri() {
    return uri;
  }

  /** Returns the same settings for another address of the same origin. */
  HttpRequests at(URI other, Limits limits) {
    return new HttpRequests(other, headers, authorization, limits);
  }

  /** Returns whether two addresses have the same scheme, host and port. */
  static boolean isSameOrigin(URI a, URI b) {
    return a.getScheme().equalsIgnoreCase(b.getScheme())
        && a.getHost() != null
        && a.getHost().equalsIgnoreCase(b.getHost())
        && port(a) == port(b);
  }

  private static int port(URI uri) {
    return uri.getPort() >= 0
        ? uri.getPort()
        : "https".equalsIgnoreCase(uri.getScheme()) ? 443 : 80;
  }

  /** Converts the failure of an exchange to one that names it. */
  static RuntimeException failure(Throwable given) {
    Throwable why = given;
    while (why instanceof CompletionException && why.getCause() != null) {
      why = why.getCause();
    }
    if (why instanceof LimitException limit) {
      return new ProtocolException("the answer is too large: " + limit.getMessage());
    }
    return why instanceof RuntimeException known && !(why instanceof CancellationException)
        ? known
        : new DisconnectedException("the HTTP request got no answer: " + told(why), why);
  }

  private static String told(Throwable why) {
    String message = why.getMessage();
    return message == null ? why.getClass().getSimpleName() : message;
  }

  /** Returns the beginning of a body for a message, after a colon; empty if there is none. */
  static String told(byte[] body) {
    String text = new String(body, 0, Math.min(body.length, TOLD), UTF_8)
        .replaceAll("[\\s\\p{Cc}]+", " ")
        .strip();
    return text.isEmpty() ? "" : ": " + text;
  }

  /**
   * Sends a request.
   *
   * @param more headers of this request
   * @param timeout the time until the headers of the answer; null for none
   */
  Exchange send(
      String method,
      BodyPublisher body,
      Map<String, String> more,
      @Nullable Duration timeout,
      HttpSink sink) {
    Exchange exchange = new Exchange(method, body, more, timeout, sink);
    exchange.attempt();
    return exchange;
  }

  /** A request with its repetitions. */
  final class Exchange {
    private final String method;
    private final BodyPublisher body;
    private final Map<String, String> more;
    private final @Nullable Duration timeout;
    private final HttpSink sink;
    private int refusals;
    private int redirects;
    private volatile boolean cancelled;
    private volatile @Nullable CompletableFuture<?> sent;
    private volatile @Nullable HttpAnswer answer;

    private Exchange(
        String method,
        BodyPublisher body,
        Map<String, String> more,
        @Nullable Duration timeout,
        HttpSink sink) {
      this.method = method;
      this.body = body;
      this.more = more;
      this.timeout = timeout;
      this.sink = sink;
    }

    private void attempt() {
      HttpAuthorization by = authorization;
      if (by == null) {
        send(Headers.NONE);
        return;
      }
      CompletionStage<Headers> added;
      try {
        added = by.headers(new HttpAuthorization.Request(method, uri));
      } catch (RuntimeException e) {
        sink.failed(e);
        return;
      }
      added.whenComplete((credentials, failure) -> {
        if (failure != null) {
          sink.failed(failure(failure));
        } else {
          send(credentials);
        }
      });
    }

    private void send(Headers credentials) {
      if (cancelled) {
        return;
      }
      URI to = uri;
      HttpRequest request;
      try {
        HttpRequest.Builder builder = HttpRequest.newBuilder(to).method(method, body);
        headers.fields().forEach(builder::setHeader);
        more.forEach(builder::setHeader);
        credentials.fields().forEach(builder::setHeader);
        if (timeout != null) {
          builder.timeout(timeout);
        }
        request = builder.build();
      } catch (IllegalArgumentException e) {
        sink.failed(e);
        return;
      }
      AtomicBoolean begun = new AtomicBoolean();
      CompletableFuture<HttpResponse<Boolean>> future = client.sendAsync(request, info -> {
        begun.set(true);
        return begin(credentials, to, info);
      });
      sent = future;
      future.whenComplete((response, failure) -> {
        if (failure != null && begun.compareAndSet(false, true) && !cancelled) {
          sink.failed(failure(failure));
        }
      });
      if (cancelled) {
        future.cancel(true);
      }
    }

    /** Decides on the body when status and headers have arrived. */
    private BodySubscriber<Boolean> begin(
        Headers credentials, URI to, HttpResponse.ResponseInfo info) {
      int status = info.statusCode();
      HttpAuthorization by = authorization;
      if (by != null && (status == 401 || status == 403)) {
        refused(by, credentials, to, info);
        return new HttpAnswer(HttpSink.NONE, false, DISCARDED);
      }
      if (status >= 300 && status < 400 && status != 304) {
        redirected(to, info);
        return new HttpAnswer(HttpSink.NONE, false, DISCARDED);
      }
      if (by != null) {
        by.answered(new HttpAuthorization.Request(method, to), lower(info.headers()));
      }
      HttpAnswer reading = new HttpAnswer(sink, status < 300 && isStream(info), frameBytes);
      answer = reading;
      sink.head(status, info.headers());
      if (cancelled) {
        reading.cancel();
      }
      return reading;
    }

    private void refused(
        HttpAuthorization by, Headers credentials, URI to, HttpResponse.ResponseInfo info) {
      refusals++;
      HttpRefusal end = new HttpRefusal(
          info.statusCode(),
          false,
          to + " refused the request with" + " the HTTP status " + info.statusCode()
              + "; it needs authorization");
      if (refusals > HttpAuthorization.MAX_ATTEMPTS) {
        sink.failed(end);
        return;
      }
      CompletionStage<Boolean> decision;
      try {
        decision = by.refused(new HttpAuthorization.Refusal(
            new HttpAuthorization.Request(method, to),
            credentials,
            info.statusCode(),
            lower(info.headers()),
            refusals));
      } catch (RuntimeException e) {
        sink.failed(e);
        return;
      }
      decision.whenComplete((again, failure) -> {
        if (failure != null) {
          sink.failed(failure(failure));
        } else if (again) {
          attempt();
        } else {
          sink.failed(end);
        }
      });
    }

    /**
     * Follows a redirect that keeps method and body within the same origin, such as to an address
     * with a slash behind it. Any other could send credentials and calls to a stranger.
     */
    private void redirected(URI to, HttpResponse.ResponseInfo info) {
      int status = info.statusCode();
      String location = info.headers().firstValue("location").orElse("");
      URI target;
      try {
        target = to.resolve(location);
      } catch (IllegalArgumentException e) {
        target = to;
      }
      boolean keeps = status == 307 || status == 308;
      if (keeps && isSameOrigin(to, target) && ++redirects <= REDIRECTS) {
        uri = target;
        attempt();
        return;
      }
      sink.failed(new ProtocolException(to + " redirects to '"
          + location.replaceAll("\\p{Cc}", " ") + "' with the HTTP status " + status + "; "
          + (isSameOrigin(to, target)
              ? "that is not followed, connect to the address itself"
              : "another origin is refused, connect to it directly if you trust it")));
    }

    /** Offers waiting events to the sink again. */
    void resume() {
      HttpAnswer reading = answer;
      if (reading != null) {
        reading.resume();
      }
    }

    /** Ends the request without a report to the sink. */
    void cancel() {
      cancelled = true;
      HttpAnswer reading = answer;
      if (reading != null) {
        reading.cancel();
      }
      CompletableFuture<?> future = sent;
      if (future != null) {
        future.cancel(true);
      }
    }
  }

  private static Map<String, List<String>> lower(HttpHeaders headers) {
    Map<String, List<String>> lower = new LinkedHashMap<>();
    headers.map().forEach((name, values) -> lower.put(name.toLowerCase(Locale.ROOT), values));
    return lower;
  }

  private static boolean isStream(HttpResponse.ResponseInfo info) {
    return contentType(info.headers()).equals("text/event-stream");
  }

  /** Returns the content type in lower case without parameters; empty if there is none. */
  static String contentType(HttpHeaders headers) {
    String type = headers.firstValue("content-type").orElse("");
    int semicolon = type.indexOf(';');
    return (semicolon < 0 ? type : type.substring(0, semicolon)).strip().toLowerCase(Locale.ROOT);
  }

  /** Returns a body of a part of an array, which must not change until the end of the request. */
  static BodyPublisher part(byte[] bytes, int from, int to) {
    return BodyPublishers.ofByteArray(bytes, from, to - from);
  }
}
