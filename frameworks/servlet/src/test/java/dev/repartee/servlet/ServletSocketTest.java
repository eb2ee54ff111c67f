package dev.repartee.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.framing.FrameFault;
import dev.repartee.framing.Receiver;
import dev.repartee.limits.Limits;
import dev.repartee.transport.Attributes;
import dev.repartee.transport.Channel;
import dev.repartee.transport.ChannelInfo;
import jakarta.websocket.CloseReason;
import jakarta.websocket.CloseReason.CloseCodes;
import jakarta.websocket.EndpointConfig;
import jakarta.websocket.RemoteEndpoint;
import jakarta.websocket.Session;
import jakarta.websocket.server.ServerEndpointConfig;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests a WebSocket without a container. */
@NullMarked
@Timeout(180)
class ServletSocketTest {
  private static final Duration DRAIN = Duration.ofSeconds(7);

  private final List<String> calls = new CopyOnWriteArrayList<>();
  private final CountDownLatch pinged = new CountDownLatch(1);
  private final CountDownLatch released = new CountDownLatch(1);
  private final CompletableFuture<String> closed = new CompletableFuture<>();
  private final CountDownLatch ended = new CountDownLatch(1);
  private final Session session = fake(Session.class);

  /** Returns an object of the container that records the calls, and never sends a ping. */
  private <T> T fake(Class<T> type) {
    return type.cast(Proxy.newProxyInstance(
        type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
          calls.add(method.getName() + (arguments == null ? "" : " " + arguments[0]));
          if (method.getName().equals("sendPing")) {
            pinged.countDown();
            released.await();
          } else if (method.getName().equals("close")) {
            ended.countDown();
          }
          return result(method);
        }));
  }

  private @Nullable Object result(Method method) {
    return method.getReturnType() == RemoteEndpoint.Basic.class
        ? fake(RemoteEndpoint.Basic.class)
        : null;
  }

  private ServletSocket open(Limits limits) {
    return open(limits, channel -> channel.start(new Watch()));
  }

  private ServletSocket open(Limits limits, Consumer<Channel> onOpen) {
    EndpointConfig config =
        ServerEndpointConfig.Builder.create(ServletSocket.class, "/").build();
    ServletSocket socket = new ServletSocket(
        limits, Attributes.NONE, new ChannelInfo("ws", "client", "message"), new SocketOwner() {
          @Override
          public boolean opened(Channel channel) {
            onOpen.accept(channel);
            return true;
          }

          @Override
          public boolean isClosing() {
            return false;
          }

          @Override
          public void ended() {}
        });
    socket.onOpen(session, config);
    return socket;
  }

  private final class Watch implements Receiver {
    @Override
    public boolean frame(byte[] bytes, int from, int to) {
      return true;
    }

    @Override
    public void fault(FrameFault fault) {}

    @Override
    public boolean ready() {
      return true;
    }

    @Override
    public void inputClosed(@Nullable Throwable cause) {}

    @Override
    public void closed(@Nullable Throwable cause) {
      closed.complete(cause == null ? "" : String.valueOf(cause.getMessage()));
    }
  }

  @Test
  void theReasonOfAClientIsReportedWithoutControlCharacters() throws Exception {
    open(Limits.DEFAULT)
        .onClose(session, new CloseReason(CloseCodes.getCloseCode(4000), "\u001B[31mbye"));
    assertThat(closed.get(60, TimeUnit.SECONDS)).endsWith("status 4000: ?[31mbye");
  }

  @Test
  void timeLimitsHoldWhileThePingIsNotRead() throws Exception {
    open(Limits.DEFAULT.toBuilder().pingInterval(Duration.ofMillis(50)).build());
    try {
      assertThat(closed.get(60, TimeUnit.SECONDS)).contains("the limit pingInterval");
      assertThat(calls).contains("sendPing " + ByteBuffer.allocate(0));
    } finally {
      released.countDown();
    }
  }

  @Test
  void timeLimitsHoldForAChannelThatStartsLate() throws Exception {
    Limits limits =
        Limits.DEFAULT.toBuilder().pingInterval(Duration.ofMillis(50)).build();
    ServletSocket socket = open(limits, channel -> {});
    try {
      assertThat(pinged.await(60, TimeUnit.SECONDS)).isTrue();
      socket.start(new Watch());
      assertThat(closed.get(60, TimeUnit.SECONDS)).contains("the limit pingInterval");
    } finally {
      released.countDown();
    }
  }

  @Test
  void aClientThatDoesNotReadTheCloseFrameIsCutOff() throws Exception {
    open(Limits.DEFAULT.toBuilder().drainTimeout(DRAIN).build()).abort(null);
    assertThat(ended.await(60, TimeUnit.SECONDS)).isTrue();
    assertThat(calls)
        .containsSubsequence(
            "setMaxIdleTimeout " + DRAIN.toMillis(),
            "close " + new CloseReason(CloseCodes.NORMAL_CLOSURE, ""));
  }
}
