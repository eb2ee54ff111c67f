package dev.repartee;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.access.Access;
import dev.repartee.json.Json;
import dev.repartee.json.TypeToken;
import dev.repartee.limits.Limits;
import dev.repartee.transport.ChannelInfo;
import dev.repartee.transport.ChannelPair;
import java.io.InputStream;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.IntBinaryOperator;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import kotlin.coroutines.Continuation;
import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Params as one Java object: by annotation, by default, by lambda and by proxy. */
@NullMarked
@SuppressWarnings("unused") // the methods are called by reflection
class ParamsObjectTest {
  record Point(int x, int y) {}

  record Initialize(long processId, Optional<String> rootUri) {}

  record Named(Optional<String> value, Optional<String> value2) {}

  /** Methods as the protocols of other people have them. */
  static class Methods {
    @Rpc(paramsObject = true)
    public String initialize(Initialize params, Call call) {
      return call.method() + params.processId() + params.rootUri().orElse("-");
    }

    @Rpc
    public int distance(Point point) {
      return point.x() + point.y();
    }

    @Rpc
    public String ambiguous(Named value) {
      return String.valueOf(value);
    }

    @Rpc(paramsObject = true)
    public int size(List<Integer> all) {
      return all.size();
    }

    @Rpc(paramsObject = true)
    public Json any(Json params) {
      return params;
    }

    @Rpc
    public @Nullable Json raw(Call call) {
      return call.params();
    }

    @Rpc
    public String optional(@Param(defaultsTo = "{\"x\":1,\"y\":2}") Point point) {
      return point.toString();
    }
  }

  private static final Service SERVICE = Service.builder()
      .all(Service.of(new Methods()))
      .method("lambda", Point.class, Integer.class, (point, call) -> point.x() * point.y())
      .method("nothing", Void.class, String.class, (none, call) -> call.method())
      .add(RpcMethod.builder("counted")
          .description("Counts names.")
          .lane(Lane.INLINE)
          .handler(
              new TypeToken<Map<String, List<Point>>>() {},
              new TypeToken<List<Integer>>() {},
              (map, call) -> map.values().stream().map(List::size).toList()))
      .add(RpcMethod.builder("later")
          .asyncHandler(
              Point.class, Integer.class, (point, call) -> CompletableFuture.supplyAsync(point::x)))
      .build();

  /** Returns the response, without the members that every response has. */
  private static String answer(Service service, String method, @Nullable String params) {
    String given = params == null ? "" : ",\"params\":" + params;
    String frame = """
        {"jsonrpc":"2.0","id":1,"method":"%s"%s}""".formatted(method, given);
    byte[] reply = FrameResponder.of(
            service, Options.DEFAULT, new ChannelInfo("test", "", "message"))
        .respondAsync(frame.getBytes(UTF_8))
        .toCompletableFuture()
        .orTimeout(60, TimeUnit.SECONDS)
        .join();
    Json json = Json.parse(Objects.requireNonNull(reply));
    Json error = json.get("error");
    return error == null
        ? String.valueOf(json.get("result"))
        : error.get("code") + " " + error.get("data");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      nullValues = "-",
      value = {
        // the mark: the params are the argument
        "initialize|{\"processId\":7,\"rootUri\":\"file:/\"}|\"initialize7file:/\"",
        "initialize|{\"processId\":7}|\"initialize7-\"",
        "initialize|{}|-32602 \"missing: processId\"",
        "initialize|-|-32602 \"missing: processId\"",
        "initialize|{\"params\":{\"processId\":7}}|"
            + "-32602 \"unknown member 'params'; known are processId, rootUri\"",
        "initialize|[{\"processId\":7}]|-32602 \"expected an object, got an array\"",
        "initialize|{\"processId\":\"x\"}|-32602 "
            + "\"member 'processId': expected an integer from -9223372036854775808 to"
            + " 9223372036854775807, got a string\"",
        "size|[1,2,3]|3",
        "size|[]|0",
        "size|-|0",
        "any|{\"a\": 1}|{\"a\": 1}",
        "any|[1,2]|[1,2]",
        "any|-|{}",
        // without the mark: by position, by name, or the object itself
        "distance|[{\"x\":1,\"y\":2}]|3",
        "distance|{\"point\":{\"x\":1,\"y\":2}}|3",
        "distance|{ \"point\" : {\"x\":1,\"y\":2} }|3",
        "distance|{\"x\":1,\"y\":2}|3",
        "distance|{\"y\":1,\"x\":2}|3",
        "distance|{\"x\":1}|-32602 \"point: missing: y\"",
        "distance|{}|-32602 \"point: missing: x, y\"",
        "distance|-|-32602 \"missing: point\"",
        "optional|{}|\"Point[x=1, y=2]\"",
        "optional|{\"x\":3,\"y\":4}|\"Point[x=3, y=4]\"",
        // a member has the name of the parameter, so the object is never the argument
        "ambiguous|{\"value\":{\"value2\":\"b\"}}|"
            + "\"Named[value=Optional.empty, value2=Optional[b]]\"",
        "ambiguous|{\"value2\":\"b\"}|-32602 \"unknown parameter 'value2'; known are value\"",
        // a method with nothing but the call
        "raw|{\"a\":1}|{\"a\":1}",
        "raw|[1,2,3]|[1,2,3]",
        "raw|-|null",
        // lambdas
        "lambda|{\"x\":3,\"y\":4}|12",
        "lambda|[3,4]|-32602 \"expected an object, got an array\"",
        "lambda|-|-32602 \"missing: x, y\"",
        "nothing|-|\"nothing\"",
        "nothing|{}|\"nothing\"",
        "nothing|[]|\"nothing\"",
        "nothing|[1]|-32602 \"this method has no parameters\"",
        "counted|{\"a\":[{\"x\":1,\"y\":2}]}|[1]",
        "later|{\"x\":5,\"y\":0}|5",
      })
  void paramsAreReadAsTheMethodDeclaresThem(
      String method, @Nullable String params, String expected) {
    assertThat(answer(SERVICE, method, params)).isEqualTo(expected);
  }

