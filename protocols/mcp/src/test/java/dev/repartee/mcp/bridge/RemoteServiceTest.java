package dev.repartee.mcp.bridge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.Call;
import dev.repartee.Handler;
import dev.repartee.Layer;
import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.ProtocolException;
import dev.repartee.Repartee;
import dev.repartee.Rpc;
import dev.repartee.RpcException;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.json.Json;
import dev.repartee.limits.Limits;
import dev.repartee.mcp.McpServer;
import dev.repartee.mcp.Tool;
import dev.repartee.stream.Streamed;
import dev.repartee.testkit.ScriptedPeer;
import dev.repartee.testkit.fault.FaultProxy;
import dev.repartee.transport.ChannelPair;
import dev.repartee.transport.DisconnectedException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class RemoteServiceTest {
  /** An order. */
  public record Order(String item, int count) {}

  /** A JSON-RPC service without any use of MCP. */
  public static final class Shop {
    private final CountDownLatch waiting = new CountDownLatch(1);
    private final CountDownLatch cancelled = new CountDownLatch(1);

    /** Returns an order. */
    @Rpc(description = "Orders something")
    public Order order(String item, Optional<Integer> count) {
      return new Order(item, count.orElse(1));
    }

    /** Returns null. */
    @Rpc(value = "orders/last")
    public @Nullable Order last() {
      return null;
    }

    /** Returns a text. */
    @Rpc
    public String greet(Json name) {
      return "Hello \"" + name + "\"";
    }

    /** Returns without a result. */
    @Rpc
    public void forget() {}

    /** Fails with an error. */
    @Rpc
    public int price(String item) {
      if (item.isEmpty()) {
        throw new RpcException(-32602, "Invalid params", "item: has to be something");
      }
      throw new RpcException(7, "Sold out", Map.of("item", item));
    }

    /** Reports progress. */
    @Rpc
    public String pack(Call call) {
      call.progress(1);
      call.progress("packing");
      call.progress(Map.of("progress", 2.5, "total", 4, "message", "wrapped"));
      return "packed";
    }

    /** Runs until it is cancelled. */
    @Rpc(value = "wait")
    public String await(Call call) throws InterruptedException {
      call.cancellation().onCancel(cancelled::countDown);
      waiting.countDown();
      call.cancellation().sleep(Duration.ofHours(1));
      return "";
    }
  }

  private final Shop shop = new Shop();

  @SuppressWarnings("NullAway.Init")
  private Server server;

  @SuppressWarnings("NullAway.Init")
  private RemoteService service;

  @SuppressWarnings("NullAway.Init")
  private ScriptedPeer client;

  private int lastId = 10;

  @BeforeEach
  void serve() throws Exception {
    server = Repartee.listen("tcp://127.0.0.1:0", Service.of(shop));
    service = RemoteService.connect(() -> Repartee.connect(server.endpoint()));
    client = client(service.tools());
  }

  private void reconnect(RemoteService.Connector connector) throws Exception {
    close(client, service);
    service = RemoteService.connect(connector);
    client = client(service.tools());
  }

  private static void close(AutoCloseable... all) throws Exception {
    for (AutoCloseable one : all) {
      one.close();
    }
  }

  /** Returns a client of an MCP server with the tools. */
  private static ScriptedPeer client(List<Tool> tools) {
    ChannelPair pair = ChannelPair.open(Limits.DEFAULT);
    McpServer.builder("shop", "1").tools(tools).build().open(pair.server());
    ScriptedPeer client = ScriptedPeer.on(pair.client());
    client.send(json("{'jsonrpc':'2.0','id':1,'method':'initialize','params':{"
            + "'protocolVersion':'2025-11-25','capabilities':{},"
            + "'clientInfo':{'name':'test','version':'1'}}}")
        .toString());
    assertThat(Json.parse(client.receive()).get("result")).isNotNull();
    client.send("""
        {"jsonrpc":"2.0","method":"notifications/initialized"}""");
    return client;
  }

  @AfterEach
  void close() throws Exception {
    close(client, service, server);
  }

  private void send(String message) {
    client.send(message.replace('\'', '"'));
  }

  private Json receive() {
    return Json.parse(client.receive());
  }

  private static Json json(String text) {
    return Json.parse(text.replace('\'', '"'));
  }

  private static Json at(Json json, String... names) {
    Json value = json;
    for (String name : names) {
      value = Objects.requireNonNull(value.get(name), () -> "no '" + name + "' in " + json);
    }
    return value;
  }

  private int start(String tool, String arguments) {
    send("{'jsonrpc':'2.0','id':" + ++lastId + ",'method':'tools/call','params':{'name':'" + tool
        + "','arguments':" + arguments + ",'_meta':{'progressToken':'t'}}}");
    return lastId;
  }

  private Json call(String tool, String arguments) {
    int id = start(tool, arguments);
    Json answer = receive();
    assertThat(answer.get("id")).isEqualTo(Json.of(id));
    return at(answer, "result");
  }

  private static String text(Json result) {
    List<Json> content = at(result, "content").elements();
    assertThat(content).hasSize(1);
    return at(content.get(0), "text").as(String.class);
  }

  private static String failure(Json result) {
    assertThat(result.get("isError")).as(result.toString()).isEqualTo(Json.TRUE);
    return text(result);
  }

  private Map<String, Json> listed() {
    send("{'jsonrpc':'2.0','id':2,'method':'tools/list'}");
    Map<String, Json> tools = new LinkedHashMap<>();
    for (Json tool : at(receive(), "result", "tools").elements()) {
      tools.put(at(tool, "name").as(String.class), tool);
    }
    return tools;
  }

  /** A method that clients send as a notification. */
  public static final class Notes {
    private final BlockingQueue<String> notes = new LinkedBlockingQueue<>();

    private Notes() {}

    /** Keeps a note. Fails if it is called by a request. */
    @Rpc(notification = true)
    public void note(String text, Call call) {
      notes.add(call.id() == null ? text : "a request");
    }
  }

  @Test
  void aMethodWithoutAResultIsSentAsANotification() throws Exception {
    Notes notes = new Notes();
    try (Server noting = Repartee.listen("tcp://127.0.0.1:0", Service.of(notes))) {
      reconnect(() -> Repartee.connect(noting.endpoint()));
      assertThat(text(call("note", "{'text':'hello'}"))).contains("'note' was sent", "unknown");
      assertThat(notes.notes.poll(60, TimeUnit.SECONDS)).isEqualTo("hello");
    }
  }

  @Test
  void methodsAreToolsWithTheirSchemas() {
    Map<String, Json> tools = listed();
    assertThat(tools)
        .containsOnlyKeys("forget", "greet", "order", "orders_last", "pack", "price", "wait");
    Json order = Objects.requireNonNull(tools.get("order"));
    assertThat(order.get("description")).isEqualTo(Json.of("Orders something"));
    assertThat(at(order, "inputSchema", "properties").members()).containsOnlyKeys("item", "count");
    assertThat(at(order, "inputSchema", "required")).isEqualTo(json("['item']"));
    assertThat(at(order, "outputSchema", "type")).isEqualTo(Json.of("object"));
    Json last = Objects.requireNonNull(tools.get("orders_last"));
    assertThat(last.get("title")).isEqualTo(Json.of("orders/last"));
    Json greet = Objects.requireNonNull(tools.get("greet"));
    assertThat(at(greet, "inputSchema", "properties", "name")).isEqualTo(json("{}"));
    assertThat(greet.get("outputSchema")).isNull();
  }

  @Test
  void aResultIsStructuredContentAndText() {
    Json result = call("order", "{'item':'tea','count':2}");
    assertThat(result.get("structuredContent")).isEqualTo(json("{'item':'tea','count':2}"));
    assertThat(text(result)).isEqualTo("{\"item\":\"tea\",\"count\":2}");
    assertThat(result.get("isError")).isNull();
    assertThat(text(call("greet", "{'name':[1]}"))).isEqualTo("Hello \"[1]\"");
    assertThat(text(call("forget", "{}"))).isEqualTo("null");
  }

  /** A service with methods that answer with a stream. */
  public static final class Streams {
    /** Returns a stream that need not end. */
    @Rpc
    public Stream<Order> orders() {
      return Stream.generate(() -> new Order("tea", 1));
    }

    /** Opens a subscription. */
    @Rpc
    @Streamed(subscription = "ordered", unsubscribe = "unsubscribe")
    public Stream<Order> subscribe() {
      return orders();
    }

    /** Returns partial results to clients that ask for them, and an array to others. */
    @Rpc
    @Streamed(partialResults = true)
    public Stream<Order> find() {
      return Stream.of(new Order("tea", 1), new Order("coffee", 2));
    }
  }

  @Test
  void methodsThatAnswerWithAStreamAreLeftOutAndReported() throws Exception {
    server.close();
    server = Repartee.listen("tcp://127.0.0.1:0", Service.of(new Streams()));
    reconnect(() -> Repartee.connect(server.endpoint()));
    List<String> leftOut = new ArrayList<>();
    service.tools((method, reason) -> leftOut.add(method + ": " + reason));
    assertThat(leftOut)
        .containsExactlyInAnyOrder(
            "orders: it answers with a stream", "subscribe: it answers with a stream");
    assertThat(listed()).containsOnlyKeys("find");
    assertThat(text(call("find", "{}"))).isEqualTo("""
        [{"item":"tea","count":1},{"item":"coffee","count":2}]""");
  }

  @Test
  void anErrorOfTheServiceIsAnExplainedFailure() {
    assertThat(failure(call("price", "{'item':'tea'}")))
        .isEqualTo("'price' failed: Sold out (7): {\"item\":\"tea\"}");
    assertThat(failure(call("price", "{'item':''}")))
        .isEqualTo("'price' failed: Invalid params (-32602): item: has to be something");
  }

  @Test
  void invalidArgumentsAreRejectedBeforeTheServiceIsCalled() {
    assertThat(failure(call("order", "{'item':5}"))).startsWith("Invalid arguments: /item: ");
    assertThat(failure(call("order", "{'itme':'tea'}"))).contains("itme");
  }

  @Test
  void argumentsWithAnInvalidSchemaAreLeftToTheService() throws Exception {
    Json document = json("{'methods':[{'name':'pair','params':[{'name':'of','schema':"
        + "{'type':'array','items':[{'type':'string'}]}}]}]}");
    serve(document, call -> call.params());
    assertThat(text(call("pair", "{'of':['a']}"))).isEqualTo("{\"of\":[\"a\"]}");
  }

  @Test
  void argumentsWithASchemaThatCannotBeAppliedAreLeftToTheService() throws Exception {
    String deep = "{'items':".repeat(450) + "{}" + "}".repeat(450);
    Json document = json("{'methods':["
        + "{'name':'loop','params':[{'name':'of','schema':{'$ref':'#/$defs/a'}}]},"
        + "{'name':'away','params':[{'name':'of','schema':{'$ref':'https://example.org/x'}}]},"
        + "{'name':'deep','params':[{'name':'of','schema':" + deep + "}]}]}");
    serve(document, call -> call.params());
    for (String method : List.of("loop", "away", "deep")) {
      assertThat(text(call(method, "{'of':['a']}"))).as(method).isEqualTo("{\"of\":[\"a\"]}");
    }
  }

  /**
   * Starts a service with the methods of an OpenRPC document and connects to it. All methods have
   * the same handler.
   */
  private void serve(Json document, Handler handler) throws Exception {
    Service.Builder methods = Service.builder();
    for (Json method : at(document, "methods").elements()) {
      methods.method(at(method, "name").as(String.class), handler);
    }
    Layer discovery =
        (call, next) -> call.method().equals("rpc.discover") ? document : next.handle(call);
    server.close();
    server = Repartee.listen(
        "tcp://127.0.0.1:0", methods.build(), Options.builder().layer(discovery).build());
    reconnect(() -> Repartee.connect(server.endpoint()));
  }

  @Test
  void aResultThatIsNotTheObjectOfTheSchemaIsAnError() {
    assertThat(failure(call("orders_last", "{}"))).contains("'orders/last' answered null");
  }

  @Test
  void aResultThatDoesNotFitItsSchemaIsAnErrorWithAnExcerpt() throws Exception {
    Json document = json("{'methods':[{'name':'count','params':[],'result':{'name':'r','schema':"
        + "{'type':'object','properties':{'n':{'type':'integer'}}}}}]}");
    AtomicReference<Json> answer = new AtomicReference<>(json("{'n':1}"));
    serve(document, call -> answer.get());
    assertThat(call("count", "{}").get("structuredContent")).isEqualTo(json("{'n':1}"));
    answer.set(json("{'n':'x'}"));
    assertThat(failure(call("count", "{}")))
        .startsWith("the result of 'count' does not fit its schema: /n: ");
    answer.set(Json.of("x".repeat(1 << 20)));
    assertThat(failure(call("count", "{}")))
        .startsWith("'count' answered \"xxx")
        .hasSizeLessThan(1_000);
  }

  /** A result schema whose check lasts until it is cancelled, or for 30 seconds. */
  private static final String SLOW = "{'type':'object','description':'" + "d".repeat(200_000)
      + "','properties':{'v':{'pattern':'^x*x*x*x*x*y$'}}}";

  private static final Json SLOW_RESULT =
      json("{'v':'" + "x".repeat(5_000) + "','rest':'" + "r".repeat(1_000_000) + "'}");

  /**
   * Starts a service with the methods {@code slow} and {@code quick}. The check of the result of
   * {@code slow} is slow.
   *
   * @param answered counts the results of {@code slow}
   */
  private void serveSlowResults(CountDownLatch answered) throws Exception {
    Json document = json("{'methods':[{'name':'quick','params':[]},"
        + "{'name':'slow','params':[],'result':{'name':'r','schema':" + SLOW + "}}]}");
    serve(document, call -> {
      if (call.method().equals("quick")) {
        return "done";
      }
      answered.countDown();
      return SLOW_RESULT;
    });
  }

  private void cancel(int id) {
    send("{'jsonrpc':'2.0','method':'notifications/cancelled','params':{'requestId':" + id + "}}");
  }

  @Test
  void aResultThatTakesLongToBeCheckedDelaysNoOtherCallOfItsConnection() throws Exception {
    CountDownLatch answered = new CountDownLatch(1);
    serveSlowResults(answered);
    int id = start("slow", "{}");
    assertThat(answered.await(30, TimeUnit.SECONDS)).isTrue();
    for (int i = 0; i < 20; i++) {
      assertThat(text(call("quick", "{}"))).isEqualTo("done");
    }
    cancel(id);
    assertThat(text(call("quick", "{}"))).isEqualTo("done");
  }

  @Test
  void cancellingACallStopsTheCheckOfItsResult() throws Exception {
    int calls = 5 * Math.max(2, Runtime.getRuntime().availableProcessors());
    CountDownLatch answered = new CountDownLatch(calls);
    serveSlowResults(answered);
    for (int i = 0; i < calls; i++) {
      start("slow", "{}");
    }
    assertThat(answered.await(30, TimeUnit.SECONDS)).isTrue();
    for (int i = 0; i < calls; i++) {
      cancel(lastId - i);
    }
    // Checks that continue would occupy the threads of the service for longer than the time-out.
    assertThat(text(call("quick", "{}"))).isEqualTo("done");
  }

  @Test
  void aToolThatReturnsTheCallOfAnotherPeerIsNotCheckedOnTheReaderOfThatPeer() throws Exception {
    CountDownLatch answered = new CountDownLatch(1);
    serveSlowResults(answered);
    try (Peer peer = Repartee.connect(server.endpoint())) {
      Tool relay = Tool.named("relay")
          .output(json(SLOW))
          .handle((call, arguments) -> peer.request("slow").send(Json.class));
      client.close();
      client = client(List.of(relay));
      int id = start("relay", "{}");
      assertThat(answered.await(30, TimeUnit.SECONDS)).isTrue();
      for (int i = 0; i < 20; i++) {
        assertThat(peer.request("quick").send(String.class).get(60, TimeUnit.SECONDS))
            .isEqualTo("done");
      }
      cancel(id);
    }
  }

  @Test
  void onlyValidProgressIsPassedOn() {
    int id = start("pack", "{}");
    assertThat(at(receive(), "params")).isEqualTo(json("{'progressToken':'t','progress':1}"));
    assertThat(at(receive(), "params"))
        .isEqualTo(json("{'progressToken':'t','progress':2.5,'total':4,'message':'wrapped'}"));
    Json answer = receive();
    assertThat(answer.get("id")).isEqualTo(Json.of(id));
    assertThat(text(at(answer, "result"))).isEqualTo("packed");
  }

  @Test
  void cancellingTheToolCancelsTheMethod() throws Exception {
    int id = start("wait", "{}");
    assertThat(shop.waiting.await(30, TimeUnit.SECONDS)).isTrue();
    send("{'jsonrpc':'2.0','method':'notifications/cancelled','params':{'requestId':" + id + "}}");
    assertThat(shop.cancelled.await(30, TimeUnit.SECONDS)).isTrue();
    assertThat(text(call("greet", "{'name':1}")))
        .isEqualTo("Hello \"1\""); // the answer of the cancelled call does not precede it
  }

  @Test
  void aCallTimeoutIsReported() throws Exception {
    String uri = server.endpoint().toString();
    Limits limits = Limits.builder().callTimeout(Duration.ofMillis(300)).build();
    close(client, service);
    service = RemoteService.connect(
        () -> Repartee.connect(uri, Options.builder().limits(limits).build()));
    client = client(service.tools(List.of("wait"))); // no rpc.discover, which may time out
    do { // on a busy machine the call may time out before the method runs
      assertThat(failure(call("wait", "{}"))).contains("no answer to 'wait' within 300 ms");
    } while (shop.waiting.getCount() > 0);
    assertThat(shop.cancelled.await(30, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void aLostConnectionIsReportedAndTheNextCallConnectsAgain() throws Exception {
    try (FaultProxy proxy = FaultProxy.to(server.endpoint())) {
      reconnect(() -> Repartee.connect(proxy.endpoint()));
      int id = start("wait", "{}");
      assertThat(shop.waiting.await(30, TimeUnit.SECONDS)).isTrue();
      proxy.reset();
      Json answer = receive();
      assertThat(answer.get("id")).isEqualTo(Json.of(id));
      assertThat(failure(at(answer, "result")))
          .contains("'wait' was not answered", "connects again");
      assertThat(text(call("greet", "{'name':1}"))).isEqualTo("Hello \"1\"");
    }
  }

  @Test
  void aServiceThatIsDownIsReportedUntilItIsBack() throws Exception {
    AtomicReference<Peer> last = new AtomicReference<>();
    AtomicBoolean down = new AtomicBoolean();
    reconnect(() -> {
      if (down.get()) {
        throw new IOException("cannot connect to the shop: it is closed");
      }
      last.set(Repartee.connect(server.endpoint()));
      return last.get();
    });
    down.set(true);
    last.get().close();
    assertThat(failure(call("greet", "{'name':1}")))
        .isEqualTo("'greet' was not called: cannot connect to the shop: it is closed. The next call"
            + " tries again.");
    down.set(false);
    assertThat(text(call("greet", "{'name':1}"))).isEqualTo("Hello \"1\"");
  }

  @Test
  void aCallThatWasNotSentIsNotReportedAsOneThatMayHaveRun() throws Exception {
    Options options = Options.builder()
        .callLayer((call, next) -> {
          if (!call.method().equals("greet")) {
            return next.handle(call);
          }
          throw DisconnectedException.unsent("the shop is full", "the queue is full", null);
        })
        .build();
    reconnect(() -> Repartee.connect(server.endpoint(), options));
    assertThat(failure(call("greet", "{'name':1}")))
        .isEqualTo("'greet' was not called: the shop is full. The next call tries again.");
  }

  @Test
  void methodsMayBeGivenByName() {
    client.close();
    client = client(service.tools(List.of("order", "orders/last", "order")));
    Map<String, Json> tools = listed();
    assertThat(tools).containsOnlyKeys("order", "orders_last");
    assertThat(at(Objects.requireNonNull(tools.get("order")), "inputSchema"))
        .isEqualTo(json("{'type':'object'}"));
    assertThat(text(call("order", "{'item':'tea'}"))).contains("tea");
    assertThat(failure(call("order", "{'itme':'tea'}"))).contains("-32602", "itme");
  }

  @Test
  void methodsWithoutNamesForTheirParametersAreCalledByPosition() throws Exception {
    try (Server math =
        Repartee.listen("tcp://127.0.0.1:0", Service.ofAny(Math.class, null, (name, why) -> {}))) {
      reconnect(() -> Repartee.connect(math.endpoint()));
      assertThat(text(call("hypot", "{'arg0':3,'arg1':4}"))).isEqualTo("5");
      assertThat(failure(call("hypot", "{'arg0':3}"))).contains("arg1");
    }
  }

  @Test
  void aServiceWithoutDiscoveryHasNoTools() throws Exception {
    Options silent = Options.builder().builtins().build();
    try (Server other = Repartee.listen("tcp://127.0.0.1:0", Service.of(shop), silent);
        RemoteService service = RemoteService.connect(() -> Repartee.connect(other.endpoint()))) {
      assertThatThrownBy(service::tools)
          .isInstanceOf(RpcException.class)
          .hasMessageContaining("-32601");
    }
  }

  @Test
  void aServiceWithTooManyMethodsIsRejected() throws Exception {
    Service.Builder many = Service.builder();
    for (int i = 0; i <= 1_000; i++) {
      many.method("m" + i, call -> null);
    }
    server.close();
    server = Repartee.listen("tcp://127.0.0.1:0", many.build());
    String uri = server.endpoint().toString();
    try (RemoteService service = RemoteService.connect(() -> Repartee.connect(uri))) {
      assertThatThrownBy(service::tools)
          .isInstanceOf(ProtocolException.class)
          .hasMessageContaining("1001 methods");
    }
  }

  @Test
  void aServiceThatCannotBeReachedIsReportedAtOnce() {
    assertThatThrownBy(() -> RemoteService.connect(() -> Repartee.connect("mem:nobody")))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("mem:nobody");
  }
}
