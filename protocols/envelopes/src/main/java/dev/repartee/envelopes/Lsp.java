package dev.repartee.envelopes;

import dev.repartee.framing.Envelope;
import dev.repartee.framing.Framing;
import dev.repartee.message.Dialect;
import org.jspecify.annotations.Nullable;

/**
 * JSON-RPC 2.0 as the base protocol of the Language Server Protocol uses it: {@code #envelope=lsp}.
 * For programs that forward the messages of language servers, or call single methods; the module
 * {@code repartee-lsp} has the typed protocol. On byte streams the messages have a
 * {@code Content-Length} header unless the endpoint sets another framing. The notification
 * {@code $/cancelRequest} cancels a call. Progress ({@code $/progress}) has separate tokens, and is
 * a notification like any other.
 *
 * <p>Immutable and thread-safe.
 */
public final class Lsp implements Dialect, Envelope {
  /** Creates the dialect. */
  public Lsp() {}

  /** Returns {@code lsp}. */
  @Override
  public String name() {
    return "lsp";
  }

  /** Returns {@link Framing#CONTENT_LENGTH}. */
  @Override
  public Framing framing(Framing otherwise) {
    return Framing.CONTENT_LENGTH;
  }

  @Override
  public String cancelMethod() {
    return "$/cancelRequest";
  }

  @Override
  public @Nullable String progressMethod() {
    return null;
  }
}