  @Test
  void theLayersSeeTheSameParams() {
    Options layered = Options.builder().layer((call, next) -> next.handle(call)).build();
    FrameResponder responder =
        FrameResponder.of(SERVICE, layered, new ChannelInfo("test", "", "message"));
    String frame = """
        {"jsonrpc":"2.0","id":1,"method":"initialize","params":{"processId":1}}""";
    byte[] reply =
        responder.respondAsync(frame.getBytes(UTF_8)).toCompletableFuture().join();
    assertThat(Json.parse(Objects.requireNonNull(reply)).get("result"))
        .hasToString("\"initialize1-\"");
  }

  /** The same methods at the client. */
  interface Client extends AutoCloseable {
    @Rpc(paramsObject = true)
    String initialize(Initialize params);

    @Rpc(value = "any", paramsObject = true)
    Json optional(Optional<Point> params);

    int distance(Point point);

    @Override
    void close();
  }

  @Test
  void aProxyABuilderAndABatchSendTheParamsAsAWhole() {
    ChannelPair pair = ChannelPair.open(Limits.DEFAULT);
    Peer server = Peer.open(pair.server(), SERVICE, Options.DEFAULT);
    Peer peer = Peer.open(pair.client(), Service.NONE, Options.DEFAULT);
    try (Client client = peer.proxy(Client.class)) {
      assertThat(client.initialize(new Initialize(3, Optional.empty()))).isEqualTo("initialize3-");
      assertThat(client.optional(Optional.of(new Point(1, 2)))).hasToString("{\"x\":1,\"y\":2}");
      assertThat(client.optional(Optional.empty())).isEqualTo(Json.EMPTY_OBJECT);
      assertThat(client.distance(new Point(1, 2))).isEqualTo(3);
      assertThat(peer.request("distance").params(new Point(2, 2)).call(int.class))
          .isEqualTo(4);
      assertThat(peer.request("lambda").params(Map.of("x", 2, "y", 5)).call(int.class))
          .isEqualTo(10);
      Batch batch = peer.batch();
      CallFuture<Integer> sum =
          batch.callAsync(peer.request("distance").params(new Point(4, 4)), int.class);
      CallFuture<List<Integer>> counts = batch.callAsync(
          peer.request("counted").params(Map.of("a", List.of())), new TypeToken<>() {});
      batch.send();
      assertThat(sum.await()).isEqualTo(8);
      assertThat(counts.await()).containsExactly(0);
      assertThatIllegalArgumentException()
          .isThrownBy(() -> peer.request("distance").params("text"));
    } finally {
      server.close();
    }
  }

  @Test
  void theMethodsAreDescribedByTheMembersOfTheirParams() {
    Json initialize = method("initialize");
    assertThat(initialize.get("paramStructure")).hasToString("\"by-name\"");
    assertThat(initialize.get("params")).hasToString("""
        [{"name":"processId","required":true,"schema":%s},{"name":"rootUri","required":false,\
        "schema":%s}]""".formatted(
            Json.schemaOf(long.class),
            Objects.requireNonNull(
                Objects.requireNonNull(Json.schemaOf(Initialize.class).get("properties"))
                    .get("rootUri"))));
    assertThat(method("lambda").get("result"))
        .hasToString("{\"name\":\"result\",\"schema\":" + Json.schemaOf(Integer.class) + "}");
    assertThat(method("counted").get("description")).hasToString("\"Counts names.\"");
    assertThat(method("raw").get("x-params-unknown")).isEqualTo(Json.TRUE);
    assertThat(method("nothing").get("params")).isEqualTo(Json.EMPTY_ARRAY);
    assertThat(method("nothing").get("x-params-unknown")).isNull();
  }

