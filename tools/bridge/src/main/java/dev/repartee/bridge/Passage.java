package dev.repartee.bridge;

import dev.repartee.Call;
import dev.repartee.CallBuilder;
import dev.repartee.CallFuture;
import dev.repartee.CallTimeoutException;
import dev.repartee.Listener;
import dev.repartee.Peer;
import dev.repartee.RemoteRpcException;
import dev.repartee.ReparteeException;
import dev.repartee.RpcException;
import dev.repartee.internal.Times;
import dev.repartee.json.Json;
import dev.repartee.limits.LimitException;
import dev.repartee.message.Id;
import dev.repartee.message.RpcError;
import dev.repartee.transport.ChannelInfo;
import dev.repartee.transport.DisconnectedException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Forwards the messages of one side.
 *
 * @param listener is notified of the notifications that cannot be forwarded, since they have no
 *     answer
 * @param headers the names of the header fields that are forwarded with a call
 */
record Passage(Listener listener, List<String> headers) {
  /**
   * The messages that cancel a call by its id in some protocol. The engine handles the one of the
   * sender's dialect; any other that arrives here is refused, because its id may identify a call of
   * another client at the other side.
   */
  private static final Set<String> CANCELS =
      Set.of("rpc.cancel", "$/cancelRequest", "notifications/cancelled");

  /**
   * The question of an agent about a call, which it identifies by the member {@code id}. The id is
   * not forwarded, since it would identify another call at the other side.
   */
  private static final String ASK = "agent.ask";

  private static final String FOREIGN_CANCEL =
      "its id identifies a call of this side only; choose the protocol of this side, such as"
          + " #envelope=lsp";

  /** Does nothing. For {@link dev.repartee.PeerFlow#hasRoom}, which stores an object only once. */
  static final Runnable NOTHING = () -> {};

  /**
   * Forwards a message to a peer, even if the write queue of the peer is full: in this case the
   * bridge has stopped reading, and this message is one of the last.
   *
   * @param timeout the time for the answer, zero for no limit; null for the default of the peer. The
   *     remaining time of the call limits it
   * @return the future of the answer; null for a notification
   * @throws RpcException if a request cannot be sent
   */
  @Nullable Object pass(Call call, Peer to, @Nullable Duration timeout) {
    if (call.id() != null) {
      return call(call, to, timeout);
    }
    if (isCancellation(call.method(), to)) {
      lost(call, FOREIGN_CANCEL);
    } else {
      notify(call, next(call, to));
    }
    return null;
  }

  /**
   * Forwards a request to a peer, as {@link #pass} does.
   *
   * @param timeout the time for the answer; null for the default of the peer
   * @throws RpcException if it cannot be sent
   */
  CallFuture<Json> call(Call call, Peer to, @Nullable Duration timeout) {
    return call(call, to, timeout, id -> {});
  }

  /**
   * Forwards a request as above.
   *
   * @param onId gets the id of the request at the peer; see {@link CallBuilder#onId}
   */
  CallFuture<Json> call(Call call, Peer to, @Nullable Duration timeout, Consumer<Id> onId) {
    if (isCancellation(call.method(), to)) {
      throw new RpcException(RpcError.INVALID_REQUEST, "Invalid Request", Json.of(FOREIGN_CANCEL));
    }
    return request(call, next(call, to).onId(onId), timeout);
  }

  private CallBuilder next(Call call, Peer to) {
    CallBuilder next = to.request(call.method()).unthrottled();
    for (String name : headers) {
      String value = call.header(name);
      if (value != null) {
        addHeader(next, name, value);
      }
    }
    Json params = call.params();
    if (params != null) {
      next.params(call.method().equals(ASK) ? withoutId(params) : params);
    }
    return next;
  }

  /** Adds a header of a client, with the checks of a header of this side. */
  private static void addHeader(CallBuilder next, String name, String value) {
    try {
      next.header(name, value);
    } catch (IllegalArgumentException e) {
      throw new RpcException(
          RpcError.INVALID_REQUEST, "Invalid Request", Json.of(String.valueOf(e.getMessage())));
    }
  }

