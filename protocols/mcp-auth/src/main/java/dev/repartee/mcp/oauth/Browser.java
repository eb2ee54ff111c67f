package dev.repartee.mcp.oauth;

import java.io.IOException;
import java.net.URI;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;

/** Asks the user to grant access, in a browser. Implementations must be thread-safe. */
public interface Browser {
  /** One request to the user. */
  interface Visit extends AutoCloseable {
    /**
     * Returns the redirect URI: HTTPS, an address of this machine, or an address with a private
     * scheme of the application (RFC 8252).
     */
    URI redirect();

    /**
     * Opens the page of the authorization server. The stage completes with the address that the
     * browser was redirected to, including its query, which contains secrets. {@link OAuthClient}
     * checks it.
     */
    CompletionStage<URI> open(URI page);

    /** Ends the request, even if the user has not decided. */
    @Override
    void close();
  }

  /** Prepares a request to the user. The caller closes it. */
  Visit visit() throws IOException;

  /**
   * Returns a browser that is redirected to a listener on 127.0.0.1, at a port that the system
   * chooses (RFC 8252 section 7.3).
   *
   * @param open opens a page in the browser of the user, for example {@code
   *     Desktop.getDesktop()::browse}, or prints its address
   */
  static Browser loopback(Consumer<URI> open) {
    return new LoopbackBrowser(0, open);
  }

  /** Returns {@link #loopback} at a fixed port, for clients that are registered with that port. */
  static Browser loopback(int port, Consumer<URI> open) {
    return new LoopbackBrowser(port, open);
  }

  /**
   * Returns a browser with a redirect that the application handles.
   *
   * @param redirect the redirect URI
   * @param open opens a page, and completes with the address that the browser was redirected to
   */
  static Browser of(URI redirect, Function<URI, CompletionStage<URI>> open) {
    return () -> new Visit() {
      private final CompletableFuture<URI> end = new CompletableFuture<>();

      @Override
      public URI redirect() {
        return redirect;
      }

      @Override
      public CompletionStage<URI> open(URI page) {
        open.apply(page).whenComplete((uri, failure) -> {
          if (failure == null) {
            end.complete(uri);
          } else {
            end.completeExceptionally(failure);
          }
        });
        return end;
      }

      @Override
      public void close() {
        end.cancel(false);
      }
    };
  }
}
