package dev.repartee.users;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.repartee.Call;
import dev.repartee.Param;
import dev.repartee.Repartee;
import dev.repartee.Rpc;
import dev.repartee.RpcException;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.json.Json;
import dev.repartee.openrpc.OpenRpc;
import dev.repartee.openrpc.generate.Documents;
import dev.repartee.openrpc.generate.Generation;
import dev.repartee.openrpc.generate.Generation.Form;
import dev.repartee.openrpc.mock.MockOptions;
import dev.repartee.openrpc.mock.MockService;
import dev.repartee.stream.Streamed;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Checks generated TypeScript with {@code tsc --strict} and generated Python with {@code mypy
 * --strict}, and calls a service over HTTP and WebSocket with them. {@code .ci/run} installs the
 * tools in the folders that the system properties name.
 */
@Timeout(180)
@Tag("ci")
class GeneratedClientsTest {
  private static final Path TSC = Path.of(
          System.getProperty("repartee.language.servers", ""), "node_modules/typescript/bin/tsc")
      .toAbsolutePath();

  private static final Path NODE = Path.of(
          System.getProperty("repartee.mcp.suite", ""), "node_modules/node/bin/node")
      .toAbsolutePath();

  private static final Path PYTHON =
      Path.of(System.getProperty("repartee.mypy", ""), "bin/python").toAbsolutePath();

  private static final String EXPECTED = """
      1: in-transit, text, cash, 5
      none
      closed (100)
      item 0
      item 1
      item 2
      tick 0
      tick 1
      prices 5 7
      9 open
      prices 5 7
      done
      """;

  /** The service; its document has the discriminated type of {@code shop.json}. */
  public static final class Orders {
    @Rpc("orders.find")
    public Json find(String state, Optional<Integer> limit) {
      if (!state.equals("in-transit")) {
        throw new RpcException(100, "closed");
      }
      return Json.parse("""
          [{"id":"1","state":"in-transit","parts":[{"name":"p","price-in-cents":5}],"note":"text",
            "payment":{"kind":"cash","amount":2.5}}]""");
    }

    @Rpc(named = true)
    public Optional<String> order(Call call, @Param("order-id") String id) {
      if (call.hasPeer()) {
        call.peer().request("prices").params(Json.parse("[5,7]")).sendNotification();
        call.peer().request("order/changed").params(Json.parse("""
                {"order":{"id":"9","state":"done","parts":[],"note":null},"old-state":"open"}""")).sendNotification();
      }
      return Optional.empty();
    }

    @Rpc
    public Stream<String> items(int count) {
      return Stream.iterate(0, i -> i + 1).limit(count).map(i -> "item " + i);
    }

    @Rpc
    @Streamed(subscription = "ticked", unsubscribe = "untick")
    public Stream<String> ticks(Call call) {
      return Stream.iterate(0, i -> i + 1).map(i -> "tick " + i);
    }
  }

  /** The types of the standard library, which mypy reads only once. */
  @TempDir
  private static Path cache;

  @TempDir
  private Path folder;

  private Server server;

  @BeforeEach
  void serve() throws IOException {
    server = Repartee.listen("http://127.0.0.1:0/", Service.of(new Orders()));
  }

  @AfterEach
  void close() {
    server.close();
  }

  /** Returns the document of the shop with two streams. */
  private static OpenRpc document() {
    return OpenRpc.of(Json.parse(Documents.resource("shop.json").replace("\"methods\": [", """
            "methods": [
              {"name": "items", "params": [{"name": "count", "required": true,
                "schema": {"type": "integer"}}], "result": {"name": "item",
                "schema": {"type": "string"}}, "x-stream": {"form": "call"}},
              {"name": "ticks", "params": [], "result": {"name": "item",
                "schema": {"type": "string"}}, "x-stream": {"form": "subscription",
                "notification": "ticked", "unsubscribe": "untick"}},
            """)));
  }

  private void generate(Form form, OpenRpc document) throws IOException {
    Map<String, String> files = new Generation(form, "shop", null).files(document);
    for (Map.Entry<String, String> file : files.entrySet()) {
      Files.writeString(folder.resolve(file.getKey()), file.getValue());
    }
  }

