package dev.repartee.zeromq;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.entry;

import dev.repartee.Call;
import dev.repartee.CallFuture;
import dev.repartee.Lane;
import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.RemoteRpcException;
import dev.repartee.Repartee;
import dev.repartee.Rpc;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.bridge.Bridge;
import dev.repartee.broker.server.Ports;
import dev.repartee.conformance.Check;
import dev.repartee.conformance.Level;
import dev.repartee.conformance.Report;
import dev.repartee.internal.FakeClock;
import dev.repartee.limits.ClockLimits;
import dev.repartee.limits.Limits;
import dev.repartee.testkit.examples.ExampleMethods;
import dev.repartee.transport.DisconnectedException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.zeromq.SocketType;
import org.zeromq.ZMQ;

/** Services and clients over ZeroMQ, also with the sockets of other software. */
class ZmqTest {
  private final List<AutoCloseable> resources = new CopyOnWriteArrayList<>();
  private final Methods methods = new Methods();

  @AfterEach
  void release() throws Exception {
    for (int i = resources.size() - 1; i >= 0; i--) {
      resources.get(i).close();
    }
  }

  /** A service. */
  static class Methods {
    final BlockingQueue<String> seen = new LinkedBlockingQueue<>();
    final CountDownLatch open = new CountDownLatch(1);

    /** Adds. */
    @Rpc
    public int add(int a, int b) {
      return a + b;
    }

    /** Records a notification. */
    @Rpc
    public void note(String text) {
      seen.add(text);
    }

    /** Returns text of that length. */
    @Rpc
    public String text(int length) {
      return "x".repeat(length);
    }

    /** Waits. */
    @Rpc
    public String block(Call call) throws InterruptedException {
      seen.add("block");
      call.cancellation().onCancel(() -> seen.add("cancelled"));
      open.await();
      return "done";
    }

    /** Waits, and has begun before anything can cancel it. */
    @Rpc(lane = Lane.INLINE)
    public CompletableFuture<String> await(Call call) {
      CompletableFuture<String> end = new CompletableFuture<>();
      seen.add("await");
      call.cancellation().onCancel(() -> {
        seen.add("cancelled");
        end.complete("cancelled");
      });
      return end;
    }

    /** Waits; may be handled twice. */
    @Rpc(idempotent = true)
    public String blockTwice(Call call) throws InterruptedException {
      return block(call);
    }

    /** Reports progress. */
    @Rpc
    public int steps(int count, Call call) {
      IntStream.rangeClosed(1, count).forEach(call::progress);
      return count;
    }

    /** Returns a stream. */
    @Rpc
    public Stream<Integer> count(int to) {
      return IntStream.range(0, to).boxed();
    }
  }

  private String serve(String options) throws IOException {
    return serve(options, Limits.DEFAULT);
  }

  private String serve(String options, Limits limits) throws IOException {
    Server server = Repartee.listen(
        "zmq+tcp://127.0.0.1:0" + options,
        Service.of(methods),
        Options.builder().limits(limits).build());
    resources.add(() -> server.close(Duration.ZERO));
    String uri = server.endpoint().toString();
    return uri.contains("#") ? uri.substring(0, uri.indexOf('#')) : uri;
  }

  private Peer connect(String uri) throws IOException {
    return connect(uri, Limits.DEFAULT);
  }

  private Peer connect(String uri, Limits limits) throws IOException {
    Peer peer = Repartee.connect(uri, Options.builder().limits(limits).build());
    resources.add(peer);
    return peer;
  }

  private ZMQ.Socket socket(SocketType type, String uri) {
    return socket(type, uri, "");
  }

  private ZMQ.Socket socket(SocketType type, String uri, String identity) {
    ZMQ.Context context = ZMQ.context(1);
    ZMQ.Socket socket = context.socket(type);
    socket.setLinger(0);
    socket.setReceiveTimeOut(60_000);
    socket.setHandshakeIvl(500); // some connections of JeroMQ stay silent
    if (!identity.isEmpty()) {
      socket.setIdentity(identity.getBytes(UTF_8));
    }
    socket.connect(uri.substring("zmq+".length()));
    resources.add(() -> {
      socket.close();
      context.term();
    });
    return socket;
  }

  private static List<String> message(ZMQ.Socket socket) {
    List<String> frames = new ArrayList<>();
    do {
      byte[] frame = socket.recv();
      frames.add(frame == null ? "(nothing came)" : new String(frame, UTF_8));
    } while (socket.hasReceiveMore());
    return frames;
  }

