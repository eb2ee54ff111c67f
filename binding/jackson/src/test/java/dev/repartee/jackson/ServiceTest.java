package dev.repartee.jackson;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.Rpc;
import dev.repartee.RpcException;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.jackson.BindingTest.Bean;
import dev.repartee.jackson.BindingTest.Circle;
import dev.repartee.jackson.BindingTest.Shape;
import dev.repartee.jackson.BindingTest.Size;
import dev.repartee.jackson.BindingTest.Square;
import dev.repartee.json.Json;
import dev.repartee.limits.Limits;
import dev.repartee.transport.ChannelPair;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@NullMarked
class ServiceTest {
  interface Shop {
    Map<Size, Integer> stock(List<Size> sizes, Optional<Instant> at);

    Shape grow(Shape shape, int factor);

    List<Shape> all(Shape... shapes);

    CompletionStage<Plain> later(int side);

    Plain plain(int side);

    Bean bean(Bean bean);

    void nothing(Size size);
  }

  /** The same shop, called with named arguments. */
  interface NamedShop {
    @Rpc(named = true)
    Map<Size, Integer> stock(List<Size> sizes, Optional<Instant> at);

    @Rpc(named = true)
    Shape grow(Shape shape, int factor);

    @Rpc(named = true)
    List<Shape> all(Shape... shapes);
  }

  /** A declared result type; members that a subclass adds are not written. */
  static class Plain {
    public int side;
  }

  static final class Detailed extends Plain {
    public String detail = "not declared";

    Detailed(int side) {
      this.side = side;
    }
  }

  static final class RealShop implements Shop {
    @Override
    public Map<Size, Integer> stock(List<Size> sizes, Optional<Instant> at) {
      return Map.of(sizes.get(0), at.map(t -> (int) t.getEpochSecond()).orElse(-1));
    }

    @Override
    public Shape grow(Shape shape, int factor) {
      return shape instanceof Circle circle
          ? new Circle(circle.radius() * factor)
          : new Square(((Square) shape).side() * factor);
    }

    @Override
    public List<Shape> all(Shape... shapes) {
      return List.of(shapes);
    }

    @Override
    public CompletionStage<Plain> later(int side) {
      return CompletableFuture.completedFuture(new Detailed(side));
    }

    @Override
    public Plain plain(int side) {
      return new Detailed(side);
    }

    @Override
    public Bean bean(Bean bean) {
      return bean;
    }

    @Override
    public void nothing(Size size) {}
  }

  private static final Service SERVICE = Service.of(Shop.class, new RealShop());
  private static final Options LAYERED =
      Options.builder().layer((call, next) -> next.handle(call)).build();

  private record Link(Peer client, Peer server) implements AutoCloseable {
    static Link open(Options options) {
      ChannelPair pair = ChannelPair.open(Limits.DEFAULT);
      Peer server = Peer.open(pair.server(), SERVICE, options);
      return new Link(Peer.open(pair.client(), Service.NONE, Options.DEFAULT), server);
    }

    @Override
    public void close() {
      client.close(Duration.ofSeconds(1));
      server.close(Duration.ofSeconds(1));
    }
  }

