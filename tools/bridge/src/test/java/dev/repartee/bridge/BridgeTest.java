package dev.repartee.bridge;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.repartee.Call;
import dev.repartee.CallFuture;
import dev.repartee.ClockOptions;
import dev.repartee.Lane;
import dev.repartee.Listener;
import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.PeerFactory;
import dev.repartee.RemoteRpcException;
import dev.repartee.Repartee;
import dev.repartee.RpcException;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.internal.FakeClock;
import dev.repartee.json.Json;
import dev.repartee.limits.Limits;
import dev.repartee.message.RpcError;
import dev.repartee.testkit.RawConnection;
import dev.repartee.testkit.ScriptedPeer;
import dev.repartee.transport.ChannelInfo;
import dev.repartee.transport.DisconnectedException;
import dev.repartee.transport.Endpoint;
import dev.repartee.transport.Headers;
import dev.repartee.transport.Transport;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Flow;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The forwarding of messages over real sockets. */
@Timeout(60)
class BridgeTest {
  private static final String ANY = "tcp://127.0.0.1:0";

  private final List<AutoCloseable> open = new ArrayList<>();

  /** The messages that the backend got, and the ends of calls there. */
  private final BlockingQueue<String> seen = new LinkedBlockingQueue<>();

  private final BlockingQueue<String> violations = new LinkedBlockingQueue<>();

  /** The connections of a bridge that have ended. */
  private final BlockingQueue<Peer> ended = new LinkedBlockingQueue<>();

  private <T extends AutoCloseable> T closing(T resource) {
    open.add(resource);
    return resource;
  }

  @AfterEach
  void close() throws Exception {
    Collections.reverse(open);
    for (AutoCloseable each : open) {
      each.close();
    }
  }

  private final Listener noting = new Listener() {
    @Override
    public void violation(ChannelInfo channel, String violation) {
      violations.add(violation);
    }

    @Override
    public void disconnected(Peer peer, @Nullable Throwable cause) {
      ended.add(peer);
    }
  };

  /** The methods of the backend. */
  private Service methods() {
    return Service.builder()
        .method("echo", call -> call.params())
        .method("id", call -> String.valueOf(call.id()))
        .method("note", call -> {
          seen.add("note " + call.params());
          return null;
        })
        .method("order", Lane.INLINE, call -> {
          seen.add((call.id() == null ? "notification " : "request ") + call.params());
          return null;
        })
        .method("fail", call -> {
          throw new RpcException(
              new RpcError(-1234, "no \"such\" order", Json.parse("{\"a\": 1}")));
        })
        .method("wait", call -> {
          seen.add("waiting");
          CompletableFuture<Object> never = new CompletableFuture<>();
          call.cancellation().onCancel(() -> seen.add("cancelled"));
          return never;
        })
        .method("ask", call -> call.peer().request("answer").args(1).send(Json.class))
        .method("push", call -> {
          call.peer().notify("pushed", "x");
          return "done";
        })
        .method("progress", call -> {
          call.progress(50);
          return 100;
        })
        .method("end", call -> {
          CompletableFuture.runAsync(() -> call.peer().close(), work -> new Thread(work).start());
          return new CompletableFuture<>();
        })
        .build();
  }

  /** Options that end calls without an answer soon after a test. */
  private static Options.Builder options() {
    return Options.builder().limits(limits -> limits.closeTimeout(Duration.ofMillis(100)));
  }

  private Server backend(String uri) throws IOException {
    return closing(Repartee.listen(uri, methods(), options().build()));
  }

  private Bridge.Builder to(Server... backends) {
    return Bridge.to(
            Arrays.stream(backends).map(b -> b.endpoint().toString()).toArray(String[]::new))
        .clientOptions(options().listener(noting).build())
        .backendOptions(options().listener(noting).build());
  }

  /** Returns the URI of a bridge to the backend. */
  private String bridge(Bridge.Builder bridge, String listen) throws IOException {
    return closing(bridge.open()).listen(listen).endpoint().toString();
  }

  private Peer client(String uri) throws IOException {
    return closing(Repartee.connect(uri));
  }

  private Peer client(String uri, Service service) throws IOException {
    return closing(Repartee.connect(uri, service, Options.DEFAULT));
  }

  private ScriptedPeer scripted(String uri) throws IOException {
    return closing(
        ScriptedPeer.on(Transport.open(Endpoint.parse(uri), Limits.DEFAULT, Headers.NONE)));
  }

  private String seen() throws InterruptedException {
    return String.valueOf(seen.poll(60, TimeUnit.SECONDS));
  }