  private static void send(ZMQ.Socket socket, String... frames) {
    for (int i = 0; i < frames.length; i++) {
      socket.send(frames[i], i < frames.length - 1 ? ZMQ.SNDMORE : 0);
    }
  }

  // ---------------------------------------------------------------- other clients

  @Test
  void aReqSocketGetsOneReplyToEachMessage() throws Exception {
    ZMQ.Socket req = socket(SocketType.REQ, serve(""));
    for (int i = 0; i < 3; i++) {
      send(req, """
          {"jsonrpc":"2.0","id":%s,"method":"add","params":[2,3]}""".formatted(i));
      assertThat(message(req)).containsExactly("""
          {"jsonrpc":"2.0","result":5,"id":%s}""".formatted(i));
      send(req, """
          {"jsonrpc":"2.0","method":"note","params":["%s"]}""".formatted(i));
      assertThat(message(req)).containsExactly("");
      assertThat(methods.seen.poll(60, TimeUnit.SECONDS)).isEqualTo("" + i);
    }
    send(req, "no JSON");
    assertThat(message(req)).singleElement().asString().contains("-32700");
    send(req, "");
    assertThat(message(req)).hasSize(1);
    send(req, """
        {"jsonrpc":"2.0","id":1,"method":"steps","params":[3]}""");
    assertThat(message(req)).containsExactly("""
        {"jsonrpc":"2.0","result":3,"id":1}""");
  }

  @Test
  void aDealerSocketMayHaveSeveralCallsAtATime() throws Exception {
    ZMQ.Socket dealer = socket(SocketType.DEALER, serve(""));
    send(dealer, "", """
        {"jsonrpc":"2.0","id":1,"method":"block"}""");
    send(dealer, "", """
        {"jsonrpc":"2.0","id":2,"method":"add","params":[1,1]}""");
    assertThat(message(dealer)).containsExactly("", """
        {"jsonrpc":"2.0","result":2,"id":2}""");
    methods.open.countDown();
    assertThat(message(dealer)).containsExactly("", """
        {"jsonrpc":"2.0","result":"done","id":1}""");
  }

  @Test
  void aDealerSocketThatAnnouncesItGetsProgressBeforeTheReply() throws Exception {
    ZMQ.Socket dealer = socket(SocketType.DEALER, serve(""));
    String header = "repartee1 call 7 100000 0";
    send(dealer, header, "", """
        {"jsonrpc":"2.0","method":"steps","params":[1],"id":1}""");
    assertThat(message(dealer)).containsExactly("repartee1 more 7", "", """
        {"jsonrpc":"2.0","method":"rpc.progress","params":{"id":1,"value":1}}""");
    assertThat(message(dealer)).containsExactly(header, "", """
        {"jsonrpc":"2.0","result":1,"id":1}""");
    send(dealer, "repartee1 note 8", "", """
        {"jsonrpc":"2.0","method":"note","params":["a"]}""");
    assertThat(message(dealer)).containsExactly("repartee1 note 8", "", "");
    assertThat(methods.seen.poll(60, TimeUnit.SECONDS)).isEqualTo("a");
  }

  @Test
  void malformedHeadersAreAnsweredWithAnErrorAndTheServiceGoesOn() throws Exception {
    ZMQ.Socket dealer = socket(SocketType.DEALER, serve(""));
    String call = """
        {"jsonrpc":"2.0","id":1,"method":"add","params":[1,1]}""";
    for (String header : List.of(
        "repartee1 call",
        "repartee1 call x y z",
        "repartee1 call 1 -1 0",
        "repartee1 unknown 1",
        "repartee1 more 1",
        "repartee1 grant 1",
        "repartee1 " + "x".repeat(1000))) {
      send(dealer, header, "", call);
      List<String> answer = message(dealer);
      assertThat(answer).hasSize(3).startsWith(header, "");
      assertThat(answer.get(2)).contains("-32600", "header", "\"id\":1");
    }
    send(dealer, "repartee1 grant none 10", "", call);
    send(dealer, "repartee1 cancel none", "", call);
    send(
        dealer, "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13", "14", "15",
        "16", "17", "", call);
    send(dealer, "repartee1 call last 0 0", "", call);
    assertThat(message(dealer).get(0)).isEqualTo("repartee1 call last 0 0");
  }