  /** Returns the shorter of two limits; zero means no limit. */
  static Duration shorter(Duration one, Duration other) {
    if (one.isZero() || other.isZero()) {
      return one.isZero() ? other : one;
    }
    return one.compareTo(other) < 0 ? one : other;
  }

  private static boolean isCancellation(String method, Peer to) {
    return CANCELS.contains(method) || method.equals(to.dialect().cancelMethod());
  }

  private static Json withoutId(Json params) {
    if (params.kind() != Json.Kind.OBJECT || params.get("id") == null) {
      return params;
    }
    Map<String, Json> members = params.members();
    members.remove("id");
    return Json.of(members);
  }

  private static CallFuture<Json> request(Call call, CallBuilder next, @Nullable Duration timeout) {
    if (timeout != null) {
      next.timeout(timeout);
    }
    try {
      return next.within(call).onProgress(call::progress).send(Json.class);
    } catch (DisconnectedException e) {
      String reason = e.unsent();
      throw reason == null ? unreachable() : new RpcException(unsent(reason));
    } catch (LimitException e) {
      boolean large = e.limit().equals("frameBytes");
      throw new RpcException(
          large ? RpcError.TOO_LARGE : RpcError.BUSY,
          large ? "Message too large for the other side of the bridge" : "Busy; try again later",
          Json.of(e.getMessage()));
    } catch (IllegalArgumentException e) { // the envelope of the other side cannot carry them
      throw new RpcException(RpcError.INVALID_PARAMS, "Invalid params", Json.of(e.getMessage()));
    }
  }

  private void notify(Call call, CallBuilder next) {
    try {
      next.sendNotification();
    } catch (DisconnectedException | LimitException | IllegalArgumentException e) {
      lost(call, String.valueOf(e.getMessage()));
    }
  }

  /** Sends a notification of the bridge itself to a client. */
  void tell(Peer client, String method, Json params) {
    try {
      client.request(method).unthrottled().params(params).sendNotification();
    } catch (DisconnectedException | LimitException | IllegalArgumentException e) {
      report(client.channel(), "the bridge did not send '" + method + "': " + e.getMessage());
    }
  }

  /** Reports a notification that is not forwarded. */
  void lost(Call notification, String reason) {
    report(
        notification.channel(),
        "the bridge did not pass the notification '" + notification.method() + "' on: " + reason);
  }

  /** Reports an event to the listener. */
  void report(ChannelInfo channel, String event) {
    tell(() -> listener.violation(channel, event));
  }

  /** Reports a change of a connection to a backend. */
  void notice(ChannelInfo channel, String event) {
    tell(() -> listener.notice(channel, event));
  }

  private static void tell(Runnable report) {
    try {
      report.run();
    } catch (RuntimeException e) {
      // Exceptions of listeners are ignored.
    }
  }

  /** Returns the error for a call that was forwarded and failed; null for an internal error. */
  static @Nullable RpcError failed(ReparteeException failure) {
    String reason = failure.unsent();
    if (reason != null) {
      return unsent(reason);
    } else if (failure instanceof RemoteRpcException answer) {
      return answer.error();
    } else if (failure instanceof CallTimeoutException) {
      return new RpcError(
          Bridge.LOST,
          "No answer from the other side of the bridge in time; the call was cancelled, and may"
              + " have run");
    } else if (failure instanceof DisconnectedException) {
      return new RpcError(
          Bridge.LOST,
          "The connection to the other side of the bridge was lost before the answer; the call may"
              + " have run");
    }
    return null;
  }

  /** Returns the error for a subscription whose connection was lost. */
  static RpcError lost() {
    return new RpcError(
        Bridge.LOST, "The connection to the other side of the bridge was lost; subscribe again");
  }

  private static RpcError unsent(String reason) {
    return new RpcError(
        Bridge.UNREACHABLE,
        "The call did not reach the other side of the bridge and was not run: " + reason);
  }

  /** Returns the failure of a call that has waited so long for a connection. */
  static RpcException notConnected(Duration waited) {
    return new RpcException(unsent("no connection was open within " + Times.text(waited)));
  }

  static RpcException unreachable() {
    return new RpcException(
        Bridge.UNREACHABLE, "The other side of the bridge is not connected; nothing was sent");
  }

  static RpcException busy() {
    return new RpcException(RpcError.BUSY, "Busy; try again later");
  }
}