  private static Json method(String name) {
    Json document = OpenRpcSchema.valid(new Discovery(SERVICE, false, Access.OPEN).document(null));
    return Objects.requireNonNull(document.get("methods")).elements().stream()
        .filter(method -> Json.of(name).equals(method.get("name")))
        .findAny()
        .orElseThrow();
  }

  @Test
  void aMethodThatCannotTakeTheParamsAsAWholeIsRefused() {
    class Two {
      @Rpc(paramsObject = true)
      public void two(int a, int b) {}
    }
    class Scalar {
      @Rpc(paramsObject = true)
      public void scalar(int a) {}
    }
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Service.of(new Two()))
        .withMessageContaining("Two.two: paramsObject needs exactly one parameter");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Service.of(new Scalar()))
        .withMessageContaining("Scalar.scalar: params have the form of an object or an array");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Service.builder().method("m", String.class, int.class, (s, call) -> 1))
        .withMessageContaining("the method 'm': params have the form of an object or an array");
  }

  @Test
  void aStreamAsTheValueOfAStageIsRefused() {
    class Iterators {
      public CompletableFuture<Iterator<String>> rows() {
        return new CompletableFuture<>();
      }
    }
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Service.of(new Iterators()))
        .withMessageContaining("Iterators.rows: a stream is returned as it is, not as the value");
  }

  @Test
  void aSuspendFunctionOfKotlinIsRefused() {
    class Suspending {
      public @Nullable Object load(String id, Continuation<String> continuation) {
        return null;
      }
    }
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Service.of(new Suspending()))
        .withMessageContaining("Suspending.load: a suspend function cannot be called remotely");
  }

  @Test
  void theAuthorOfAClassWithoutParameterNamesIsTold() {
    try (LogRecords records = LogRecords.ofThisThread()) {
      Service.of(IntBinaryOperator.class, (left, right) -> left - right);
      Service.of(new Methods());
      assertThat(records.all).hasSize(1);
      assertThat(records.all.remove().getMessage())
          .startsWith("java.util.function.IntBinaryOperator.applyAsInt: ")
          .contains("-parameters");
    }
  }

  /** Defines classes again, since the log knows the classes of the other loader already. */
  private static final class Loader extends ClassLoader {
    Object instance(Class<?> type) throws Exception {
      try (InputStream file = type.getResourceAsStream(type.getSimpleName() + ".class")) {
        byte[] bytes = Objects.requireNonNull(file).readAllBytes();
        Class<?> again = defineClass(type.getName(), bytes, 0, bytes.length);
        return again.getDeclaredConstructor().newInstance();
      }
    }
  }

  @Test
  void theAuthorOfAClassIsToldOnceThatAnAnnotationLeavesOutTheOtherMethods() throws Exception {
    Object half = new Loader().instance(HalfAnnotated.class);
    try (LogRecords records = LogRecords.ofThisThread()) {
      assertThat(Service.of(half).methods()).extracting(RpcMethod::name).containsExactly("name");
      Service.of(half);
      assertThat(records.all).hasSize(1);
      LogRecord record = records.all.remove();
      assertThat(record.getLevel()).isEqualTo(Level.INFO);
      assertThat(record.getMessage())
          .isEqualTo("dev.repartee.HalfAnnotated: not served, because other methods have @Rpc:"
              + " reset, whoami; annotate them, too, to serve them");
    }
  }

  interface Nameable {
    @Rpc("named")
    String name();
  }

  static class Helpful implements Nameable {
    @Override
    public String name() {
      return "helpful";
    }

    public String help() {
      return "for other classes";
    }
  }

  /** Has the methods of an interface of this toolkit, one of which it overrides. */
  static class Listening implements Listener {
    @Rpc
    public String name() {
      return "listening";
    }

    @Override
    public void notice(ChannelInfo channel, String event) {}
  }

  record Settings(String colour) {
    @Rpc
    public String paint() {
      return colour;
    }
  }

  @Test
  void helpersOfAnInterfaceCallbacksAndAccessorsOfARecordAreNoMistake() {
    try (LogRecords records = LogRecords.ofThisThread()) {
      assertThat(Service.of(new Helpful()).methods()).hasSize(1);
      assertThat(Service.of(new Listening()).methods()).hasSize(1);
      assertThat(Service.of(new Settings("blue")).methods()).hasSize(1);
      assertThat(records.all).isEmpty();
    }
  }

  @Test
  void aTypeTokenKnowsItsType() {
    TypeToken<List<Point>> token = new TypeToken<>() {};
    assertThat(token).isEqualTo(new TypeToken<List<Point>>() {}).hasSameHashCodeAs(token);
    assertThat(Json.parse("[{\"x\":1,\"y\":2}]").as(token)).containsExactly(new Point(1, 2));
    assertThat(token).hasToString("java.util.List<" + Point.class.getTypeName() + ">");
    assertThatThrownBy(RawToken::new).isInstanceOf(IllegalArgumentException.class);
  }

  @SuppressWarnings("rawtypes")
  private static final class RawToken extends TypeToken {}
}