  @Test
  void bytesThatAreNotZeroMqEndOnlyTheirConnection() throws Exception {
    String uri = serve("");
    Peer before = connect(uri);
    for (byte[] garbage : Garbage.ALL) {
      Garbage.send(uri, garbage);
      assertThat(before.call("add", int.class, 1, 1)).isEqualTo(2);
    }
    assertThat(connect(uri).call("add", int.class, 1, 1)).isEqualTo(2);
  }

  @Test
  void aSubscriptionToALongTopicEndsOnlyItsConnection() throws Exception {
    int pub = Ports.free();
    String uri = serve("#pub=" + pub);
    try (RawPeer subscriber = RawPeer.connect("zmq+tcp://127.0.0.1:" + pub, "SUB", "")) {
      subscriber.send("\u0001" + "x".repeat(100_000));
      assertThatThrownBy(subscriber::receive).isInstanceOf(IOException.class);
    }
    Peer client = connect(uri + "#pub=" + pub + "&events=all");
    assertThat(client.call("add", int.class, 1, 1)).isEqualTo(2);
  }

  @Test
  void nothingForALostConnectionReachesTheNextOneWithItsIdentity() throws Exception {
    String uri = serve("");
    try (RawPeer first = RawPeer.connect(uri, "DEALER", "same")) {
      first.send("", """
          {"jsonrpc":"2.0","id":1,"method":"block"}""");
      assertThat(methods.seen.poll(60, TimeUnit.SECONDS)).isEqualTo("block");
    }
    assertThat(methods.seen.poll(60, TimeUnit.SECONDS)).isEqualTo("cancelled");
    try (RawPeer second = answered(uri, "same")) {
      second.send("", """
          {"jsonrpc":"2.0","id":2,"method":"block"}""");
      assertThat(methods.seen.poll(60, TimeUnit.SECONDS)).isEqualTo("block");
      methods.open.countDown();
      assertThat(second.receive()).containsExactly("", """
          {"jsonrpc":"2.0","result":"done","id":2}""");
    }
  }

  /**
   * Connects until the service answers a call: JeroMQ ignores a connection while the previous one
   * with the same identity is registered.
   */
  private static RawPeer answered(String uri, String identity) throws IOException {
    while (true) {
      RawPeer peer = RawPeer.connect(uri, "DEALER", identity);
      peer.send("", """
          {"jsonrpc":"2.0","id":1,"method":"add","params":[1,1]}""");
      try {
        assertThat(peer.receive(2_000)).containsExactly("", """
            {"jsonrpc":"2.0","result":2,"id":1}""");
        return peer;
      } catch (SocketTimeoutException e) {
        peer.close(); // it is ignored
      }
    }
  }

  @Test
  void aKeyIsUsedAgainAfterItsMessageWasCancelled() throws Exception {
    try (RawPeer client = RawPeer.connect(serve(""), "DEALER", "")) {
      String header = "repartee1 call 7 0 0";
      client.send(header, "", """
          {"jsonrpc":"2.0","id":1,"method":"block"}""");
      assertThat(methods.seen.poll(60, TimeUnit.SECONDS)).isEqualTo("block");
      client.send("repartee1 cancel 7", "", "");
      assertThat(methods.seen.poll(60, TimeUnit.SECONDS)).isEqualTo("cancelled");
      methods.open.countDown();
      assertThat(client.receive()).containsExactly(header, "", "");
      client.send(header, "", """
          {"jsonrpc":"2.0","id":2,"method":"add","params":[1,1]}""");
      assertThat(client.receive()).containsExactly(header, "", """
          {"jsonrpc":"2.0","result":2,"id":2}""");
    }
  }

  @Test
  void aSecondClientWithTheIdentityOfAnotherDoesNotGetItsReplies() throws Exception {
    String uri = serve("");
    ZMQ.Socket first = socket(SocketType.DEALER, uri, "same");
    send(first, "", """
        {"jsonrpc":"2.0","id":1,"method":"block"}""");
    assertThat(methods.seen.poll(60, TimeUnit.SECONDS)).isEqualTo("block");
    ZMQ.Socket second = socket(SocketType.DEALER, uri, "same");
    for (int i = 0; i < 3; i++) {
      send(second, "", """
          {"jsonrpc":"2.0","id":2,"method":"block"}""");
    }
    assertThat(connect(uri).call("add", int.class, 1, 1)).isEqualTo(2);
    methods.open.countDown();
    assertThat(message(first)).containsExactly("", """
        {"jsonrpc":"2.0","result":"done","id":1}""");
  }

