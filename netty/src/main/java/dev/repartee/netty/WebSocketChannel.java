package dev.repartee.netty;

import dev.repartee.Attributes;
import dev.repartee.ChannelInfo;
import dev.repartee.Limits;
import dev.repartee.OutboundFrame;
import dev.repartee.Receiver;
import dev.repartee.netty.tls.Tls;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFutureListener;
import io.netty.handler.codec.http.websocketx.BinaryWebSocketFrame;
import io.netty.handler.codec.http.websocketx.CloseWebSocketFrame;
import io.netty.handler.codec.http.websocketx.TextWebSocketFrame;
import io.netty.handler.codec.http.websocketx.WebSocketCloseStatus;
import io.netty.handler.codec.http.websocketx.WebSocketFrame;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A WebSocket connection, of either side. Any thread may queue frames, which the event loop writes;
 * everything else runs on the event loop alone.
 *
 * <p>The closing handshake consists of one close frame from each side (RFC 6455 section 7):
 *
 * <ul>
 *   <li>This side closes: the queue is closed and sent, then our close frame ({@code closeSent}). The
 *       socket closes when the peer's frame arrives, or {@code LINGER_SECONDS} later.
 *   <li>The peer closes ({@code closeReceived}): its input has ended. The requests before it are still
 *       answered; the receiver then closes this channel, which sends our close frame behind the
 *       replies and closes the socket.
 *   <li>The peer breaks the protocol or a limit: {@link #refuse} sends a close frame with the status.
 *       All further input is dropped ({@code over}).
 *   <li>{@link #end} closes the socket without a close frame.
 * </ul>
 *
 * <p>The receiver is notified of the end once ({@code told}), not before {@link #start}.
 *
 * <p>A message is UTF-8 in text frames or in binary frames. All messages are sent as the kind of
 * message that the peer sent last, and as text before it has sent any. A reply is not sent as the
 * kind of its own request: a batch or a handler may be answered after other messages have arrived,
 * so the channel does not know that kind.
 */
final class WebSocketChannel extends EventLoopChannel {
  /** The time that the peer has for its close frame after ours. */
  private static final int LINGER_SECONDS = 1;

  /** The most characters of a close reason, which is ASCII here (RFC 6455 section 5.5). */
  private static final int LONGEST_REASON = 123;

  /** The first close status that applications may define (RFC 6455 section 7.4.2). */
  private static final int APPLICATION = 3_000;

  private static final Pattern UNPRINTABLE = Pattern.compile("[\\p{Cntrl}\\p{Cf}\\x80-\\x9F]");

  private final io.netty.channel.Channel channel;
  private final Attributes attributes;
  private final WebSocketFlowControl inflow;

  /** Why the connection ends, or null. Written by the event loop. */
  private volatile @Nullable Throwable cause;

  // Of the event loop.
  private @Nullable Receiver receiver;
  private boolean answersBinary;
  private boolean closeSent;
  private boolean closeReceived;
  private boolean over;
  private boolean told;

  WebSocketChannel(
      io.netty.channel.Channel channel,
      Limits limits,
      FrameQueue writeQueue,
      MessageBytes message,
      Attributes attributes) {
    super(
        channel.eventLoop(),
        limits,
        writeQueue,
        new ChannelInfo(Tls.isOn(channel) ? "wss" : "ws", WebSockets.remote(channel), "message"));
    this.channel = channel;
    this.attributes = attributes;
    this.inflow = new WebSocketFlowControl(this, message);
  }

  /** Returns the last handler of the pipeline. */
  WebSocketFlowControl inflow() {
    return inflow;
  }

  @Override
  public void start(Receiver receiver) {
    onLoop(() -> {
      this.receiver = receiver;
      if (over) {
        tell();
      } else {
        inflow.goOn();
      }
    });
  }

  @Override
  public void resume() {
    onLoop(inflow::goOn);
  }

  @Override
  public void close() {
    writeQueue.shut(cause);
    onLoop(this::drain);
  }

  @Override
  public Attributes attributes() {
    return attributes;
  }

  // ---------------------------------------------------------------- output

  @Override
  void drain() {
    for (OutboundFrame frame = writeQueue.next(); frame != null; frame = writeQueue.next()) {
      OutboundFrame leaving = frame;
      channel.write(message(leaving)).addListener(written -> left(leaving, written.cause()));
    }
    channel.flush();
    if (writeQueue.isFinished() && !closeSent && !over) {
      sendClose(WebSocketCloseStatus.NORMAL_CLOSURE, "");
    }
  }

  private WebSocketFrame message(OutboundFrame frame) {
    ByteBuf bytes = Unpooled.wrappedBuffer(frame.array(), 0, frame.size());
    return answersBinary ? new BinaryWebSocketFrame(bytes) : new TextWebSocketFrame(bytes);
  }

  /** Releases a frame. Reads on if replies have room again. */
  private void left(OutboundFrame frame, @Nullable Throwable failure) {
    boolean roomAgain = writeQueue.left(frame);
    if (failure != null) {
      end(lost(failure));
    } else if (roomAgain) {
      inflow.goOn();
    }
  }

  /** Sends our close frame, behind all other frames. Nothing follows it. */
  private void sendClose(WebSocketCloseStatus status, String reason) {
    closeSent = true;
    String told = reason.length() <= LONGEST_REASON ? reason : reason.substring(0, LONGEST_REASON);
    channel.writeAndFlush(new CloseWebSocketFrame(status, told)).addListener((ChannelFutureListener)
        written -> {
          tell();
          if (closeReceived || !written.isSuccess()) {
            channel.close();
          } else {
            inflow.goOn(); // drops further input up to the peer's close frame
            channel.eventLoop().schedule(() -> channel.close(), LINGER_SECONDS, TimeUnit.SECONDS);
          }
        });
  }

  // ---------------------------------------------------------------- input

  /** Returns whether all further input is dropped, except for a close frame. */
  boolean isDeaf() {
    return told || over || closeReceived || writeQueue.isShut();
  }

  /** Returns whether another message may be delivered now. */
  boolean isReady() {
    Receiver to = receiver;
    return to != null && writeQueue.takesReplies() && to.ready();
  }

  /**
   * Delivers a message.
   *
   * @param binary whether it came in binary frames
   */
  void deliver(byte[] bytes, int size, boolean binary) {
    answersBinary = binary;
    Receiver to = receiver;
    if (to != null) {
      to.frame(bytes, 0, size);
    }
  }

  /**
   * Handles the close frame of the peer.
   *
   * @param status the close status, or -1 if the frame has none
   */
  void closeReceived(int status, String reason) {
    if (closeReceived) {
      return;
    }
    boolean answered = closeSent;
    boolean deaf = isDeaf();
    closeReceived = true;
    Receiver to = receiver;
    if (answered) {
      channel.close();
    } else if (to != null && !deaf && isFault(status)) {
      refuse(WebSocketCloseStatus.valueOf(status), saidByOther(reason));
    } else if (to != null && !deaf && status >= APPLICATION) {
      cause = closed(status, saidByOther(reason));
      to.inputEnded(cause);
    } else if (to != null && !deaf) {
      to.inputEnded();
    }
  }

  private static String saidByOther(String reason) {
    return "the other side closed it" + (reason.isEmpty() ? "" : ", saying: " + printable(reason));
  }

  /** Replaces control characters and characters that change the direction of the text. */
  private static String printable(String reason) {
    return UNPRINTABLE.matcher(reason).replaceAll("?");
  }

  /**
   * Returns whether a close status means a failure. 1000 and 1001 are orderly; from 3000 on
   * applications define the meaning.
   */
  private static boolean isFault(int status) {
    return status > WebSocketCloseStatus.ENDPOINT_UNAVAILABLE.code() && status < APPLICATION;
  }

  private IOException closed(int status, String what) {
    return new IOException(
        "the connection to " + info().remote() + " was closed with status " + status + ": " + what);
  }

  /**
   * Ends the connection because the peer broke the protocol or a limit: sends a close frame, and
   * drops all further input.
   */
  void refuse(WebSocketCloseStatus status, String what) {
    if (!over) {
      over = true;
      cause = closed(status.code(), what);
      writeQueue.shut(cause);
      sendClose(status, closeReceived ? "" : what);
    }
  }

  /** Closes the socket at once, without a close frame. */
  @Override
  void end(@Nullable Throwable why) {
    if (!over) {
      over = true;
      cause = why == null ? cause : why;
      writeQueue.shut(cause);
    }
    channel.close();
    tell();
  }

  /** Handles the end of the socket. Without a close frame before it, the connection was lost. */
  void inactive() {
    boolean orderly = closeSent || closeReceived;
    end(orderly ? null : lost(new IOException("it ended without a closing handshake")));
  }

  IOException lost(Throwable why) {
    return new IOException(
        "the connection to " + info().remote() + " was lost: " + SystemErrors.reason(why), why);
  }

  /** Notifies the receiver of the end, once. */
  private void tell() {
    Receiver to = receiver;
    if (!told && to != null) {
      told = true;
      over = true;
      try {
        to.closed(cause);
      } catch (RuntimeException | Error e) {
        channel.close(); // the receiver itself failed, so there is nobody to report it to
      }
    }
  }
}
