package dev.repartee.mcp.client.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.HttpException;
import dev.repartee.ProtocolException;
import dev.repartee.internal.Origin;
import dev.repartee.internal.UriReference;
import dev.repartee.limits.Limits;
import dev.repartee.mcp.auth.HttpAuthorization;
import dev.repartee.transport.DisconnectedException;
import dev.repartee.transport.Endpoint;
import dev.repartee.transport.Headers;
import dev.repartee.transport.OutboundFrame;
import dev.repartee.transport.OutgoingMessage;
import dev.repartee.transport.http.HttpSender;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A client of HTTP with SSE (2024-11-05). All messages of the server arrive on one event stream.
 * Its first event contains the address to which the client posts its messages. The channel ends
 * with the stream. Thread-safe.
 */
public final class EventStreamChannel extends HttpChannel {
  private final CompletableFuture<URI> endpoint = new CompletableFuture<>();
  private volatile HttpRequests.@Nullable Exchange stream;
  private volatile @Nullable HttpRequests messages;

  private EventStreamChannel(
      URI uri,
      Headers headers,
      @Nullable HttpAuthorization authorization,
      Limits limits,
      HttpSender sender) {
    super(uri, headers, authorization, limits, sender);
  }

  /**
   * Opens the event stream and waits for its first event.
   *
   * @param sender sends the requests, and is closed with the channel
   * @param wait the time to wait for that event
   * @throws IOException if the server does not open the stream
   * @throws ProtocolException if the address for messages is malformed or of another origin
   */
  public static EventStreamChannel connect(
      URI uri,
      Headers headers,
      @Nullable HttpAuthorization authorization,
      Limits limits,
      HttpSender sender,
      Duration wait)
      throws IOException {
    EventStreamChannel channel =
        new EventStreamChannel(uri, headers, authorization, limits, sender);
    channel.stream = channel.requests.send(
        "GET",
        Map.of("Accept", "text/event-stream"),
        channel.requests.timeout(),
        channel.new Events());
    try {
      URI to = channel.endpoint.get(wait.toNanos(), TimeUnit.NANOSECONDS);
      channel.messages = channel.requests.at(to, limits);
      return channel;
    } catch (ExecutionException e) {
      Throwable why = Objects.requireNonNullElse(e.getCause(), e);
      channel.abort(why);
      boolean isRefused = why instanceof HttpException;
      if (why instanceof ProtocolException broken && !isRefused) {
        throw broken;
      }
      String what = isRefused ? HttpRequests.shown(uri) + " has no event stream: " : "";
      throw new IOException(what + why.getMessage(), e);
    } catch (TimeoutException e) {
      channel.abort(e);
      throw new IOException(
          HttpRequests.shown(uri) + " opened an event stream without the event 'endpoint'", e);
    } catch (InterruptedException e) {
      channel.abort(e);
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while connecting to " + HttpRequests.shown(uri), e);
    }
  }

  @Override
  Post post(OutgoingMessage message) {
    return new StreamPost(message, Objects.requireNonNull(messages));
  }

  @Override
  void resumeStreams() {
    HttpRequests.Exchange reading = stream;
    if (reading != null) {
      reading.resume();
    }
  }

  @Override
  void cancelStreams() {
    HttpRequests.Exchange reading = stream;
    if (reading != null) {
      reading.cancel();
    }
  }

  /** The event stream. */
  private final class Events implements HttpSink {
    @Override
    public boolean isEndless() {
      return true;
    }

    @Override
    public boolean event(String type, byte[] data) {
      if (type.equals("endpoint")) {
        locate(new String(data, UTF_8).strip());
        return true;
      }
      if (!type.equals("message") || data.length == 0) {
        return true;
      }
      return deliver(data);
    }

    private void locate(String text) {
      URI base = requests.address();
      try {
        URI to = URI.create(UriReference.resolve(base, text).toASCIIString());
        if (Origin.isSame(base, to)) {
          endpoint.complete(to);
          return;
        }
        endpoint.completeExceptionally(new ProtocolException(
            requests.uri() + " names an address of another origin for messages, which is refused: "
                + HttpRequests.shown(to)));
      } catch (IllegalArgumentException e) {
        endpoint.completeExceptionally(new ProtocolException(
            requests.uri() + " names an invalid address for messages: " + Endpoint.shown(text)));
      }
    }

    @Override
    public void ended(@Nullable Throwable why) {
      DisconnectedException end =
          new DisconnectedException("the event stream of " + requests.uri() + " has ended", why);
      endpoint.completeExceptionally(end);
      abort(end);
    }

    @Override
    public boolean body(HttpHead head, byte[] body) {
      failed(head.refusal("HTTP status " + head.status() + " with the content type '"
          + head.contentType() + "'" + HttpRequests.told(body)));
      return true;
    }

    @Override
    public void failed(RuntimeException why) {
      endpoint.completeExceptionally(why);
      abort(why);
    }
  }

  /** The POST of a message. Its answer arrives on the event stream. */
  private final class StreamPost extends Post {
    private final HttpRequests to;

    StreamPost(OutgoingMessage message, HttpRequests to) {
      super(EventStreamChannel.this, message);
      this.to = to;
    }

    @Override
    HttpRequests.Exchange transmit() {
      OutboundFrame text = message().text();
      return to.send(
          "POST",
          text.array(),
          text.textStart(),
          text.size(),
          message().headers().with("Content-Type", "application/json").fields(),
          to.timeout(),
          this);
    }

    /** Does not end a POST that was sent: the client cancels the call with a message instead. */
    @Override
    void callsEnded(boolean unwanted) {
      if (unwanted) {
        withdraw();
      }
    }

    @Override
    public boolean body(HttpHead head, byte[] body) {
      if (head.isSuccess()) {
        finish();
      } else {
        fail(head.refusal(requests.uri() + " answered a message with the HTTP status "
            + head.status() + HttpRequests.told(body)));
      }
      return true;
    }

    @Override
    public void ended(@Nullable Throwable why) {
      finish();
    }
  }
}
