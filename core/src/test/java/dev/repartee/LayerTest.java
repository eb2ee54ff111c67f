package dev.repartee;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.json.Json;
import dev.repartee.limits.Limits;
import dev.repartee.message.RpcError;
import dev.repartee.transport.Attribute;
import dev.repartee.transport.ChannelPair;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests the facts about a call that layers see, and the moment at which it ends for them. */
@NullMarked
@SuppressWarnings({"unused", "try"}) // the methods are called by reflection, peers by the others
class LayerTest {
  @Retention(RetentionPolicy.RUNTIME)
  @interface Mark {
    String value();
  }

  private static final Attribute<String> MARK = Attribute.named("mark");

  static final AtomicInteger ORDERS = new AtomicInteger();

  record Order(String item, int size) {
    Order {
      ORDERS.incrementAndGet();
    }
  }

  interface Described<T> {
    @Mark("of the interface")
    String described(T value);
  }

  @Mark("of the superclass")
  static class Base {
    public String inherited() {
      return "inherited";
    }
  }

  @Mark("of the class")
  static class Shop extends Base implements Described<String> {
    final List<Object> served = new ArrayList<>();

    @Mark("of the method")
    public String marked() {
      return "marked";
    }

    public String plain() {
      return "plain";
    }

    @Override
    public String described(String value) {
      return value;
    }

    @Rpc(description = "Places an order.")
    public int place(Order order, Call call, @Param(defaultsTo = "1") int times) {
      served.add(order);
      return order.size() * times;
    }
  }

  /** Answers later, when a test says so. */
  static final class Later {
    final CompletableFuture<String> answer = new CompletableFuture<>();

    public CompletionStage<String> later() {
      return answer;
    }

    public String fails() {
      throw new IllegalStateException("by design");
    }

    public String now() {
      return "now";
    }
  }

  private static void serve(Service service, Layer layer, Consumer<Peer> test) {
    ChannelPair pair = ChannelPair.open(Limits.DEFAULT);
    Options options = Options.builder().layer(layer).listener(new Listener() {}).build();
    try (Peer server = Peer.open(pair.server(), service, options);
        Peer client = Peer.open(pair.client(), Service.NONE, Options.DEFAULT)) {
      test.accept(client);
    }
  }

  // ---------------------------------------------------------------- unknown methods

  @Test
  void anUnknownMethodPassesTheLayersAndThenIsNotFound() {
    List<String> seen = new ArrayList<>();
    Layer layer = (call, next) -> {
      seen.add(call.method() + " " + call.rpcMethod() + " " + call.params());
      assertThat(call.arguments()).isEmpty();
      return next.handle(call);
    };
    serve(Service.of(new Shop()), layer, client -> {
      assertThatThrownBy(() -> client.call("nothing", int.class, 1))
          .isInstanceOfSatisfying(
              RemoteRpcException.class,
              e -> assertThat(e.code()).isEqualTo(RpcError.METHOD_NOT_FOUND));
      assertThat(seen).containsExactly("nothing null [1]");
    });
  }

  @Test
  void aLayerThatRefusesStrangersHidesWhichMethodsExist() {
    RpcError refusal = new RpcError(-32001, "Log in first");
    Layer login = (call, next) -> {
      throw new RpcException(refusal);
    };
    serve(Service.of(new Shop()), login, client -> {
      for (String method : List.of("plain", "nothing", "rpc.nothing", "")) {
        assertThatThrownBy(() -> client.call(method, Json.class))
            .isInstanceOfSatisfying(
                RemoteRpcException.class, e -> assertThat(e.error()).isEqualTo(refusal));
      }
      Batch batch = client.batch();
      CallFuture<Json> unknown = batch.callAsync("nothing", Json.class);
      batch.send();
      assertThatThrownBy(unknown::await)
          .isInstanceOfSatisfying(
              RemoteRpcException.class, e -> assertThat(e.error()).isEqualTo(refusal));
    });
  }

  // ---------------------------------------------------------------- the method

