package dev.repartee.netty;

import dev.repartee.ChannelInfo;
import dev.repartee.Limits;
import dev.repartee.Output;
import dev.repartee.Receiver;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFutureListener;
import io.netty.handler.codec.http.websocketx.BinaryWebSocketFrame;
import io.netty.handler.codec.http.websocketx.CloseWebSocketFrame;
import io.netty.handler.codec.http.websocketx.TextWebSocketFrame;
import io.netty.handler.codec.http.websocketx.WebSocketCloseStatus;
import io.netty.handler.codec.http.websocketx.WebSocketFrame;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A WebSocket, of either side. Frames of any thread wait in one queue, which the event loop writes;
 * all else happens on the event loop alone.
 *
 * <p>A peer that starts the closing handshake has ended its input: what it asked before is still
 * answered, and our half of the handshake follows those answers.
 *
 * <p>A message is UTF-8 in text frames or in binary frames. All messages leave as the kind of message
 * that the peer sent last, and as text before it has sent any. A reply cannot be tied to the message that
 * it answers: a batch or a handler may answer when others have arrived.
 */
final class WebSocketChannel extends EventLoopChannel {
  /** The time that the peer has for its half of the closing handshake. */
  private static final int LINGER_SECONDS = 1;

  /** Of the reason for closing, which is ASCII here (RFC 6455 section 5.5). */
  private static final int LONGEST_REASON = 123;

  /** The first status of those that applications define (RFC 6455 section 7.4.2). */
  private static final int APPLICATION = 3_000;

  private static final Pattern UNPRINTABLE = Pattern.compile("[\\p{Cntrl}\\p{Cf}\\x80-\\x9F]");

  private final io.netty.channel.Channel channel;
  private final Map<String, Object> attributes;
  private final WebSocketInflow inflow;

  /** Why it ends; written by the event loop. */
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
      OutboundFrames outbound,
      MessageBytes message,
      Map<String, Object> attributes) {
    super(
        channel.eventLoop(),
        limits,
        outbound,
        new ChannelInfo(Tls.isOn(channel) ? "wss" : "ws", WebSockets.remote(channel), "message"));
    this.channel = channel;
    this.attributes = attributes;
    this.inflow = new WebSocketInflow(this, message);
  }

  /** The last handler of the pipeline. */
  WebSocketInflow inflow() {
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
    outbound.shut(cause);
    onLoop(this::drain);
  }

  @Override
  public Map<String, Object> attributes() {
    return attributes;
  }

  // ---------------------------------------------------------------- out

  @Override
  void drain() {
    for (Output frame = outbound.next(); frame != null; frame = outbound.next()) {
      Output leaving = frame;
      channel.write(message(leaving)).addListener(written -> left(leaving, written.cause()));
    }
    channel.flush();
    if (outbound.isFinished() && !closeSent && !over) {
      sendClose(WebSocketCloseStatus.NORMAL_CLOSURE, "");
    }
  }

  private WebSocketFrame message(Output frame) {
    ByteBuf bytes = Unpooled.wrappedBuffer(frame.array(), 0, frame.size());
    return answersBinary ? new BinaryWebSocketFrame(bytes) : new TextWebSocketFrame(bytes);
  }

  private void left(Output frame, @Nullable Throwable failure) {
    boolean roomAgain = outbound.left(frame);
    if (failure != null) {
      end(lost(failure));
    } else if (roomAgain) {
      inflow.goOn();
    }
  }

  /** Sends our half of the closing handshake, behind all frames; then nothing follows. */
  private void sendClose(WebSocketCloseStatus status, String reason) {
    closeSent = true;
    String told = reason.length() <= LONGEST_REASON ? reason : reason.substring(0, LONGEST_REASON);
    channel.writeAndFlush(new CloseWebSocketFrame(status, told)).addListener((ChannelFutureListener)
        written -> {
          tell();
          if (closeReceived || !written.isSuccess()) {
            channel.close();
          } else {
            inflow.goOn(); // what still comes is thrown away, up to the peer's half
            channel.eventLoop().schedule(() -> channel.close(), LINGER_SECONDS, TimeUnit.SECONDS);
          }
        });
  }

  // ---------------------------------------------------------------- in

  /** Whether what comes in is thrown away. */
  boolean isDeaf() {
    return told || over || closeReceived || outbound.isShut();
  }

  /** Whether another frame may be delivered. */
  boolean isReady() {
    Receiver to = receiver;
    return to != null && outbound.takesReplies() && to.ready();
  }

  /** Delivers a message, which came as text or as binary. */
  void deliver(byte[] bytes, int size, boolean binary) {
    answersBinary = binary;
    Receiver to = receiver;
    if (to != null) {
      to.frame(bytes, 0, size);
    }
  }

  /** The peer's half of the closing handshake: with -1 where it gives no status. */
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

  /** Replaces control characters and those that change the direction of text. */
  private static String printable(String reason) {
    return UNPRINTABLE.matcher(reason).replaceAll("?");
  }

  /** Whether the peer has given up; 1000 and 1001 are orderly, and from 3000 on it is up to users. */
  private static boolean isFault(int status) {
    return status > WebSocketCloseStatus.ENDPOINT_UNAVAILABLE.code() && status < APPLICATION;
  }

  private IOException closed(int status, String what) {
    return new IOException(
        "the connection to " + info().remote() + " was closed with status " + status + ": " + what);
  }

  /** The peer broke the protocol: it is told so, and nothing more is heard of it. */
  void refuse(WebSocketCloseStatus status, String what) {
    if (!over) {
      over = true;
      cause = closed(status.code(), what);
      outbound.shut(cause);
      sendClose(status, closeReceived ? "" : what);
    }
  }

  /** The end of the connection. */
  @Override
  void end(@Nullable Throwable why) {
    if (!over) {
      over = true;
      cause = why == null ? cause : why;
      outbound.shut(cause);
    }
    channel.close();
    tell();
  }

  /** The socket was closed. */
  void inactive() {
    boolean orderly = closeSent || closeReceived;
    end(orderly ? null : lost(new IOException("it ended without a closing handshake")));
  }

  IOException lost(Throwable why) {
    return new IOException(
        "the connection to " + info().remote() + " was lost: " + SystemErrors.reason(why), why);
  }

  private void tell() {
    Receiver to = receiver;
    if (!told && to != null) {
      told = true;
      over = true;
      try {
        to.closed(cause);
      } catch (RuntimeException | Error e) {
        channel.close(); // a receiver that fails here has nobody left to tell
      }
    }
  }
}
