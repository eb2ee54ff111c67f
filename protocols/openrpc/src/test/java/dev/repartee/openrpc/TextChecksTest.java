package dev.repartee.openrpc;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Call;
import dev.repartee.FrameResponder;
import dev.repartee.Lane;
import dev.repartee.Layer;
import dev.repartee.Listener;
import dev.repartee.Options;
import dev.repartee.Rpc;
import dev.repartee.RpcException;
import dev.repartee.Service;
import dev.repartee.json.Json;
import dev.repartee.message.Id;
import dev.repartee.message.RpcError;
import dev.repartee.transport.ChannelInfo;
import dev.repartee.transport.FrameSink;
import dev.repartee.transport.OutboundFrame;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Calls that are accepted by their text have the same effects as calls that pass through the layer:
 * the same bytes of the answer, reports and runs of the method.
 */
@Tag("any-jdk")
class TextChecksTest {
  private static final ChannelInfo CHANNEL = new ChannelInfo("test", "", "message");
  private static final Layer NONE = (call, next) -> next.handle(call);
  private static final StackWalker STACK =
      StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE);

  /** Where the methods of a server ran, in order. */
  enum Place {
    INSIDE_LAYER,
    OUTSIDE
  }

  record Point(int x, @Nullable String name) {}

  enum Color {
    RED,
    GREEN
  }

  /** The methods of a server. */
  static final class Methods {
    final List<Place> ran = new ArrayList<>();
    final Semaphore started = new Semaphore(0);
    final Semaphore released = new Semaphore(0);

    private <T> T ran(T result) {
      boolean isLayered = STACK.walk(
          frames -> frames.anyMatch(frame -> frame.getDeclaringClass() == OpenRpcLayer.class));
      ran.add(isLayered ? Place.INSIDE_LAYER : Place.OUTSIDE);
      return result;
    }

    @Rpc(lane = Lane.INLINE)
    public Json echo(Json value) {
      return ran(value);
    }

    @Rpc(lane = Lane.INLINE)
    public int increment(int value) {
      return ran(value + 1);
    }

    @Rpc(lane = Lane.INLINE)
    public byte narrow(long value) {
      return ran((byte) value);
    }

    @Rpc(lane = Lane.INLINE)
    public double half(double value) {
      return ran(value / 2);
    }

    @Rpc(lane = Lane.INLINE)
    public double root(double value) {
      return ran(Math.sqrt(value)); // NaN, which has no JSON form, for a negative value
    }

    @Rpc(lane = Lane.INLINE)
    public float third(float value) {
      return ran(value / 3);
    }

    @Rpc(lane = Lane.INLINE)
    public boolean not(boolean value) {
      return ran(!value);
    }

    @Rpc(lane = Lane.INLINE)
    public char first(String value) {
      return ran(value.charAt(0)); // fails for an empty text
    }

    @Rpc(lane = Lane.INLINE)
    public Color color(Color value) {
      return ran(value);
    }

    @Rpc(lane = Lane.INLINE)
    public @Nullable Point move(Point point, Optional<Integer> by) {
      return ran(by.isPresent() ? new Point(point.x + by.get(), point.name) : null);
    }

    @Rpc(lane = Lane.INLINE)
    public int sum(String label, int... values) {
      return ran(label.length() + values.length);
    }

    @Rpc(lane = Lane.INLINE)
    public void nothing() {
      ran(0);
    }

    @Rpc(lane = Lane.INLINE)
    public String repeated(int times) {
      return ran("x".repeat(times));
    }

    @Rpc(lane = Lane.INLINE)
    public int refused(int value) {
      throw ran(new RpcException(7, "refused " + value));
    }

    @Rpc(lane = Lane.INLINE)
    public int withCall(Call call, int value) {
      return ran(value + call.method().length());
    }

    @Rpc
    public int concurrent(int value) {
      return ran(value);
    }

    @Rpc
    public CompletionStage<Integer> later(int value) {
      return CompletableFuture.completedFuture(ran(value + 1));
    }

    @Rpc
    public int waiting(int value) throws InterruptedException {
      started.release();
      released.acquire();
      return ran(value);
    }
  }

  /** A server, and what its listeners heard. */
  private static final class Served {
    final Methods methods = new Methods();
    final List<String> heard = new ArrayList<>();
    private final FrameResponder responder;

    Served(OpenRpc document, OpenRpcLayer.Results results, UnaryOperator<Options.Builder> options) {
      Listener listener = new Listener() {
        @Override
        public void notice(ChannelInfo channel, String event) {
          heard.add("notice " + event);
        }

        @Override
        public void failed(Call call, Throwable cause) {
          heard.add("failed " + call.method() + call.params() + call.id() + " " + cause);
        }
      };
      OpenRpcLayer layer =
          OpenRpcLayer.builder(document).results(results).listener(listener).build();
      this.responder = FrameResponder.of(
          Service.of(methods),
          options.apply(Options.builder().layer(layer)).listener(listener).build(),
          CHANNEL);
    }

    @Nullable String answer(String frame) throws InterruptedException {
      byte[] answer = responder.respond(frame.getBytes(UTF_8));
      return answer == null ? null : new String(answer, UTF_8);
    }

    /** Cancels a call while its method runs; returns the answer when the method has ended. */
    String answerOfCancelled(String frame) throws InterruptedException {
      StringBuffer answer = new StringBuffer();
      CountDownLatch done = new CountDownLatch(1);
      byte[] bytes = frame.getBytes(UTF_8);
      FrameResponder.InFlightFrame served =
          responder.serve(bytes, 0, bytes.length, new FrameSink() {
            @Override
            public OutboundFrame open() {
              return new OutboundFrame(1000);
            }

            @Override
            public void commit(OutboundFrame sent) {
              answer.append(sent);
            }
          });
      methods.started.acquire();
      served.cancel(Id.of("i"));
      methods.released.release();
      served.whenDone(done::countDown);
      assertThat(done.await(60, TimeUnit.SECONDS)).isTrue();
      return answer.toString();
    }
  }

  /** Two servers of the same document: one has only the layer, the other one has a second layer. */
  private static final class Pair {
    final Served direct;
    final Served layered;

    Pair(OpenRpc document, OpenRpcLayer.Results results, UnaryOperator<Options.Builder> options) {
      direct = new Served(document, results, options);
      layered = new Served(document, results, with -> options.apply(with.layer(NONE)));
    }

    Pair(OpenRpc document, OpenRpcLayer.Results results) {
      this(document, results, with -> with);
    }

    /** Sends a frame to both servers. */
    void sameEffects(String frame) throws InterruptedException {
      String expected = layered.answer(frame);
      assertThat(direct.answer(frame)).as(frame).isEqualTo(expected);
      assertThat(direct.heard).as(frame).isEqualTo(layered.heard);
      assertThat(direct.methods.ran).as(frame).hasSameSizeAs(layered.methods.ran);
      assertThat(layered.methods.ran).doesNotContain(Place.OUTSIDE);
    }
  }

  private static String request(String method, @Nullable String params) {
    return "{\"jsonrpc\":\"2.0\",\"method\":\"" + method + "\""
        + (params == null ? "" : ",\"params\":" + params.replace('\'', '"')) + ",\"id\":\"i\"}";
  }

  private static OpenRpc document(String methods) {
    return OpenRpc.lenient(Json.parse(
        "{'openrpc':'1.4.1','info':{'title':'t','version':'1'},'methods':[".replace('\'', '"')
            + methods.replace('\'', '"') + "]}"));
  }

  private static String method(String name, String param, String result) {
    return "{'name':'" + name + "','params':[{'name':'value','required':true,'schema':" + param
        + "}],'result':{'name':'r','schema':" + result + "}}";
  }

  // ---------------------------------------------------------------- samples

  private static final List<String> VALUES = List.of(
      "null",
      "true",
      "false",
      "0",
      "-1",
      "5",
      "10",
      "1.0",
      "1e2",
      "2.5",
      "9223372036854775808",
      "''",
      "'a'",
      "'b'",
      "'\\u0061'",
      "'abcdef'",
      "[]",
      "{}");

  private static final List<String> SCHEMAS = List.of(
      "true",
      "{}",
      "{'type':'null'}",
      "{'type':'boolean'}",
      "{'type':'number'}",
      "{'type':'number','minimum':0}",
      "{'type':'integer'}",
      "{'type':'integer','minimum':0,'maximum':5}",
      "{'type':'string'}",
      "{'type':'string','enum':['a','b']}",
      "{'type':'string','maxLength':2}",
      "{'type':['string','null']}",
      "{'enum':[1,'a']}",
      "{'$ref':'#/components/schemas/Missing'}",
      "{'type':5}");

  private static <T> T any(Random random, List<T> all) {
    return all.get(random.nextInt(all.size()));
  }

  private static String schema(Random random, int depth) {
    int form = depth == 0 ? 0 : random.nextInt(6);
    return switch (form) {
      case 1 -> "{'type':'array','items':" + schema(random, depth - 1) + "}";
      case 2 ->
        "{'type':'object','properties':{'a':" + schema(random, depth - 1) + ",'b':"
            + schema(random, depth - 1) + "},'required':['a'],'additionalProperties':"
            + random.nextBoolean() + "}";
      case 3 -> "{'anyOf':[" + schema(random, depth - 1) + "," + schema(random, depth - 1) + "]}";
      default -> any(random, SCHEMAS);
    };
  }

  private static String value(Random random, int depth) {
    int form = depth == 0 ? 0 : random.nextInt(5);
    return switch (form) {
      case 1 -> "[" + value(random, depth - 1) + ", " + value(random, depth - 1) + "]";
      case 2 -> "{'a':" + value(random, depth - 1) + ",'b' : " + value(random, depth - 1) + "}";
      case 3 -> "{'a':" + value(random, depth - 1) + "}";
      default -> any(random, VALUES);
    };
  }

  @ParameterizedTest
  @EnumSource
  void anyValueOfAnySchema(OpenRpcLayer.Results results) throws Exception {
    Random random = new Random(42);
    int direct = 0;
    int heard = 0;
    for (int i = 0; i < 100; i++) {
      OpenRpc document = document(method("echo", schema(random, 2), schema(random, 2)));
      Pair servers = new Pair(document, results);
      for (int j = 0; j < 12; j++) {
        String value = value(random, 2);
        servers.sameEffects(request(
            "echo", random.nextInt(4) == 0 ? "{'value':" + value + "}" : "[" + value + "]"));
      }
      direct += (int)
          servers.direct.methods.ran.stream().filter(Place.OUTSIDE::equals).count();
      heard += servers.direct.heard.size();
    }
    assertThat(direct).isGreaterThan(100);
    assertThat(heard).isGreaterThan(results == OpenRpcLayer.Results.UNCHECKED ? 0 : 100);
  }

  // ---------------------------------------------------------------- typed methods

  private static final String INT = "{'type':'integer','minimum':-9,'maximum':9}";

  private static final OpenRpc TYPED = document(String.join(
      ",",
      method("increment", INT, INT),
      method("narrow", INT.replace("9", "999"), INT),
      method("half", "{'type':'number'}", "{'type':'integer'}"),
      method("root", "{'type':'number'}", "{'type':'number'}"),
      method("third", "{'type':'number'}", "{'type':'number'}"),
      method("not", "{'type':'boolean'}", "{'type':'boolean'}"),
      method("first", "{'type':'string'}", "{'type':'string','enum':['a','b']}"),
      method("color", "{'type':'string','enum':['RED']}", "{'type':'string'}"),
      method("repeated", INT, "{'type':'string','enum':['','x','xx']}"),
      method("refused", INT, INT),
      method("withCall", INT, INT),
      method("concurrent", INT, INT),
      method("later", INT, INT),
      "{'name':'move','params':[{'name':'point','required':true,'schema':{'type':'object',"
          + "'properties':{'x':{'type':'integer'},'name':{'type':['string','null']}},"
          + "'required':['x']}},{'name':'by','schema':{'type':'integer'}}],"
          + "'result':{'name':'r','schema':{'type':'object'}}}",
      "{'name':'sum','params':[{'name':'label','required':true,'schema':{'type':'string'}},"
          + "{'name':'values','x-variadic':true,'schema':{'type':'array'}}],"
          + "'result':{'name':'r','schema':{'type':'integer'}}}",
      "{'name':'nothing','params':[],'result':{'name':'r','schema':{'type':'null'}}}"));

  /** The values of the params in the order of the methods. */
  private static final List<String> PARAMS = List.of(
      "[]",
      "{}",
      "[1]",
      "[ -9 ]",
      "[9]",
      "[10]",
      "[999]",
      "[1000]",
      "[1.0]",
      "[0.1]",
      "[-4]",
      "[1e400]",
      "[true]",
      "[null]",
      "['']",
      "['a']",
      "['\\u0061bc']",
      "['c']",
      "['RED']",
      "['GREEN']",
      "['BLUE']",
      "[{'x':1}]",
      "[{'x':1,'name':null},2]",
      "[{'name':'n','x':1},null]",
      "[{'x':1},'a']",
      "[{'y':1}]",
      "[{'x':1.5}]",
      "['a',1,2]",
      "['a','b']",
      "[1,2,3,4]",
      "{'value':4}",
      "{'value':4,'value':5}",
      "{'other':4}",
      "{'point':{'x':1}}",
      "{'by':1,'point':{'x':1}}",
      "{'label':'a','values':[1]}");

  private static List<String> methods() {
    return TYPED.methods().stream().map(MethodDescriptor::name).toList();
  }

  @ParameterizedTest
  @EnumSource
  void anyParamsOfAnyTypedMethod(OpenRpcLayer.Results results) throws Exception {
    Pair servers = new Pair(TYPED, results);
    for (String method : methods()) {
      servers.sameEffects(request(method, null));
      for (String params : PARAMS) {
        servers.sameEffects(request(method, params));
      }
    }
    assertThat(servers.direct.methods.ran).contains(Place.OUTSIDE, Place.INSIDE_LAYER);
    assertThat(servers.direct.heard).isNotEmpty();
  }

  @ParameterizedTest
  @EnumSource
  void batchesNotificationsAndOtherMethods(OpenRpcLayer.Results results) throws Exception {
    Pair servers = new Pair(TYPED, results);
    String batch = String.join(
        ",",
        request("increment", "[1]"),
        request("increment", "[9]"),
        request("increment", "['a']"),
        request("increment", "[2]").replace(",\"id\":\"i\"", ""),
        request("increment", "[9]").replace(",\"id\":\"i\"", ""),
        request("increment", "['a']").replace(",\"id\":\"i\"", ""),
        request("first", "['']").replace(",\"id\":\"i\"", ""),
        request("root", "[-1]"),
        request("echo", "[1]"),
        request("unknown", "[1]"),
        request("rpc.ping", null));
    for (int i = 0; i < 2; i++) {
      servers.sameEffects("[" + batch + "]");
      for (String element : batch.split(",(?=\\{\"jsonrpc)")) {
        servers.sameEffects(element);
      }
    }
    assertThat(servers.direct.methods.ran).contains(Place.OUTSIDE);
  }

  @ParameterizedTest
  @EnumSource
  void resultsThatExceedTheLimitOfAFrame(OpenRpcLayer.Results results) throws Exception {
    OpenRpc document = document(method("repeated", "{'type':'integer'}", "{'type':'string'}") + ","
        + method("echo", "true", "{'type':'null'}"));
    Pair servers =
        new Pair(document, results, with -> with.limits(limits -> limits.frameBytes(400)));
    for (int times : new int[] {1, 1, 300, 400, 1000}) {
      servers.sameEffects(request("repeated", "[" + times + "]"));
    }
    String text = "x".repeat(330);
    servers.sameEffects(request("echo", "[null]"));
    servers.sameEffects(request("echo", "['" + text + "']"));
    assertThat(servers.direct.methods.ran).contains(Place.OUTSIDE);
  }

  @Test
  void theExceptionMapperGetsWhatTheLayerThrows() throws Exception {
    Pair servers = new Pair(
        TYPED,
        OpenRpcLayer.Results.REFUSED,
        with -> with.exceptionMapper(e -> new RpcError(3, String.valueOf(e.getMessage()))));
    for (int i = 0; i < 2; i++) {
      servers.sameEffects(request("increment", "[9]"));
      servers.sameEffects(request("root", "[-1]"));
      servers.sameEffects(request("first", "['']"));
    }
    assertThat(servers.direct.methods.ran).contains(Place.OUTSIDE);
  }

  /** The late result of a call that was cancelled is reported, too. */
  @ParameterizedTest
  @EnumSource
  void resultsOfCancelledCalls(OpenRpcLayer.Results results) throws Exception {
    OpenRpc document = document(method("waiting", "true", "{'type':'integer','maximum':4}"));
    Pair servers = new Pair(document, results);
    for (int value : new int[] {3, 4, 5}) {
      String request = request("waiting", "[" + value + "]");
      assertThat(servers.direct.answerOfCancelled(request))
          .contains("cancelled")
          .isEqualTo(servers.layered.answerOfCancelled(request));
      assertThat(servers.direct.heard).isEqualTo(servers.layered.heard);
    }
    assertThat(servers.direct.heard).hasSize(results == OpenRpcLayer.Results.UNCHECKED ? 0 : 1);
    assertThat(servers.direct.methods.ran)
        .containsExactly(Place.INSIDE_LAYER, Place.OUTSIDE, Place.OUTSIDE);
  }

  // ---------------------------------------------------------------- which calls

  private static List<Place> placesOf(String method, UnaryOperator<Options.Builder> options)
      throws InterruptedException {
    Served server = new Served(TYPED, OpenRpcLayer.Results.REPORTED, options);
    server.answer(request(method, "[1]"));
    server.answer(request(method, "[2]"));
    return server.methods.ran;
  }

  @Test
  void theFirstCallPassesThroughTheLayerAndLaterOnesDoNot() throws Exception {
    assertThat(placesOf("increment", with -> with))
        .containsExactly(Place.INSIDE_LAYER, Place.OUTSIDE);
  }

  @Test
  void callsOnWorkersNeedNoLayer() throws Exception {
    assertThat(placesOf("concurrent", with -> with))
        .containsExactly(Place.INSIDE_LAYER, Place.OUTSIDE);
  }

  @Test
  void callsWithADeadlineNeedNoLayer() throws Exception {
    assertThat(placesOf(
            "increment",
            with -> with.limits(limits -> limits.handlerTimeout(Duration.ofMinutes(1)))))
        .containsExactly(Place.INSIDE_LAYER, Place.OUTSIDE);
  }

  @ParameterizedTest
  @ValueSource(strings = {"withCall", "later"})
  void callsThatAreSeenOrAnsweredLaterPassThroughTheLayer(String method) throws Exception {
    assertThat(placesOf(method, with -> with))
        .containsExactly(Place.INSIDE_LAYER, Place.INSIDE_LAYER);
  }

  @Test
  void callsPassThroughAllLayersIfThereAreSeveral() throws Exception {
    List<String> seen = new ArrayList<>();
    List<Place> ran = placesOf(
        "increment",
        with -> with.layer((call, next) -> {
          seen.add(call.method());
          return next.handle(call);
        }));
    assertThat(ran).containsExactly(Place.INSIDE_LAYER, Place.INSIDE_LAYER);
    assertThat(seen).containsExactly("increment", "increment");
  }
}