  @Test
  void aLayerSeesTheMethodWithItsDescriptionAndParameters() {
    List<String> seen = new ArrayList<>();
    Shop shop = new Shop();
    Layer layer = (call, next) -> {
      RpcMethod method = Objects.requireNonNull(call.rpcMethod());
      seen.add(method.name() + ": " + method.description());
      Objects.requireNonNull(method.parameters())
          .forEach(parameter -> seen.add(parameter.name() + " " + parameter.required()));
      assertThat(method.target()).isSameAs(shop);
      assertThat(method.javaMethod())
          .isEqualTo(Shop.class.getMethod("place", Order.class, Call.class, int.class));
      return next.handle(call);
    };
    serve(Service.of(shop), layer, client -> {
      assertThat(client.call("place", int.class, new Order("tea", 2), 3)).isEqualTo(6);
      assertThat(seen).containsExactly("place: Places an order.", "order true", "times false");
    });
  }

  /** The methods of {@link Shop} without {@link Rpc}. */
  interface Marked extends Described<String> {
    String marked();

    String plain();

    String inherited();
  }

  static final class MarkedShop extends Shop implements Marked {}

  @Test
  void theNearestAnnotationHoldsThatOfTheMethodBeforeThatOfTheClass() {
    BlockingQueue<String> seen = new LinkedBlockingQueue<>();
    Layer layer = (call, next) -> {
      Mark mark = call.annotation(Mark.class);
      seen.add(mark == null ? "none" : mark.value());
      return next.handle(call);
    };
    serve(Service.of(Marked.class, new MarkedShop()), layer, client -> {
      client.call("marked", String.class);
      client.call("plain", String.class);
      client.call("inherited", String.class);
      client.call("described", String.class, "x");
      client.call("rpc.ping", String.class);
      assertThat(seen)
          .containsExactly(
              "of the method", "of the class", "of the class", "of the interface", "none");
    });
  }

  @Test
  void aServedInterfaceHasTheAnnotationsOfTheObjectBehindIt() {
    interface Api {
      String m();
    }
    class Implementation implements Api {
      @Override
      @Mark("of the implementation")
      public String m() {
        return "m";
      }
    }
    RpcMethod method =
        Objects.requireNonNull(Service.of(Api.class, new Implementation()).find("m"));
    Mark mark = Objects.requireNonNull(method.annotation(Mark.class));
    assertThat(mark.value()).isEqualTo("of the implementation");
  }

  @Test
  void aLambdaHasAttributesInPlaceOfAnnotations() {
    Service service = Service.builder()
        .add(RpcMethod.builder("a").attribute(MARK, "x").handler(call -> 1))
        .add(RpcMethod.builder("b").handler(call -> 1))
        .build();
    List<@Nullable String> seen = new ArrayList<>();
    Layer layer = (call, next) -> {
      RpcMethod method = Objects.requireNonNull(call.rpcMethod());
      seen.add(method.attributes().get(MARK));
      assertThat(method.annotation(Mark.class)).isNull();
      assertThat(method.annotated()).isEmpty();
      assertThat(method.javaMethod()).isNull();
      assertThat(method.target()).isNull();
      return next.handle(call);
    };
    serve(service, layer, client -> {
      client.call("a", int.class);
      client.call("b", int.class);
      assertThat(seen).containsExactly("x", null);
    });
  }

  // ---------------------------------------------------------------- the arguments

  @Test
  void theHandlerRunsWithTheArgumentsThatALayerHasSeenAndTheyAreReadOnce() {
    Shop shop = new Shop();
    List<Object> seen = new ArrayList<>();
    List<String> names = new ArrayList<>();
    Layer layer = (call, next) -> {
      List<@Nullable Object> arguments = call.arguments();
      assertThat(arguments).hasSize(3);
      assertThat(arguments.get(1)).isSameAs(call);
      assertThat(arguments.get(2)).isEqualTo(1);
      seen.add(Objects.requireNonNull(arguments.get(0)));
      assertThat(call.arguments().get(0)).isSameAs(arguments.get(0));
      for (int i = 0; i < arguments.size(); i++) {
        names.add(call.argumentName(i));
      }
      return next.handle(call);
    };
    Order order = new Order("tea", 2);
    int before = ORDERS.get();
    serve(Service.of(shop), layer, client -> {
      assertThat(client.call("place", int.class, order)).isEqualTo(2);
      assertThat(ORDERS.get() - before).isEqualTo(1);
      assertThat(shop.served).hasSize(1);
      assertThat(shop.served.get(0)).isSameAs(seen.get(0));
      assertThat(names).containsExactly("order", "", "times");
    });
  }