  @ParameterizedTest
  @CsvSource({
    "tcp://127.0.0.1:0, tcp://127.0.0.1:0",
    "tcp://127.0.0.1:0, http://127.0.0.1:0/",
    "http://127.0.0.1:0/, tcp://127.0.0.1:0#framing=content-length",
    "ws://127.0.0.1:0/, http://127.0.0.1:0/",
    "tcp://127.0.0.1:0#envelope=jsonrpc-1.0, ws://127.0.0.1:0/",
    "tcp://127.0.0.1:0, tcp://127.0.0.1:0#envelope=jsonrpc-1.0",
  })
  void aCallPassesBetweenAnyTwoTransportsAndEnvelopes(String listen, String to) throws Exception {
    String uri = bridge(to(backend(to.replace("ws:", "http:"))), listen.replace("ws:", "http:"));
    Peer client = client(listen.startsWith("ws:") ? uri.replace("http:", "ws:") : uri);
    assertThat(client.call("echo", Json.class, 1, "two")).hasToString("[1,\"two\"]");
    client.notify("note", 3);
    assertThat(seen()).isEqualTo("note [3]");
    RemoteRpcException error =
        catchThrowableOfType(RemoteRpcException.class, () -> client.call("fail", Json.class));
    assertThat(error.error().message()).isEqualTo("no \"such\" order");
  }

  @Test
  void aDebugAdapterIsCalledInJsonRpc2() throws Exception {
    String uri = bridge(to(backend(ANY + "#envelope=dap")), "http://127.0.0.1:0/");
    Peer client = client(uri);
    assertThat(client.request("echo").arg("a", 1).call(Json.class)).hasToString("{\"a\":1}");
    assertThat(catchThrowableOfType(RpcException.class, () -> client.call("echo", Json.class, 1))
            .code())
        .isEqualTo(RpcError.INVALID_PARAMS);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aBackendThatPrintsTextBetweenItsMessagesGetsNoAnswerToIt(boolean perClient)
      throws Exception {
    BlockingQueue<String> answers = new LinkedBlockingQueue<>();
    Listener watching = new Listener() {
      @Override
      public void violation(ChannelInfo channel, String violation) {
        answers.add(violation);
      }
    };
    PeerFactory factory = channel -> {
      Peer peer = Peer.open(channel, methods(), options().listener(watching).build());
      channel.send("Starting server".getBytes(UTF_8));
      return peer;
    };
    Bridge.Builder bridge = to(closing(Repartee.listen(ANY, factory, Options.DEFAULT)));
    Peer client = client(bridge(perClient ? bridge.perClient() : bridge, ANY));
    assertThat(client.call("echo", Json.class, 1)).hasToString("[1]");
    assertThat(answers).as("messages that the backend did not expect").isEmpty();
    assertThat(violations.poll(60, TimeUnit.SECONDS)).contains("near 'Starting server'");
  }

  @Test
  void anErrorPassesUnchanged() throws Exception {
    ScriptedPeer client = scripted(bridge(to(backend(ANY)), ANY));
    client.send("""
        {"jsonrpc":"2.0","method":"fail","id":1.0}""");
    client.expect("""
        {"jsonrpc":"2.0","error":{"code":-1234,"message":"no \\"such\\" order",\
        "data":{"a":1}},"id":1.0}""");
    client.send("""
        {"jsonrpc":"2.0","method":"nothing","id":null}""");
    client.expect("""
        {"jsonrpc":"2.0","error":{"code":-32601,"message":"Method not found",\
        "data":"rpc.discover lists the methods there are"},"id":null}""");
  }

  @Test
  void equalIdsOfSeveralClientsNeverCollideAndKeepTheirLiterals() throws Exception {
    String uri = bridge(to(backend(ANY)), ANY);
    List<String> ids = List.of("1", "\"1\"", "1.0", "12345678901234567890");
    List<ScriptedPeer> clients = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      clients.add(scripted(uri));
    }
    for (ScriptedPeer client : clients) {
      for (String id : ids) {
        client.send("""
            {"jsonrpc":"2.0","method":"wait","id":%s}""".formatted(id));
      }
    }
    for (int i = 0; i < clients.size(); i++) {
      String param = "[\"client " + i + "\"]";
      for (String id : ids) {
        assertThat(clients.get(i).send("""
            {"jsonrpc":"2.0","method":"echo","params":%s,"id":%s}\
            """.formatted(param, id)).receive())
            .isEqualTo("""
                {"jsonrpc":"2.0","result":%s,"id":%s}""".formatted(param, id));
      }
    }
  }

  @Test
  void aBatchIsAnsweredAsABatch() throws Exception {
    ScriptedPeer client = scripted(bridge(to(backend(ANY)), ANY));
    String answer = client.send("""
        [{"jsonrpc":"2.0","method":"echo","params":[1],"id":1},\
        {"jsonrpc":"2.0","method":"note","params":[2]},\
        {"jsonrpc":"2.0","method":"fail","id":"b"}, 7]""").receive();
    assertThat(Json.parse(answer).elements()).hasSize(3);
    assertThat(seen()).isEqualTo("note [2]");
  }

