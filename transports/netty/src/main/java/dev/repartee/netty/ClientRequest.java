package dev.repartee.netty;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/**
 * A request over a {@link ClientPool}, and the receiver of its response. Its methods run on the event
 * loop of the pool.
 *
 * <pre>
 *   new --> dialling --> sent --> over
 *      \______________/
 * </pre>
 *
 * A request becomes over once: by {@link #end}, which reports to {@link #ended}, or by {@link
 * #abandon}, which reports nothing. The response belongs to it until then.
 */
abstract class ClientRequest {
  private @Nullable Future<Channel> dialling;
  private @Nullable ClientConnection connection;
  private boolean over;

  /** Makes the request. Called once, when a connection is open. */
  abstract FullHttpRequest encoded();

  /** Receives the head of the response; not called for an informational status. */
  abstract void head(HttpResponse response);

  /**
   * Receives a piece of the body.
   *
   * @param bytes the piece, valid until this method returns
   * @param isLast whether the body ends with this piece; {@link #ended} follows
   * @return false to get no more before {@link #resume}
   */
  abstract boolean content(ByteBuf bytes, boolean isLast);

  /**
   * Called once, unless the request was abandoned.
   *
   * @param cause null if the response is complete; an {@link java.io.IOException} if no connection
   *     could be opened; otherwise the reason as a {@link RuntimeException}
   */
  abstract void ended(@Nullable Throwable cause);

  final boolean isOver() {
    return over;
  }

  final void dialling(Future<Channel> future) {
    dialling = future;
  }

  final void send(ClientConnection open) {
    connection = open;
    open.send(this);
  }

  final void end(@Nullable Throwable cause) {
    if (!over) {
      over = true;
      ended(cause);
    }
  }

  /** Continues reading after {@link #content} has returned false. */
  final void resume() {
    if (!over && connection != null) {
      connection.readOn();
    }
  }

  /** Ends the request with its connection, without a report. */
  void abandon() {
    if (over) {
      return;
    }
    over = true;
    if (connection != null) {
      connection.close();
    } else if (dialling != null) {
      dialling.cancel(false);
    }
  }
}
