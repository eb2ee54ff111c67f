package dev.repartee;

import dev.repartee.internal.log.FailureLog;
import dev.repartee.limits.LimitException;
import dev.repartee.transport.ChannelInfo;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;

/**
 * Receives the events of connections, for logs, metrics and debugging.
 *
 * <p>The threads that read and serve connections call these methods, possibly in parallel: the
 * methods must be thread-safe and must not block. Exceptions that they throw are ignored.
 */
public interface Listener {
  /** A listener that ignores all events. */
  Listener NONE = new Listener() {};

  /**
   * The default listener. Writes failures, violations and notices to the {@link System.Logger} with
   * the name {@code dev.repartee}, at the level {@code WARNING}: at most 20 in ten seconds, with
   * the number of omitted ones, since a peer can cause as many as it likes. Params and results are
   * not written; a violation may show the first 40 bytes of unreadable input.
   */
  Listener LOG = new Listener() {
    private final FailureLog log = new FailureLog();

    @Override
    public void violation(ChannelInfo channel, String violation) {
      notice(channel, violation);
    }

    @Override
    public void notice(ChannelInfo channel, String event) {
      String from = channel.remote().isEmpty()
          ? channel.transport()
          : channel.transport() + " " + channel.remote();
      log.write(from + ": " + event, null);
    }

    @Override
    public void failed(Call call, Throwable cause) {
      if (cause instanceof CancellationException && call.cancellation().isCancelled()) {
        return; // the handler ended because its call was cancelled
      }
      String answer = call.id() == null ? "" : "; the caller got -32603";
      log.write("the method '" + call.method() + "' failed" + answer, cause);
    }
  };

  /** Reports that a connection was opened, before its first frame is read. */
  default void connected(Peer peer) {}

  /**
   * Reports that a connection has ended.
   *
   * @param cause the failure that ended the connection, or null after an orderly end
   */
  default void disconnected(Peer peer, @Nullable Throwable cause) {}

  /**
   * Reports input that breaks the protocol: unreadable input, an answer to no call, an error
   * without an id. A client that does not answer input that is not a message ({@link
   * Options.Builder#answersUnreadable}) reports the first of each connection.
   *
   * @param violation the broken rule, in a sentence
   */
  default void violation(ChannelInfo channel, String violation) {}

  /**
   * Reports a message that was dropped because it exceeds a limit of this side. The message may be
   * the answer to a call, which then ends with its time-out only. The default reports a {@link
   * #violation}.
   *
   * @param limit the limit: {@code frameBytes}, {@code depth}, or the memory of all connections
   * @param violation the broken rule, in a sentence
   */
  default void dropped(ChannelInfo channel, LimitException limit, String violation) {
    violation(channel, violation);
  }

  /**
   * Reports a request or notification that was refused before its layers, which therefore do not
   * see it: it exceeds a limit, is not allowed to its caller, is invalid, or was cancelled or timed
   * out while it waited. Input that is not JSON is reported as a {@link #violation} or as {@link
   * #dropped}, and an invalid message both here and there. Is called before the answer is sent, on
   * the thread that refuses the call. A peer can cause any number of these events.
   */
  default void refused(RefusedCall call) {}

  /**
   * Reports an event that operators should know, although no peer broke a rule: a client has lost
   * the connection to a message broker or has connected to it again, or a handler has failed after
   * the end of its call. A server that gets its requests from a broker reports the loss and the
   * return as a {@link #violation}.
   *
   * @param event the event, in a sentence
   */
  default void notice(ChannelInfo channel, String event) {}

  /**
   * Reports that a handler, or writing its result, failed with an exception that is not mapped by
   * {@link Options#exceptionMapper}, and that is a {@link RemoteRpcException} or no {@link
   * RpcException} at all. Nothing of the exception is sent to the peer. A handler that fails after
   * its call was answered, for example by a deadline or a cancellation, is reported to {@link
   * #notice}.
   */
  default void failed(Call call, Throwable cause) {}
}