  @Test
  void aClosingServiceRefusesFurtherCallsAndFinishesItsOwn() throws Exception {
    Server server = Repartee.listen("zmq+tcp://127.0.0.1:0", Service.of(methods));
    String uri = "zmq+tcp://127.0.0.1:" + server.port();
    assertThat(server.endpoint()).hasToString(uri);
    ZMQ.Socket running = socket(SocketType.REQ, uri);
    send(running, """
        {"jsonrpc":"2.0","id":1,"method":"block"}""");
    assertThat(methods.seen.poll(60, TimeUnit.SECONDS)).isEqualTo("block");
    ZMQ.Socket late = socket(SocketType.REQ, uri);
    Thread closing = new Thread(() -> server.close(Duration.ofSeconds(60)));
    closing.start();
    String answer;
    do {
      send(late, """
          {"jsonrpc":"2.0","id":2,"method":"add","params":[1,1]}""");
      answer = message(late).get(0);
    } while (answer.contains("\"result\":2"));
    assertThat(answer).contains("-32000", "closing", "\"id\":2");
    methods.open.countDown();
    assertThat(message(running)).singleElement().asString().contains("\"result\":\"done\"");
    closing.join();
  }

  @Test
  void aRunningCallOfAReqSocketIsAnsweredWhenTheServiceEnds() throws Exception {
    Server server = Repartee.listen("zmq+tcp://127.0.0.1:0", Service.of(methods));
    ZMQ.Socket req = socket(SocketType.REQ, server.endpoint().toString());
    send(req, """
        {"jsonrpc":"2.0","id":1,"method":"blockTwice"}""");
    assertThat(methods.seen.poll(60, TimeUnit.SECONDS)).isEqualTo("block");
    server.close(Duration.ZERO);
    assertThat(message(req)).singleElement().asString().contains("-32006");
    methods.open.countDown();
  }

  @Test
  void aClientThatReadsLateGetsAllItsReplies() throws Exception {
    ZMQ.Socket dealer = socket(
        SocketType.DEALER, serve("", Limits.builder().outboundBytes(100_000).build()));
    dealer.setRcvHWM(1);
    int calls = 400;
    for (int i = 0; i < calls; i++) {
      send(dealer, "", """
          {"jsonrpc":"2.0","id":%s,"method":"text","params":[100000]}""".formatted(i));
    }
    for (int i = 0; i < calls; i++) {
      assertThat(message(dealer).get(1)).contains("xxx");
    }
  }

  @Test
  void aCallIsCancelledWhenItsClientDisconnects() throws Exception {
    String uri = serve("");
    ZMQ.Context context = ZMQ.context(1);
    ZMQ.Socket req = context.socket(SocketType.REQ);
    req.setHandshakeIvl(500);
    req.connect(uri.substring("zmq+".length()));
    send(req, """
        {"jsonrpc":"2.0","id":1,"method":"block"}""");
    assertThat(methods.seen.poll(60, TimeUnit.SECONDS)).isEqualTo("block");
    req.setLinger(0);
    req.close();
    context.term();
    assertThat(methods.seen.poll(60, TimeUnit.SECONDS)).isEqualTo("cancelled");
    methods.open.countDown();
  }

  @Test
  void aCallThatHasPassedAProxyIsCancelledByItsDeadline() throws Exception {
    FakeClock clock = new FakeClock();
    ZMQ.Socket dealer =
        socket(SocketType.DEALER, serve("", ClockLimits.builder(clock).build()));
    String call = """
        {"jsonrpc":"2.0","id":1,"method":"block"}""";
    send(dealer, "a client", "repartee1 call 1 0 999999999999999999", "", call);
    send(dealer, "a client", "repartee1 call 2 0 60000", "", call);
    assertThat(methods.seen.poll(60, TimeUnit.SECONDS)).isEqualTo("block");
    assertThat(methods.seen.poll(60, TimeUnit.SECONDS)).isEqualTo("block");
    send(dealer, "a client", "repartee1 call 3 0 1000", "", call.replace("block", "await"));
    assertThat(methods.seen.poll(60, TimeUnit.SECONDS)).isEqualTo("await");
    clock.advance(Duration.ofMillis(999));
    assertThat(methods.seen.poll()).isNull();
    clock.advance(Duration.ofMillis(1));
    assertThat(methods.seen.poll(60, TimeUnit.SECONDS)).isEqualTo("cancelled");
    assertThat(methods.seen.poll()).isNull();
    methods.open.countDown();
    Map<String, String> replies = new HashMap<>();
    for (int i = 0; i < 3; i++) {
      List<String> reply = message(dealer);
      replies.put(reply.get(1), reply.get(3));
    }
    String done = """
        {"jsonrpc":"2.0","result":"done","id":1}""";
    assertThat(replies)
        .containsOnly(
            entry("repartee1 call 1 0 999999999999999999", done),
            entry("repartee1 call 2 0 60000", done),
            entry("repartee1 call 3 0 1000", ""));
  }

