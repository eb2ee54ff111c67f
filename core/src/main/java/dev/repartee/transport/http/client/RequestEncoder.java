package dev.repartee.transport.http.client;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.BodySubscribers;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Flow;

/** Encodes requests (RFC 9112). */
final class RequestEncoder {
  /** The methods whose requests have a length even without a body (RFC 9110 section 8.6). */
  private static final Set<String> WITH_BODY = Set.of("POST", "PUT", "PATCH");

  private RequestEncoder() {}

  /**
   * Returns a request as it is sent to its target. Waits for the publisher of the body.
   *
   * @throws IOException if the publisher fails
   */
  static byte[] encode(HttpRequest request, Target target)
      throws IOException, InterruptedException {
    URI uri = URI.create(request.uri().toASCIIString());
    byte[] body =
        request.bodyPublisher().isPresent() ? body(request.bodyPublisher().get()) : new byte[0];
    String path = uri.getRawPath().isEmpty() ? "/" : uri.getRawPath();
    String query = uri.getRawQuery() == null ? "" : "?" + uri.getRawQuery();
    String host = uri.getHost() + (uri.getPort() < 0 ? "" : ":" + uri.getPort());
    StringBuilder head = new StringBuilder(256)
        .append(request.method())
        .append(' ')
        .append(target.isForwarded() ? "http://" + host : "")
        .append(path)
        .append(query)
        .append(" HTTP/1.1\r\nHost: ")
        .append(host)
        .append("\r\n");
    request
        .headers()
        .map()
        .forEach((name, values) ->
            values.forEach(value -> head.append(name).append(": ").append(value).append("\r\n")));
    if (request.headers().firstValue("User-Agent").isEmpty()) {
      head.append("User-Agent: Repartee\r\n");
    }
    if (body.length > 0 || WITH_BODY.contains(request.method())) {
      head.append("Content-Length: ").append(body.length).append("\r\n");
    }
    ByteArrayOutputStream all = new ByteArrayOutputStream(head.length() + 2 + body.length);
    all.writeBytes(head.append("\r\n").toString().getBytes(ISO_8859_1));
    all.writeBytes(body);
    return all.toByteArray();
  }

  private static byte[] body(BodyPublisher publisher) throws IOException, InterruptedException {
    BodySubscriber<byte[]> whole = BodySubscribers.ofByteArray();
    publisher.subscribe(new Flow.Subscriber<>() {
      @Override
      public void onSubscribe(Flow.Subscription subscription) {
        whole.onSubscribe(subscription);
      }

      @Override
      public void onNext(ByteBuffer piece) {
        whole.onNext(List.of(piece));
      }

      @Override
      public void onError(Throwable failure) {
        whole.onError(failure);
      }

      @Override
      public void onComplete() {
        whole.onComplete();
      }
    });
    try {
      return whole.getBody().toCompletableFuture().get();
    } catch (ExecutionException e) {
      throw new IOException("the body of the request cannot be read", e.getCause());
    }
  }
}