  @Test
  void typedLambdasHaveTheArgumentsParamsAndCall() {
    Service service = Service.builder()
        .method("typed", Order.class, Integer.class, (order, call) -> order.size())
        .method("free", call -> call.params())
        .build();
    List<Object> seen = new ArrayList<>();
    Layer layer = (call, next) -> {
      seen.add(call.arguments().size());
      if (!call.arguments().isEmpty()) {
        assertThat(call.arguments().get(0)).isEqualTo(new Order("tea", 2));
        assertThat(call.arguments().get(1)).isSameAs(call);
        assertThat(call.argumentName(0)).isEmpty();
      }
      return next.handle(call);
    };
    serve(service, layer, client -> {
      assertThat(client.request("typed").params(new Order("tea", 2)).call(int.class))
          .isEqualTo(2);
      client.call("free", Json.class, 1);
      assertThat(seen).containsExactly(2, 0);
    });
  }

  static final class Forms {
    @Rpc
    public int either(Order order) {
      return order.size();
    }

    @Rpc(paramsObject = true)
    public int whole(Order order) {
      return order.size();
    }
  }

  @Test
  void anArgumentThatIsTheParamsAsAWholeHasNoName() {
    List<String> names = new ArrayList<>();
    Layer layer = (call, next) -> {
      names.add(call.argumentName(0));
      return next.handle(call);
    };
    serve(Service.of(new Forms()), layer, client -> {
      Order order = new Order("tea", 2);
      client.request("whole").params(order).call(int.class);
      client.request("either").params(order).call(int.class);
      client.request("either").arg("order", order).call(int.class);
      client.request("either").args(order).call(int.class);
      assertThat(names).containsExactly("", "", "order", "order");
    });
  }

  @Test
  void paramsThatDoNotFitAreRefusedAlsoIfALayerAsksForTheArguments() {
    Layer layer = (call, next) -> {
      call.arguments();
      return next.handle(call);
    };
    serve(
        Service.of(new Shop()),
        layer,
        client -> assertThatThrownBy(() -> client.call("place", int.class, "tea"))
            .isInstanceOf(RpcException.class)
            .hasMessageContaining("Invalid params (-32602): order: "));
  }

  @Test
  void otherParamsFromALayerReplaceTheArgumentsThatItHasSeen() {
    Layer layer = (call, next) -> {
      call.arguments();
      return next.handle(call.with(Json.parse("[{\"item\":\"tea\",\"size\":5}]")));
    };
    serve(
        Service.of(new Shop()),
        layer,
        client ->
            assertThat(client.call("place", int.class, new Order("tea", 2))).isEqualTo(5));
  }

  // ---------------------------------------------------------------- the end of a call

  private record Ended(String method, long nanos, @Nullable Throwable failure) {}