  @Test
  void aClientThatReadsNothingHoldsUpNobody() throws Exception {
    String uri = serve("", Limits.builder().outboundBytes(1 << 20).build());
    ZMQ.Socket dealer = socket(SocketType.DEALER, uri);
    dealer.setRcvHWM(1);
    for (int i = 0; i < 1_000; i++) {
      send(dealer, "", """
          {"jsonrpc":"2.0","id":%s,"method":"text","params":[100000]}""".formatted(i));
    }
    assertThat(connect(uri).call("add", int.class, 1, 1)).isEqualTo(2);
  }

  // ---------------------------------------------------------------- other services

  @Test
  void aServiceOnARepSocketIsCalled() throws Exception {
    ZMQ.Context context = ZMQ.context(1);
    ZMQ.Socket rep = context.socket(SocketType.REP);
    int port = rep.bindToRandomPort("tcp://127.0.0.1");
    Thread service = new Thread(() -> {
      for (int i = 0; i < 2; i++) {
        String request = rep.recvStr();
        boolean isCall = request.contains("\"id\"");
        rep.send(isCall ? request.replaceAll("\"method\":.*\"id\"", "\"result\":5,\"id\"") : "");
      }
    });
    service.start();
    resources.add(() -> {
      service.join();
      rep.close();
      context.term();
    });
    Peer client = connect("zmq+tcp://127.0.0.1:" + port);
    client.notify("note", "x");
    assertThat(client.call("add", int.class, 2, 3)).isEqualTo(5);
  }

  @Test
  void aServiceThatReadsNothingHoldsUpItsCallers() throws Exception {
    ZMQ.Context context = ZMQ.context(1);
    ZMQ.Socket router = context.socket(SocketType.ROUTER);
    router.setRcvHWM(1);
    int port = router.bindToRandomPort("tcp://127.0.0.1");
    resources.add(() -> {
      router.close();
      context.term();
    });
    Peer client = connect(
        "zmq+tcp://127.0.0.1:" + port,
        Limits.builder()
            .outboundBytes(100_000)
            .closeTimeout(Duration.ofMillis(100))
            .build());
    String text = "x".repeat(100_000);
    Thread caller = new Thread(() -> {
      for (int i = 0; i < 2_000; i++) {
        client.callAsync("note", Void.class, text);
      }
    });
    caller.setUncaughtExceptionHandler((thread, end) -> {}); // the client is closed below
    caller.start();
    caller.join(500); // enough for 200 MB, which is more than all queues can store
    assertThat(caller.isAlive()).isTrue();
    client.close();
    caller.join();
  }

  @Test
  void anAnswerWithoutTheEnvelopeIsFoundByItsId() throws Exception {
    ZMQ.Context context = ZMQ.context(1);
    ZMQ.Socket router = context.socket(SocketType.ROUTER);
    // A client whose first connection stays silent opens a second one with the same identity.
    router.setRouterHandover(true);
    int port = router.bindToRandomPort("tcp://127.0.0.1");
    Thread service = new Thread(() -> {
      List<String> unused = new ArrayList<>();
      byte[] identity = router.recv();
      methods.seen.add(new String(identity, UTF_8));
      while (router.hasReceiveMore()) {
        unused.add(router.recvStr());
      }
      router.send(identity, ZMQ.SNDMORE);
      router.send("", ZMQ.SNDMORE);
      router.send(unused.get(2).replaceAll("\"method\":.*\"id\"", "\"result\":5,\"id\""));
    });
    service.start();
    resources.add(() -> {
      service.join();
      router.close();
      context.term();
    });
    Peer client = connect("zmq+tcp://127.0.0.1:" + port + "#identity=client-7");
    assertThat(client.call("add", int.class, 2, 3)).isEqualTo(5);
    assertThat(methods.seen).containsExactly("client-7");
  }

