package dev.repartee.testkit.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.json.Json;
import java.lang.reflect.Type;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Values read from a message take no more memory than docs/security.md states. */
@Tag("ci")
@NullMarked
class HeapCostTest {
  private static final int MOST = 40;

  /** A set of one element is an object with a map and a table, and takes two bytes of text. */
  private static final int MOST_OF_SETS_IN_SETS = 70;

  record Node(List<Node> a) {}

  record Sets(Set<Sets> a) {}

  record Named(Map<String, Named> a) {}

  record Maybe(Optional<Maybe> a) {}

  record Box<T>(T a) {}

  record Point(int x, double y) {}

  /** Lists of every type that core reads, by the names of the methods. */
  interface Lists {
    List<Integer> integers();

    List<Long> longs();

    List<Short> shorts();

    List<Byte> bytes();

    List<Double> doubles();

    List<Float> floats();

    List<Boolean> booleans();

    List<Character> characters();

    List<String> strings();

    List<CharSequence> texts();

    List<BigDecimal> decimals();

    List<BigInteger> bigIntegers();

    List<Json> json();

    List<Void> nothing();

    List<Object> objects();

    List<OptionalInt> optionalInts();

    List<OptionalLong> optionalLongs();

    List<OptionalDouble> optionalDoubles();

    List<Optional<Long>> optionals();

    List<Optional<Json>> optionalJson();

    List<Optional<BigDecimal>> optionalDecimals();

    List<int[]> intArrays();

    List<Object[]> objectArrays();

    List<List<Long>> lists();

    List<List<List<Object>>> listsOfLists();

    List<Set<Object>> sets();

    Set<Object> set();

    List<Set<Set<Object>>> setsOfSets();

    List<Set<Set<Set<Object>>>> setsOfSetsOfSets();

    List<Map<String, Object>> maps();

    List<Map<String, Map<String, Json>>> mapsOfMaps();

    List<Map<String, Set<Object>>> mapsOfSets();

    List<Node> nodes();

    List<Sets> setNodes();

    List<Named> mapNodes();

    List<Maybe> maybes();

    List<Box<BigDecimal>> boxesOfDecimals();

    List<Box<Box<Json>>> boxesOfBoxes();

    List<Box<Object>> boxes();

    List<Point> points();
  }

  /** Measures the costliest texts of each type. */
  static final class Values {
    private Values() {}

    public static void main(String[] args) {
      natural();
      scalars();
      containers();
      records();
    }

    private static void natural() {
      String thousand = "[" + "0,".repeat(999) + "0]";
      HeapCost.print(
          Object.class,
          thousand,
          HeapCost.nested("[", "0", "]") + "," + HeapCost.nested("[", "0", "]"));
      HeapCost.print(Object.class, "{\"\":" + thousand + "}", HeapCost.nested("[[", "", "]]"));
      for (String element : new String[] {
        "null",
        "0",
        "999",
        "-1",
        "0.5",
        "1e1",
        "1e999",
        "1e-400",
        "9999999999999999999",
        "\"\"",
        "\"a\"",
        "\"\u0416\"",
        "\"\\u0416\"",
        "[]",
        "[0]",
        "[0,0]",
        "[[[[[[[[0]]]]]]]]",
        "[0,0,0,0,0,0,0,0,0,0,0]",
        "{}",
        "{\"\":0}",
        "{\"\u0416\":0}",
        "{\"\":[]}",
        "{\"\":{}}",
        "{\"\":0,\"a\":0}"
      }) {
        HeapCost.print(Object.class, element);
      }
      HeapCost.print(Object.class, HeapCost.nested("{\"\":", "0", "}"));
      HeapCost.print(Object.class, HeapCost.nested("[{\"\":", "0", "}]"));
      HeapCost.print(Object.class, HeapCost.nested("{\"\":0,\"a\":", "0", "}"));
      HeapCost.printObject(Object.class, "0");
    }

