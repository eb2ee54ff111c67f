package dev.repartee.netty;

import dev.repartee.access.Principal;
import dev.repartee.framing.Receiver;
import dev.repartee.limits.Limits;
import dev.repartee.netty.tls.Tls;
import dev.repartee.transport.Attributes;
import dev.repartee.transport.ChannelInfo;
import dev.repartee.transport.FrameQueue;
import dev.repartee.transport.OutboundFrame;
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
 * everything else runs only on the event loop.
 *
 * <p>The closing handshake consists of one close frame from each side (RFC 6455 section 7). Only
 * {@link #transition} changes the state, which only ever goes on to a later one:
 *
 * <pre>
 *                the peer's close frame
 *        OPEN -----------------------------> INPUT_CLOSED
 *          |                                      |
 *          +------------------+-------------------+
 *                             | drained, or refuse(): our close frame is sent
 *                             v
 *                         LINGERING
 *                             | the peer's close frame, or LINGER_SECONDS
 *                             v
 *                          CLOSED
 * </pre>
 *
 * <ul>
 *   <li>{@link #close} does not change the state: it closes the write queue, so that the input is
 *       discarded and the queue drains.
 *   <li>In {@code INPUT_CLOSED} the requests before the close frame are still answered; the
 *       receiver then closes this channel. Its close frame ends the handshake, so the socket closes
 *       behind it.
 *   <li>{@link #refuse} sends a close frame with a status, because the peer broke the protocol or a
 *       limit.
 *   <li>{@link #closed} closes the socket without a close frame, from every state.
 * </ul>
 *
 * <p>The receiver is notified of the end once ({@code told}), not before {@link #start}.
 *
 * <p>A message is UTF-8 in text frames or in binary frames. All messages are sent as the kind of
 * message that the peer sent last, and as text before it has sent any. A reply need not have the
 * kind of its request, which the channel does not know: a batch or a handler may be answered after
 * other messages have arrived.
 */
final class WebSocketChannel extends EventLoopChannel<OutboundFrame> {
  private enum State {
    /** Messages are delivered, except while reading is paused. */
    OPEN,
    /** The peer has sent its close frame; frames may still be sent to it. */
    INPUT_CLOSED,
    /** Our close frame was sent after all others; input is discarded. */
    LINGERING,
    /** The socket is closed. */
    CLOSED
  }

  /** How long to wait for the peer's close frame after ours. */
  private static final int LINGER_SECONDS = 1;

  /**
   * The maximum number of characters of a close reason, which is ASCII here (RFC 6455 section 5.5).
   */
  private static final int LONGEST_REASON = 123;

  /** The first close status that applications may define (RFC 6455 section 7.4.2). */
  private static final int APPLICATION = 3_000;

  private static final Pattern UNPRINTABLE = Pattern.compile("[\\p{Cntrl}\\p{Cf}\\x80-\\x9F]");

  private final io.netty.channel.Channel channel;
  private final Attributes attributes;
  private final WebSocketFlowControl inflow;

  /** Why the connection ends, or null. Written by the event loop. */
  private volatile @Nullable Throwable cause;

  // Used by the event loop only.
  private @Nullable Receiver receiver;
  private boolean answersBinary;
  private State state = State.OPEN;
  private boolean told;

  /**
   * Creates the channel of an open WebSocket.
   *
   * @param served whether the peer is the client; its frames are masked
   */
  WebSocketChannel(
      io.netty.channel.Channel channel,
      Limits limits,
      FrameQueue<OutboundFrame> writeQueue,
      MessageBytes message,
      Attributes attributes,
      boolean served) {
    super(
        channel.eventLoop(),
        limits,
        writeQueue,
        new ChannelInfo(Tls.isOn(channel) ? "wss" : "ws", Connections.remote(channel), "message"));
    this.channel = channel;
    this.attributes = attributes;
    this.inflow = new WebSocketFlowControl(this, message, served);
  }

  @Override
  public void commit(OutboundFrame frame) {
    append(frame);
  }

  /** Returns the last handler of the pipeline. */
  WebSocketFlowControl inflow() {
    return inflow;
  }

  @Override
  public void start(Receiver receiver) {
    onLoop(() -> {
      this.receiver = receiver;
      if (state.compareTo(State.LINGERING) >= 0) {
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
    writeQueue.close(cause);
    onLoop(this::drain);
  }

  /**
   * Enters a state, unless this or a later one was entered before.
   *
   * @return whether the state was entered
   */
  private boolean transition(State next) {
    if (state.compareTo(next) >= 0) {
      return false;
    }
    state = next;
    return true;
  }

  @Override
  public Attributes attributes() {
    return attributes;
  }

  // ---------------------------------------------------------------- output

  @Override
  void drain() {
    writeQueued();
    channel.flush();
    if (writeQueue.isDrained()) {
      Principal caller = attributes.get(Principal.KEY);
      if (caller != null && caller.hasExpired()) {
        sendClose(WebSocketCloseStatus.POLICY_VIOLATION, Principal.EXPIRED);
      } else {
        boolean goesAway = isServerClosed() && state != State.INPUT_CLOSED;
        sendClose(
            goesAway
                ? WebSocketCloseStatus.ENDPOINT_UNAVAILABLE // 1001
                : WebSocketCloseStatus.NORMAL_CLOSURE,
            "");
      }
    }
  }

  /** Returns whether the server that has accepted this WebSocket accepts no more. */
  private boolean isServerClosed() {
    io.netty.channel.Channel server = channel.parent();
    return server != null && !server.isOpen();
  }

  private void writeQueued() {
    for (OutboundFrame frame = writeQueue.next(); frame != null; frame = writeQueue.next()) {
      OutboundFrame leaving = frame;
      channel.write(message(leaving)).addListener(written -> left(leaving, written.cause()));
    }
  }

  private WebSocketFrame message(OutboundFrame frame) {
    ByteBuf bytes = Unpooled.wrappedBuffer(frame.array(), 0, frame.size());
    return answersBinary ? new BinaryWebSocketFrame(bytes) : new TextWebSocketFrame(bytes);
  }

  @Override
  public boolean takesAnswers() {
    return writeQueue.takesReplies();
  }

  /** Releases a frame. Continues to serve and read if answers have room again. */
  private void left(OutboundFrame frame, @Nullable Throwable failure) {
    boolean roomAgain = writeQueue.left(frame);
    if (failure != null) {
      closed(lost(failure));
    } else if (roomAgain) {
      Receiver to = receiver;
      if (to != null && !told) {
        to.roomAgain();
      }
      inflow.goOn();
    }
  }

  /**
   * Enters {@link State#LINGERING}: sends our close frame after all other frames. It has no reason
   * if it answers the close frame of the peer.
   */
  private void sendClose(WebSocketCloseStatus status, String reason) {
    boolean answers = state == State.INPUT_CLOSED;
    if (!transition(State.LINGERING)) {
      return;
    }
    String said = answers ? "" : reason.substring(0, Math.min(reason.length(), LONGEST_REASON));
    channel.writeAndFlush(new CloseWebSocketFrame(status, said)).addListener((ChannelFutureListener)
        written -> {
          tell();
          if (answers || !written.isSuccess()) {
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
    return state != State.OPEN || writeQueue.isClosed();
  }

  /** Returns whether another message may be delivered now. */
  boolean isReady() {
    Receiver to = receiver;
    return to != null && to.ready();
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
    Receiver to = receiver;
    if (state.compareTo(State.LINGERING) >= 0) {
      channel.close();
    } else if (transition(State.INPUT_CLOSED) && to != null && !writeQueue.isClosed()) {
      if (isFault(status)) {
        refuse(WebSocketCloseStatus.valueOf(status), saidByOther(reason));
      } else {
        cause = status < APPLICATION ? null : closedWith(status, saidByOther(reason));
        to.inputClosed(cause);
      }
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

  private IOException closedWith(int status, String what) {
    return new IOException(
        "the connection to " + info().remote() + " was closed with status " + status + ": " + what);
  }

  /**
   * Ends the connection because the peer violated the protocol or a limit: sends a close frame, and
   * drops all further input.
   */
  void refuse(WebSocketCloseStatus status, String what) {
    if (state.compareTo(State.LINGERING) < 0) {
      cause = closedWith(status.code(), what);
      writeQueue.close(cause);
      writeQueued(); // no data frame may follow a close frame (RFC 6455, section 5.5.1)
      sendClose(status, what);
    }
  }

  /** Enters {@link State#CLOSED}: closes the socket, without a close frame. */
  @Override
  void closed(@Nullable Throwable why) {
    boolean refused = state == State.LINGERING && cause != null;
    if (transition(State.CLOSED)) {
      cause = why == null || refused ? cause : why;
      writeQueue.close(cause);
    }
    channel.close();
    tell();
  }

  /** Handles the end of the socket. Without a close frame before it, the connection was lost. */
  void inactive() {
    closed(
        state == State.OPEN ? lost(new IOException("it ended without a closing handshake")) : null);
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
      try {
        to.closed(cause);
      } catch (RuntimeException | Error e) {
        channel.close(); // the receiver itself failed: nobody can be notified
      }
    }
  }
}