  @Test
  void aProxySharesTheCallsAmongServices() throws Exception {
    String first = serve("");
    String second = serve("");
    ZMQ.Context context = ZMQ.context(1);
    ZMQ.Socket front = context.socket(SocketType.ROUTER);
    ZMQ.Socket back = context.socket(SocketType.DEALER);
    ZMQ.Socket control = context.socket(SocketType.PAIR);
    ZMQ.Socket stop = context.socket(SocketType.PAIR);
    control.bind("inproc://stop");
    stop.connect("inproc://stop");
    int port = front.bindToRandomPort("tcp://127.0.0.1");
    back.setHandshakeIvl(500); // some connections of JeroMQ stay silent
    back.connect(first.substring("zmq+".length()));
    back.connect(second.substring("zmq+".length()));
    Thread proxy = new Thread(() -> ZMQ.proxy(front, back, null, control));
    proxy.start();
    resources.add(() -> {
      stop.send(ZMQ.PROXY_TERMINATE);
      proxy.join();
      for (ZMQ.Socket each : List.of(front, back, control, stop)) {
        each.setLinger(0);
        each.close();
      }
      context.term();
    });
    Peer client = connect("zmq+tcp://127.0.0.1:" + port);
    CallFuture<String> one = client.callAsync("block", String.class);
    CallFuture<String> two = client.callAsync("block", String.class);
    assertThat(methods.seen.poll(60, TimeUnit.SECONDS)).isEqualTo("block");
    assertThat(methods.seen.poll(60, TimeUnit.SECONDS)).isEqualTo("block");
    methods.open.countDown();
    assertThat(one.get(60, TimeUnit.SECONDS)).isEqualTo("done");
    assertThat(two.get(60, TimeUnit.SECONDS)).isEqualTo("done");
    assertThat(client.request("steps").args(3).onProgress(step -> {}).call(int.class))
        .isEqualTo(3);
  }

  // ---------------------------------------------------------------- other modules

  @Test
  void theConformanceCorpusPassesWhereTheTransportCarriesTheCase() throws Exception {
    Server server =
        Repartee.listen("zmq+tcp://127.0.0.1:0", new ExampleMethods().service(), Options.DEFAULT);
    resources.add(() -> server.close(Duration.ZERO));
    Report report =
        Check.of(server.endpoint().toString()).timeout(Duration.ofSeconds(20)).run(verdict -> {});
    assertThat(report.failures(Level.MUST) + report.failures(Level.SHOULD))
        .as(report.table(false))
        .isZero();
    assertThat(report.summary()).contains("cases passed");
  }

  @Test
  void aBridgePassesCallsOnFromHttp() throws Exception {
    Bridge bridge = Bridge.to(serve("")).open();
    resources.add(bridge);
    Server http = bridge.listen("http://127.0.0.1:0/");
    resources.add(http);
    assertThat(connect(http.endpoint().toString()).call("add", int.class, 1, 2)).isEqualTo(3);
  }

  // ---------------------------------------------------------------- connections

  @Test
  void aConnectionToNobodyFailsAtOnce() {
    int port = Ports.free();
    assertThatThrownBy(() -> connect("zmq+tcp://127.0.0.1:" + port))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("nobody listens on 127.0.0.1:" + port);
  }

