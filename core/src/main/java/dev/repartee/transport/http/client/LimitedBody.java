package dev.repartee.transport.http.client;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodySubscriber;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;

/** Collects a body of limited size. A larger one ends the exchange with an {@link IOException}. */
public final class LimitedBody implements BodySubscriber<byte[]> {
  private final int limit;
  private final CompletableFuture<byte[]> whole = new CompletableFuture<>();
  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
  private Flow.@Nullable Subscription subscription;

  private LimitedBody(int limit) {
    this.limit = limit;
  }

  /** Returns a handler for bodies of at most a number of bytes. */
  public static BodyHandler<byte[]> of(int limit) {
    return head -> new LimitedBody(limit);
  }

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
      if (bytes.size() + part.remaining() > limit) {
        if (subscription != null) {
          subscription.cancel();
        }
        whole.completeExceptionally(new IOException("the body has more than " + limit + " bytes"));
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
