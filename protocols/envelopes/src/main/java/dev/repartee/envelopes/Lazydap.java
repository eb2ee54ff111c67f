package dev.repartee.envelopes;

import dev.repartee.framing.Envelope;
import dev.repartee.framing.Framing;
import dev.repartee.json.Json;
import dev.repartee.message.Codec;
import dev.repartee.message.Dialect;
import dev.repartee.message.RpcError;
import org.jspecify.annotations.Nullable;

/**
 * The messages of lazydap, a debugger daemon, protocol version 10: {@code #envelope=lazydap}. The
 * client calls; the daemon answers and sends events. On byte streams a length precedes each message
 * unless the endpoint sets another framing.
 *
 * <ul>
 *   <li>A method is a variant of {@code Request}, and a notification one of {@code Event}. A call
 *       without params is the bare name; otherwise the params are the body of the variant.
 *   <li>The result is the variant of {@code Response}, unchanged: {@code {"Pong":{"version":10}}},
 *       or a string for one without a body. A handler returns such a value.
 *   <li>A received error has the code -32600 for {@code BadRequest}, -32603 for
 *       {@code DaemonInternalError}, -32004 for {@code Timeout}, -32800 for {@code Cancelled}, and
 *       {@link RpcError#NO_CODE} for the others. Its data is {@code {"code":...,"details":...}}. An
 *       error with such data is sent with that string; any other error is sent with the string for
 *       its number, or {@code DaemonInternalError}, and {@code details.rpc_code} contains a number
 *       without a string.
 *   <li>The requests of a client contain its version, and after the answer to a {@code Ping} the
 *       version of the daemon. A server answers a request of another version with
 *       {@code VersionMismatch}, except {@code Ping} and {@code Shutdown} without a body.
 *   <li>Requests are answered one at a time, in order. A message that cannot be read is answered on
 *       the id 0 after the answers to earlier requests, and ends the connection. A server answers
 *       a response, or an event on another id than 0, with {@code BadRequest}; an error is never
 *       answered.
 *   <li>There are no batches, no streams, no cancellation and no progress. A call that is cancelled
 *       or timed out continues at the daemon, and later calls of the same connection wait for it
 *       there.
 * </ul>
 *
 * <p>Immutable and thread-safe.
 */
public final class Lazydap implements Dialect, Envelope {
  /** The protocol version of this implementation. */
  public static final int VERSION = 10;

  private final int version;

  /** Creates the dialect for version {@link #VERSION}. */
  public Lazydap() {
    this(VERSION);
  }

  /**
   * Creates the dialect for a version of the protocol.
   *
   * @param version the version that a server serves, and that the requests of a client have before
   *     the answer to a {@code Ping}
   */
  public Lazydap(int version) {
    this.version = version;
  }

  /** Returns {@code lazydap}. */
  @Override
  public String name() {
    return "lazydap";
  }

  /** Returns {@link Framing#LENGTH_PREFIX}. */
  @Override
  public Framing framing(Framing otherwise) {
    return Framing.LENGTH_PREFIX;
  }

  /** Returns the description of the requests of version 10. */
  @Override
  public Json description() {
    return Descriptions.read("lazydap.openrpc.json");
  }

  /** Returns a new codec, which stores the version of the daemon. */
  @Override
  public Codec codec() {
    return new LazydapCodec(version);
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
  public boolean endsAfterInvalid() {
    return true;
  }

  @Override
  public boolean answersInOrder() {
    return true;
  }
}
