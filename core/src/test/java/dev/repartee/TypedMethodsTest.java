package dev.repartee;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.sun.management.ThreadMXBean;
import dev.repartee.internal.Text;
import dev.repartee.json.Json;
import dev.repartee.json.JsonType;
import dev.repartee.transport.Attribute;
import dev.repartee.transport.ChannelInfo;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.IntBinaryOperator;
import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@NullMarked
class TypedMethodsTest {
  private static final String INT = "expected an integer from -2147483648 to 2147483647, got ";

  /** Methods of every supported shape. */
  @SuppressWarnings("unused")
  static class Calculator {
    public int subtract(int minuend, int subtrahend) {
      return minuend - subtrahend;
    }

    public long sum(int... values) {
      return Arrays.stream(values).asLongStream().sum();
    }

    public String join(String separator, String... parts) {
      return String.join(separator, parts);
    }

    public String page(
        String query, @Param(defaultsTo = "10") int limit, Optional<String> after, OptionalInt n) {
      return query + limit + after + n;
    }

    public String mixed(
        boolean a, byte b, short c, char d, long e, float f, double g, Call call, List<String> h) {
      return "" + a + b + c + d + e + f + g + call.method() + h;
    }

    public void nothing() {}

    public CompletionStage<Integer> later(int n) {
      return CompletableFuture.completedFuture(n);
    }

    public @Nullable CompletionStage<Integer> never() {
      return null;
    }

    public Object either(boolean later) {
      return later ? CompletableFuture.completedFuture("later") : "now";
    }

    public double half(double n) {
      return n / 2;
    }

    public boolean not(boolean b) {
      return !b;
    }

    public char first(String text) {
      return text.charAt(0);
    }

    public byte octet(byte b) {
      return b;
    }

    public float single(float f) {
      return f;
    }

    public Json echo(Json value) {
      return value;
    }

    public void fails() throws IOException {
      throw new IOException("disk");
    }

    public static int ignored() {
      return 0;
    }

    @Override
    public String toString() {
      return "not served";
    }
  }

  private static final Service CALCULATOR = Service.of(new Calculator());

  private static RpcMethod method(Service service, String name) {
    return Objects.requireNonNull(service.find(name), name);
  }

  private static Call call(String name, @Nullable String params) {
    return new Call(
        name,
        params == null ? null : Json.parse(params),
        null,
        new ChannelInfo("test", "", "message"),
        new Cancellation(),
        null);
  }

  /** Returns the response by way of the handler, as text. */
  private static String handled(RpcMethod method, @Nullable String params) throws Throwable {
    Object value = method.handler().handle(call(method.name(), params));
    return Json.of(
            value instanceof CompletionStage<?> s ? s.toCompletableFuture().join() : value)
        .toString();
  }

  /** Returns the response of a responder, by way of the invoker. */
  private static Json responded(Service service, String name, @Nullable String params) {
    String given = params == null ? "" : ",\"params\":" + params;
    String frame = """
        {"jsonrpc":"2.0","id":1,"method":"%s"%s}""".formatted(name, given);
    FrameResponder responder =
        FrameResponder.of(service, Options.DEFAULT, new ChannelInfo("test", "", "message"));
    byte[] reply = responder
        .respondAsync(frame.getBytes(UTF_8))
        .toCompletableFuture()
        .orTimeout(60, TimeUnit.SECONDS)
        .join();
    return Json.parse(Objects.requireNonNull(reply));
  }

  /** Returns a notification with its params in the middle of other bytes, as in a read buffer. */
  private static BorrowedExchange notification(@Nullable String params) {
    byte[] bytes = Text.utf8(",," + (params == null ? "" : params) + "}\n{");
    BorrowedExchange exchange = new BorrowedExchange();
    exchange.bytes = bytes;
    exchange.paramsFrom = 2;
    exchange.paramsTo = bytes.length - 3;
    return exchange;
  }

  /** Returns the response, after checking that both ways agree. */
  private static String answer(Service service, String name, @Nullable String params) {
    Json reply = responded(service, name, params);
    assertThat(reply.get("error")).isNull();
    String result = String.valueOf(reply.get("result"));
    try {
      assertThat(handled(method(service, name), params)).isEqualTo(result);
    } catch (Throwable e) {
      throw new AssertionError(e);
    }
    return result;
  }

  private static String answer(String name, @Nullable String params) {
    return answer(CALCULATOR, name, params);
  }

