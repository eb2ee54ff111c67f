package dev.repartee;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.repartee.json.Binder;
import dev.repartee.json.Json;
import dev.repartee.json.JsonException;
import dev.repartee.json.JsonTypes;
import dev.repartee.json.Naming;
import dev.repartee.json.TypeToken;
import dev.repartee.json.UnknownMembers;
import dev.repartee.limits.Limits;
import dev.repartee.transport.ChannelPair;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Binders and names that belong to one endpoint. */
@NullMarked
class EndpointTypesTest {
  /** A type that no installed binder knows. */
  static final class Quantity {
    final long value;

    Quantity(long value) {
      this.value = value;
    }
  }

  record Block(Quantity blockNumber, @Param("parent-hash") byte[] parent) {}

  record Plain(int blockNumber, List<Plain> uncleBlocks) {}

  record Twins(int blockNumber, int block_number) {}

  /** A number in hexadecimal digits with a prefix. */
  private static Binder hex(String prefix) {
    return Binder.text(
        Quantity.class,
        "a number such as " + prefix + "1f",
        text -> new Quantity(Long.parseLong(text.substring(prefix.length()), 16)),
        quantity -> prefix + Long.toHexString(quantity.value));
  }

  private static final Options ETHEREUM = Options.builder()
      .binder(hex("0x"))
      .binder(Binder.base64())
      .naming(Naming.SNAKE_CASE)
      .unknownResults(UnknownMembers.REFUSE)
      .build();

  private static final Options OTHER = Options.builder().binder(hex("#")).build();

  @SuppressWarnings("unused") // called by reflection
  static class Chain {
    public Plain plain(Plain newestBlock) {
      return newestBlock;
    }

    public int sum(int firstPart, @Param("secondPart") int second) {
      return firstPart + second;
    }

    public Object any(int blockNumber) {
      return new Plain(blockNumber, List.of());
    }
  }

  @SuppressWarnings("unused") // called by reflection
  static class Quantities {
    public Quantity next(Quantity quantity) {
      return new Quantity(quantity.value + 1);
    }
  }

  interface Proxied {
    Quantity next(Quantity quantity);

    Block block(Block block);

    @Rpc(named = true)
    int sum(int firstPart, @Param("secondPart") int second);
  }

  private final List<Peer> peers = new ArrayList<>();

  @AfterEach
  void close() {
    peers.forEach(Peer::close);
  }

  /** Connects a client to a service; each side has its options. */
  private Peer connect(Service service, Options serving, Options calling) {
    ChannelPair pair = ChannelPair.open(Limits.DEFAULT);
    peers.add(Peer.open(pair.server(), service, serving));
    Peer client = Peer.open(pair.client(), Service.NONE, calling);
    peers.add(0, client);
    return client;
  }

  /** A service that returns its params as they arrived: the text on the wire. */
  private static Service echo() {
    return Service.builder()
        .method("text", call -> String.valueOf(call.params()))
        .method("next", call -> Objects.requireNonNull(call.params()).at(0))
        .method("block", call -> Objects.requireNonNull(call.params()).at(0))
        .method("sum", call -> {
          throw RpcException.invalidParams(String.valueOf(call.params()));
        })
        .build();
  }