  @Test
  void theMessagesOfAClientKeepTheirOrder() throws Exception {
    Peer client = client(bridge(to(backend(ANY)), ANY));
    List<String> expected = new ArrayList<>();
    for (int i = 0; i < 300; i++) {
      if (i % 3 == 0) {
        client.callAsync("order", Json.class, i);
      } else {
        client.notify("order", i);
      }
      expected.add((i % 3 == 0 ? "request [" : "notification [") + i + "]");
    }
    for (String each : expected) {
      assertThat(seen()).isEqualTo(each);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "'', rpc.cancel, ''",
    "#envelope=lsp, $/cancelRequest, ''",
    "#envelope=lsp, $/cancelRequest, #envelope=lsp",
    "'', rpc.cancel, #envelope=lsp",
  })
  void aCancellationIsTranslatedIntoThatOfTheBackend(String here, String method, String there)
      throws Exception {
    String uri = bridge(to(backend(ANY + there)), ANY + here);
    ScriptedPeer client = scripted(uri);
    client.send("""
        {"jsonrpc":"2.0","method":"wait","id":"w"}""");
    assertThat(seen()).isEqualTo("waiting");
    client.send("""
        {"jsonrpc":"2.0","method":"%s","params":{"id":"w"}}""".formatted(method));
    assertThat(seen()).isEqualTo("cancelled");
    assertThat(client.receive()).contains("-32800").contains("\"w\"");
  }

  @Test
  void aCancellationReachesADebugAdapterAsItsRequest() throws Exception {
    Service adapter = Service.builder()
        .method("initialize", call -> Json.parse("{\"supportsCancelRequest\":true}"))
        .all(methods())
        .build();
    Server backend = closing(Repartee.listen(ANY + "#envelope=dap", adapter));
    Peer client = client(bridge(to(backend), ANY));
    client.call("initialize", Json.class);
    CallFuture<Json> call = client.callAsync("wait", Json.class);
    assertThat(seen()).isEqualTo("waiting");
    call.cancel(true);
    assertThat(seen()).isEqualTo("cancelled");
  }

