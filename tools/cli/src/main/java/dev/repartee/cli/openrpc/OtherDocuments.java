package dev.repartee.cli.openrpc;

import dev.repartee.internal.UriReference;
import dev.repartee.limits.Limits;
import dev.repartee.openrpc.ReferenceLoader;
import dev.repartee.transport.http.client.Http1Client;
import dev.repartee.transport.http.client.LimitedBody;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** The documents that references may lead to, as the options permit. */
final class OtherDocuments implements ReferenceLoader {
  private static final HttpClient CLIENT = new Http1Client(Limits.DEFAULT.connectTimeout());
  private static final Set<Integer> MOVED = Set.of(301, 302, 303, 307, 308);
  private static final int REDIRECTS = 5;

  private final @Nullable ReferenceLoader files;
  private final boolean allowsRemote;
  private final Duration timeout;
  private final long start = System.nanoTime();

  /**
   * @param folder the folder with files; null if no file may be read
   * @param timeout the limit for all documents of other machines
   */
  OtherDocuments(@Nullable Path folder, boolean allowsRemote, Duration timeout) {
    this.files = folder == null ? null : ReferenceLoader.folder(folder);
    this.allowsRemote = allowsRemote;
    this.timeout = timeout;
  }

  @Override
  public byte[] load(URI document) throws IOException {
    String scheme = document.getScheme();
    if ("http".equalsIgnoreCase(scheme) || "https".equalsIgnoreCase(scheme)) {
      if (!allowsRemote) {
        throw new IOException("it leads to another machine; see --allow-remote");
      }
      return fetched(document);
    }
    if (files == null) {
      throw new IOException("it leads to a file; name its folder with --refs");
    }
    return files.load(document);
  }

  private byte[] fetched(URI document) throws IOException {
    try {
      URI to = document;
      for (int redirects = 0; ; redirects++) {
        HttpResponse<byte[]> answer = answer(to);
        URI next = redirects < REDIRECTS ? redirect(to, answer) : null;
        if (next != null) {
          to = next;
        } else if (answer.statusCode() == 200) {
          return answer.body();
        } else {
          throw new IOException("the HTTP status is " + answer.statusCode());
        }
      }
    } catch (IllegalArgumentException e) { // of the reference, or of a redirection
      throw new IOException("it leads to an address that is not valid", e);
    }
  }

  /** Returns the address to ask next; null if there is none, or only one without encryption. */
  private static @Nullable URI redirect(URI from, HttpResponse<?> answer) {
    String location = answer.headers().firstValue("location").orElse("");
    if (!MOVED.contains(answer.statusCode()) || location.isEmpty()) {
      return null;
    }
    URI to = UriReference.resolve(from, location);
    return "https".equalsIgnoreCase(from.getScheme()) && "http".equalsIgnoreCase(to.getScheme())
        ? null
        : to;
  }

  private HttpResponse<byte[]> answer(URI uri) throws IOException {
    CompletableFuture<HttpResponse<byte[]>> sent =
        CLIENT.sendAsync(HttpRequest.newBuilder(uri).build(), LimitedBody.of(MAX_FILE));
    try {
      return sent.get(left().toNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      throw late();
    } catch (ExecutionException e) {
      Throwable cause = e.getCause();
      if (cause instanceof IllegalArgumentException invalid) {
        throw invalid;
      } else if (cause instanceof ConnectException || cause instanceof HttpTimeoutException) {
        throw new IOException("cannot connect to " + uri.getRawAuthority(), cause);
      }
      throw cause instanceof IOException failure ? failure : new IOException(cause);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    } finally {
      sent.cancel(true);
    }
  }

  private Duration left() throws IOException {
    Duration left = timeout.minusNanos(System.nanoTime() - start);
    if (left.isNegative() || left.isZero()) {
      throw late();
    }
    return left;
  }

  private IOException late() {
    return new IOException("the documents take longer than " + timeout.toMillis() + " ms");
  }
}