  private static Options options(boolean layered) {
    return layered ? LAYERED : Options.DEFAULT;
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void servicesAndProxiesUseSuchTypesByPosition(boolean layered) throws Exception {
    try (Link link = Link.open(options(layered))) {
      Shop shop = link.client().proxy(Shop.class);
      assertThat(shop.stock(List.of(Size.LARGE), Optional.of(Instant.ofEpochSecond(9))))
          .isEqualTo(Map.of(Size.LARGE, 9));
      assertThat(shop.stock(List.of(Size.SMALL), Optional.empty())).containsValue(-1);
      assertThat(shop.grow(new Circle(2), 3)).isEqualTo(new Circle(6));
      assertThat(shop.all(new Circle(1), new Square(2)))
          .containsExactly(new Circle(1), new Square(2));
      assertThat(shop.later(7).toCompletableFuture().get(60, TimeUnit.SECONDS).side)
          .isEqualTo(7);
      Bean bean = new Bean();
      bean.setCount(5);
      assertThat(shop.bean(bean).getCount()).isEqualTo(5);
      shop.nothing(Size.SMALL);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void servicesAndProxiesUseSuchTypesByName(boolean layered) {
    try (Link link = Link.open(options(layered))) {
      NamedShop shop = link.client().proxy(NamedShop.class);
      assertThat(shop.stock(List.of(Size.LARGE), Optional.of(Instant.ofEpochSecond(9))))
          .isEqualTo(Map.of(Size.LARGE, 9));
      assertThat(shop.stock(List.of(Size.SMALL), Optional.empty())).containsValue(-1);
      assertThat(shop.grow(new Square(2), 3)).isEqualTo(new Square(6));
      assertThat(shop.all()).isEmpty();
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void resultIsWrittenAsItsMethodDeclaresIt(boolean layered) throws Exception {
    try (Link link = Link.open(options(layered))) {
      Peer client = link.client();
      assertThat(client.call("plain", Json.class, 1)).hasToString("{\"side\":1}");
      assertThat(client.callAsync("later", Json.class, 2).get(60, TimeUnit.SECONDS))
          .hasToString("{\"side\":2}");
      assertThat(client.call("grow", Json.class, new Circle(1), 2))
          .hasToString("{\"kind\":\"circle\",\"radius\":2.0}");
      assertThat(client.call("nothing", Json.class, Size.SMALL)).isEqualTo(Json.NULL);
    }
  }

  @Test
  void aResultReplacedByALayerIsWrittenByItsClass() {
    Options replacing = Options.builder()
        .layer((call, next) -> {
          next.handle(call);
          return switch (call.method()) {
            case "plain" -> List.of("another", Size.LARGE);
            case "all" -> List.of(new Circle(1), "no shape");
            default -> "something";
          };
        })
        .build();
    try (Link link = Link.open(replacing)) {
      Peer client = link.client();
      assertThat(client.call("plain", Json.class, 1)).hasToString("[\"another\",\"very-large\"]");
      assertThat(client.call("all", Json.class))
          .hasToString("[{\"kind\":\"circle\",\"radius\":1.0},\"no shape\"]");
      assertThat(client.call("nothing", Json.class, Size.SMALL)).hasToString("\"something\"");
    }
  }

  @Test
  void invalidParamsAreReportedWithTheirPlace() {
    try (Link link = Link.open(Options.DEFAULT)) {
      assertThat(refusal(link.client(), "[{\"kind\":\"circle\",\"radius\":\"1\"},2]"))
          .hasToString(
              "\"shape: member 'radius': expected a number that a double can hold, got a string\"");
      assertThat(refusal(link.client(), "{\"factor\":2,\"shape\":{\"kind\":\"line\"}}"))
          .hasToString("\"shape: member 'kind': unknown kind; known are circle, square\"");
    }
  }

  private static Json refusal(Peer client, String params) {
    RpcException refused = catchThrowableOfType(
        RpcException.class,
        () -> client.request("grow").params(Json.parse(params)).call(Json.class));
    assertThat(refused.code()).isEqualTo(-32602);
    return Objects.requireNonNull(refused.data());
  }

  @Test
  void largeValuesTravelOverTcp() throws Exception {
    try (Server server = Repartee.listen("tcp://127.0.0.1:0", SERVICE);
        Peer client = Repartee.connect(server.endpoint())) {
      Shape[] many = new Shape[50_000];
      Arrays.setAll(many, i -> i % 2 == 0 ? new Circle(i) : new Square(i));
      assertThat(client.proxy(Shop.class).all(many)).containsExactly(many);
    }
  }

  @Test
  void resultPastTheLimitOfAFrameIsAnErrorAndTheConnectionGoesOn() {
    ChannelPair pair = ChannelPair.open(Limits.builder().frameBytes(50_000).build());
    Options options =
        Options.builder().limits(limits -> limits.frameBytes(50_000)).build();
    Service service = Service.builder()
        .method("bean", call -> {
          Plain[] many = new Plain[20_000];
          Arrays.setAll(many, Detailed::new);
          return new java.util.ArrayDeque<>(List.of(many));
        })
        .method("big", call -> new Large())
        .build();
    try (Link link = new Link(
        Peer.open(pair.client(), Service.NONE, options),
        Peer.open(pair.server(), service, options))) {
      for (String method : List.of("bean", "big", "bean")) {
        RpcException refused =
            catchThrowableOfType(RpcException.class, () -> link.client().call(method, Json.class));
        assertThat(refused.code()).isEqualTo(-32003);
      }
    }
  }

  static final class Large {
    public List<String> lines = java.util.Collections.nCopies(10_000, "0123456789");
  }
}
