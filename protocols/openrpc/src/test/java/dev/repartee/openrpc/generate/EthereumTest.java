package dev.repartee.openrpc.generate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Layer;
import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.Rpc;
import dev.repartee.RpcException;
import dev.repartee.Server;
import dev.repartee.json.Json;
import dev.repartee.json.JsonTypes;
import dev.repartee.message.RpcError;
import dev.repartee.openrpc.ErrorDescriptor;
import dev.repartee.openrpc.ExamplePairing;
import dev.repartee.openrpc.MethodDescriptor;
import dev.repartee.openrpc.OpenRpc;
import dev.repartee.openrpc.generate.Generation.Form;
import dev.repartee.openrpc.mock.MockOptions;
import dev.repartee.openrpc.mock.MockService;
import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The generated Java client of Ethereum, which calls a mock. */
class EthereumTest {
  private static final String CALLER = """
      package org.example;

      import dev.repartee.Peer;
      import dev.repartee.RpcException;
      import dev.repartee.json.Json;
      import java.util.Arrays;
      import java.util.List;
      import java.util.Map;
      import java.util.Optional;
      import java.util.function.Function;

      /** Calls some methods; a type that differs from these does not compile. */
      public final class Caller implements Function<Peer, List<String>> {
        @Override
        public List<String> apply(Peer peer) {
          Ethereum eth = peer.proxy(Ethereum.class);
          String number = eth.ethBlockNumber();
          String balance =
              eth.ethGetBalance("0x" + "ab".repeat(20), Optional.of(BlockTag.LATEST));

          Optional<Block> found =
              eth.ethGetBlockByNumber(new BlockNumberOrTag.BlockNumber("0x68b3"), false);
          Block block = found.orElseThrow();
          Withdrawal withdrawal = block.withdrawals().orElseThrow().get(0);
          TransactionHashesItem transaction = block.transactions().get(0);

          Filter filter = new FilterByBlockRange(
              Optional.of(new AddressEs.Address("0x" + "cd".repeat(20))),
              Optional.of(BlockTagForRange.EARLIEST),
              Optional.empty(),
              Optional.of(Arrays.asList(
                  null, new FilterTopicValue.SingleTopicMatch("0x" + "ef".repeat(32)))));
          List<FilterResultsItem> results = eth.ethGetLogs(filter);
          Log log = (Log) results.get(1);

          GenericTransaction call = Json.of(Map.of("to", "0x" + "12".repeat(20), "value", "0x1"))
              .as(GenericTransaction.class);
          String returned = eth.ethCall(call, Optional.empty());
          return List.of(
              number,
              balance,
              block.number() + " " + withdrawal.amount() + " " + transaction,
              results.size() + " " + log.blockNumber() + " " + log.removed(),
              returned,
              refusal(() -> eth.ethCall(call, Optional.of(BlockTag.PENDING))),
              refusal(() -> eth.ethGetBalance("no address", Optional.empty())));
        }

        private static String refusal(Runnable call) {
          try {
            call.run();
            return "no refusal";
          } catch (RpcException e) {
            return e.code() + " " + e.error().message() + " " + e.data();
          }
        }
      }
      """;

  @TempDir
  private static Path classes;

  private static OpenRpc document;
  private static ClassLoader loader;
  private static Server server;
  private static Peer peer;

  @BeforeAll
  static void start() throws Exception {
    document = Documents.ethereum();
    Map<String, String> sources =
        new HashMap<>(new Generation(Form.JAVA, "Ethereum", "org.example").files(document));
    sources.put("org/example/Caller.java", CALLER);
    loader = JavaSources.compile(sources, classes);
    server = Repartee.listen(
        "mem:ethereum",
        MockService.of(document, MockOptions.DEFAULT),
        Options.builder().layer(reverts()).build());
    peer = Repartee.connect("mem:ethereum");
  }

  @AfterAll
  static void stop() {
    peer.close();
    server.close();
  }

  /** Returns a layer that fails calls about pending transactions as the document declares. */
  private static Layer reverts() {
    ErrorDescriptor declared = document.method("eth_call").errors().get(0);
    return (call, next) -> {
      if (call.method().equals("eth_call") && call.params().toString().contains("pending")) {
        throw new RpcException(
            new RpcError((int) declared.code(), declared.message(), Json.of("0x08c379a0")));
      }
      return next.handle(call);
    };
  }

  @Test
  void aCallerGetsTheGeneratedTypesAndTheDeclaredErrors() throws Exception {
    @SuppressWarnings("unchecked") // the class is in CALLER
    Function<Peer, Iterable<String>> caller = (Function<Peer, Iterable<String>>)
        loader.loadClass("org.example.Caller").getConstructor().newInstance();
    assertThat(caller.apply(peer))
        .containsExactly(
            "0x2377",
            "0x1cfe56f3795885980000",
            "0x68b3 0x11a33e3760 Hash32[value="
                + "0xa0807e117a8dd124ab949f460f08c36c72b710188f01609595223b325e58e0fc]",
            "2 Optional[0x238] Optional[false]",
            "0x",
            "3 execution reverted \"0x08c379a0\"",
            "-32602 Invalid params [{\"pointer\":\"/0\",\"reason\":\"the value does not match the"
                + " regular expression ^0x[0-9a-fA-F]{40}$\"}]");
  }

  /**
   * Reads the params and results of the examples as generated types. The methods without an example
   * that fits have generated results.
   */
  @Test
  void theGeneratedTypesKeepEveryValueOfTheExamples() throws Exception {
    Class<?> api = loader.loadClass("org.example.Ethereum");
    Object proxy = peer.<Object>proxy(cast(api));
    int compared = 0;
    for (Method called : api.getMethods()) {
      MethodDescriptor described =
          document.method(called.getAnnotation(Rpc.class).value());
      for (ExamplePairing example : described.examples()) {
        List<Json> params =
            example.params().stream().map(ExamplePairing.Argument::value).toList();
        Json expected;
        try {
          expected = peer.request(described.name()).params(params).call(Json.class);
        } catch (RpcException e) {
          assertThat(e.code()).isEqualTo(RpcError.INVALID_PARAMS);
          continue; // the example is wrong
        }
        Type[] types = called.getGenericParameterTypes();
        Object[] arguments = new Object[types.length];
        for (int i = 0; i < types.length; i++) {
          arguments[i] = (i < params.size() ? params.get(i) : Json.NULL).as(types[i]);
        }
        Json actual = JsonTypes.standard().toJson(called.invoke(proxy, arguments));
        assertThat(withoutNulls(actual.as(Object.class)))
            .as(described.name())
            .isEqualTo(withoutNulls(expected.as(Object.class)));
        compared++;
      }
    }
    assertThat(compared).isEqualTo(68); // the params of 14 examples do not fit their schemas
  }

  /** Returns the value without null members, because {@code Optional} reads them as absent. */
  private static @Nullable Object withoutNulls(@Nullable Object value) {
    if (value instanceof List<?> list) {
      return list.stream().map(EthereumTest::withoutNulls).toList();
    }
    if (value instanceof Map<?, ?> map) {
      Map<Object, @Nullable Object> kept = new HashMap<>(map);
      kept.values().removeIf(Objects::isNull);
      kept.replaceAll((name, member) -> withoutNulls(member));
      return kept;
    }
    return value;
  }

  @SuppressWarnings("unchecked") // the proxy is used as an object only
  private static Class<Object> cast(Class<?> type) {
    return (Class<Object>) type;
  }
}
