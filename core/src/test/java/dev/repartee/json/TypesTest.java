package dev.repartee.json;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.INTEGER;

import com.sun.management.ThreadMXBean;
import dev.repartee.Param;
import dev.repartee.limits.Limits;
import java.lang.management.ManagementFactory;
import java.lang.reflect.Type;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@NullMarked
class TypesTest {
  record Point(int x, int y) {}

  record Pair<A, B>(A left, B right) {}

  record Chain(int left, @Nullable Chain right) {}

  record Tree(String name, List<Tree> children) {}

  record Page(
      String query,
      @Param(defaultsTo = "10") int limit,
      Optional<String> after,
      @Param("class") @Nullable String kind) {}

  record Range(int low, int high) {
    Range {
      if (low > high) {
        throw new IllegalArgumentException("secret");
      }
    }
  }

  record Numbers(Map<String, List<Integer>> byName, Set<String> tags, int[][] grid) {}

  record BadDefault(@Param(defaultsTo = "\"ten\"") int limit) {}

  record Circle(@Param(defaultsTo = "{}") Circle next) {}

  record Endless<T>(Endless<List<T>> next) {}

  record Meeting(Instant at) {}

  @SuppressWarnings("unused")
  interface Shapes {
    List<? extends Point> wildcard();

    Pair<Point, List<String>> pair();

    Endless<String> endless();

    Map<Integer, String> byNumber();

    Optional<List<Integer>> maybe();

    Collection<Long> longs();

    Set<List<Integer>> pairs();
  }

  private static Type type(String method) {
    try {
      return Shapes.class.getDeclaredMethod(method).getGenericReturnType();
    } catch (NoSuchMethodException e) {
      throw new AssertionError(e);
    }
  }

  private static @Nullable Object read(String json, Type type) {
    return Json.parse(json).as(type);
  }

  private static void refuses(String json, Type type, String message) {
    assertThatThrownBy(() -> read(json, type))
        .isInstanceOf(JsonException.class)
        .hasMessage(message);
  }

  // ---------------------------------------------------------------- numbers