  @Test
  void twoEndpointsOfOneProgramHaveTheirOwnBinders() {
    Peer one = connect(echo(), Options.DEFAULT, ETHEREUM);
    Peer other = connect(echo(), Options.DEFAULT, OTHER);
    assertThat(one.call("text", String.class, new Quantity(255))).isEqualTo("[\"0xff\"]");
    assertThat(other.call("text", String.class, new Quantity(255))).isEqualTo("[\"#ff\"]");
    assertThat(one.proxy(Proxied.class).next(new Quantity(16)).value).isEqualTo(16);
    assertThat(other.call("next", Quantity.class, "#10").value).isEqualTo(16);
    assertThat(one.call("next", new TypeToken<Map<String, Quantity>>() {}, Map.of("a", "0xa"))
            .get("a")
            .value)
        .isEqualTo(10);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Json.of(new Quantity(1)))
        .withMessageContaining("no Binder knows it");
  }

  @Test
  void everyWayToSendAValueUsesTheTypesOfThePeer() throws Exception {
    Peer peer = connect(echo(), Options.DEFAULT, ETHEREUM);
    Quantity one = new Quantity(1);
    assertThat(peer.request("text").arg("a", one).call(String.class)).isEqualTo("{\"a\":\"0x1\"}");
    assertThat(peer.request("text").params(Map.of("a", List.of(one))).call(String.class))
        .isEqualTo("{\"a\":[\"0x1\"]}");
    assertThat(peer.request("text").params(new Plain(1, List.of())).call(String.class))
        .isEqualTo("{\"block_number\":1,\"uncle_blocks\":[]}");
    Batch batch = peer.batch();
    CallFuture<Quantity> next = batch.callAsync("next", Quantity.class, one);
    batch.send();
    assertThat(next.await().value).isEqualTo(1);
    assertThat(peer.types().toJson(one)).hasToString("\"0x1\"");
  }

  @Test
  void aHandlerSendsItsValuesByTheTypesOfTheServer() throws Exception {
    Service service = Service.builder()
        .method("untyped", call -> {
          call.progress(new Quantity(7));
          call.notify("pushed", List.of(new Quantity(8)));
          return Map.of("result", new Quantity(9));
        })
        .method("typed", Plain.class, Plain.class, (params, call) -> params)
        .build();
    BlockingQueue<Json> pushed = new LinkedBlockingQueue<>();
    Service client = Service.builder()
        .method("pushed", call -> pushed.add(Objects.requireNonNull(call.params())))
        .build();
    ChannelPair pair = ChannelPair.open(Limits.DEFAULT);
    peers.add(Peer.open(pair.server(), service, ETHEREUM));
    Peer peer = Peer.open(pair.client(), client, Options.DEFAULT);
    peers.add(0, peer);
    BlockingQueue<Json> progress = new LinkedBlockingQueue<>();
    assertThat(peer.request("untyped").onProgress(progress::add).call(Json.class))
        .hasToString("{\"result\":\"0x9\"}");
    assertThat(progress.poll(60, TimeUnit.SECONDS)).hasToString("\"0x7\"");
    assertThat(pushed.poll(60, TimeUnit.SECONDS)).hasToString("[\"0x8\"]");
    Json params = Json.parse("{\"block_number\":3,\"uncle_blocks\":[]}");
    assertThat(peer.request("typed").params(params).call(Json.class)).isEqualTo(params);
  }

  @Test
  void recordsAndNamedParamsOfAnEndpointHaveItsNames() {
    Peer client = connect(Service.of(new Chain()), ETHEREUM, Options.DEFAULT);
    Json block = Json.parse(
        "{\"block_number\":1,\"uncle_blocks\":[{\"block_number\":0,\"uncle_blocks\":[]}]}");
    assertThat(client.request("plain").arg("newest_block", block).call(Json.class))
        .isEqualTo(block);
    assertThat(client.call("any", Json.class, 5))
        .hasToString("{\"block_number\":5,\"uncle_blocks\":[]}");
    assertThat(client.request("sum").arg("first_part", 1).arg("secondPart", 2).call(int.class))
        .isEqualTo(3);
    assertThatExceptionOfType(RpcException.class)
        .isThrownBy(() -> client.call("plain", Json.class, Map.of("blockNumber", 1)))
        .withMessageContaining(
            "unknown member 'blockNumber'; known are block_number, uncle_blocks");
    assertThatExceptionOfType(RpcException.class)
        .isThrownBy(() -> client.call("plain", Json.class, Map.of("block_number", "x")))
        .withMessageContaining("member 'block_number': expected an integer");
    assertThat(client.call("rpc.discover", Json.class).toString())
        .contains("newest_block", "block_number", "uncle_blocks", "first_part", "secondPart")
        .doesNotContain("blockNumber", "newestBlock");
  }

  @Test
  void aClientReadsAndWritesTheNamesOfItsEndpoint() {
    Peer client = connect(echo(), Options.DEFAULT, ETHEREUM);
    Block block = new Block(new Quantity(31), new byte[] {1, 2, -1});
    Block same = client.proxy(Proxied.class).block(block);
    assertThat(same.blockNumber().value).isEqualTo(31);
    assertThat(same.parent()).isEqualTo(block.parent());
    assertThat(client.call("text", String.class, block))
        .isEqualTo("[{\"block_number\":\"0x1f\",\"parent-hash\":\"AQL/\"}]");
    assertThatExceptionOfType(RpcException.class)
        .isThrownBy(() -> client.proxy(Proxied.class).sum(1, 2))
        .satisfies(e -> assertThat(Objects.requireNonNull(e.data()).as(String.class))
            .isEqualTo("{\"first_part\":1,\"secondPart\":2}"));
    assertThatExceptionOfType(JsonException.class)
        .isThrownBy(() -> client.call("next", Plain.class, Map.of("block_number", 1, "more", 2)))
        .withMessageContaining("unknown member 'more'");
    assertThatExceptionOfType(JsonException.class)
        .isThrownBy(() -> client.call("next", Quantity.class, "0xg"))
        .withMessageContaining("expected a number such as 0x1f, got another string");
    assertThatExceptionOfType(JsonException.class)
        .isThrownBy(() -> client.call("next", Quantity.class, 1))
        .withMessageContaining("expected a number such as 0x1f, got a number");
  }

  @Test
  void aServiceWithTypesOfItsOwnKeepsThemAtEveryEndpoint() {
    JsonTypes types = JsonTypes.standard().with(hex("%"));
    Service service = Service.builder()
        .all(Service.of(new Quantities(), types))
        .add(RpcMethod.builder("twice")
            .types(types)
            .handler(
                new TypeToken<List<Quantity>>() {},
                new TypeToken<Quantity>() {},
                (params, call) -> new Quantity(2 * params.get(0).value)))
        .build()
        .unknownParams(UnknownMembers.IGNORE);
    Peer client = connect(service, ETHEREUM, Options.DEFAULT);
    assertThat(client.call("next", String.class, "%f")).isEqualTo("%10");
    assertThat(client.call("twice", String.class, "%f")).isEqualTo("%1e");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Service.of(new Quantities()))
        .withMessageContaining("Quantities.next: ")
        .withMessageContaining("give one to the options or the service");
  }

  @Test
  void aServiceIsServedByEndpointsWithDifferentNames() {
    Service service = Service.of(Chain.class, new Chain()).unknownParams(UnknownMembers.IGNORE);
    Peer snake = connect(service, ETHEREUM, Options.DEFAULT);
    Peer camel = connect(service, Options.DEFAULT, Options.DEFAULT);
    Options kebab = Options.builder().naming(Naming.KEBAB_CASE).build();
    Peer again = connect(service, kebab, Options.DEFAULT);
    assertThat(snake.call("any", Json.class, 1).get("block_number")).hasToString("1");
    assertThat(camel.call("any", Json.class, 2).get("blockNumber")).hasToString("2");
    assertThat(again.call("any", Json.class, 3).get("block-number")).hasToString("3");
    assertThat(snake
            .request("any")
            .arg("block_number", 4)
            .arg("more", 5)
            .call(Json.class)
            .get("block_number"))
        .hasToString("4");
  }

  @Test
  void aNamingThatMakesTwoNamesEqualIsRefusedAtTheStart() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ETHEREUM.types().of(Twins.class))
        .withMessageContaining("Twins: two components have the name 'block_number' in JSON");
    class Colliding {
      @Rpc
      public int f(int aB, int a_b) {
        return aB + a_b;
      }
    }
    Service service = Service.of(new Colliding());
    ChannelPair pair = ChannelPair.open(Limits.DEFAULT);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Peer.open(pair.server(), service, ETHEREUM))
        .withMessageContaining("Colliding.f: two parameters have the name 'a_b'");
  }

  @Test
  void aBinderOfAClassReplacesTheMappingOfCoreButNotOfPrimitives() {
    JsonTypes hex = JsonTypes.standard()
        .with(Binder.text(
            BigInteger.class,
            "a hexadecimal number",
            text -> new BigInteger(text, 16),
            number -> number.toString(16)));
    assertThat(hex.toJson(List.of(BigInteger.TEN, 10, "x", 1.5, true)))
        .hasToString("[\"a\",10,\"x\",1.5,true]");
    assertThat(Json.of("ff").as(hex.of(BigInteger.class))).isEqualTo(BigInteger.valueOf(255));
    assertThat(Json.of(BigInteger.TEN)).hasToString("10");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Binder.text(int.class, "", Integer::valueOf, String::valueOf))
        .withMessageContaining("int");
    class Variadic {
      @Rpc
      public int count(byte... bytes) {
        return bytes.length;
      }
    }
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Service.of(new Variadic(), ETHEREUM.types()))
        .withMessageContaining("parameter 'bytes': a binder replaces the type of the array");
  }

  @Test
  void aByteArrayIsAnArrayOfNumbersUnlessAnEndpointSaysBase64() {
    assertThat(Json.of(new byte[] {1, -1})).hasToString("[1,-1]");
    JsonTypes base64 = JsonTypes.standard().with(Binder.base64());
    assertThat(base64.toJson(Map.of("a", new byte[] {1, -1}))).hasToString("{\"a\":\"Af8=\"}");
    assertThat(Json.of("Af8=").as(base64.of(byte[].class))).containsExactly(1, -1);
    assertThat((@Nullable Object) Json.NULL.as(base64.of(byte[].class))).isNull();
    assertThat(base64.of(byte[].class).schema()).hasToString("{\"type\":\"string\"}");
    assertThatExceptionOfType(JsonException.class)
        .isThrownBy(() -> Json.parse("[\"%\"]").as(base64.of(byte[][].class)))
        .withMessage("element 0: expected a string in Base64, got another string");
  }

  @Test
  void theLastBinderOfTheSameOrderIsAskedFirst() {
    JsonTypes types = JsonTypes.standard().with(hex("0x")).with(hex("$"));
    assertThat(types.toJson(new Quantity(1))).hasToString("\"$1\"");
    assertThat(types.binders()).hasSizeGreaterThan(2); // with the installed ones
    assertThat(types.of(Plain.class)).isSameAs(types.of(Plain.class));
  }

  @Test
  void nullInPlaceOfTheArgumentsIsRefusedInASentence() {
    Peer peer = connect(echo(), Options.DEFAULT, Options.DEFAULT);
    assertThatExceptionOfType(NullPointerException.class)
        .isThrownBy(() -> peer.call("text", String.class, (Object[]) nothing()))
        .withMessage(
            "the array of arguments is null; to pass null as an argument write (Object)" + " null");
  }

  @SuppressWarnings({"NullAway", "TypeParameterUnusedInFormals"})
  private static <T> T nothing() {
    return null;
  }
}