  @Test
  void aServiceWithoutZeroMqIsToldWithinTheConnectTimeout() throws Exception {
    try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      assertThatThrownBy(() -> connect(
              "zmq+tcp://127.0.0.1:" + silent.getLocalPort(),
              Limits.builder().connectTimeout(Duration.ofMillis(500)).build()))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("no ZeroMQ service answers");
    }
  }

  @Test
  void aCallOfALostConnectionHasAnUnknownOutcomeAndTheNextOneReconnects() throws Exception {
    String uri = serve("");
    int port = Integer.parseInt(uri.substring(uri.lastIndexOf(':') + 1));
    try (ServerSocket relay = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      List<Socket> connections = relay(relay, port, new CountDownLatch(1));
      Peer client = connect("zmq+tcp://127.0.0.1:" + relay.getLocalPort());
      CallFuture<String> call = client.callAsync("block", String.class);
      assertThat(methods.seen.poll(60, TimeUnit.SECONDS)).isEqualTo("block");
      for (Socket each : connections) {
        each.close();
      }
      assertThatThrownBy(() -> call.get(60, TimeUnit.SECONDS))
          .isInstanceOf(ExecutionException.class)
          .hasRootCauseInstanceOf(IOException.class)
          .hasMessageContaining("outcome is unknown");
      assertThat(methods.seen.poll(60, TimeUnit.SECONDS)).isEqualTo("cancelled");
      methods.open.countDown();
      assertThat(client.call("add", int.class, 1, 1)).isEqualTo(2);
    }
  }

  @Test
  void aServiceThatRestartsIsFoundAgainAndCallsMeanwhileFail() throws Exception {
    int port = Ports.free();
    String uri = "zmq+tcp://127.0.0.1:" + port;
    Server server = Repartee.listen(uri, Service.of(methods));
    Peer client = connect(uri);
    assertThat(client.call("add", int.class, 1, 1)).isEqualTo(2);
    server.close(Duration.ZERO);
    DisconnectedException failure = null;
    while (failure == null || !failure.getMessage().contains("nobody listens")) {
      failure = failure(client);
    }
    assertThat(failure).hasMessageContaining("nobody listens on 127.0.0.1:" + port);
    Server again = Repartee.listen(uri, Service.of(methods));
    resources.add(() -> again.close(Duration.ZERO));
    while (failure != null) {
      failure = failure(client);
    }
  }

  private static @Nullable DisconnectedException failure(Peer client) {
    try {
      assertThat(client.call("add", int.class, 1, 1)).isEqualTo(2);
      return null;
    } catch (DisconnectedException e) {
      return e;
    }
  }

  @Test
  void anIdempotentCallIsSentThreeTimesIfItsConnectionIsLostEachTime() throws Exception {
    BlockingQueue<String> received = new LinkedBlockingQueue<>();
    try (ServerSocket service = service(peer -> {
      String text = peer.receive().get(2);
      received.add(text);
    })) {
      Peer client = connect("zmq+tcp://127.0.0.1:" + service.getLocalPort());
      assertThatThrownBy(() -> client.request("poison").idempotent().call(int.class))
          .isInstanceOf(DisconnectedException.class)
          .hasMessageContaining("outcome is unknown")
          .hasMessageContaining("not sent again");
      assertThat(received).hasSize(3);
    }
  }

  @Test
  void aServiceThatEndsEachConnectionCausesLongerAndLongerPauses() throws Exception {
    try (ServerSocket service = service(RawPeer::receive)) {
      FakeClock clock = new FakeClock();
      Peer client = connect(
          "zmq+tcp://127.0.0.1:" + service.getLocalPort(),
          ClockLimits.builder(clock).build());
      List<Duration> pauses = new ArrayList<>();
      for (int i = 0; i < 5; i++) {
        assertThatThrownBy(() -> client.call("add", int.class, 1, 1))
            .isInstanceOf(DisconnectedException.class);
        pauses.add(clock.awaitTimer());
        clock.advanceToTimer();
      }
      assertThat(pauses).isSorted().doesNotHaveDuplicates();
      assertThat(pauses.get(0)).isBetween(Duration.ofMillis(50), Duration.ofMillis(100));
      assertThat(pauses.get(4)).isBetween(Duration.ofMillis(800), Duration.ofMillis(1_600));
    }
  }

  /** The behaviour of a service in one connection. */
  @FunctionalInterface
  private interface Behaviour {
    void run(RawPeer client) throws IOException;
  }

  /** Starts a service that ends each connection after its behaviour. */
  private static ServerSocket service(Behaviour behaviour) throws IOException {
    ServerSocket service = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
    Thread thread = new Thread(() -> {
      while (!service.isClosed()) {
        try (RawPeer client = RawPeer.accept(service.accept(), "ROUTER")) {
          behaviour.run(client);
        } catch (IOException e) {
          // The client has ended the connection, or the test has ended.
        }
      }
    });
    thread.setDaemon(true);
    thread.start();
    return service;
  }

  @Test
  void aServiceThatVanishesIsNoticedByItsHeartbeat() throws Exception {
    String uri = serve("");
    int port = Integer.parseInt(uri.substring(uri.lastIndexOf(':') + 1));
    CountDownLatch vanish = new CountDownLatch(1);
    try (ServerSocket relay = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      relay(relay, port, vanish);
      Peer client =
          connect("zmq+tcp://127.0.0.1:" + relay.getLocalPort() + "#heartbeat=6"); // permits 12 s
      CallFuture<String> call = client.callAsync("block", String.class);
      assertThat(methods.seen.poll(60, TimeUnit.SECONDS)).isEqualTo("block");
      vanish.countDown();
      assertThatThrownBy(() -> call.get(60, TimeUnit.SECONDS))
          .hasMessageContaining("outcome is unknown");
    }
    methods.open.countDown();
  }

  /** Relays connections until the latch opens; after that forwards nothing and closes nothing. */
  private List<Socket> relay(ServerSocket relay, int port, CountDownLatch vanish) {
    List<Socket> connections = new CopyOnWriteArrayList<>();
    Thread accept = new Thread(() -> {
      try {
        while (true) {
          Socket client = relay.accept();
          Socket service = new Socket(InetAddress.getLoopbackAddress(), port);
          connections.add(client);
          connections.add(service);
          resources.add(client);
          resources.add(service);
          pump(client, service, vanish);
          pump(service, client, vanish);
        }
      } catch (IOException e) {
        // The test has ended.
      }
    });
    accept.start();
    return connections;
  }

  private static void pump(Socket from, Socket to, CountDownLatch vanish) {
    Thread pump = new Thread(() -> {
      byte[] buffer = new byte[8192];
      try {
        InputStream in = from.getInputStream();
        for (int n = in.read(buffer); n >= 0 && vanish.getCount() > 0; n = in.read(buffer)) {
          to.getOutputStream().write(buffer, 0, n);
        }
      } catch (IOException e) {
        // The test has ended.
      }
    });
    pump.setDaemon(true);
    pump.start();
  }

  @Test
  void aMessageAboveTheLimitOfTheServiceFailsAndTheServiceGoesOn() throws Exception {
    String uri = serve("", Limits.builder().frameBytes(100_000).build());
    Peer client = connect(uri);
    assertThatThrownBy(() -> client.call("note", Void.class, "x".repeat(300_000)))
        .isInstanceOf(DisconnectedException.class)
        .hasMessageContaining("outcome is unknown");
    assertThat(connect(uri).call("add", int.class, 1, 1)).isEqualTo(2);
  }

  @Test
  void oneMoreCallThanMayRunIsRefused() throws Exception {
    String uri = serve("", Limits.builder().runningCalls(1).build());
    Peer client = connect(uri);
    CallFuture<String> call = client.callAsync("block", String.class);
    assertThat(methods.seen.poll(60, TimeUnit.SECONDS)).isEqualTo("block");
    assertThatThrownBy(() -> client.call("add", int.class, 1, 1))
        .isInstanceOfSatisfying(
            RemoteRpcException.class, e -> assertThat(e.code()).isEqualTo(-32000));
    methods.open.countDown();
    assertThat(call.get(60, TimeUnit.SECONDS)).isEqualTo("done");
  }

  @Test
  void anOccupiedPortIsNamed() throws Exception {
    String uri = serve("");
    assertThatThrownBy(() -> Repartee.listen(uri, Service.of(methods)))
        .isInstanceOf(IOException.class)
        .hasMessage("cannot listen on " + uri.substring("zmq+tcp://".length())
            + ": the port is in use, or the address belongs to another machine; choose another"
            + " port, or an address of this machine");
  }

  @Test
  void malformedAddressesAndOptionsAreRefused() {
    for (String uri : List.of(
        "zmq+tcp://127.0.0.1",
        "zmq+tcp://127.0.0.1:70000",
        "zmq+tcp://127.0.0.1:0",
        "zmq+tcp://127.0.0.1:5555/path",
        "zmq+tcp://127.0.0.1:5555#heartbeat=0",
        "zmq+tcp://127.0.0.1:5555#pub=5556",
        "zmq+tcp://127.0.0.1:5555#events=all",
        "zmq+tcp://127.0.0.1:5555#pub=5556&events=" + "x".repeat(501),
        "zmq+tcp://127.0.0.1:5555#identity=a b",
        "zmq+tcp://127.0.0.1:5555#identity=",
        "zmq+tcp://127.0.0.1:5555#curve-clients=x",
        "zmq+tcp://127.0.0.1:5555#curve-key=x")) {
      assertThatThrownBy(() -> connect(uri)).as(uri).isInstanceOf(IllegalArgumentException.class);
    }
  }
}
