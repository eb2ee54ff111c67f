package dev.repartee.envelopes;

import dev.repartee.framing.Envelope;
import dev.repartee.framing.Framing;
import dev.repartee.json.Json;
import dev.repartee.message.Codec;
import dev.repartee.message.Dialect;
import dev.repartee.message.Id;
import dev.repartee.message.RpcError;
import org.jspecify.annotations.Nullable;

/**
 * The messages of the Debug Adapter Protocol (1.71): {@code #envelope=dap}. Both sides may call: an
 * adapter serves commands as methods and sends events as notifications, and its calls are reverse
 * requests. On byte streams the messages have a {@code Content-Length} header unless the endpoint
 * sets another framing.
 *
 * <ul>
 *   <li>{@code arguments} and the {@code body} of an event are params by name. A call with params
 *       by position fails with {@link IllegalArgumentException} before it is sent, unless there are
 *       none. The result null has no {@code body}.
 *   <li>All messages of a side are numbered from 1 on by {@code seq}, on each connection. The
 *       number is assigned just before a message is sent, to a request before it is written.
 *       Messages that several threads send at the same time may therefore be sent in a different
 *       order than their numbers, and a request that is cancelled before it is sent leaves a gap.
 *   <li>An error is sent with its message in {@code message} and {@code body.error.format}, its
 *       code in {@code body.error.id} and its data in {@code body.data}. If the data is an object
 *       with a member {@code error}, it is sent as the body. A received error has the code of
 *       {@code body.error.id}, or {@link RpcError#NO_CODE}; its data is {@code body.data},
 *       otherwise the body.
 *   <li>The request {@code cancel} is sent for a call that is cancelled or timed out, if the
 *       adapter has announced {@code supportsCancelRequest}; its answer is ignored. A cancelled
 *       request is answered with the message {@code cancelled}. Such an adapter needs no method
 *       {@code cancel}.
 *   <li>An invalid request with a {@code seq} is answered with an error. Other invalid messages are
 *       not answered, since the protocol has no such answer. The connection continues.
 *   <li>There are no batches, no streams and no {@code rpc.progress}.
 * </ul>
 *
 * <p>Immutable and thread-safe.
 */
public final class Dap implements Dialect, Envelope {
  /** Creates the dialect. */
  public Dap() {}

  /** Returns {@code dap}. */
  @Override
  public String name() {
    return "dap";
  }

  /** Returns {@link Framing#CONTENT_LENGTH}. */
  @Override
  public Framing framing(Framing otherwise) {
    return Framing.CONTENT_LENGTH;
  }

  /** Returns a new codec, which numbers the messages of one connection. */
  @Override
  public Codec codec() {
    return new DapCodec();
  }

  @Override
  public String cancelMethod() {
    return "cancel";
  }

  @Override
  public boolean isCancelAnswered() {
    return true;
  }

  @Override
  public Json cancelParams(Id id) {
    return Json.parse("{\"requestId\":" + id + "}");
  }

  @Override
  public @Nullable Id cancelled(@Nullable Json params) {
    Json id = params == null ? null : params.get("requestId");
    return id == null || id.kind() != Json.Kind.NUMBER ? null : Id.of(id);
  }

  @Override
  public RpcError cancelledError() {
    return new RpcError(RpcError.CANCELLED, DapCodec.CANCELLED);
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
}