    private static void scalars() {
      for (String name : List.of(
          "integers",
          "longs",
          "shorts",
          "doubles",
          "floats",
          "decimals",
          "bigIntegers",
          "json",
          "objects",
          "optionals",
          "optionalJson",
          "optionalDecimals")) {
        HeapCost.print(list(name), "0");
        HeapCost.print(list(name), "1000");
      }
      for (String name : List.of("optionalInts", "optionalLongs", "optionalDoubles")) {
        HeapCost.print(list(name), "0");
        HeapCost.print(list(name), "null");
      }
      HeapCost.print(list("bytes"), "0");
      HeapCost.print(list("booleans"), "true");
      HeapCost.print(list("nothing"), "0");
      HeapCost.print(list("characters"), "\"\u0416\"");
      for (String name : List.of("strings", "texts", "json")) {
        HeapCost.print(list(name), "\"\"");
        HeapCost.print(list(name), "\"a\"");
        HeapCost.print(list(name), "\"\\u0416\"");
      }
      for (String name : List.of("decimals", "bigIntegers", "json")) {
        for (String number : List.of("11", "17", "-1", "1e9", "1e99", "1e308", "9999999999")) {
          HeapCost.print(list(name), number);
        }
      }
      HeapCost.print(list("decimals"), "0.5");
      HeapCost.print(list("decimals"), "1e-1000");
      for (Class<?> array : List.of(int[].class, long[].class, double[].class, byte[].class)) {
        HeapCost.print(array, "0");
      }
      HeapCost.print(boolean[].class, "true");
      HeapCost.print(char[].class, "\"a\"");
      HeapCost.print(String[].class, "\"\"");
    }

    private static void containers() {
      for (String name : List.of("intArrays", "objectArrays", "lists", "sets")) {
        HeapCost.print(list(name), "[]");
        HeapCost.print(list(name), "[0]");
        HeapCost.print(list(name), "[0,1,2,3]");
      }
      HeapCost.print(int[][][].class, "[[]]");
      HeapCost.print(Object[][].class, "[{}]");
      for (String name : List.of("listsOfLists", "setsOfSets")) {
        HeapCost.print(list(name), "[[]]");
        HeapCost.print(list(name), "[[0]]");
      }
      HeapCost.print(list("setsOfSetsOfSets"), "[[[]]]");
      HeapCost.print(list("setsOfSetsOfSets"), "[[[0]]]");
      HeapCost.print(list("set"), "[]", "[0]");
      HeapCost.print(list("maps"), "{}");
      HeapCost.print(list("maps"), "{\"\":0}");
      HeapCost.print(list("mapsOfMaps"), "{\"\":{}}");
      HeapCost.print(list("mapsOfMaps"), "{\"\":{\"\":0}}");
      HeapCost.print(list("mapsOfSets"), "{\"\":[]}");
      HeapCost.print(list("mapsOfSets"), "{\"\":[0]}");
    }

    private static void records() {
      HeapCost.print(list("nodes"), "{\"a\":[]}");
      HeapCost.print(list("nodes"), HeapCost.nested("{\"a\":[", "", "]}"));
      HeapCost.print(
          list("nodes"),
          "{\"a\":[" + "null,".repeat(999) + "null]}",
          HeapCost.nested("{\"a\":[", "", "]}"));
      HeapCost.print(list("setNodes"), HeapCost.nested("{\"a\":[", "", "]}"));
      HeapCost.print(list("mapNodes"), HeapCost.nested("{\"a\":{\"\":", "null", "}}"));
      HeapCost.print(list("maybes"), "{}");
      HeapCost.print(list("maybes"), HeapCost.nested("{\"a\":", "{}", "}"));
      HeapCost.print(list("boxesOfDecimals"), "{\"a\":11}");
      HeapCost.print(list("boxesOfBoxes"), "{\"a\":{\"a\":0}}");
      HeapCost.print(list("boxes"), "{\"a\":{}}");
      HeapCost.print(list("points"), "{\"x\":0,\"y\":0}");
    }

    private static Type list(String name) {
      return HeapCost.type(Lists.class, name);
    }
  }

  @Test
  void valuesOfAMessageTakeAtMostFortyTimesItsBytes() throws Exception {
    Map<String, Double> costs = HeapCost.measuredBy(Values.class);
    assertThat(costs).hasSizeGreaterThan(100);
    assertThat(costs)
        .allSatisfy((name, cost) -> assertThat(cost)
            .as(name)
            .isLessThan(name.contains("Set<Set<") ? MOST_OF_SETS_IN_SETS : MOST));
  }
}
