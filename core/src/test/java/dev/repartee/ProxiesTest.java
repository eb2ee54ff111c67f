package dev.repartee;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.framing.Receiver;
import dev.repartee.json.Json;
import dev.repartee.message.Message;
import dev.repartee.transport.Channel;
import dev.repartee.transport.ChannelInfo;
import dev.repartee.transport.OutboundFrame;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

@NullMarked
class ProxiesTest {
  record Point(int x, int y) {}

  interface Calculator extends AutoCloseable {
    int subtract(int minuend, int subtrahend);

    @Rpc(value = "subtract", named = true)
    long subtractNamed(int minuend, int subtrahend);

    String join(String separator, String... parts);

    @Rpc(named = true)
    String joinNamed(String separator, String... parts);

    String page(String query, Optional<String> after, OptionalInt limit);

    @Rpc(named = true)
    String pageNamed(String query, Optional<String> after, OptionalInt limit);

    CompletionStage<List<Point>> points(Call call, int count);

    void reset();

    @Rpc(notification = true)
    void log(String line);

    default int negate(int n) {
      return subtract(0, n);
    }

    @Override
    void close();
  }

  private static final class RealCalculator {
    @SuppressWarnings("unused")
    public int subtract(int minuend, int subtrahend) {
      return minuend - subtrahend;
    }

    @SuppressWarnings("unused")
    public String join(String separator, String... parts) {
      return String.join(separator, parts);
    }

    @SuppressWarnings("unused")
    public String joinNamed(String separator, String... parts) {
      return String.join(separator, parts);
    }

    @SuppressWarnings("unused")
    public String page(String query, Optional<String> after, OptionalInt limit) {
      return query + after.orElse("-") + limit.orElse(0);
    }

    @SuppressWarnings("unused")
    public String pageNamed(String query, Optional<String> after, OptionalInt limit) {
      return query + after.orElse("-") + limit.orElse(0);
    }

    @SuppressWarnings("unused")
    public CompletableFuture<List<Point>> points(Call call, int count) {
      return CompletableFuture.completedFuture(List.of(new Point(count, 0)));
    }

    @SuppressWarnings("unused")
    public void reset() {}
  }

  /** A channel that answers the frames it sends, and keeps them for the test. */
  private static final class Loop implements Channel {
    final List<String> sent = new CopyOnWriteArrayList<>();
    private final FrameResponder service;
    private @Nullable Receiver receiver;

    Loop(Object service) {
      this.service = FrameResponder.of(Service.of(service), Options.DEFAULT, info());
    }

    private Receiver receiver() {
      return Objects.requireNonNull(receiver);
    }

    @Override
    public void start(Receiver receiver) {
      this.receiver = receiver;
    }

    @Override
    public OutboundFrame open() {
      return new OutboundFrame(Integer.MAX_VALUE);
    }

    @Override
    public void commit(OutboundFrame frame) {
      Json call = Json.parse(frame.toBytes());
      String method = Objects.requireNonNull(call.get("method")).as(String.class);
      sent.add(method + Objects.requireNonNullElse(call.get("params"), ""));
      service.respondAsync(frame.toBytes()).thenAccept(reply -> {
        if (reply != null) {
          receiver().frame(reply, 0, reply.length);
        }
      });
    }

    @Override
    public void abort(@Nullable Throwable cause) {
      receiver().closed(cause);
    }

    @Override
    public ChannelInfo info() {
      return new ChannelInfo("loop", "the test", "message");
    }
  }

  private final Loop loop = new Loop(new RealCalculator());
  private final Peer peer = Peer.open(loop, Service.NONE, Options.DEFAULT);
  private final Calculator calculator = Proxies.create(peer, Calculator.class);

  @Test
  void aCallGoesByPositionAndReturnsItsResult() {
    assertThat(calculator.subtract(42, 23)).isEqualTo(19);
    assertThat(loop.sent).containsExactly("subtract[42,23]");
  }

  @Test
  void aMethodMayAskToSendItsArgumentsByName() {
    assertThat(calculator.subtractNamed(42, 23)).isEqualTo(19);
    assertThat(loop.sent).containsExactly("subtract{\"minuend\":42,\"subtrahend\":23}");
  }

