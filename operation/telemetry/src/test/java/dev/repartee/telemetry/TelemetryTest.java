package dev.repartee.telemetry;

import static io.opentelemetry.api.trace.SpanKind.CLIENT;
import static io.opentelemetry.api.trace.SpanKind.SERVER;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.repartee.Batch;
import dev.repartee.CallBuilder;
import dev.repartee.CallFuture;
import dev.repartee.CallTimeoutException;
import dev.repartee.Listener;
import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.Rpc;
import dev.repartee.RpcException;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.balance.BalanceListener;
import dev.repartee.json.Json;
import dev.repartee.reconnect.ReconnectListener;
import dev.repartee.stream.RemoteStream;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.baggage.Baggage;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.context.Scope;
import io.opentelemetry.sdk.metrics.data.HistogramPointData;
import io.opentelemetry.sdk.metrics.data.LongPointData;
import io.opentelemetry.sdk.trace.data.SpanData;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Flow;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class TelemetryTest {
  private static final String TCP = "tcp://127.0.0.1:0";
  private static final String HTTP = "http://127.0.0.1:0/";
  private static final String TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";

  private final Recorder recorder = new Recorder();
  private final CountDownLatch begun = new CountDownLatch(1);
  private final CountDownLatch released = new CountDownLatch(1);

  /** The methods of the server. */
  public final class Methods {
    @Rpc
    public int subtract(int a, int b) {
      return a - b;
    }

    @Rpc
    public int divide(int a, int b) {
      return a / b;
    }

    @Rpc
    public String trace() {
      return Span.current().getSpanContext().getTraceId();
    }

    @Rpc
    public String named(String name) {
      return name + " " + Span.current().getSpanContext().getTraceId();
    }

    @Rpc
    public int baggage() {
      return Baggage.current().size();
    }

    @Rpc
    public void fail() {
      throw new RpcException(7, "no");
    }

    @Rpc
    public void hold() throws InterruptedException {
      begun.countDown();
      released.await();
    }

    @Rpc
    public Stream<Integer> count(int n) {
      return Stream.iterate(1, i -> i + 1).limit(n).peek(i -> {
        if (i == 3) {
          throw new RpcException(8, "three");
        }
      });
    }

    @Rpc
    public void note(String text) {}
  }

  @AfterEach
  void close() {
    released.countDown();
    recorder.close();
  }

  private Telemetry telemetry() {
    return Telemetry.of(recorder.api());
  }

  private Server listen(String endpoint, Telemetry telemetry, Consumer<Options.Builder> change)
      throws Exception {
    Options.Builder options = Options.builder().listener(Listener.NONE);
    change.accept(options);
    return Repartee.listen(
        endpoint, Service.of(new Methods()), telemetry.instrument(options.build()));
  }

  private Peer connect(Server server) throws Exception {
    return connect(server, telemetry());
  }

  private static Peer connect(Server server, Telemetry telemetry) throws Exception {
    return Repartee.connect(
        server.endpoint().toString(), Service.NONE, telemetry.instrument(Options.DEFAULT));
  }

  private static Peer plain(Server server) throws Exception {
    return Repartee.connect(server.endpoint());
  }

  @Test
  void aCallOverHttpIsOneTrace() throws Exception {
    try (Server server = listen(HTTP, telemetry(), to -> {});
        Peer peer = connect(server)) {
      Span outer = recorder.api().getTracer("test").spanBuilder("outer").startSpan();
      Scope scope = outer.makeCurrent();
      assertThat(peer.call("trace", String.class))
          .isEqualTo(outer.getSpanContext().getTraceId());
      scope.close();
      SpanData client = recorder.span(2, CLIENT);
      SpanData served = recorder.span(2, SERVER);
      assertThat(client.getParentSpanId()).isEqualTo(outer.getSpanContext().getSpanId());
      assertThat(served.getParentSpanId()).isEqualTo(client.getSpanId());
      assertThat(List.of(client.getName(), served.getName())).containsOnly("trace");
      for (SpanData span : List.of(client, served)) {
        assertThat(Recorder.text(span, "rpc.system.name")).isEqualTo("jsonrpc");
        assertThat(Recorder.text(span, "rpc.method")).isEqualTo("trace");
        assertThat(Recorder.text(span, "jsonrpc.protocol.version")).isEqualTo("2.0");
        assertThat(Recorder.text(span, "server.address")).isEqualTo("127.0.0.1");
        assertThat(span.getAttributes().get(AttributeKey.longKey("server.port")))
            .isEqualTo(server.port());
        assertThat(Recorder.text(span, "error.type")).isNull();
        assertThat(span.getStatus().getStatusCode()).isEqualTo(StatusCode.UNSET);
      }
      assertThat(Recorder.text(served, "jsonrpc.request.id")).isNotNull();
      assertThat(Recorder.text(served, "network.peer.address")).isEqualTo("127.0.0.1");
    }
  }

  @Test
  void aCallOverTcpHasItsContextInTheParamsIfThatIsWanted() throws Exception {
    Telemetry meta = Telemetry.builder(recorder.api()).carriers(Carrier.META).build();
    try (Server server = listen(TCP, meta, to -> {});
        Peer peer = connect(server, meta)) {
      String trace = peer.call("trace", String.class);
      assertThat(peer.request("named").arg("name", "x").call(String.class))
          .startsWith("x ")
          .doesNotEndWith(trace);
      assertThat(peer.call("subtract", int.class, 3, 1)).isEqualTo(2); // by position
      List<SpanData> spans = recorder.spans(6);
      SpanData client = only(spans, "trace", CLIENT);
      SpanData served = only(spans, "trace", SERVER);
      assertThat(served.getParentSpanId()).isEqualTo(client.getSpanId());
      assertThat(Recorder.text(client, "server.address")).isEqualTo("127.0.0.1");
      assertThat(only(spans, "named", SERVER).getTraceId())
          .isEqualTo(only(spans, "named", CLIENT).getTraceId());
      assertThat(only(spans, "subtract", SERVER).getTraceId())
          .isNotEqualTo(only(spans, "subtract", CLIENT).getTraceId());
    }
  }

  @Test
  void aCallOverTcpHasItsContextInTheMessageIfThatIsWanted() throws Exception {
    Telemetry members =
        Telemetry.builder(recorder.api()).carriers(Carrier.MEMBERS).build();
    try (Server server = listen(TCP, members, to -> {});
        Server other = listen(TCP, telemetry(), to -> {});
        Peer peer = connect(server, members);
        Peer toOther = connect(other, members)) {
      assertThat(peer.call("subtract", int.class, 3, 1)).isEqualTo(2);
      assertThat(toOther.call("divide", int.class, 3, 1)).isEqualTo(3); // which skips the members
      Batch batch = peer.batch();
      CallFuture<String> first = batch.callAsync("trace", String.class);
      CallFuture<String> second = batch.callAsync("named", String.class, "x");
      batch.send();
      assertThat(second.get(30, SECONDS)).doesNotContain(first.get(30, SECONDS));
      List<SpanData> spans = recorder.spans(8);
      for (String name : List.of("subtract", "trace", "named")) {
        SpanData client = only(spans, name, CLIENT);
        SpanData served = only(spans, name, SERVER);
        assertThat(served.getParentSpanId()).isEqualTo(client.getSpanId());
        assertThat(Recorder.text(client, "jsonrpc.request.id"))
            .isNotNull()
            .isEqualTo(Recorder.text(served, "jsonrpc.request.id"));
      }
      assertThat(only(spans, "divide", SERVER).getTraceId())
          .isNotEqualTo(only(spans, "divide", CLIENT).getTraceId());
    }
  }

  @Test
  void aCallWithoutRoomForItsContextIsSentWithoutIt() throws Exception {
    Telemetry members =
        Telemetry.builder(recorder.api()).carriers(Carrier.MEMBERS).build();
    try (Server server = listen(TCP, members, to -> {});
        Peer peer = connect(server, members)) {
      CallBuilder call = peer.request("subtract").args(3, 1);
      for (int i = 0; i < 16; i++) {
        call.member("m" + i, Json.NULL);
      }
      assertThat(call.call(int.class)).isEqualTo(2);
      assertThat(recorder.spans(2)).hasSize(2);
    }
  }

  @Test
  void aHostileContextInTheMessageIsIgnored() throws Exception {
    Telemetry members = Telemetry.builder(recorder.api())
        .carriers(Carrier.MEMBERS, Carrier.META)
        .build();
    String good = "00-" + TRACE + "-00f067aa0ba902b7-01";
    try (Server server = listen(TCP, members, to -> {});
        Peer peer = plain(server)) {
      assertThat(traceOf(peer, Json.of(good))).isEqualTo(TRACE);
      for (Json bad : List.of(
          Json.NULL,
          Json.of(1),
          Json.parse("{\"a\":[]}"),
          Json.of(""),
          Json.of(good + "\u0000"),
          Json.of("x".repeat(1_000_000)))) {
        assertThat(traceOf(peer, bad)).isNotEqualTo(TRACE);
        Json meta = Json.of(Map.of("_meta", Map.of("traceparent", bad)));
        assertThat(peer.request("trace").params(meta).call(String.class)).isNotEqualTo(TRACE);
      }
      String baggage = "a=1" + ",b=2".repeat(2000);
      assertThat(peer.request("baggage").member("baggage", Json.of(baggage)).call(int.class))
          .isLessThanOrEqualTo(64);
      assertThat(peer.request("baggage")
              .member("baggage", Json.of("x".repeat(1_000_000)))
              .call(int.class))
          .isZero();
    }
  }

  private static String traceOf(Peer peer, Json traceparent) {
    return peer.request("trace").member("traceparent", traceparent).call(String.class);
  }

  @Test
  void theCallsOfAClientAndItsLostConnectionsAreMetrics() throws Exception {
    Telemetry telemetry = telemetry();
    ReconnectListener reconnects = telemetry.listener("tcp:a", ReconnectListener.NONE);
    BalanceListener balance = telemetry.listener(BalanceListener.NONE);
    try (Server server = listen(TCP, Telemetry.of(OpenTelemetry.noop()), to -> {});
        Peer peer = connect(server, telemetry)) {
      CallFuture<Json> held = peer.callAsync("hold", Json.class);
      assertThat(begun.await(30, SECONDS)).isTrue();
      assertThat(value("repartee.client.calls.running")).containsExactly(1L);
      released.countDown();
      held.get(30, SECONDS);
      assertThat(value("repartee.client.calls.running")).containsExactly(0L);
      reconnects.connected(peer, 1);
      reconnects.disconnected(null);
      reconnects.retrying(1, Duration.ZERO, new IllegalStateException());
      reconnects.connected(peer, 2);
      balance.unavailable("tcp:b", new IllegalStateException()); // was not connected yet
      balance.available("tcp:b");
      balance.unavailable("tcp:b", new IllegalStateException());
      balance.available("tcp:b");
      balance.unavailable("tcp:b", new IllegalStateException());
    }
    assertThat(value("repartee.client.connections.lost")).containsExactlyInAnyOrder(1L, 2L);
    assertThat(value("repartee.client.reconnects")).containsExactlyInAnyOrder(1L, 1L);
  }

  private List<Long> value(String metric) {
    return recorder.numbers(metric).stream().map(LongPointData::getValue).toList();
  }

  private static SpanData only(List<SpanData> spans, String name, SpanKind kind) {
    List<SpanData> found = spans.stream()
        .filter(span -> span.getName().equals(name) && span.getKind() == kind)
        .toList();
    assertThat(found).hasSize(1);
    return found.get(0);
  }

  @Test
  void anErrorIsTheOutcomeOnBothSides() throws Exception {
    try (Server server = listen(TCP, telemetry(), to -> {});
        Peer peer = connect(server)) {
      assertThat(catchThrowable(() -> peer.call("fail", Json.class))).isNotNull();
      for (SpanData span : recorder.spans(2)) {
        assertThat(Recorder.text(span, "error.type")).isEqualTo("7");
        assertThat(Recorder.text(span, "rpc.status_code")).isEqualTo("7");
        assertThat(span.getStatus().getStatusCode()).isEqualTo(StatusCode.ERROR);
        assertThat(span.getEvents()).isEmpty();
      }
      HistogramPointData point =
          recorder.durations("rpc.server.call.duration").iterator().next();
      assertThat(point.getAttributes().asMap()).hasSize(4);
      assertThat(point.getAttributes().get(AttributeKey.stringKey("error.type")))
          .isEqualTo("7");
      assertThat(point.getBoundaries()).startsWith(0.005).endsWith(10.0).hasSize(14);
    }
  }

  @Test
  void anExceptionOfAHandlerIsAnEventOfItsSpan() throws Exception {
    try (Server server = listen(TCP, telemetry(), to -> {});
        Peer peer = plain(server)) {
      assertThat(catchThrowable(() -> peer.call("divide", int.class, 1, 0))).isNotNull();
      SpanData span = recorder.span(1, SERVER);
      assertThat(Recorder.text(span, "error.type")).isEqualTo("-32603");
      assertThat(span.getEvents()).hasSize(1);
    }
  }

  @Test
  void aMethodThatDoesNotExistHasAnotherName() throws Exception {
    try (Server server = listen(TCP, telemetry(), to -> {});
        Peer peer = plain(server)) {
      assertThat(catchThrowable(() -> peer.call("none", Json.class))).isNotNull();
      SpanData span = recorder.span(1, SERVER);
      assertThat(span.getName()).isEqualTo("jsonrpc");
      assertThat(Recorder.text(span, "rpc.method")).isEqualTo("_OTHER");
      assertThat(Recorder.text(span, "rpc.method_original")).isEqualTo("none");
      assertThat(Recorder.text(span, "error.type")).isEqualTo("-32601");
    }
  }

  @Test
  void tenThousandNamesAreOneTag() throws Exception {
    try (Server server = listen(TCP, telemetry(), to -> {});
        Peer peer = connect(server)) {
      List<CallFuture<Json>> calls = new ArrayList<>();
      for (int i = 0; i < 100; i++) {
        Batch batch = peer.batch();
        for (int j = 0; j < 100; j++) {
          calls.add(batch.callAsync("none" + i + "x" + j, Json.class));
        }
        batch.send();
      }
      for (CallFuture<Json> call : calls) {
        assertThat(catchThrowable(() -> call.get(30, SECONDS))).isNotNull();
      }
      recorder.spans(20_000);
      for (String side : List.of("rpc.server.call.duration", "rpc.client.call.duration")) {
        assertThat(recorder.durations(side))
            .extracting(point -> point.getAttributes().get(AttributeKey.stringKey("rpc.method")))
            .containsExactly("_OTHER");
      }
    }
  }

  @Test
  void aCallThatIsRefusedHasASpan() throws Exception {
    try (Server server = listen(HTTP, telemetry(), to -> to.access(access -> access.deny("fail")));
        Peer peer = connect(server)) {
      assertThat(catchThrowable(() -> peer.call("fail", Json.class))).isNotNull();
      SpanData client = recorder.span(2, CLIENT);
      SpanData served = recorder.span(2, SERVER);
      assertThat(served.getParentSpanId()).isEqualTo(client.getSpanId());
      assertThat(served.getName()).isEqualTo("fail");
      assertThat(Recorder.text(served, "error.type")).isEqualTo("401");
      assertThat(served.getStatus().getStatusCode()).isEqualTo(StatusCode.ERROR);
      assertThat(served.getStatus().getDescription()).isEqualTo("access");
      assertThat(recorder.durations("rpc.server.call.duration"))
          .extracting(HistogramPointData::getCount)
          .containsExactly(1L);
    }
  }

  @Test
  void aNotificationHasASpanOnBothSides() throws Exception {
    try (Server server = listen(TCP, telemetry(), to -> {});
        Peer peer = connect(server)) {
      peer.notify("note", "x");
      for (SpanData span : recorder.spans(2)) {
        assertThat(span.getName()).isEqualTo("note");
        assertThat(Recorder.text(span, "jsonrpc.request.id")).isNull();
        assertThat(Recorder.text(span, "error.type")).isNull();
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {TCP, HTTP})
  void eachCallOfABatchHasASpan(String endpoint) throws Exception {
    try (Server server = listen(endpoint, telemetry(), to -> {});
        Peer peer = connect(server)) {
      Batch batch = peer.batch();
      CallFuture<Integer> one = batch.callAsync("subtract", int.class, 3, 1);
      CallFuture<Json> other = batch.callAsync("none", Json.class);
      batch.send();
      assertThat(one.get(30, SECONDS)).isEqualTo(2);
      assertThat(catchThrowable(() -> other.get(30, SECONDS))).isNotNull();
      List<SpanData> spans = recorder.spans(4);
      assertThat(only(spans, "subtract", SERVER).getStatus().getStatusCode())
          .isEqualTo(StatusCode.UNSET);
      assertThat(only(spans, "jsonrpc", SERVER).getStatus().getStatusCode())
          .isEqualTo(StatusCode.ERROR);
    }
  }

  @Test
  void aCancelledCallFailsOnBothSides() throws Exception {
    try (Server server = listen(TCP, telemetry(), to -> {});
        Peer peer = connect(server)) {
      CallFuture<Json> call = peer.callAsync("hold", Json.class);
      assertThat(begun.await(30, SECONDS)).isTrue();
      call.cancel(true);
      peer.call("rpc.ping", String.class); // the cancellation has arrived
      released.countDown();
      List<SpanData> spans = recorder.spans(4);
      assertThat(Recorder.text(only(spans, "hold", SERVER), "error.type")).isEqualTo("-32800");
      assertThat(Recorder.text(only(spans, "hold", CLIENT), "error.type"))
          .isEqualTo("java.util.concurrent.CancellationException");
    }
  }

  @Test
  void aDeadlineFailsOnBothSides() throws Exception {
    try (Server server = listen(
            TCP,
            telemetry(),
            // Long enough that the call begins before, even on a busy machine.
            to -> to.limits(limits -> limits.handlerTimeout(Duration.ofSeconds(1))));
        Peer peer = connect(server)) {
      assertThat(catchThrowable(() -> peer.call("hold", Json.class)))
          .isInstanceOf(RpcException.class);
      released.countDown();
      for (SpanData span : recorder.spans(2)) {
        assertThat(Recorder.text(span, "error.type")).isEqualTo("-32004");
      }
    }
  }

  @Test
  void aTimeOutOfTheClientIsTheNameOfItsException() throws Exception {
    try (Server server = listen(TCP, Telemetry.of(OpenTelemetry.noop()), to -> {});
        Peer peer = connect(server)) {
      assertThat(catchThrowable(
              () -> peer.request("hold").timeout(Duration.ofMillis(20)).call(Json.class)))
          .isInstanceOf(CallTimeoutException.class);
      released.countDown();
      SpanData span = recorder.span(1, CLIENT);
      assertThat(Recorder.text(span, "error.type")).isEqualTo(CallTimeoutException.class.getName());
      assertThat(Recorder.text(span, "rpc.status_code")).isNull();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 5})
  void theSpanOfAStreamEndsWithIt(int items) throws Exception {
    try (Server server = listen(TCP, telemetry(), to -> {});
        Peer peer = connect(server)) {
      CountDownLatch over = new CountDownLatch(1);
      RemoteStream<Integer> stream = peer.request("count").args(items).stream(Integer.class);
      stream.subscribe(new Flow.Subscriber<>() {
        @Override
        public void onSubscribe(Flow.Subscription subscription) {
          subscription.request(Long.MAX_VALUE);
        }

        @Override
        public void onNext(Integer item) {}

        @Override
        public void onError(Throwable failure) {
          over.countDown();
        }

        @Override
        public void onComplete() {
          over.countDown();
        }
      });
      assertThat(over.await(30, SECONDS)).isTrue();
      SpanData served = recorder.span(2, SERVER);
      assertThat(Recorder.text(served, "error.type")).isEqualTo(items < 3 ? null : "8");
      assertThat(Recorder.text(recorder.span(2, CLIENT), "error.type"))
          .isEqualTo(items < 3 ? null : "8");
    }
  }

  private static String post(Server server, String method, String... headers) throws Exception {
    HttpRequest.Builder request = HttpRequest.newBuilder(
            URI.create("http://127.0.0.1:" + server.port() + "/"))
        .header("Content-Type", "application/json")
        .POST(HttpRequest.BodyPublishers.ofString(
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"" + method + "\"}"));
    for (int i = 0; i < headers.length; i += 2) {
      request.header(headers[i], headers[i + 1]);
    }
    HttpResponse<String> response =
        HttpClient.newHttpClient().send(request.build(), HttpResponse.BodyHandlers.ofString());
    return String.valueOf(Json.parse(response.body()).get("result"));
  }

  @Test
  void aHostileContextIsIgnored() throws Exception {
    try (Server server = listen(HTTP, telemetry(), to -> {})) {
      assertThat(post(server, "trace", "traceparent", "00-" + TRACE + "-00f067aa0ba902b7-01"))
          .isEqualTo("\"" + TRACE + "\"");
      for (String bad : List.of(
          "",
          "00-" + TRACE,
          "ff-" + TRACE + "-00f067aa0ba902b7-01",
          "00-" + "0".repeat(32) + "-00f067aa0ba902b7-01",
          "00-" + TRACE + "-00f067aa0ba902b7-01-" + "x".repeat(4000))) {
        assertThat(post(server, "trace", "traceparent", bad)).doesNotContain(TRACE);
      }
      assertThat(post(
              server,
              "trace",
              "traceparent",
              "00-" + TRACE + "-00f067aa0ba902b7-01",
              "tracestate",
              "a=" + "b,c=".repeat(1000)))
          .isEqualTo("\"" + TRACE + "\"");
      assertThat(recorder.spans(7))
          .allMatch(span -> span.getParentSpanContext().getTraceState().isEmpty());
    }
  }

  @Test
  void aLargeBaggageIsCut() throws Exception {
    try (Server server =
        listen(HTTP, telemetry(), to -> to.limits(limits -> limits.headerBytes(64 << 10)))) {
      StringBuilder baggage = new StringBuilder("a=1");
      for (int i = 0; i < 1000; i++) {
        baggage.append(",n").append(i).append("=").append(i);
      }
      assertThat(post(server, "baggage", "baggage", "a=1,b=2")).isEqualTo("2");
      assertThat(post(server, "baggage", "baggage", baggage.toString())).isEqualTo("64");
      assertThat(post(server, "baggage", "baggage", "a=1,b=" + "x".repeat(9000)))
          .isEqualTo("1");
      assertThat(post(server, "baggage", "baggage", "=,;;,,==\"%zz")).isEqualTo("0");
    }
  }

  @Test
  void theFiguresOfAServerAreMetrics() throws Exception {
    Telemetry telemetry = telemetry();
    try (Server server = listen(TCP, telemetry, to -> to.access(access -> access.deny("fail")));
        ServerMetrics observed = telemetry.observe(server);
        Peer peer = plain(server)) {
      assertThat(observed).isNotNull();
      assertThat(catchThrowable(() -> peer.call("fail", Json.class))).isNotNull();
      assertThat(recorder.numbers("repartee.server.connections.open"))
          .extracting(LongPointData::getValue)
          .containsExactly(1L);
      assertThat(recorder.numbers("repartee.server.calls.refused"))
          .filteredOn(point ->
              "access".equals(point.getAttributes().get(AttributeKey.stringKey("repartee.reason"))))
          .extracting(LongPointData::getValue)
          .containsExactly(1L);
      assertThat(recorder.numbers("repartee.server.io")).hasSize(2);
      assertThat(recorder.numbers("repartee.memory.limit"))
          .extracting(LongPointData::getValue)
          .allMatch(bytes -> bytes > 0)
          .hasSize(2);
    }
    assertThat(catchThrowable(() -> recorder.numbers("repartee.server.io")))
        .isInstanceOf(AssertionError.class);
  }
}