  @ParameterizedTest
  @CsvSource({
    "0,0",
    "-0,0",
    "2147483647,2147483647",
    "-2147483648,-2147483648",
    "1e2,100",
    "1.0,1",
    "100e-2,1",
    "1.5e1,15",
    "0.0000e-5,0",
    "2.147483647e9,2147483647"
  })
  void anIntegerMayBeWrittenAsAnyNumberThatIsOne(String json, int value) {
    assertThat(read(json, int.class)).isEqualTo(value);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"1.5", "2147483648", "-2147483649", "1e10", "1e-1", "1e999999999", "1e1001"})
  void anIntegerOutOfRangeOrWithAFractionIsRefusedWithTheRange(String json) {
    refuses(
        json, int.class, "expected an integer from -2147483648 to 2147483647, got another number");
  }

  @Test
  void everyWidthOfIntegerHasItsOwnRange() {
    assertThat(read("9223372036854775807", long.class)).isEqualTo(Long.MAX_VALUE);
    assertThat(read("-9223372036854775808", long.class)).isEqualTo(Long.MIN_VALUE);
    assertThat(read("-128", byte.class)).isEqualTo((byte) -128);
    assertThat(read("32767", short.class)).isEqualTo((short) 32767);
    refuses("128", byte.class, "expected an integer from -128 to 127, got another number");
    refuses("32768", short.class, "expected an integer from -32768 to 32767, got another number");
    refuses(
        "9223372036854775808",
        long.class,
        "expected an integer from -9223372036854775808 to 9223372036854775807,"
            + " got another number");
  }

  @Test
  void integersOfAnyLengthAreWrittenWithEachOfTheirDigits() {
    for (long power = 1; power > 0 && power <= Long.MAX_VALUE / 10; power *= 10) {
      for (long value : new long[] {power - 1, power, power + 1, 7 * power, 10 * power - 1}) {
        assertThat(new JsonWriter().number(value)).hasToString(Long.toString(value));
        assertThat(new JsonWriter().number(-value)).hasToString(Long.toString(-value));
      }
    }
    for (long value : new long[] {Long.MAX_VALUE, Long.MIN_VALUE, Long.MIN_VALUE + 1}) {
      assertThat(new JsonWriter().number(value)).hasToString(Long.toString(value));
    }
  }

  @Test
  void aValueOfAnotherKindIsRefusedByTheNameOfItsKind() {
    String expected = "expected an integer from -2147483648 to 2147483647, got ";
    refuses("\"5\"", int.class, expected + "a string");
    refuses("null", int.class, expected + "null");
    refuses("true", int.class, expected + "a boolean");
    refuses("[1]", int.class, expected + "an array");
    refuses("{}", int.class, expected + "an object");
    refuses("5", String.class, "expected a string, got a number");
    refuses("0", boolean.class, "expected true or false, got a number");
    refuses("\"\"", double.class, "expected a number, got a string");
    refuses("\"ab\"", char.class, "expected a string of one character, got a string");
    refuses("{}", List.class, "expected an array, got an object");
    refuses("[]", Map.class, "expected an object, got an array");
    refuses("[]", Point.class, "expected an object, got an array");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "0",
        "0.1",
        "0.30000000000000004",
        "1e22",
        "1e23",
        "9007199254740993",
        "123456789012345",
        "5e-324",
        "1e-400",
        "1.7976931348623157e308",
        "-2.5",
        "0.000001",
        "3.141592653589793",
        "100000000000000.5",
        "1.00000000000000000000000000000001",
        "8.41e21",
        "2.2250738585072011e-308"
      })
  void aDoubleIsTheOneNearestToTheText(String json) {
    assertThat(read(json, double.class)).isEqualTo(Double.parseDouble(json));
  }

  @Test
  void aDoubleKeepsTheSignOfZero() {
    assertThat((Double) read("-0", double.class)).isEqualTo(-0.0);
    assertThat((Double) read("-0.0", double.class)).isEqualTo(-0.0);
  }

  @Test
  void aNumberTooLargeForADoubleIsRefused() {
    refuses("1e999", double.class, "expected a number that a double can hold, got another number");
    refuses("1e39", float.class, "expected a number that a float can hold, got another number");
    assertThat(read("0.1", float.class)).isEqualTo(0.1f);
  }

  @Test
  void aDecimalKeepsItsDigits() {
    assertThat(read("12345678901234567890.10", BigDecimal.class))
        .isEqualTo(new BigDecimal("12345678901234567890.10"));
    assertThat(read("1e3", BigInteger.class)).isEqualTo(BigInteger.valueOf(1000));
  }

  /** Returns a JSON array of {@code count} different lists with the same hash code, each twice. */
  private static String listsOfOneHashCode(int count) {
    List<List<Integer>> lists = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      lists.add(List.of(i, -31 * i));
      lists.add(List.of(i, -31 * i));
    }
    return lists.toString();
  }

  @Test
  void aSetThatHashingCouldNotBearIsRefused() {
    Type pairs = type("pairs");
    assertThat((Set<?>) read(listsOfOneHashCode(250), pairs)).hasSize(250);
    refuses(
        listsOfOneHashCode(251),
        pairs,
        "more than 250 elements of a set have the same hash code; send fewer of them in one set");
    String texts = "[\"" + "\0".repeat(2_000).replace("\0", "Aa\",\"BB\",\"") + "\"]";
    assertThat((Set<?>) read(texts, Set.class)).hasSize(3);
  }

  @Test
  void aNumberThatArithmeticCouldNotBearIsRefused() {
    String digits = " of at most 1000 digits with an exponent from -1000 to ";
    String bounds = digits + "1000, got another number";
    String integers = digits + "308, got another number";
    refuses("1e1000000000", BigDecimal.class, "expected a number" + bounds);
    refuses("\"cat\"", BigDecimal.class, "expected a number, got a string");
    refuses("1e-1001", BigDecimal.class, "expected a number" + bounds);
    refuses("9".repeat(1001), BigInteger.class, "expected an integer" + integers);
    refuses("1.5", BigInteger.class, "expected an integer" + integers);
    refuses("1e309", BigInteger.class, "expected an integer" + integers);
    assertThat(read("1.5e308", BigInteger.class))
        .isEqualTo(new BigDecimal("1.5e308").toBigIntegerExact());
    assertThat(read("9".repeat(1000), BigInteger.class))
        .isEqualTo(new BigInteger("9".repeat(1000)));
    assertThat(read("1e00001000", BigDecimal.class)).isEqualTo(new BigDecimal("1e1000"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "0",
        "-0",
        "0.0",
        "-0.00",
        "0e5",
        "0.000e-7",
        "7",
        "-7",
        "10",
        "100",
        "1.50",
        "-1.50e3",
        "0.0012e4",
        "120e-1",
        "1e18",
        "1E+18",
        "1e19",
        "-1e18",
        "999999999999999999",
        "1000000000000000000",
        "9223372036854775807",
        "-9223372036854775808",
        "9223372036854775808",
        "-9223372036854775809",
        "9999999999999999999",
        "18446744073709551615",
        "18446744073709551617",
        "92233720368547758.07e2",
        "922337203685477580700e-2",
        "0.5",
        "100.5",
        "12345678901234567.5e1",
        "1e-1",
        "10e-1",
        "1e300",
        "1e308"
      })
  void aNumberIsReadExactlyWithAnyDigitsAndExponent(String json) {
    BigDecimal exact = new BigDecimal(json);
    assertThat(read(json, BigDecimal.class)).isEqualTo(exact);
    boolean integer = exact.stripTrailingZeros().scale() <= 0;
    if (integer) {
      assertThat(read(json, BigInteger.class)).isEqualTo(exact.toBigIntegerExact());
    } else {
      assertThatThrownBy(() -> read(json, BigInteger.class)).isInstanceOf(JsonException.class);
    }
    if (integer && exact.toBigIntegerExact().bitLength() < Long.SIZE) {
      assertThat(read(json, long.class)).isEqualTo(exact.longValueExact());
    } else {
      assertThatThrownBy(() -> read(json, long.class)).isInstanceOf(JsonException.class);
    }
    Object natural = read(json, Object.class);
    assertThat(new BigDecimal(String.valueOf(natural))).isEqualByComparingTo(exact);
  }

  /**
   * Measures allocated bytes, which reveal long numbers in the middle of a calculation more
   * reliably than time.
   */
  @Test
  void anIntegerOfAThousandDigitsIsReadWithoutArithmeticOnThem() {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    for (String json : List.of(
        "1." + "0".repeat(998), "1e" + "0".repeat(990) + "3", "1" + "0".repeat(998) + "e-998")) {
      byte[] text = json.getBytes(UTF_8);
      JsonType<Long> type = JsonType.of(long.class);
      long least = Long.MAX_VALUE;
      for (int i = 0; i < 5; i++) {
        long before = threads.getThreadAllocatedBytes(Thread.currentThread().getId());
        assertThat(type.read(text, 0, text.length)).isIn(1L, 1000L);
        long after = threads.getThreadAllocatedBytes(Thread.currentThread().getId());
        least = Math.min(least, after - before);
      }
      assertThat(least).as(json).isLessThan(text.length);
    }
  }

  // ---------------------------------------------------------------- other values

  @Test
  void textIsDecoded() {
    assertThat(read("\"a\\u00e9\\n\"", String.class)).isEqualTo("aé\n");
    assertThat(read("\"\\u0041\"", char.class)).isEqualTo('A');
    assertThat(read("\"x\"", CharSequence.class)).isEqualTo("x");
  }

  @Test
  void jsonKeepsTheTextByteForByte() {
    assertThat(read(" {\"n\": 1.10} ", Json.class)).hasToString("{\"n\": 1.10}");
    assertThat(read("null", Json.class)).isEqualTo(Json.NULL);
  }

  @Test
  void nullIsJavasNullForEveryTypeThatHasOne() {
    for (Type type : List.of(Integer.class, String.class, List.class, Map.class, Point.class)) {
      assertThat(read("null", type)).isNull();
    }
    assertThat(read("null", Optional.class)).isEqualTo(Optional.empty());
    assertThat(read("null", OptionalInt.class)).isEqualTo(OptionalInt.empty());
  }

  @Test
  void anObjectIsReadAsTheTextSuggests() {
    assertThat(read("[null,true,1,1.5,\"s\",{\"a\":[]}]", Object.class))
        .isEqualTo(Arrays.asList(null, true, 1L, 1.5, "s", Map.of("a", List.of())));
    assertThat(read("9223372036854775808", Object.class))
        .isEqualTo(new BigInteger("9223372036854775808"));
    assertThat(read("0.1", Object.class)).isEqualTo(0.1);
    assertThat(read("-0.0", Object.class)).isEqualTo(-0.0);
    assertThat(read("0.12345678901234567890", Object.class))
        .isEqualTo(new BigDecimal("0.12345678901234567890"));
    assertThat(read("1e400", Object.class)).isEqualTo(new BigDecimal("1e400"));
    assertThat(read("1e-400", Object.class)).isEqualTo(new BigDecimal("1e-400"));
  }

  @Test
  void arraysListsSetsAndMapsKeepTheirOrder() {
    assertThat(read("[ 1 , 2 ]", int[].class)).isEqualTo(new int[] {1, 2});
    assertThat(read("[1,2,3,4,5,6,7,8,9,10]", long[].class))
        .isEqualTo(new long[] {1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
    assertThat(read("[1.5]", double[].class)).isEqualTo(new double[] {1.5});
    assertThat(read("[true]", boolean[].class)).isEqualTo(new boolean[] {true});
    assertThat(read("[[\"a\"],[]]", String[][].class)).isEqualTo(new String[][] {{"a"}, {}});
    assertThat(read("[3,1]", type("longs"))).isEqualTo(List.of(3L, 1L));
    assertThat((Map<?, ?>) read("{\"b\":1,\"a\":2}", Map.class)).hasToString("{b=1, a=2}");
    assertThat((Set<?>) read("[\"b\",\"a\",\"b\"]", Set.class)).hasToString("[b, a]");
    assertThat(read("[[1]]", ArrayList.class)).isEqualTo(List.of(List.of(1L)));
  }

  @Test
  void aFaultInsideAValueIsReportedWithItsPlace() {
    refuses(
        "[1,2,\"x\"]",
        int[].class,
        "element 2: expected an integer from -2147483648 to 2147483647, got a string");
    refuses(
        "{\"byName\":{\"a\":[1,null,false]},\"tags\":[],\"grid\":[]}",
        Numbers.class,
        "member 'byName': member 'a': element 2: expected an integer from -2147483648 to"
            + " 2147483647, got a boolean");
    refuses("[\"a\",1]", String[].class, "element 1: expected a string, got a number");
  }

  @Test
  void aFaultDeepInsideIsReportedWithTheOutermostPartsOfItsPlace() {
    String nodes =
        "{\"left\":1,\"right\":{\"left\":1,\"right\":".repeat(100) + "0" + "}}".repeat(100);
    assertThatThrownBy(() -> read(nodes, Chain.class))
        .isInstanceOf(JsonException.class)
        .hasMessageStartingWith("member 'right': member 'right': ")
        .hasMessageEndingWith(": ...: expected an object, got a number")
        .extracting(e -> e.getMessage().length(), INTEGER)
        .isLessThan(600);
  }

  @Test
  void aNameOfThePeerIsCutBeforeItIsQuoted() {
    refuses(
        "{\"" + "n".repeat(1000) + "\":1}",
        Point.class,
        "unknown member '" + "n".repeat(60) + "...'; known are x, y");
  }

  // ---------------------------------------------------------------- records

  @Test
  void aRecordIsAnObjectOfItsComponentsInAnyOrder() {
    assertThat(read("{\"y\":2,\"\\u0078\":1}", Point.class)).isEqualTo(new Point(1, 2));
  }

  @Test
  void aMemberThatIsMissingUnknownOrDoubledIsNamed() {
    refuses("{}", Point.class, "missing: x, y");
    refuses("{\"x\":1}", Point.class, "missing: y");
    refuses("{\"x\":1,\"y\":2,\"z\":3}", Point.class, "unknown member 'z'; known are x, y");
    refuses("{\"x\":1,\"\\u0078\":1,\"y\":2}", Point.class, "member 'x' occurs twice");
    refuses("{\"a\":1,\"a\":1}", Map.class, "member 'a' occurs twice");
    refuses(
        "{\"x\":null,\"y\":2}",
        Point.class,
        "member 'x': expected an integer from -2147483648 to 2147483647, got null");
  }

  @Test
  void optionalComponentsAndThoseWithDefaultsMayBeMissing() {
    assertThat(read("{\"query\":\"q\",\"class\":null}", Page.class))
        .isEqualTo(new Page("q", 10, Optional.empty(), null));
    assertThat(read("""
        {"query":"q","limit":3,"after":"z","class":"c"}\
        """, Page.class)).isEqualTo(new Page("q", 3, Optional.of("z"), "c"));
    refuses("{\"limit\":3}", Page.class, "missing: query, class");
  }

  @Test
  void recordsNestGenericallyAndInThemselves() {
    assertThat(read("""
        {"left":{"x":1,"y":2},"right":["a"]}\
        """, type("pair"))).isEqualTo(new Pair<>(new Point(1, 2), List.of("a")));
    assertThat(read("[{\"x\":1,\"y\":2}]", type("wildcard"))).isEqualTo(List.of(new Point(1, 2)));
    assertThat(read("""
        {"name":"a","children":[{"name":"b","children":[]}]}\
        """, Tree.class)).isEqualTo(new Tree("a", List.of(new Tree("b", List.of()))));
    assertThat(read("{\"left\":1,\"right\":\"r\"}", Pair.class)).isEqualTo(new Pair<>(1L, "r"));
    assertThat(read("[1]", type("maybe"))).isEqualTo(Optional.of(List.of(1)));
  }

  @Test
  void theMessageOfARecordsConstructorIsNotSent() {
    assertThatThrownBy(() -> read("{\"low\":2,\"high\":1}", Range.class))
        .isInstanceOf(JsonException.class)
        .hasMessage("the values of low, high do not go together")
        .hasRootCauseMessage("secret");
  }

  @Test
  void aTypeThatCannotBeBoundIsRefusedInASentence() {
    assertThatThrownBy(() -> JsonType.of(Meeting.class))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "dev.repartee.json.TypesTest$Meeting: component 'at': cannot bind java.time.Instant"
                + " to JSON: no Binder knows it; give one to the options or the service, put"
                + " repartee-jackson on the class path for more types, or use"
                + " dev.repartee.json.Json");
    assertThatThrownBy(() -> JsonType.of(type("byNumber")))
        .hasMessageStartingWith("cannot bind java.util.Map<java.lang.Integer");
    assertThatThrownBy(() -> JsonType.of(type("endless")))
        .hasMessageContaining("holds types without end");
    assertThatThrownBy(() -> JsonType.of(BadDefault.class))
        .hasMessage(
            "the default of component 'limit' does not fit: expected an integer from -2147483648"
                + " to 2147483647, got a string");
    assertThatThrownBy(() -> JsonType.of(Circle.class))
        .hasMessage("the default of component 'next' does not fit: it leads back to itself");
  }

  // ---------------------------------------------------------------- writing

  @Test
  void aValueIsWrittenByItsClass() {
    Map<String, @Nullable Object> map = new LinkedHashMap<>();
    map.put("list", Arrays.asList(1, 2L, (short) 3, (byte) 4, 1.5f, 2.0, null, true, 'c'));
    map.put("big", List.of(new BigDecimal("1.10"), BigInteger.TEN));
    map.put("arrays", new Object[] {new int[] {1}, new String[] {"a"}, new boolean[] {true}});
    map.put("optionals", List.of(Optional.of(1), Optional.empty(), OptionalInt.of(2)));
    map.put("json", Json.parse("[ 1 ]"));
    map.put("text", new StringBuilder("é\"\n"));
    assertThat(Json.of(map)).hasToString("""
        {"list":[1,2,3,4,1.5,2,null,true,"c"],"big":[1.10,10],\
        "arrays":[[1],["a"],[true]],"optionals":[1,null,2],"json":[ 1 ],\
        "text":"é\\"\\n"}""");
  }

  @Test
  void aRecordIsWrittenWithoutItsEmptyOptionals() {
    assertThat(Json.of(new Page("q", 1, Optional.empty(), null)))
        .hasToString("{\"query\":\"q\",\"limit\":1,\"class\":null}");
    assertThat(Json.of(new Pair<>(new Point(1, 2), Optional.of("x")))).hasToString("""
        {"left":{"x":1,"y":2},"right":"x"}""");
  }

  @Test
  void aMapWithOtherKeysThanStringsIsRefused() {
    assertThatThrownBy(() -> Json.of(Map.of(1, 2)))
        .hasMessage("a map with the key 1 cannot become a JSON object: member names are strings");
  }

  @Test
  void aValueOfAnUnsupportedTypeIsRefused() {
    assertThatThrownBy(() -> Json.of(Instant.EPOCH))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("java.time.Instant");
  }

  @Test
  void aPlainObjectIsRefusedWhereverItStands() {
    Object plain = new Object();
    for (Object value : List.of(
        plain,
        List.of(plain),
        Map.of("a", plain),
        new Object[] {plain},
        Optional.of(plain),
        new Pair<>(plain, 1))) {
      assertThatThrownBy(() -> Json.of(value))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("java.lang.Object");
    }
  }

  @Test
  void aStructureThatHoldsItselfIsRefused() {
    List<Object> self = new ArrayList<>();
    self.add(self);
    assertThatThrownBy(() -> Json.of(self))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("the value nests deeper than 500: does it hold itself?");
  }

  @Test
  void aBufferThatWasTakenBackStartsAtDepthZero() {
    List<Object> self = new ArrayList<>();
    self.add(self);
    JsonWriter out = new JsonWriter();
    for (int i = 0; i < 3; i++) {
      assertThatThrownBy(() -> JsonTypes.standard().write(out, self))
          .isInstanceOf(IllegalArgumentException.class);
      out.truncate(0);
      JsonTypes.standard().write(out, List.of(List.of()));
      assertThat(out).hasToString("[[]]");
    }
  }

  @Test
  void aValueAtTheDepthLimitIsReadAndWritten() {
    String deep = "[".repeat(Limits.DEPTH) + "]".repeat(Limits.DEPTH);
    assertThat(Json.of(read(deep, Object.class))).hasToString(deep);
  }

  // ---------------------------------------------------------------- schemas

  @Test
  void aSchemaDescribesTheAcceptedValues() {
    assertThat(JsonType.of(long.class).schema()).hasToString("{\"type\":\"integer\"}");
    assertThat(JsonType.of(byte.class).schema())
        .hasToString("{\"type\":\"integer\",\"minimum\":-128,\"maximum\":127}");
    assertThat(JsonType.of(String[].class).schema()).hasToString("""
        {"type":"array","items":{"type":"string"}}""");
    assertThat(JsonType.of(Map.class).schema())
        .hasToString("{\"type\":\"object\",\"additionalProperties\":true}");
    assertThat(JsonType.of(Page.class).schema()).hasToString("""
        {"type":"object","properties":{"query":{"type":"string"},\
        "limit":{"type":"integer","minimum":-2147483648,"maximum":2147483647},\
        "after":{"anyOf":[{"type":"string"},{"type":"null"}]},"class":{"type":"string"}},\
        "required":["query","class"],"additionalProperties":false}""");
  }

  @Test
  void theSchemaOfARecordInItselfIsAnyObject() {
    assertThat(JsonType.of(Tree.class).schema()).hasToString("""
        {"type":"object","properties":{"name":{"type":"string"},\
        "children":{"type":"array","items":{"type":"object"}}},"required":["name",\
        "children"],"additionalProperties":false}""");
  }
}