  /** Returns the data of the error, after checking that both ways agree. */
  private static String refusal(Service service, String name, @Nullable String params) {
    RpcException e =
        catchThrowableOfType(RpcException.class, () -> handled(method(service, name), params));
    assertThat(e.getStackTrace()).isEmpty();
    assertThat(responded(service, name, params).get("error"))
        .isEqualTo(Json.parse(
            "{\"code\":-32602,\"message\":\"Invalid params\",\"data\":" + e.data() + "}"));
    return Objects.requireNonNull(e.data()).as(String.class);
  }

  private static String refusal(String name, @Nullable String params) {
    return refusal(CALCULATOR, name, params);
  }

  // ---------------------------------------------------------------- binding

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "subtract;[42,23];19",
        "subtract; [ 42 , 23 ] ;19",
        "subtract;{\"minuend\":42,\"subtrahend\":23};19",
        "subtract;{ \"subtrahend\" : 23 , \"minuend\" : 42 };19",
        "subtract;{\"\\u006dinuend\":42,\"subtrahend\":23};19",
        "subtract;[1e2,1.0];99",
        "subtract;[-2147483648,0];-2147483648",
        "sum;[];0",
        "sum;[1,2,4];7",
        "sum;{\"values\":[1,2,4]};7",
        "sum;{};0",
        "join;[\"-\"];\"\"",
        "join;[\"-\",\"a\",\"b\"];\"a-b\"",
        "join;{\"separator\":\"-\",\"parts\":[\"a\",\"b\"]};\"a-b\"",
        "page;[\"q\"];\"q10Optional.emptyOptionalInt.empty\"",
        "page;[\"q\",5,null,7];\"q5Optional.emptyOptionalInt[7]\"",
        "page;{\"query\":\"q\",\"after\":\"z\"};\"q10Optional[z]OptionalInt.empty\"",
        "nothing;[];null",
        "nothing;{};null",
        "later;[3];3",
        "either;[false];\"now\"",
        "either;[true];\"later\"",
        "half;[3];1.5",
        "not;[true];false",
        "first;[\"xy\"];\"x\"",
        "octet;[-1];-1",
        "single;[0.1];0.1",
        "echo;[{\"n\": 12345678901234567890.10}];{\"n\": 12345678901234567890.10}",
        "echo;[null];null",
        "mixed;[true,1,2,\"c\",3,0.5,0.25,[\"h\"]];\"true12c30.50.25mixed[h]\"",
      })
  void paramsBindByPositionAndByName(String name, String params, String answer) {
    assertThat(answer(name, params)).isEqualTo(answer);
  }

  @Test
  void paramsThatAreLeftOutAreNoArguments() {
    assertThat(answer("nothing", null)).isEqualTo("null");
    assertThat(answer("sum", null)).isEqualTo("0");
    assertThat(refusal("subtract", null)).isEqualTo("missing: minuend, subtrahend");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '~',
      quoteCharacter = '`',
      value = {
        "subtract~[]~missing: minuend, subtrahend",
        "subtract~[1]~missing: subtrahend",
        "subtract~[1,2,[3,{\"a\":4}],5]~2 parameters expected, got 4",
        "subtract~{\"minuend\":1}~missing: subtrahend",
        "subtract~{\"minuend\":1,\"x\":2}~unknown parameter 'x'; known are minuend, subtrahend",
        "subtract~{\"minuend\":1,\"\\u006dinuend\":2}~parameter 'minuend' occurs twice",
        "nothing~[1]~no parameters expected, got 1",
        "nothing~{\"a\":1}~unknown parameter 'a'; none is known",
        "later~[1,2]~1 parameter expected, got 2",
        "page~[\"q\",1,\"a\",1,1]~1 to 4 parameters expected, got 5",
        "echo~{}~missing: value",
        "first~[1]~text: expected a string, got a number",
        "not~[0]~b: expected true or false, got a number",
        "sum~{\"values\":null}~values: expected an array, got null",
        "sum~{\"values\":5}~values: expected an array, got a number",
        "join~[\"-\",\"a\",5]~parts: element 1: expected a string, got a number",
      })
  void paramsThatDoNotFitAreRefusedInWords(String name, String params, String data) {
    assertThat(refusal(name, params)).isEqualTo(data);
  }

  @Test
  void aWrongTypeIsReportedWithItsParameter() {
    assertThat(refusal("subtract", "[\"cat\",1]")).isEqualTo("minuend: " + INT + "a string");
    assertThat(refusal("subtract", "{\"minuend\":1,\"subtrahend\":null}"))
        .isEqualTo("subtrahend: " + INT + "null");
    assertThat(refusal("sum", "[1,2147483648]"))
        .isEqualTo("values: element 1: " + INT + "another number");
  }

  @Test
  void anExceptionOfTheMethodIsThrownUnchanged() {
    RpcMethod method = method(CALCULATOR, "fails");
    MethodInvoker invoker = Objects.requireNonNull(method.invoker());
    assertThatThrownBy(() -> invoker.invoke(notification(null))).isInstanceOf(IOException.class);
    assertThatThrownBy(() -> handled(method, null)).isInstanceOf(IOException.class);
  }

  /** A stage with a result type that is not its first type argument. */
  static class Tagged<K, V> extends CompletableFuture<V> {}

  /** A stage with a class that declares its result type. */
  static final class NamesStage extends Tagged<Integer, List<String>> {}

  /** A stage with a type argument that is not its result type. */
  static final class Marked<K> extends Tagged<K, Long> {}

  /** Methods that return stages of the types above. */
  @SuppressWarnings("unused")
  static class Stages {
    private static <S extends CompletableFuture<V>, V> S done(S stage, V value) {
      stage.complete(value);
      return stage;
    }

    public Tagged<Integer, String> tagged() {
      return done(new Tagged<>(), "a");
    }

    public NamesStage names() {
      return done(new NamesStage(), List.of("a", "b"));
    }

    public Marked<String> marked() {
      return done(new Marked<>(), 7L);
    }

    @SuppressWarnings("rawtypes")
    public CompletionStage raw() {
      return CompletableFuture.completedFuture(List.of(1, "a"));
    }

    public CompletionStage<? extends List<? extends Long>> wildcard() {
      return CompletableFuture.completedFuture(List.of(1L));
    }
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', textBlock = """
          tagged   | "a"       | {"type":"string"}
          names    | ["a","b"] | {"type":"array","items":{"type":"string"}}
          marked   | 7         | {"type":"integer"}
          raw      | [1,"a"]   | true
          wildcard | [1]       | {"type":"array","items":{"type":"integer"}}
          """)
  void aStageOfAnyClassIsAnsweredAndDescribedAsItsResult(
      String name, String result, String schema) {
    Service stages = Service.of(new Stages());
    assertThat(responded(stages, name, null).get("result")).hasToString(result);
    assertThat(method(stages, name).result()).hasToString(schema);
  }

  @Test
  void aStageThatIsNullIsAnErrorOfTheMethod() {
    assertThatThrownBy(() -> handled(method(CALCULATOR, "never"), null))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageEndingWith("never returned null for a stage");
    assertThat(responded(CALCULATOR, "never", null).get("error"))
        .isEqualTo(Json.parse("{\"code\":-32603,\"message\":\"Internal error\"}"));
  }

  // ---------------------------------------------------------------- which methods

  @Test
  void allPublicMethodsButStaticOnesAndThoseOfObjectAreServed() {
    assertThat(CALCULATOR.methods())
        .extracting(RpcMethod::name)
        .containsExactly(
            "echo",
            "either",
            "fails",
            "first",
            "half",
            "join",
            "later",
            "mixed",
            "never",
            "not",
            "nothing",
            "octet",
            "page",
            "single",
            "subtract",
            "sum");
  }

  @SuppressWarnings("unused")
  static class Annotated implements AutoCloseable {
    @Rpc(value = "calc.add", lane = Lane.INLINE)
    public int add(int a, int b) {
      return a + b;
    }

    public int hidden() {
      return 0;
    }

    @Override
    public void close() {}
  }

  @Test
  void whereAMethodIsAnnotatedOnlyTheAnnotatedOnesAreServed() {
    Service service = Service.of(new Annotated());
    assertThat(service.methods()).extracting(RpcMethod::name).containsExactly("calc.add");
    assertThat(method(service, "calc.add").lane(false)).isEqualTo(Lane.INLINE);
    assertThat(method(CALCULATOR, "sum").lane(false)).isEqualTo(Lane.CONCURRENT);
    assertThat(method(CALCULATOR, "sum").lane(true)).isEqualTo(Lane.ORDERED);
  }

  interface Store<K> extends AutoCloseable {
    @Rpc("store.put")
    String put(@Param("key") K key, @Param(value = "n", defaultsTo = "1") int count);

    default String both(K a, K b) {
      return put(a, 2) + put(b, 3);
    }

    @Override
    default void close() {}
  }

  interface Names extends Store<List<String>> {}

  private static final class RealNames implements Names {
    @Override
    public String put(List<String> list, int n) {
      return list.get(0) + n;
    }
  }

  @Test
  void anInterfaceIsServedByAPrivateClassWithItsTypeVariablesResolved() {
    Service service = Service.of(Names.class, new RealNames());
    assertThat(service.methods()).extracting(RpcMethod::name).containsExactly("store.put");
    assertThat(answer(service, "store.put", "{\"key\":[\"a\"]}")).isEqualTo("\"a1\"");
  }

  @Test
  void theAnnotationsOfAnInterfaceHoldForItsClasses() {
    Service service = Service.of(new RealNames());
    assertThat(answer(service, "store.put", "{\"key\":[\"a\"],\"n\":4}")).isEqualTo("\"a4\"");
  }

  interface Plain {
    int twice(int n);

    default int fourTimes(int n) {
      return twice(twice(n));
    }
  }

  @Test
  void defaultMethodsAndLambdasAreServed() {
    Service service = Service.of(Plain.class, n -> 2 * n);
    assertThat(answer(service, "fourTimes", "[3]")).isEqualTo("12");
    Service jdk = Service.of(IntBinaryOperator.class, Math::max);
    assertThat(answer(jdk, "applyAsInt", "[3,5]")).isEqualTo("5");
  }

  // ---------------------------------------------------------------- refusals at creation

  private static void refuses(Object target, String message) {
    assertThatThrownBy(() -> Service.of(target))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(message.replace("TEST", TypedMethodsTest.class.getName()));
  }

  @SuppressWarnings("unused")
  static class Overloaded {
    public int add(int a, int b) {
      return a + b;
    }

    public double add(double a, double b) {
      return a + b;
    }
  }

  @SuppressWarnings("unused")
  static class Backwards {
    public void f(Optional<String> a, int b) {}
  }

  @SuppressWarnings("unused")
  static class TwoCalls {
    public void f(Call a, Call b) {}
  }

  @SuppressWarnings("unused")
  static class Reserved {
    @Rpc("rpc.mine")
    public void f() {}
  }

  @SuppressWarnings("unused")
  static class BadDefault {
    public void f(@Param(defaultsTo = "ten") int a) {}
  }

  @SuppressWarnings("unused")
  static class WrongDefault {
    public void f(@Param(defaultsTo = "\"ten\"") int a) {}
  }

  @SuppressWarnings("unused")
  static class Unknown {
    public void f(Thread a) {}
  }

  @SuppressWarnings("unused")
  static class Lanes {
    @Rpc(lane = {Lane.INLINE, Lane.ORDERED})
    public void f() {}
  }

  @SuppressWarnings("unused")
  static class Twins {
    public void f(@Param("x") int a, @Param("x") int b) {}
  }

  @Test
  void aMethodThatCannotBeServedIsRefusedWithAMessageThatNamesIt() {
    refuses(
        new Overloaded(),
        "TEST$Overloaded has two methods for the name 'add', add(double, double) and add(int, int):"
            + " JSON-RPC has no overloads, so give one of them another name with @Rpc");
    refuses(
        new Backwards(),
        "TEST$Backwards.f: the parameter 'b' is required but follows the optional 'a', which"
            + " a call by position could then not leave out");
    refuses(new TwoCalls(), "TEST$TwoCalls.f: a method has at most one Call parameter");
    refuses(
        new Reserved(),
        "TEST$Reserved.f: the method name 'rpc.mine' is reserved: names that start with 'rpc.'"
            + " belong to the protocol (JSON-RPC 2.0 section 4.3); choose another");
    refuses(
        new BadDefault(),
        "TEST$BadDefault.f: the default of parameter 'a' does not fit: at offset 0: expected a value");
    refuses(
        new WrongDefault(),
        "TEST$WrongDefault.f: the default of parameter 'a' does not fit: " + INT + "a string");
    refuses(
        new Unknown(),
        "TEST$Unknown.f: parameter 'a': cannot bind java.lang.Thread to JSON: no"
            + " Binder knows it; give one to the options or the service, put repartee-jackson on"
            + " the class path for more types, or use dev.repartee.json.Json");
    refuses(new Lanes(), "TEST$Lanes.f: a method runs in one lane, not in 2");
    refuses(new Twins(), "TEST$Twins.f: two parameters have the name 'x'");
    refuses(new Object(), "java.lang.Object has no public method that could be served");
  }

  @Test
  void withoutNamesAMethodIsCalledByPositionOnly() {
    // The JDK's own classes are compiled without -parameters.
    Service service = Service.of(IntBinaryOperator.class, Math::max);
    assertThat(refusal(service, "applyAsInt", "{\"left\":1}"))
        .isEqualTo("this method takes its params by position, in an array");
    assertThat(refusal(service, "applyAsInt", "[1,\"x\"]")).isEqualTo("arg1: " + INT + "a string");
  }

  // ---------------------------------------------------------------- properties the engine reads

  @Test
  void parametersAndResultAreDescribed() {
    List<RpcMethod.Parameter> parameters =
        Objects.requireNonNull(method(CALCULATOR, "page").parameters());
    assertThat(parameters)
        .extracting(RpcMethod.Parameter::name)
        .containsExactly("query", "limit", "after", "n");
    assertThat(parameters)
        .extracting(RpcMethod.Parameter::required)
        .containsExactly(true, false, false, false);
    assertThat(Objects.requireNonNull(method(CALCULATOR, "sum").parameters()))
        .containsExactly(new RpcMethod.Parameter(
            "values", false, true, JsonType.of(int[].class).schema()));
    assertThat(method(CALCULATOR, "later").result())
        .hasToString("{\"type\":\"integer\",\"minimum\":-2147483648,\"maximum\":2147483647}");
    assertThat(method(CALCULATOR, "nothing").result()).hasToString("{\"type\":\"null\"}");
  }

  @Test
  void onlyMethodsThatCanOutliveTheirCallAreDetached() {
    Map<String, Boolean> expected =
        Map.of("subtract", false, "echo", false, "mixed", true, "later", true, "either", true);
    expected.forEach((name, detached) ->
        assertThat(method(CALCULATOR, name).isDetached()).as(name).isEqualTo(detached));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {"[42,23]", "{\"minuend\":42,\"subtrahend\":23}"})
  void aCallOfPrimitivesAllocatesNothing(String params) throws Throwable {
    MethodInvoker invoker =
        Objects.requireNonNull(method(CALCULATOR, "subtract").invoker());
    BorrowedExchange exchange = notification(params);
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    run(invoker, exchange, 50_000);
    long before = threads.getThreadAllocatedBytes(Thread.currentThread().getId());
    run(invoker, exchange, 100_000);
    long bytes = threads.getThreadAllocatedBytes(Thread.currentThread().getId()) - before;
    assertThat(bytes).isLessThan(100_000);
  }

  private static void run(MethodInvoker invoker, Exchange exchange, int times) throws Throwable {
    for (int i = 0; i < times; i++) {
      invoker.invoke(exchange);
    }
  }

  // ---------------------------------------------------------------- views of a call

  record Visit(String guest) implements CallView {}

  @SuppressWarnings("unused")
  static class Guestbook {
    public String welcome(String word, Visit visit) {
      return word + ", " + visit.guest();
    }
  }

  private static Json welcomed(Options options) {
    byte[] reply = FrameResponder.of(
            Service.of(new Guestbook()), options, new ChannelInfo("test", "", "message"))
        .respondAsync("""
            {"jsonrpc":"2.0","id":1,"method":"welcome","params":["Hello"]}""".getBytes(UTF_8))
        .toCompletableFuture()
        .orTimeout(60, TimeUnit.SECONDS)
        .join();
    return Json.parse(Objects.requireNonNull(reply));
  }

  @Test
  void aMethodTakesWhatAProtocolHasMadeOfTheCall() {
    Options options = Options.builder()
        .layer((call, next) -> {
          call.set(Attribute.named("visit"), new Visit("Ann"));
          return next.handle(call);
        })
        .build();

    assertThat(welcomed(options).get("result")).isEqualTo(Json.of("Hello, Ann"));
  }

  @Test
  void aCallOfWhichNoProtocolMadeThatFailsAndNamesIt() throws Exception {
    RpcMethod welcome = method(Service.of(new Guestbook()), "welcome");

    assertThat(welcomed(Options.DEFAULT).get("error")).isNotNull();
    assertThatThrownBy(() -> welcome.handle(call("welcome", "[\"Hello\"]")))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("'welcome'")
        .hasMessageContaining(Visit.class.getTypeName());
  }
}