  @Test
  void variadicArgumentsAreSpread() {
    assertThat(calculator.join("-", "a", "b")).isEqualTo("a-b");
    assertThat(calculator.join("-")).isEmpty();
    assertThat(calculator.joinNamed("-", "a", "b")).isEqualTo("a-b");
    assertThat(loop.sent)
        .containsExactly(
            "join[\"-\",\"a\",\"b\"]",
            "join[\"-\"]",
            "joinNamed{\"separator\":\"-\",\"parts\":[\"a\",\"b\"]}");
  }

  @Test
  void emptyOptionalsAreLeftOutAtTheEndAndNullInTheMiddle() {
    assertThat(calculator.page("q", Optional.empty(), OptionalInt.empty())).isEqualTo("q-0");
    assertThat(calculator.page("q", Optional.empty(), OptionalInt.of(5))).isEqualTo("q-5");
    assertThat(calculator.pageNamed("q", Optional.empty(), OptionalInt.of(5))).isEqualTo("q-5");
    assertThat(loop.sent)
        .containsExactly(
            "page[\"q\"]", "page[\"q\",null,5]", "pageNamed{\"query\":\"q\",\"limit\":5}");
  }

  @Test
  void aStageIsReturnedAtOnceAndTheCallParameterIsNotSent() throws Exception {
    CompletionStage<List<Point>> points = calculator.points(noCall(), 3);
    assertThat(points.toCompletableFuture().get(60, TimeUnit.SECONDS))
        .containsExactly(new Point(3, 0));
    assertThat(loop.sent).containsExactly("points[3]");
  }

  @SuppressWarnings("NullAway")
  private static Call noCall() {
    return (Call) (@Nullable Object) null;
  }

  @Test
  void voidAwaitsTheAnswerAndANotificationHasNone() {
    calculator.reset();
    calculator.log("x");
    assertThat(loop.sent).containsExactly("reset", "log[\"x\"]");
  }

  @Test
  void defaultMethodsRunHere() {
    assertThat(calculator.negate(5)).isEqualTo(-5);
    assertThat(loop.sent).containsExactly("subtract[0,5]");
  }

  @Test
  void equalsHashCodeAndToStringAreLocal() {
    assertThat(calculator)
        .isEqualTo(calculator)
        .isNotEqualTo(Proxies.create(peer, Calculator.class));
    assertThat(calculator.hashCode()).isEqualTo(System.identityHashCode(calculator));
    assertThat(calculator.toString()).startsWith(Calculator.class.getName() + " over ");
    assertThat(loop.sent).isEmpty();
  }

  @Test
  void closingTheProxyClosesThePeer() {
    calculator.close();
    assertThat(peer.isOpen()).isFalse();
    assertThat(loop.sent).isEmpty();
  }

  @Test
  void anErrorOfThePeerIsThrown() {
    Wrong wrong = Proxies.create(peer, Wrong.class);
    assertThatThrownBy(() -> wrong.subtract("cat"))
        .isInstanceOf(RemoteRpcException.class)
        .hasMessage("'subtract' of " + peer.channel().other()
            + ": Invalid params (-32602): missing: subtrahend");
  }

  interface Wrong {
    int subtract(String text);
  }

  // ---------------------------------------------------------------- refusals at creation

  interface LoudNotification {
    @Rpc(notification = true)
    int log(String line);
  }

  interface OddFuture {
    Future<Integer> later();
  }

  interface Unknown {
    Thread thread();
  }

  private void refuses(Class<?> type, String message) {
    assertThatThrownBy(() -> Proxies.create(peer, type))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(message);
  }

  @Test
  void aMethodThatCannotBeCalledIsRefusedWithAMessageThatNamesIt() {
    refuses(
        String.class,
        "java.lang.String cannot be a proxy: only an open interface can, and this is no interface;"
            + " pass an interface with the methods to call");
    refuses(Rpc.class, "and this is an annotation;");
    refuses(Message.class, "and this is a sealed interface;");
    refuses(
        LoudNotification.class,
        "ProxiesTest$LoudNotification.log: a notification has no answer, so the method must return"
            + " void");
    refuses(
        OddFuture.class, "ProxiesTest$OddFuture.later: cannot bind java.util.concurrent.Future");
    refuses(Unknown.class, "ProxiesTest$Unknown.thread: cannot bind java.lang.Thread");
  }
}