  private String run(Path program, Object... arguments) throws Exception {
    List<String> command = new ArrayList<>(List.of(program.toString()));
    Stream.of(arguments).map(String::valueOf).forEach(command::add);
    ProcessBuilder builder =
        new ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true);
    builder.environment().put("MYPY_CACHE_DIR", cache.toString());
    Process process = builder.start();
    try {
      process.getOutputStream().close();
      String output = new String(process.getInputStream().readAllBytes(), UTF_8);
      assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
      return output.replace("\r", "");
    } finally {
      process.destroyForcibly();
    }
  }

  private void compile(String file) throws Exception {
    assertThat(run(
            NODE,
            TSC,
            "--strict",
            "--target",
            "es2022",
            "--module",
            "nodenext",
            "--lib",
            "es2022,dom,dom.iterable",
            "--noUnusedLocals",
            "--noImplicitOverride",
            "--noUncheckedIndexedAccess",
            "--exactOptionalPropertyTypes",
            "--types",
            "node",
            "--typeRoots",
            folder,
            file))
        .isEmpty();
  }

  private void declareNode() throws IOException {
    Path types = Files.createDirectory(folder.resolve("node"));
    Files.writeString(types.resolve("index.d.ts"), "declare const process: { argv: string[] };\n");
    Files.writeString(folder.resolve("package.json"), "{\"type\":\"module\"}");
  }

  private static void requireNode() {
    assumeThat(TSC).as("-Drepartee.language.servers names a folder with tsc").exists();
    assumeThat(NODE).as("-Drepartee.mcp.suite names a folder with node").exists();
  }

  private static void requirePython() {
    assumeThat(PYTHON).as("-Drepartee.mypy names an environment of Python").exists();
  }

  @Test
  void aTypeScriptClientCallsTheService() throws Exception {
    requireNode();
    generate(Form.TYPESCRIPT, document());
    declareNode();
    Files.writeString(folder.resolve("main.ts"), """
        import { RpcError, Shop } from './shop.js';

        const url = process.argv[2]!;
        const http = new Shop(url);
        const [order] = await http.ordersFind('in-transit');
        const kind: 'card' | 'cash' | undefined = order!.payment?.kind;
        console.log(`${order!.id}: ${order!.state}, ${order!.note}, ${kind}, ${
          order!.parts[0]!['price-in-cents']}`);
        console.log((await http.order('7')) === null ? 'none' : 'an order');
        try {
          await http.ordersFind('done', 3);
        } catch (error) {
          if (error instanceof RpcError) {
            console.log(`${error.message} (${error.code})`);
          }
        }
        for await (const item of http.items(1)) {
          console.log(item);
        }
        const socket = new Shop(url.replace('http', 'ws'));
        for await (const item of socket.items(3)) {
          if (item !== 'item 0') {
            console.log(item);
          }
        }
        for await (const tick of socket.ticks()) {
          console.log(tick);
          if (tick === 'tick 1') {
            break;
          }
        }
        socket.onPrices((...cents) => console.log(`prices ${cents.join(' ')}`));
        const end = socket.onOrderChanged((changed, old) => console.log(changed.id, old));
        await socket.order('7');
        end();
        await socket.order('7');
        console.log((await socket.ordersFind('in-transit')).length === 1 ? 'done' : 'no order');
        socket.close();
        """);
    compile("main.ts");
    assertThat(run(NODE, "main.js", server.endpoint())).isEqualTo(EXPECTED);
  }

  @Test
  void aPythonClientCallsTheService() throws Exception {
    requirePython();
    generate(Form.PYTHON, document());
    Files.writeString(folder.resolve("main.py"), """
        import sys

        from shop import Order, PaymentCash, RpcError, Shop, State


        def changed(order: Order, old: State | None) -> None:
            print(order.id, old and old.value)


        with Shop(sys.argv[1]) as http:
            [order] = http.orders_find(State.IN_TRANSIT)
            assert isinstance(order.payment, PaymentCash)
            price = order.parts[0].price_in_cents
            print(f"{order.id}: {order.state.value}, {order.note}, {order.payment.kind}, {price}")
            print("none" if http.order("7") is None else "an order")
            try:
                http.orders_find(State.DONE, 3)
            except RpcError as error:
                print(f"{error.message} ({error.code})")
            for item in http.items(1):
                print(item)
        with Shop(sys.argv[1].replace("http", "ws")) as socket:
            for item in socket.items(3):
                if item != "item 0":
                    print(item)
            for tick in socket.ticks():
                print(tick)
                if tick == "tick 1":
                    break
            socket.on_prices(lambda *cents: print("prices", *cents, sep=" "))
            end = socket.on_order_changed(changed)
            socket.order("7")
            end()
            socket.order("7")
            print("done" if len(socket.orders_find(State.IN_TRANSIT)) == 1 else "no order")
        """);
    assertThat(run(PYTHON, "-m", "mypy", "--strict", "shop.py", "main.py"))
        .startsWith("Success: no issues found");
    assertThat(run(PYTHON, "-W", "error", "main.py", server.endpoint())).isEqualTo(EXPECTED);
  }

  @Test
  void anAsynchronousPythonClientCallsTheService() throws Exception {
    requirePython();
    generate(Form.PYTHON, document());
    Files.writeString(folder.resolve("main.py"), """
        import asyncio
        import sys

        from shop import AsyncShop, Order, PaymentCash, RpcError, State


        def changed(order: Order, old: State | None) -> None:
            print(order.id, old and old.value)


        async def main() -> None:
            async with AsyncShop(sys.argv[1]) as http:
                [order] = await http.orders_find(State.IN_TRANSIT)
                assert isinstance(order.payment, PaymentCash)
                price = order.parts[0].price_in_cents
                kind = order.payment.kind
                print(f"{order.id}: {order.state.value}, {order.note}, {kind}, {price}")
                print("none" if await http.order("7") is None else "an order")
                try:
                    await http.orders_find(State.DONE, 3)
                except RpcError as error:
                    print(f"{error.message} ({error.code})")
                async for item in http.items(1):
                    print(item)
            async with AsyncShop(sys.argv[1].replace("http", "ws")) as socket:
                async for item in socket.items(3):
                    if item != "item 0":
                        print(item)
                async for tick in socket.ticks():
                    print(tick)
                    if tick == "tick 1":
                        break
                socket.on_prices(lambda *cents: print("prices", *cents, sep=" "))
                end = socket.on_order_changed(changed)
                await socket.order("7")
                end()
                await socket.order("7")
                print("done" if len(await socket.orders_find(State.IN_TRANSIT)) == 1 else "none")


        asyncio.run(main())
        """);
    assertThat(run(PYTHON, "-m", "mypy", "--strict", "shop.py", "main.py"))
        .startsWith("Success: no issues found");
    assertThat(run(PYTHON, "-W", "error", "main.py", server.endpoint())).isEqualTo(EXPECTED);
  }

  private static Server mock(OpenRpc document) throws IOException {
    return Repartee.listen("http://127.0.0.1:0/", MockService.of(document, MockOptions.DEFAULT));
  }

  @Test
  void aTypeScriptClientCallsAMock() throws Exception {
    requireNode();
    generate(Form.TYPESCRIPT, document());
    declareNode();
    Files.writeString(folder.resolve("main.ts"), """
        import { RpcError, Shop } from './shop.js';

        const shop = new Shop(process.argv[2]!);
        const orders = await shop.ordersFind('done');
        console.log(orders.every((each) => typeof each.id === 'string'));
        for await (const item of shop.items(1)) {
          console.log(typeof item);
        }
        try {
          await shop.ordersFind('done', 'many' as unknown as number);
        } catch (error) {
          console.log(error instanceof RpcError && error.code);
        }
        """);
    compile("main.ts");
    try (Server mock = mock(document())) {
      assertThat(run(NODE, "main.js", mock.endpoint())).isEqualTo("""
          true
          string
          string
          string
          -32602
          """);
    }
  }

  @Test
  void aPythonClientCallsAMock() throws Exception {
    requirePython();
    generate(Form.PYTHON, document());
    Files.writeString(folder.resolve("main.py"), """
        import sys

        from shop import RpcError, Shop, State

        with Shop(sys.argv[1]) as shop:
            print(all(isinstance(each.id, str) for each in shop.orders_find(State.DONE)))
            for item in shop.items(1):
                print(type(item).__name__)
            try:
                shop.orders_find(State.DONE, "many")  # type: ignore[arg-type]
            except RpcError as error:
                print(error.code)
        """);
    assertThat(run(PYTHON, "-m", "mypy", "--strict", "shop.py", "main.py")).startsWith("Success");
    try (Server mock = mock(document())) {
      assertThat(run(PYTHON, "-W", "error", "main.py", mock.endpoint()))
          .isEqualTo("True\nstr\nstr\nstr\n-32602\n");
    }
  }

  @Test
  void aTypeScriptClientCallsAMockOfEthereum() throws Exception {
    requireNode();
    OpenRpc ethereum = Documents.ethereum();
    generate(Form.TYPESCRIPT, ethereum);
    declareNode();
    Files.writeString(folder.resolve("main.ts"), """
        import { RpcError, Shop } from './shop.js';

        const eth = new Shop(process.argv[2]!);
        console.log(/^0x[0-9a-f]+$/.test(await eth.ethChainId()));
        console.log(/^0x[0-9a-f]+$/.test(await eth.ethGetBalance('0x' + 'ab'.repeat(20), 'latest')));
        const block = await eth.ethGetBlockByNumber('latest', false);
        console.log(/^0x[0-9a-f]{64}$/.test(String(block?.hash)));
        try {
          await eth.ethGetBalance('no address');
        } catch (error) {
          console.log(error instanceof RpcError && error.code);
        }
        """);
    compile("main.ts");
    try (Server mock = mock(ethereum)) {
      assertThat(run(NODE, "main.js", mock.endpoint())).isEqualTo("true\ntrue\ntrue\n-32602\n");
    }
  }

  @Test
  void aPythonClientCallsAMockOfEthereum() throws Exception {
    requirePython();
    OpenRpc ethereum = Documents.ethereum();
    generate(Form.PYTHON, ethereum);
    Files.writeString(folder.resolve("main.py"), """
        import re
        import sys

        from shop import BlockTag, RpcError, Shop

        with Shop(sys.argv[1]) as eth:
            print(re.fullmatch("0x[0-9a-f]+", eth.eth_chain_id()) is not None)
            balance = eth.eth_get_balance("0x" + "ab" * 20, BlockTag.LATEST)
            print(re.fullmatch("0x[0-9a-f]+", balance) is not None)
            block = eth.eth_get_block_by_number(BlockTag.LATEST, False)
            print(block is not None and re.fullmatch("0x[0-9a-f]{64}", str(block.hash)) is not None)
            try:
                eth.eth_get_balance("no address")
            except RpcError as error:
                print(error.code)
        """);
    assertThat(run(PYTHON, "-m", "mypy", "--strict", "shop.py", "main.py")).startsWith("Success");
    try (Server mock = mock(ethereum)) {
      assertThat(run(PYTHON, "-W", "error", "main.py", mock.endpoint()))
          .isEqualTo("True\nTrue\nTrue\n-32602\n");
    }
  }

  @ParameterizedTest
  @MethodSource("dev.repartee.openrpc.generate.Documents#all")
  void namesAndTypesAreValidTypeScript(OpenRpc document) throws Exception {
    requireNode();
    generate(Form.TYPESCRIPT, document);
    declareNode();
    compile("shop.ts");
  }

  @ParameterizedTest
  @MethodSource("dev.repartee.openrpc.generate.Documents#all")
  void namesAndTypesAreValidPython(OpenRpc document) throws Exception {
    requirePython();
    generate(Form.PYTHON, document);
    assertThat(run(PYTHON, "-m", "mypy", "--strict", "shop.py")).startsWith("Success");
    assertThat(run(PYTHON, "-W", "error", "-c", "import shop")).isEmpty();
  }
}