  @Test
  void aCancellationOfAnotherProtocolIsNotPassedOn() throws Exception {
    ScriptedPeer client = scripted(bridge(to(backend(ANY)), ANY));
    client.send("""
        {"jsonrpc":"2.0","method":"wait","id":1}""");
    assertThat(seen()).isEqualTo("waiting");
    client.send("""
        {"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":1}}""");
    client.send("""
        {"jsonrpc":"2.0","method":"echo","params":[],"id":2}""");
    client.expect("""
        {"jsonrpc":"2.0","result":[],"id":2}""");
    assertThat(violations.poll(60, TimeUnit.SECONDS)).contains("#envelope=lsp");
    assertThat(seen).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "cancel, '{\"requestId\":1}', #envelope=dap",
    "$/cancelRequest, '{\"id\":1}', #envelope=lsp",
  })
  void noClientCancelsACallOfAnotherOneByItsIdAtTheBackend(
      String method, String params, String envelope) throws Exception {
    String uri = bridge(to(backend(ANY + envelope)), ANY);
    client(uri).callAsync("wait", Json.class);
    assertThat(seen()).isEqualTo("waiting");
    String message = """
        {"jsonrpc":"2.0","method":"%s","params":""".formatted(method) + params;
    ScriptedPeer other = scripted(uri);
    assertThat(other.send(message + ",\"id\":7}").receive()).contains("-32600", "\"id\":7");
    other.send(message + "}").send("""
        {"jsonrpc":"2.0","method":"echo","id":8}""");
    assertThat(other.receive()).contains("\"id\":8");
    assertThat(violations.poll(60, TimeUnit.SECONDS)).contains(method);
    assertThat(seen).isEmpty();
  }

  @Test
  void aLazydapClientGetsItsAnswersInOrder() throws Exception {
    Service service = Service.builder()
        .method(
            "First",
            call -> new CompletableFuture<Object>()
                .completeOnTimeout(Map.of("First", Map.of()), 300, TimeUnit.MILLISECONDS))
        .method("Second", call -> Map.of("Second", Map.of()))
        .build();
    Server backend = closing(Repartee.listen(ANY, service, options().build()));
    Peer client = client(bridge(to(backend), ANY + "#envelope=lazydap"));
    CallFuture<Json> first = client.callAsync("First", Json.class);
    boolean inOrder = client
        .callAsync("Second", Json.class)
        .thenApply(answer -> first.isDone())
        .get(60, TimeUnit.SECONDS);
    assertThat(inOrder).isTrue();
    assertThat(first.get()).hasToString("{\"First\":{}}");
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void theCallsOfAClientThatVanishesAreCancelled(boolean perClient) throws Exception {
    Bridge.Builder bridge = to(backend(ANY));
    String uri = bridge(perClient ? bridge.perClient() : bridge, ANY);
    try (RawConnection client = new RawConnection(uri)) {
      client.socket().setSoLinger(true, 0); // close() resets the connection
      client.send("""
          {"jsonrpc":"2.0","method":"wait","id":1}
          """);
      assertThat(seen()).isEqualTo("waiting");
    }
    assertThat(seen()).isEqualTo("cancelled");
  }

  @Test
  void anHttpRequestThatIsGivenUpIsCancelled() throws Exception {
    String uri = bridge(to(backend(ANY)), "http://127.0.0.1:0/");
    CallFuture<Json> call = client(uri).callAsync("wait", Json.class);
    assertThat(seen()).isEqualTo("waiting");
    call.cancel(true);
    assertThat(seen()).isEqualTo("cancelled");
  }

  @Test
  void progressReachesTheCaller() throws Exception {
    BlockingQueue<Json> values = new LinkedBlockingQueue<>();
    Peer client = client(bridge(to(backend(ANY)), ANY));
    assertThat(client.request("progress").onProgress(values::add).call(int.class))
        .isEqualTo(100);
    assertThat(values.poll()).hasToString("50");
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aRequestOfTheBackendReachesItsOnlyClient(boolean perClient) throws Exception {
    Bridge.Builder bridge = to(backend(ANY));
    String uri = bridge(perClient ? bridge.perClient() : bridge, ANY);
    Service answer = Service.builder().method("answer", call -> call.params()).build();
    assertThat(client(uri, answer).call("ask", Json.class)).hasToString("[1]");
    Peer other = client(uri, answer);
    if (perClient) {
      assertThat(other.call("ask", Json.class)).hasToString("[1]");
    } else {
      other.call("echo", Json.class); // both are connected now
      assertThat(catchThrowableOfType(RpcException.class, () -> other.call("ask", Json.class))
              .code())
          .isEqualTo(RpcError.INTERNAL_ERROR);
    }
  }

  @Test
  void aQuestionOfAnAgentKeepsNoIdOfACallOfTheOtherSide() throws Exception {
    Service agent = Service.builder()
        .method(
            "work",
            call -> call.peer()
                .request("agent.ask")
                .arg("id", call.id().json())
                .arg("message", "Sure?")
                .send(Json.class))
        .build();
    Server backend = closing(Repartee.listen(ANY, agent, options().build()));
    Service human = Service.builder().method("agent.ask", call -> call.params()).build();
    Peer client = client(bridge(to(backend).perClient(), ANY), human);
    assertThat(client.call("work", Json.class)).hasToString("{\"message\":\"Sure?\"}");
  }

  @Test
  void aNotificationOfASharedBackendReachesAllClientsBeforeTheAnswerBehindIt() throws Exception {
    String uri = bridge(to(backend(ANY)), ANY);
    ScriptedPeer first = scripted(uri);
    first.send("""
        {"jsonrpc":"2.0","method":"echo","params":[],"id":1}""");
    first.expect("""
        {"jsonrpc":"2.0","result":[],"id":1}""");
    scripted(uri)
        .send("""
            {"jsonrpc":"2.0","method":"push","id":1}""")
        .expect(
            "{\"jsonrpc\":\"2.0\",\"method\":\"pushed\",\"params\":[\"x\"]}",
            "{\"jsonrpc\":\"2.0\",\"result\":\"done\",\"id\":1}");
    first.expect("""
        {"jsonrpc":"2.0","method":"pushed","params":["x"]}""");
  }

  @Test
  void aNotificationOfAnOwnBackendReachesItsClientOnly() throws Exception {
    String uri = bridge(to(backend(ANY)).perClient(), ANY);
    ScriptedPeer first = scripted(uri);
    first.send("""
        {"jsonrpc":"2.0","method":"echo","params":[],"id":1}""");
    first.expect("""
        {"jsonrpc":"2.0","result":[],"id":1}""");
    scripted(uri)
        .send("""
            {"jsonrpc":"2.0","method":"push","id":1}""")
        .expect(
            "{\"jsonrpc\":\"2.0\",\"method\":\"pushed\",\"params\":[\"x\"]}",
            "{\"jsonrpc\":\"2.0\",\"result\":\"done\",\"id\":1}");
    first.send("""
        {"jsonrpc":"2.0","method":"echo","params":[],"id":2}""");
    first.expect("""
        {"jsonrpc":"2.0","result":[],"id":2}""");
  }

  @Test
  void aResultUpToTheFrameLimitPasses() throws Exception {
    Peer client = client(bridge(to(backend(ANY)), ANY));
    String large = "x".repeat(15 << 20);
    assertThat(client.call("echo", Json.class, large).length()).isEqualTo(large.length() + 4);
  }

  @Test
  void theMethodsOfTheBackendAreDiscovered() throws Exception {
    Json document = client(bridge(to(backend(ANY)), ANY)).call("rpc.discover", Json.class);
    assertThat(document.toString()).contains("\"name\":\"push\"");
  }

  @Test
  void aStreamIsRefusedAtOnce() throws Exception {
    Service numbers = Service.builder().stream(
            "numbers", Void.class, Integer.class, (none, call) -> List.of(1, 2).iterator())
        .build();
    Server backend = closing(Repartee.listen(ANY, numbers));
    Peer client = client(bridge(to(backend), ANY));
    CompletableFuture<Throwable> end = new CompletableFuture<>();
    client.request("numbers").stream(int.class).subscribe(new Flow.Subscriber<Integer>() {
      @Override
      public void onSubscribe(Flow.Subscription subscription) {
        subscription.request(1);
      }

      @Override
      public void onNext(Integer item) {
        end.complete(new AssertionError("an item"));
      }

      @Override
      public void onError(Throwable failure) {
        end.complete(failure);
      }

      @Override
      public void onComplete() {
        end.complete(new AssertionError("the end"));
      }
    });
    Throwable failure = end.get(60, TimeUnit.SECONDS);
    assertThat(failure).isInstanceOf(RpcException.class);
    assertThat(((RpcException) failure).data())
        .hasToString(
            "\"the result of 'numbers' cannot be streamed here, since the call is passed on; call it"
                + " without a stream\"");
  }

  @Test
  void callsInFlightFailWhenTheBackendIsLostAndTheNextCallReconnects() throws Exception {
    Server backend = backend(ANY);
    Peer client = client(bridge(to(backend), ANY));
    RpcException lost =
        catchThrowableOfType(RpcException.class, () -> client.call("end", Json.class));
    assertThat(lost.code()).isEqualTo(Bridge.LOST);
    assertThat(client.call("echo", Json.class, 1)).hasToString("[1]");
  }

  @Test
  void aCallWithoutAnAnswerInTimeIsGivenUpAndCancelledAtTheBackend() throws Exception {
    for (Bridge.Builder bridge : List.of(to(backend(ANY)), to(backend(ANY)).perClient())) {
      FakeClock clock = new FakeClock();
      bridge.backendOptions(ClockOptions.with(clock, options()).build());
      Peer client = client(bridge(bridge.timeout(Duration.ofSeconds(1)), ANY));
      CallFuture<Json> call = client.request("wait").timeout(Duration.ZERO).send(Json.class);
      assertThat(seen()).isEqualTo("waiting");
      clock.advance(Duration.ofSeconds(1));
      RemoteRpcException late = catchThrowableOfType(RemoteRpcException.class, call::await);
      assertThat(late.code()).isEqualTo(Bridge.LOST);
      assertThat(late.error().message()).contains("No answer", "in time", "may have run");
      assertThat(seen()).isEqualTo("cancelled");
    }
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Bridge.to("tcp://127.0.0.1:1").timeout(Duration.ofMillis(-1)));
  }

  @ParameterizedTest
  @ValueSource(strings = {"tcp://127.0.0.1:1", "http://127.0.0.1:1/", "ws://127.0.0.1:1/"})
  void aBridgeWhoseBackendCannotBeReachedAtTheStartIsNotOpened(String backend) {
    assertThatThrownBy(() -> Bridge.to(backend).open())
        .isInstanceOf(IOException.class)
        .hasMessageContaining("127.0.0.1:1");
  }

  @Test
  void aCallToAnHttpBackendThatCannotBeReachedIsToldAsNotRun() throws Exception {
    Server backend = backend("http://127.0.0.1:0/");
    Peer client = client(bridge(to(backend), ANY));
    backend.close();
    RemoteRpcException unreachable =
        catchThrowableOfType(RemoteRpcException.class, () -> client.call("echo", Json.class));
    if (unreachable.code() == Bridge.LOST) { // sent before the loss of a connection was noticed
      unreachable =
          catchThrowableOfType(RemoteRpcException.class, () -> client.call("echo", Json.class));
    }
    assertThat(unreachable.code()).isEqualTo(Bridge.UNREACHABLE);
    assertThat(unreachable.error().message())
        .contains("was not run: the server is unreachable")
        .doesNotContain("127.0.0.1");
  }

  @Test
  void aCallThatWaitedForItsBackendInVainIsToldAsNotRun() throws Exception {
    BlockingQueue<String> notices = new LinkedBlockingQueue<>();
    Listener operator = new Listener() {
      @Override
      public void notice(ChannelInfo channel, String event) {
        notices.add(channel.transport() + ": " + event);
      }
    };
    Server backend = backend(ANY);
    Bridge.Builder builder = to(backend)
        .backendOptions(Options.builder().listener(operator).build())
        .timeout(Duration.ofMillis(300));
    Peer client = client(bridge(builder, ANY));
    backend.close();
    assertThat(notices.poll(60, TimeUnit.SECONDS))
        .startsWith("tcp: the connection to " + backend.endpoint().shown() + " was lost: ")
        .endsWith("; trying again");
    RemoteRpcException late =
        catchThrowableOfType(RemoteRpcException.class, () -> client.call("echo", Json.class));
    assertThat(late.code()).isEqualTo(Bridge.UNREACHABLE);
    assertThat(late.error().message())
        .contains("was not run: no connection was open within ")
        .doesNotContain("127.0.0.1");
    assertThat(notices.poll(60, TimeUnit.SECONDS)).startsWith("tcp: cannot connect to ");
    for (int i = 0; i < 3; i++) {
      assertThatThrownBy(() -> client.call("echo", Json.class))
          .isInstanceOf(RemoteRpcException.class);
    }
    assertThat(notices).as("the attempts fail for the same reason").isEmpty();
  }

  @Test
  void theConnectionOfAClientEndsWithItsOwnBackend() throws Exception {
    Peer client = client(bridge(to(backend(ANY)).perClient(), ANY));
    RpcException lost =
        catchThrowableOfType(RpcException.class, () -> client.call("end", Json.class));
    assertThat(lost.code()).isEqualTo(Bridge.LOST);
    client.closed().toCompletableFuture().get(60, TimeUnit.SECONDS);
  }

  @Test
  void clientsMoveToAnotherBackendWhenTheirsIsLost() throws Exception {
    Server first = backend(ANY);
    Server second = backend(ANY);
    String uri = bridge(to(first, second), ANY);
    Peer one = client(uri);
    Peer other = client(uri);
    assertThat(one.call("echo", Json.class, 1)).hasToString("[1]");
    assertThat(other.call("echo", Json.class, 2)).hasToString("[2]");
    assertThat(first.peers()).hasSize(1);
    assertThat(second.peers()).hasSize(1);
    first.close();
    assertThat(ended.poll(60, TimeUnit.SECONDS)).as("noticed by the bridge").isNotNull();
    assertThat(one.call("echo", Json.class, 3)).hasToString("[3]");
    assertThat(other.call("echo", Json.class, 4)).hasToString("[4]");
  }

  @Test
  void aBackendThatCannotBeReachedIsReported() throws Exception {
    Server gone = Repartee.listen(ANY, methods());
    String uri = gone.endpoint().toString();
    gone.close();
    assertThatExceptionOfType(IOException.class)
        .isThrownBy(() -> Bridge.to(uri).open())
        .withMessageContaining("cannot connect");
    String listening = bridge(
        Bridge.to(uri)
            .perClient()
            .clientOptions(Options.builder().listener(noting).build()),
        ANY);
    Peer client = client(listening);
    assertThat(catchThrowableOfType(RpcException.class, () -> client.call("echo", Json.class))
            .code())
        .isEqualTo(Bridge.UNREACHABLE);
    client.closed().toCompletableFuture().get(60, TimeUnit.SECONDS);
    assertThat(violations.poll(60, TimeUnit.SECONDS)).contains("no backend can be reached");
  }

  @Test
  void aClientAboveTheNumberOfClientsIsTurnedAway() throws Exception {
    String uri = bridge(to(backend(ANY)).perClient(1), ANY);
    Peer first = client(uri);
    assertThat(first.call("echo", Json.class, 1)).hasToString("[1]");
    Peer second = client(uri);
    second.closed().toCompletableFuture().get(60, TimeUnit.SECONDS);
    assertThat(violations.poll(60, TimeUnit.SECONDS)).contains("there are 1 already");
    assertThat(first.call("echo", Json.class, 2)).hasToString("[2]");
    first.close();
    Peer third; // as soon as the backend of the first one has ended
    do {
      third = client(uri);
    } while (!answers(third));
    assertThat(third.call("echo", Json.class, 3)).hasToString("[3]");
  }

  private static boolean answers(Peer client) {
    try {
      return client.call("echo", Json.class, 3).toString().equals("[3]");
    } catch (DisconnectedException e) {
      return false;
    }
  }

  @Test
  void theProcessesOfClientsHaveEndedWhenTheBridgeIsClosed() throws Exception {
    Json command = Json.of(List.of("sh", "-c", """
        read call; echo '{"jsonrpc":"2.0","result":'$$',"id":1}'; exec sleep 600"""));
    Bridge bridge = closing(Bridge.to("exec:" + command).perClient().open());
    Peer client = client(bridge.listen(ANY).endpoint().toString());
    long pid = client.call("pid", long.class);
    assertThat(ProcessHandle.of(pid)).isPresent();
    bridge.close();
    assertThat(ProcessHandle.of(pid).filter(ProcessHandle::isAlive)).isEmpty();
  }

  @Test
  void anHttpRequestHasNoBackendOfItsOwn() throws Exception {
    String uri = bridge(to(backend(ANY)).perClient(), "http://127.0.0.1:0/");
    assertThat(catchThrowableOfType(RpcException.class, () -> client(uri).call("echo", Json.class))
            .error()
            .message())
        .contains("such as a WebSocket");
  }

  @Test
  void aSlowClientLosesItsConnectionAndDelaysNobody() throws Exception {
    CompletableFuture<Peer> sender = new CompletableFuture<>();
    Service pushing = Service.builder()
        .method("start", call -> {
          sender.complete(call.peer());
          return null;
        })
        .build();
    Server backend = closing(Repartee.listen(ANY, pushing));
    String uri = bridge(to(backend), ANY);
    try (RawConnection slow = new RawConnection(uri)) {
      slow.socket().setReceiveBufferSize(4096);
      slow.send("""
          {"jsonrpc":"2.0","method":"start","id":1}
          """);
      BlockingQueue<Integer> got = new LinkedBlockingQueue<>();
      Service reading = Service.builder()
          .method("item", call -> {
            got.add(call.params().elements().get(0).as(int.class));
            return null;
          })
          .build();
      Peer quick = client(uri, reading);
      quick.call("start", Json.class);
      Peer to = sender.get(60, TimeUnit.SECONDS);
      String filling = "x".repeat(64 << 10);
      int count = 400; // 25 MiB
      for (int i = 0; i < count; i++) {
        to.notify("item", i, filling);
        assertThat(got.poll(60, TimeUnit.SECONDS)).isEqualTo(i); // otherwise this one is slow
      }
      assertThat(violations.poll(60, TimeUnit.SECONDS)).contains("does not read");
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aBackendThatDoesNotReadStopsItsClients(boolean perClient) throws Exception {
    try (ServerSocket backend = new ServerSocket(0, 8, InetAddress.getLoopbackAddress());
        Selector selector = Selector.open();
        SocketChannel client = SocketChannel.open()) {
      Bridge.Builder bridge = Bridge.to("tcp://127.0.0.1:" + backend.getLocalPort());
      String uri = bridge(perClient ? bridge.perClient() : bridge, ANY);
      client.connect(new InetSocketAddress("127.0.0.1", URI.create(uri).getPort()));
      client.configureBlocking(false);
      client.register(selector, SelectionKey.OP_WRITE);
      String message = """
          {"jsonrpc":"2.0","method":"n","params":["%s"]}
          """.formatted("x".repeat(50_000));
      ByteBuffer bytes = ByteBuffer.wrap(message.getBytes(UTF_8));
      int sent = 0;
      try (RawConnection accepted = new RawConnection(backend.accept())) {
        while (selector.select(1_000) > 0) { // until nothing can be written for a second
          client.write(bytes);
          if (!bytes.hasRemaining()) {
            bytes.clear();
            sent++;
          }
          selector.selectedKeys().clear();
        }
        assertThat(sent).isLessThan(500); // 25 MB: mostly in the buffers of the system
        for (int i = 0; i < sent; i++) {
          assertThat(accepted.line()).hasSize(message.length() - 1);
        }
      }
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void bothSidesMayFloodEachOther(boolean perClient) throws Exception {
    CountDownLatch fromClient = new CountDownLatch(1_000);
    Service flooding = Service.builder()
        .method("flood", call -> {
          for (int i = 0; i < 1_000; i++) {
            call.peer().notify("item", "y".repeat(5_000));
          }
          return null;
        })
        .method("item", call -> {
          fromClient.countDown();
          return null;
        })
        .build();
    Server backend = closing(Repartee.listen(ANY, flooding));
    // A shared backend does not wait for a client that is slow for a short time: all items fit.
    Options roomy = options()
        .limits(limits -> limits.outboundBytes(4 << 20))
        .listener(noting)
        .build();
    Bridge.Builder bridge = to(backend);
    String uri = bridge(perClient ? bridge.perClient() : bridge.clientOptions(roomy), ANY);
    CountDownLatch fromBackend = new CountDownLatch(1_000);
    Service receiving = Service.builder()
        .method("item", call -> {
          fromBackend.countDown();
          return null;
        })
        .build();
    Peer client = client(uri, receiving);
    CallFuture<Json> flood = client.callAsync("flood", Json.class);
    for (int i = 0; i < 1_000; i++) {
      client.notify("item", "x".repeat(5_000));
    }
    flood.get(40, TimeUnit.SECONDS);
    assertThat(fromBackend.await(40, TimeUnit.SECONDS)).isTrue();
    assertThat(fromClient.await(40, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void anAnswerNeverOvertakesANotificationThatWasSentBeforeIt() throws Exception {
    int calls = 50;
    String large = "y".repeat(200_000);
    Service editor = Service.builder()
        .method("ask", call -> large)
        .method("note", Lane.INLINE, call -> {
          seen.add("note " + call.params().get("i"));
          return null;
        })
        .build();
    try (ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      // The client always has room for its answers: otherwise its own inline method would wait.
      Options roomy =
          Options.builder().limits(limits -> limits.outboundBytes(64 << 20)).build();
      Peer client = closing(Repartee.connect(
          bridge(Bridge.to("tcp://127.0.0.1:" + listener.getLocalPort()), ANY), editor, roomy));
      try (RawConnection backend = new RawConnection(listener.accept())) {
        List<CallFuture<Json>> answers = new ArrayList<>();
        List<String> ids = new ArrayList<>();
        for (int i = 0; i < calls; i++) {
          String answered = "answer " + i;
          CallFuture<Json> call = client.callAsync("call", Json.class);
          call.thenRun(() -> seen.add(answered));
          answers.add(call);
          ids.add(Json.parse(backend.line()).get("id").toString());
        }
        // From here on the backend reads nothing, until all calls are answered.
        for (int i = 0; i < calls; i++) {
          backend.send("""
              {"jsonrpc":"2.0","method":"ask","id":%s}
              {"jsonrpc":"2.0","method":"note","params":{"i":%s}}
              {"jsonrpc":"2.0","result":1,"id":%s}
              """.formatted(i, i, ids.get(i)));
          answers.get(i).get(60, TimeUnit.SECONDS);
        }
        for (int i = 0; i < calls; i++) {
          backend.line();
        }
      }
    }
    List<String> expected = new ArrayList<>();
    List<String> got = new ArrayList<>();
    for (int i = 0; i < calls; i++) {
      expected.addAll(List.of("note " + i, "answer " + i));
      got.addAll(List.of(seen(), seen()));
    }
    assertThat(got).isEqualTo(expected);
  }

  /** A minimal language server for this test: it stores the documents of its client. */
  private static Service languageServer() {
    Map<Peer, String> documents = new ConcurrentHashMap<>();
    return Service.builder()
        .method("textDocument/didOpen", call -> {
          documents.put(call.peer(), String.valueOf(call.params().get("text")));
          call.peer()
              .request("textDocument/publishDiagnostics")
              .arg("text", call.params().get("text"))
              .sendNotification();
          return null;
        })
        .method("textDocument/hover", call -> Json.parse(documents.get(call.peer())))
        .method("shutdown", call -> null)
        .build();
  }

  @Test
  void fiftyWebSocketsHaveALanguageServerEach() throws Exception {
    Server backend = closing(Repartee.listen(ANY + "#envelope=lsp", languageServer()));
    String uri =
        bridge(to(backend).perClient(), "http://127.0.0.1:0/#envelope=lsp").replace("http:", "ws:");
    BlockingQueue<String> diagnostics = new LinkedBlockingQueue<>();
    List<Peer> clients = new ArrayList<>();
    Set<String> expected = new TreeSet<>();
    for (int i = 0; i < 50; i++) {
      Service editor = Service.builder()
          .method("textDocument/publishDiagnostics", call -> {
            diagnostics.add(String.valueOf(call.params().get("text")));
            return null;
          })
          .build();
      clients.add(client(uri, editor));
    }
    List<CallFuture<Json>> hovers = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      Peer client = clients.get(i);
      client.request("textDocument/didOpen").arg("text", "document " + i).sendNotification();
      hovers.add(client.request("textDocument/hover").arg("line", 1).send(Json.class));
      expected.add("\"document " + i + "\"");
    }
    for (int i = 0; i < 50; i++) {
      assertThat(hovers.get(i).get(60, TimeUnit.SECONDS)).hasToString("\"document " + i + "\"");
    }
    Set<String> got = new TreeSet<>();
    while (got.size() < 50) {
      got.add(String.valueOf(diagnostics.poll(60, TimeUnit.SECONDS)));
    }
    assertThat(got).isEqualTo(expected);
    assertThat(backend.peers()).hasSize(50);
  }

  @Test
  void anHttpClientCallsAProcess() throws Exception {
    String java = ProcessHandle.current().info().command().orElseThrow();
    String path = System.getProperty("jdk.module.path", "")
        + System.getProperty("path.separator")
        + System.getProperty("java.class.path");
    Json command = Json.of(List.of(java, "-cp", path, StdioBackend.class.getName()));
    String uri = bridge(Bridge.to("exec:" + command), "http://127.0.0.1:0/");
    HttpRequest request = HttpRequest.newBuilder(URI.create(uri))
        .header("Content-Type", "application/json")
        .POST(HttpRequest.BodyPublishers.ofString("""
            {"jsonrpc":"2.0","method":"twice","params":[21],"id":"h"}"""))
        .build();
    assertThat(HttpClient.newHttpClient().send(request, BodyHandlers.ofString()).body())
        .isEqualTo("""
            {"jsonrpc":"2.0","result":42,"id":"h"}""");
  }

  /** A server on standard input and output. */
  static final class StdioBackend {
    public static void main(String[] args) throws Exception {
      Service service = Service.builder()
          .method("twice", (Call call) -> 2 * call.params().elements().get(0).as(int.class))
          .build();
      Repartee.listen("stdio:", service).join();
    }
  }

  @Test
  void mistakesAreRefusedWhenTheBridgeIsBuilt() {
    assertThatIllegalArgumentException().isThrownBy(() -> Bridge.to());
    assertThatIllegalArgumentException().isThrownBy(() -> Bridge.to("gopher://x"));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Bridge.to("tcp://127.0.0.1:1#envelope=soap"));
    assertThatIllegalArgumentException().isThrownBy(() -> Bridge.to(ANY).perClient(0));
  }
}
