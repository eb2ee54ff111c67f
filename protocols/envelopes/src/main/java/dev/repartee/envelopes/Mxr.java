package dev.repartee.envelopes;

import dev.repartee.framing.Envelope;
import dev.repartee.framing.Framing;
import dev.repartee.json.Json;
import dev.repartee.message.Codec;
import dev.repartee.message.Dialect;
import dev.repartee.message.RpcError;
import org.jspecify.annotations.Nullable;

/**
 * The messages of mxr, a mail daemon, protocol version 4: {@code #envelope=mxr}. The client calls;
 * the daemon answers in any order and sends events. On byte streams a length precedes each message
 * unless the endpoint sets another framing.
 *
 * <ul>
 *   <li>The method is the member {@code cmd} of the payload, and the params by name are its other
 *       members. The name of a notification is the member {@code event}. A call with params by
 *       position, or with a param named {@code type}, {@code cmd} or {@code event}, fails with
 *       {@link IllegalArgumentException} before it is sent.
 *   <li>The result is the member {@code data}, an object with the member {@code kind}.
 *   <li>A received error has the code -32600 for the kind {@code invalid_request}, -32601 for
 *       {@code unsupported}, -32000 for {@code rate_limited}, -32603 for {@code internal}, and
 *       {@link RpcError#NO_CODE} for the others. Its data has the members {@code kind},
 *       {@code code}, {@code retryable} and {@code details}. An error with the member {@code kind}
 *       in its data is sent with these members; any other error is sent with the kind for its
 *       number, and {@code details.rpc_code} contains a number without a kind.
 *   <li>A message that cannot be read ends the connection without an answer, after the answers to
 *       earlier requests.
 *   <li>Over TCP the first call is {@code Authenticate} with a {@code token}.
 *   <li>There are no batches, no streams, no cancellation and no progress. A call that is cancelled
 *       or timed out continues at the daemon.
 * </ul>
 *
 * <p>Immutable and thread-safe.
 */
public final class Mxr implements Dialect, Envelope {
  private final Codec codec;

  /** Creates the dialect of a client with the source {@code cli}. */
  public Mxr() {
    this("cli");
  }

  /**
   * Creates the dialect.
   *
   * @param source the kind of client that the daemon records for each request, such as {@code cli},
   *     {@code script} or {@code agent}
   */
  public Mxr(String source) {
    this.codec = new MxrCodec(source);
  }

  /** Returns {@code mxr}. */
  @Override
  public String name() {
    return "mxr";
  }

  /** Returns {@link Framing#LENGTH_PREFIX}. */
  @Override
  public Framing framing(Framing otherwise) {
    return Framing.LENGTH_PREFIX;
  }

  /** Returns the description of the requests that read mail, search, and change messages. */
  @Override
  public Json description() {
    return Descriptions.read("mxr.openrpc.json");
  }

  @Override
  public Codec codec() {
    return codec;
  }

  @Override
  public @Nullable String cancelMethod() {
    return null;
  }

  @Override
  public @Nullable String progressMethod() {
    return null;
  }

  @Override
  public boolean isJsonRpc2() {
    return false;
  }

  @Override
  public boolean answersWithoutId() {
    return false;
  }

  @Override
  public boolean endsAfterInvalid() {
    return true;
  }
}