  private static Ended next(BlockingQueue<Ended> ended) {
    try {
      return Objects.requireNonNull(ended.poll(60, TimeUnit.SECONDS));
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void aTimedCallEndsWithItsAnswerNotWithTheReturnOfItsHandler() {
    BlockingQueue<Ended> ended = new LinkedBlockingQueue<>();
    Layer timing = Layer.timing((call, duration, failure) ->
        ended.add(new Ended(call.method(), duration.toNanos(), failure)));
    Later service = new Later();
    serve(Service.of(service), timing, client -> {
      CallFuture<String> later = client.callAsync("later", String.class);
      assertThat(client.call("now", String.class)).isEqualTo("now");
      Ended now = next(ended);
      assertThat(now.method()).isEqualTo("now");
      assertThat(now.failure()).isNull();
      assertThat(now.nanos()).isNotNegative();
      assertThat(ended).isEmpty();
      service.answer.complete("late");
      assertThat(later.await()).isEqualTo("late");
      assertThat(next(ended).method()).isEqualTo("later"); // was recorded before the answer left
      assertThatThrownBy(() -> client.call("fails", String.class)).isInstanceOf(RpcException.class);
      assertThat(next(ended).failure()).hasMessage("by design");
    });
  }

  @Test
  void aTimedCallThatFailsLaterEndsWithItsFailureWithoutAWrapper() {
    BlockingQueue<Ended> ended = new LinkedBlockingQueue<>();
    Layer timing =
        Layer.timing((call, duration, failure) -> ended.add(new Ended(call.method(), 0, failure)));
    Later service = new Later();
    serve(
        Service.builder()
            .method("later", call -> service.answer.thenApply(text -> text))
            .build(),
        timing,
        client -> {
          CallFuture<String> later = client.callAsync("later", String.class);
          service.answer.completeExceptionally(new IllegalArgumentException("by design"));
          assertThatThrownBy(later::await).isInstanceOf(RpcException.class);
          assertThat(next(ended).failure())
              .isInstanceOf(IllegalArgumentException.class)
              .hasMessage("by design");
        });
  }

  @Test
  void cancellingATimedCallStillCancelsTheStageOfItsHandler() {
    BlockingQueue<Ended> ended = new LinkedBlockingQueue<>();
    CompletableFuture<Boolean> running = new CompletableFuture<>();
    Later service = new Later();
    Layer timing =
        Layer.timing((call, duration, failure) -> ended.add(new Ended(call.method(), 0, failure)));
    Layer outer = (call, next) -> {
      Object stage = timing.handle(call, next);
      running.complete(true);
      return stage;
    };
    serve(Service.of(service), outer, client -> {
      CallFuture<String> later = client.callAsync("later", String.class);
      running.orTimeout(60, TimeUnit.SECONDS).join();
      later.cancel(true);
      assertThat(next(ended).failure()).isInstanceOf(CancellationException.class);
      assertThat(service.answer).isCancelled();
    });
  }

  @Test
  void anActionThatThrowsFailsACallThatHadAResult() {
    Layer strict = (call, next) -> Layer.whenDone(call, next, (result, failure) -> {
      throw new RpcException(7, "not allowed");
    });
    Later service = new Later();
    service.answer.complete("late");
    serve(Service.of(service), strict, client -> {
      for (String method : List.of("now", "later")) {
        assertThatThrownBy(() -> client.call(method, String.class))
            .hasMessageContaining("not allowed (7)");
      }
      assertThatThrownBy(() -> client.call("fails", String.class))
          .hasMessageContaining("Internal error");
    });
  }

  @Test
  void outgoingCallsAreTimedInTheSameWay() {
    BlockingQueue<Ended> ended = new LinkedBlockingQueue<>();
    Layer timing =
        Layer.timing((call, duration, failure) -> ended.add(new Ended(call.method(), 0, failure)));
    Later service = new Later();
    ChannelPair pair = ChannelPair.open(Limits.DEFAULT);
    Options options = Options.builder().callLayer(timing).build();
    try (Peer server = Peer.open(
            pair.server(),
            Service.of(service),
            Options.builder().listener(new Listener() {}).build());
        Peer client = Peer.open(pair.client(), Service.NONE, options)) {
      CallFuture<String> later = client.callAsync("later", String.class);
      client.notify("now");
      assertThat(next(ended)).isEqualTo(new Ended("now", 0, null));
      assertThatThrownBy(() -> client.call("fails", String.class));
      assertThat(next(ended).failure()).isInstanceOf(RemoteRpcException.class);
      assertThat(ended).isEmpty();
      service.answer.complete("late");
      assertThat(later.await()).isEqualTo("late");
      assertThat(next(ended).method()).isEqualTo("later");
    }
  }
}
