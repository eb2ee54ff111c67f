package dev.repartee;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.balance.Balanced;
import dev.repartee.message.Dialect;
import dev.repartee.message.ForwardingDialect;
import dev.repartee.message.Id;
import dev.repartee.message.RpcError;
import dev.repartee.reconnect.Reconnecting;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests the facts about an outgoing call that its layers see. */
@NullMarked
@Timeout(60)
@SuppressWarnings("unused") // the methods are called by reflection
class OutgoingLayerTest {
  interface Prices {
    @Rpc(idempotent = true)
    int price(String item);

    int order(String item);
  }

  private final BlockingQueue<String> seen = new LinkedBlockingQueue<>();
  private final Server server = open(
      Service.builder().method("price", call -> 1).method("order", call -> 2).build());

  private static Server open(Service service) {
    try {
      return Repartee.listen("tcp://127.0.0.1:0", service);
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  @AfterEach
  void close() {
    server.close();
  }

  private Options with(Layer layer) {
    return Options.builder().callLayer(layer).build();
  }

  private Peer connect(Layer layer) throws Exception {
    return Repartee.connect(server.endpoint().toString(), Service.NONE, with(layer));
  }

  private Object note(Call call, Handler next) throws Exception {
    seen.add(call.method()
        + (call.isIdempotent() ? " idempotent" : "")
        + (call.isNotification() ? " notification" : ""));
    return next.handle(call);
  }

  @Test
  void aLayerKnowsWhetherACallIsIdempotentOrANotification() throws Exception {
    try (Peer peer = connect(this::note)) {
      peer.proxy(Prices.class).price("tea");
      peer.proxy(Prices.class).order("tea");
      peer.request("order").idempotent().call(int.class);
      peer.notify("order");
    }
    assertThat(seen)
        .containsExactly("price idempotent", "order", "order idempotent", "order notification");
  }

  @Test
  void aLayerKnowsTheIdempotentMethodsOfAPeerThatOutlivesItsConnections() throws Exception {
    String uri = server.endpoint().toString();
    try (Peer one =
            Reconnecting.to(uri).options(with(this::note)).idempotent("price").connect();
        Peer two = Balanced.to(List.of(uri))
            .health(Duration.ofHours(1))
            .options(with(this::note))
            .idempotent("price")
            .connect()) {
      one.call("price", int.class);
      one.call("order", int.class);
      two.call("price", int.class);
    }
    assertThat(seen).containsSubsequence("price idempotent", "order", "price idempotent");
  }

  @Test
  void theFailureOfARefusedCallSaysThatItWasNotHandled() {
    HttpException unavailable = new HttpException("no", 503, null, null, "1");
    HttpException broken = new HttpException("no", 500, null, null);
    assertThat(unavailable.unsent()).isEqualTo("the server is not available");
    assertThat(broken.unsent()).isNull();
    assertThat(new HttpException("no", 503, null, null).unsent())
        .as("the answer of a proxy that has lost its server")
        .isNull();
    assertThat(new HttpException("no", 500, null, null, "1").unsent()).isNull();
    assertThat(new HttpException("no", 408, null, null, "1").unsent())
        .isEqualTo("the server has not received the request");
    assertThat(new HttpException("no", 408, null, null).unsent())
        .as("the answer of a proxy whose server is too slow")
        .isNull();
    assertThat(refused("runningCalls").unsent()).isNull();
    assertThat(refused("closing").unsent()).isEqualTo("the server is closing");
  }

  @Test
  void anotherErrorWithTheLimitOfAClosingServerMayFollowTheRunOfTheCall() {
    RpcError other = RpcError.limit(7, "Broken", "closing", 1);
    assertThat(new RemoteRpcException("price", "it", other).unsent()).isNull();
    Dialect dialect = new ForwardingDialect(Dialect.PLAIN) {
      @Override
      public RpcError busy(String limit, long max) {
        return RpcError.limit(7, "Busy", limit, max);
      }
    };
    assertThat(new RemoteRpcException("price", "it", other, dialect).unsent()).isNotNull();
  }

  @Test
  void eachMessageOfACallReportsItsIdToTheConsumersThatWereAddedForIt() throws Exception {
    List<Id> first = new ArrayList<>();
    List<Id> second = new ArrayList<>();
    Layer twice = (call, next) -> {
      call.onId(first::add);
      next.handle(call);
      call.onId(second::add);
      return next.handle(call);
    };
    try (Peer peer = connect(twice)) {
      assertThat(peer.call("price", int.class)).isEqualTo(1);
    }
    assertThat(first).hasSize(1);
    assertThat(second).hasSize(1).doesNotContainAnyElementsOf(first);
  }

  private static RemoteRpcException refused(String limit) {
    return new RemoteRpcException("price", "it", RpcError.limit(RpcError.BUSY, "Busy", limit, 1));
  }
}
