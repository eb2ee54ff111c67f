package dev.repartee.mcp.client.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.HttpException;
import dev.repartee.ProtocolException;
import dev.repartee.internal.Clock;
import dev.repartee.internal.Origin;
import dev.repartee.internal.UriReference;
import dev.repartee.limits.LimitException;
import dev.repartee.limits.Limits;
import dev.repartee.mcp.auth.HttpAuthorization;
import dev.repartee.transport.DisconnectedException;
import dev.repartee.transport.Endpoint;
import dev.repartee.transport.Headers;
import dev.repartee.transport.http.HttpSender;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Sends HTTP requests to one address, with the headers of the user and of the authorization.
 * Repeats a request only if the server has not run it: after a refused authorization, at most
 * {@value HttpAuthorization#MAX_ATTEMPTS} times, and after a redirect within the same origin, at
 * most three times. All attempts of a request share its time-out. Thread-safe.
 */
final class HttpRequests {
  /** The maximum number of bytes of an answer that an error message quotes. */
  private static final int TOLD = 200;

  private static final int REDIRECTS = 3;
  private static final byte[] NOTHING = {};

  /** The maximum number of bytes of an unneeded body that is read to keep its connection usable. */
  private static final int DISCARDED = 64 << 10;

  /** The time in which an answer that is no longer needed has to end. */
  static final Duration GRACE = Duration.ofMillis(500);

  private final HttpSender sender;
  private final Headers headers;
  private final @Nullable HttpAuthorization authorization;
  private final int frameBytes;
  private final Duration timeout;
  private final URI server;
  private volatile URI uri;

  /**
   * @param sender sends the requests, and is closed with this object
   */
  HttpRequests(
      URI uri,
      Headers headers,
      @Nullable HttpAuthorization authorization,
      Limits limits,
      HttpSender sender) {
    this(uri, uri, headers, authorization, limits, sender);
  }

  private HttpRequests(
      URI server,
      URI uri,
      Headers headers,
      @Nullable HttpAuthorization authorization,
      Limits limits,
      HttpSender sender) {
    this.server = server;
    this.uri = uri;
    this.headers = headers;
    this.authorization = authorization;
    this.frameBytes = limits.frameBytes();
    this.timeout = limits.callTimeout().isZero()
        ? Limits.DEFAULT.callTimeout() // a request without a call needs one in any case
        : limits.callTimeout();
    this.sender = sender;
  }

  URI address() {
    return uri;
  }

  /** Returns the address for messages, without its query, because a query may contain secrets. */
  String uri() {
    return shown(uri);
  }

  /** Returns an address in the form for messages. */
  static String shown(URI uri) {
    return Endpoint.shown(uri.toString());
  }

  /** Returns the time-out of requests that do not carry a call. */
  Duration timeout() {
    return timeout;
  }

  /** Returns the same settings for another address of the same origin. */
  HttpRequests at(URI other, Limits limits) {
    return new HttpRequests(server, other, headers, authorization, limits, sender);
  }

  /** Ends all requests and connections. */
  void close() {
    sender.close();
  }

  /** Converts the failure of an exchange to the exception for its caller. */
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
        : new DisconnectedException(told(why), why);
  }

  private static String told(Throwable why) {
    String message = why.getMessage();
    return message == null ? why.getClass().getSimpleName() : message;
  }

  /** Returns the beginning of a body for a message, after a colon; empty for an empty body. */
  static String told(byte[] body) {
    String text = new String(body, 0, Math.min(body.length, TOLD), UTF_8)
        .replaceAll("[\\s\\p{Cc}]+", " ")
        .strip();
    return text.isEmpty() ? "" : ": " + text;
  }

  /** Sends a request without a body. */
  Exchange send(
      String method, Map<String, String> more, @Nullable Duration timeout, HttpSink sink) {
    return send(method, NOTHING, 0, 0, more, timeout, sink);
  }

  /**
   * Sends a request.
   *
   * @param body the body; the array must not change until the end of the request
   * @param more headers of this request
   * @param timeout the time until the end of the answer, or until its headers for an {@linkplain
   *     HttpSink#isEndless endless} event stream; null for none
   */
  Exchange send(
      String method,
      byte[] body,
      int from,
      int to,
      Map<String, String> more,
      @Nullable Duration timeout,
      HttpSink sink) {
    Exchange exchange = new Exchange(method, body, from, to, more, timeout, sink);
    exchange.attempt();
    return exchange;
  }

  /** A request with its repetitions. */
  final class Exchange {
    private final String method;
    private final byte[] body;
    private final int from;
    private final int to;
    private final Map<String, String> more;
    private final @Nullable Duration timeout;
    private final HttpSink sink;
    private int refusals;
    private int redirects;
    private volatile boolean cancelled;
    private volatile @Nullable Attempt current;

    /** The address of the next attempt. */
    private volatile URI address = uri;

    /** Whether all redirects so far were permanent. */
    private boolean permanent = true;

    /** The duration of all earlier attempts, in nanoseconds. */
    private volatile long spent;

    private volatile long sentAt;

    private Exchange(
        String method,
        byte[] body,
        int from,
        int to,
        Map<String, String> more,
        @Nullable Duration timeout,
        HttpSink sink) {
      this.method = method;
      this.body = body;
      this.from = from;
      this.to = to;
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
        added = by.headers(new HttpAuthorization.Request(method, address, server));
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
      Attempt attempt = new Attempt(credentials, address);
      current = attempt;
      sentAt = System.nanoTime();
      try {
        Headers all = headers.with(new Headers(more)).with(credentials);
        attempt.sent.complete(sender.send(
            new HttpSender.Request(method, target(address), all, body, from, to, left(0)),
            attempt));
      } catch (RuntimeException e) {
        sink.failed(e);
        return;
      }
      if (cancelled) {
        attempt.cancel();
      }
    }

    /** One attempt to send the request. */
    private final class Attempt implements HttpSender.Answer {
      private final Headers credentials;
      private final URI address;
      private final CompletableFuture<HttpSender.Sent> sent = new CompletableFuture<>();
      private volatile @Nullable HttpAnswer reading;
      private volatile Clock.@Nullable Timer late;

      Attempt(Headers credentials, URI address) {
        this.credentials = credentials;
        this.address = address;
      }

      @Override
      public void head(int status, Map<String, List<String>> headers) {
        HttpHead head = new HttpHead(status, headers);
        HttpAuthorization by = authorization;
        // Ending a session is not worth a login, because the server drops idle sessions by itself.
        boolean isEnd = method.equals("DELETE");
        if (by != null && !isEnd && (status == 401 || status == 403)) {
          discard(head);
          refused(by, credentials, address, head);
        } else if (status >= 300 && status < 400 && status != 304) {
          discard(head);
          redirected(address, head);
        } else {
          if (by != null) {
            by.answered(new HttpAuthorization.Request(method, address, server), headers);
          }
          reading = answer(sink, head, frameBytes);
          Duration left = left(System.nanoTime() - sentAt);
          if (left != null && !(head.isStream() && sink.isEndless())) {
            endWithin(left);
          }
          sink.head(head);
        }
      }

      /** Reads an unneeded body, so that its connection can be used again. */
      private void discard(HttpHead head) {
        reading = answer(new HttpSink() {}, head, DISCARDED);
        endWithin(GRACE);
      }

      private void endWithin(Duration time) {
        late = HttpThreads.after(time, () -> {
          sent.thenAccept(HttpSender.Sent::cancel);
          end(new TimeoutException(
              shown(address) + " has not sent its whole answer within " + time.toMillis() + " ms"));
        });
      }

      private void stopClock() {
        Clock.Timer timer = late;
        if (timer != null) {
          timer.cancel();
        }
      }

      private HttpAnswer answer(HttpSink to, HttpHead head, int limit) {
        return new HttpAnswer(
            to,
            head,
            limit,
            () -> sent.thenAccept(HttpSender.Sent::readOn),
            () -> sent.thenAccept(HttpSender.Sent::cancel));
      }

      @Override
      public boolean content(byte[] bytes, int from, int to) {
        HttpAnswer body = reading;
        return body == null || body.content(bytes, from, to);
      }

      @Override
      public void end(@Nullable Throwable cause) {
        stopClock();
        HttpAnswer body = reading;
        if (body != null) {
          body.complete(cause);
        } else if (!cancelled) {
          sink.failed(
              failure(cause == null ? new IOException(shown(address) + " sent no answer") : cause));
        }
      }

      void resume() {
        HttpAnswer body = reading;
        if (body != null) {
          body.resume();
        }
      }

      void cancel() {
        stopClock();
        HttpAnswer body = reading;
        if (body != null) {
          body.cancel();
        }
        sent.thenAccept(HttpSender.Sent::cancel);
      }
    }

    private void refused(HttpAuthorization by, Headers credentials, URI to, HttpHead head) {
      refusals++;
      HttpException end = head.refusal(shown(to) + " refused the request with the HTTP status "
          + head.status() + "; it needs authorization");
      if (refusals > HttpAuthorization.MAX_ATTEMPTS) {
        sink.failed(end);
        return;
      }
      sink.refused();
      spent += System.nanoTime() - sentAt;
      CompletionStage<Boolean> decision;
      try {
        decision = by.refused(new HttpAuthorization.Refusal(
            new HttpAuthorization.Request(method, to, server),
            credentials,
            head.status(),
            head.headers(),
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
     * Follows a redirect that keeps the method and the body, within the same origin; for instance
     * to the address with a trailing slash. Other redirects could send credentials and calls to a
     * stranger.
     */
    private void redirected(URI to, HttpHead head) {
      int status = head.status();
      String location = head.first("location");
      URI target;
      try {
        target = URI.create(UriReference.resolve(to, location).toASCIIString());
      } catch (IllegalArgumentException e) {
        target = to;
      }
      boolean keeps = (status == 307 || status == 308) && !location.isEmpty();
      if (keeps && Origin.isSame(to, target) && ++redirects <= REDIRECTS) {
        spent += System.nanoTime() - sentAt;
        address = target;
        permanent &= status == 308;
        if (permanent) {
          uri = target; // RFC 9110 section 15.4.9; after 307, later requests use the old address
        }
        attempt();
        return;
      }
      sink.failed(new ProtocolException(shown(to) + " redirects to '"
          + Endpoint.shown(location.replaceAll("\\p{Cc}", " ")) + "' with the HTTP status " + status
          + "; "
          + (Origin.isSame(to, target)
              ? "that is not followed, connect to the address itself"
              : "another origin is refused, connect to it directly if you trust it")));
    }

    /**
     * Returns the rest of the time-out of all attempts, at least one millisecond; null for no
     * time-out. The work of the authorization between the attempts does not count, because it may
     * ask a user.
     *
     * @param running the time of the current attempt, in nanoseconds
     */
    private @Nullable Duration left(long running) {
      return timeout == null
          ? null
          : Duration.ofMillis(Math.max(1, (timeout.toNanos() - spent - running) / 1_000_000));
    }

    /** Offers waiting events to the sink again. */
    void resume() {
      Attempt attempt = current;
      if (attempt != null) {
        attempt.resume();
      }
    }

    /** Cancels the request without a report to the sink. */
    void cancel() {
      cancelled = true;
      Attempt attempt = current;
      if (attempt != null) {
        attempt.cancel();
      }
    }
  }

  private static String target(URI uri) {
    String path = uri.getRawPath() == null || uri.getRawPath().isEmpty() ? "/" : uri.getRawPath();
    return uri.getRawQuery() == null ? path : path + "?" + uri.getRawQuery();
  }
}
