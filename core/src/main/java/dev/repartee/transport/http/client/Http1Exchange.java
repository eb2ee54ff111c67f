package dev.repartee.transport.http.client;

import dev.repartee.internal.Clock;
import dev.repartee.transport.http.client.ResponseReader.Head;
import java.io.IOException;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;

/**
 * One request with its answer. A thread runs it from the look-up of the host to the end of the
 * body. Any thread may end it before: a failure of the future, or the cancellation of the
 * subscription, closes the socket, which ends the wait of the thread.
 */
final class Http1Exchange<T> implements Flow.Subscription {
  private final Http1Client client;
  private final HttpRequest request;
  private final BodyHandler<T> handler;
  private final CompletableFuture<HttpResponse<T>> response = new CompletableFuture<>();

  // Guarded by this.
  private boolean over;
  private long demand;

  /** The connecting or open socket; null before, and when the connection is idle again. */
  private @Nullable SocketChannel channel;

  Http1Exchange(Http1Client client, HttpRequest request, BodyHandler<T> handler) {
    this.client = client;
    this.request = request;
    this.handler = handler;
  }

  /** Starts a thread for the exchange. */
  CompletableFuture<HttpResponse<T>> start() {
    response.whenComplete((answer, failure) -> {
      if (failure != null) {
        cancel();
      }
    });
    Clock.Timer late = request
        .timeout()
        .map(time -> failAfter(time, new HttpTimeoutException("request timed out")))
        .orElse(() -> {});
    Clock.Timer connecting =
        failAfter(client.connectTimeout, new HttpConnectTimeoutException("HTTP connect timed out"));
    try {
      client.threads.execute(() -> run(connecting, late));
    } catch (RuntimeException | Error e) { // such as a lack of threads
      connecting.cancel();
      late.cancel();
      response.completeExceptionally(e);
    }
    return response;
  }

  private Clock.Timer failAfter(Duration time, HttpTimeoutException failure) {
    return client.clock.schedule(
        time, client.threads, () -> response.completeExceptionally(failure));
  }

  private void run(Clock.Timer connecting, Clock.Timer late) {
    try {
      Target target = Target.of(request.uri());
      ClientSocket socket = connect(target);
      connecting.cancel();
      IOException unsent = send(target, socket);
      Head head = head(socket, unsent);
      late.cancel();
      ResponseBody body = ResponseBody.of(request.method(), head, socket.in);
      BodySubscriber<T> subscriber = handler.apply(head);
      subscriber.getBody().whenComplete((value, failure) -> {
        if (failure == null) {
          response.complete(new Response<>(request, head, value));
        } else {
          response.completeExceptionally(failure);
        }
      });
      subscriber.onSubscribe(this);
      if (deliver(body, subscriber)) {
        if (unsent == null && head.isPersistent() && body.isDelimited() && release()) {
          client.idle.add(target, socket);
        }
        subscriber.onComplete();
      }
    } catch (Throwable e) { // also of the receiver
      response.completeExceptionally(e);
    } finally {
      connecting.cancel();
      late.cancel();
      cancel();
    }
  }

  private ClientSocket connect(Target target) throws IOException {
    ClientSocket kept = client.idle.take(target);
    if (kept != null) {
      opened(kept.channel());
      return kept;
    }
    return ClientSocket.open(target, client::sslContext, this::opened);
  }

  /** Remembers a channel to close it, or closes it if the exchange has ended. */
  private void opened(SocketChannel open) throws IOException {
    synchronized (this) {
      if (!over) {
        channel = open;
        return;
      }
    }
    open.close();
    throw new ClosedChannelException();
  }

  /**
   * Sends the request. Returns the failure: a server may refuse a request without reading it, and
   * its answer counts then.
   */
  private @Nullable IOException send(Target target, ClientSocket socket)
      throws IOException, InterruptedException {
    byte[] encoded = RequestEncoder.encode(request, target);
    try {
      socket.write(encoded);
      return null;
    } catch (IOException e) {
      return e;
    }
  }

  private static Head head(ClientSocket socket, @Nullable IOException unsent) throws IOException {
    try {
      return socket.in.head();
    } catch (IOException e) {
      throw unsent == null ? e : unsent;
    }
  }

  /** Passes the body on, as fast as its receiver requests. Returns whether it was complete. */
  private boolean deliver(ResponseBody body, BodySubscriber<T> subscriber)
      throws InterruptedException {
    try {
      while (!body.isOver()) {
        Thread.interrupted(); // a flag that the receiver has left would close the channel
        if (!awaitDemand()) {
          return false;
        }
        byte[] piece = body.read();
        if (piece != null) {
          subscriber.onNext(List.of(ByteBuffer.wrap(piece)));
        }
      }
      return true;
    } catch (IOException | RuntimeException e) {
      subscriber.onError(e);
      return false;
    }
  }

  /** Waits until the receiver requests a piece; returns false if the exchange has ended. */
  private synchronized boolean awaitDemand() throws InterruptedException {
    while (demand == 0 && !over) {
      wait();
    }
    demand--;
    return !over;
  }

  @Override
  public synchronized void request(long pieces) {
    demand = demand + pieces < 0 ? Long.MAX_VALUE : demand + pieces;
    notifyAll();
  }

  /** Leaves the connection open. Returns false if it was closed before. */
  private synchronized boolean release() {
    channel = null;
    return !over;
  }

  @Override
  public void cancel() {
    SocketChannel open;
    synchronized (this) {
      over = true;
      open = channel;
      channel = null;
      notifyAll();
    }
    if (open != null) {
      try {
        open.close();
      } catch (IOException e) {
        // The socket is closed in any case.
      }
    }
  }
}
