package dev.repartee.jackson;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.json.Json;
import dev.repartee.testkit.memory.HeapCost;
import java.lang.reflect.Type;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.URI;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.time.ZonedDateTime;
import java.util.ArrayDeque;
import java.util.Date;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.UUID;
import java.util.Vector;
import java.util.WeakHashMap;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.PriorityBlockingQueue;
import java.util.regex.Pattern;
import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Checks the limits that docs/security.md gives for the memory of values read by Jackson. */
@Tag("ci")
@NullMarked
class HeapCostTest {
  private static final List<Class<?>> LARGE_WHEN_EMPTY = List.of(
      IdentityHashMap.class,
      WeakHashMap.class,
      LinkedBlockingQueue.class,
      PriorityBlockingQueue.class,
      ArrayBlockingQueue.class,
      Pattern.class);

  static final class Node {
    public @Nullable List<Node> a;
  }

  static final class Sets {
    public @Nullable Set<Sets> a;
  }

  static final class Any {
    public @Nullable Object a;
  }

  static final class Numbers {
    public @Nullable List<BigInteger> a;
    public @Nullable List<BigDecimal> b;
  }

  static final class Values {
    public @Nullable List<Json> a;
    public @Nullable List<Optional<Json>> b;
  }

  /** Lists of types that Jackson reads, each returned by a method that is named after it. */
  interface Lists {
    List<Node> nodes();

    List<Sets> sets();

    List<Any> any();

    List<Numbers> numbers();

    List<Values> values();

    List<JsonNode> json();

    List<DayOfWeek> days();

    List<EnumSet<DayOfWeek>> enumSets();

    List<EnumMap<DayOfWeek, Object>> enumMaps();

    List<IdentityHashMap<String, Object>> identityMaps();

    List<WeakHashMap<String, Object>> weakMaps();

    List<LinkedBlockingQueue<Object>> linkedQueues();

    List<PriorityBlockingQueue<String>> priorityQueues();

    List<ArrayBlockingQueue<Object>> arrayQueues();

    List<Pattern> patterns();

    List<Map<Integer, Object>> maps();

    List<HashMap<String, Object>> hashMaps();

    List<SortedMap<String, Object>> sortedMaps();

    List<ConcurrentHashMap<String, Object>> concurrentMaps();

    List<HashSet<Object>> hashSets();

    List<SortedSet<String>> sortedSets();

    List<LinkedList<Object>> linkedLists();

    List<ArrayDeque<Object>> deques();

    List<Vector<Object>> vectors();

    List<Instant> instants();

    List<LocalDate> dates();

    List<OffsetDateTime> offsetTimes();

    List<ZonedDateTime> zonedTimes();

    List<Duration> durations();

    List<Date> oldDates();

    List<UUID> ids();

    List<URI> uris();
  }

  /** Measures the most expensive texts of each type. */
  static final class Program {
    private Program() {}

    public static void main(String[] args) {
      String thousand = "[" + "0,".repeat(999) + "0]";
      for (String element : new String[] {
        "0",
        "999",
        "0.5",
        "1e9",
        "\"\"",
        "\"a\"",
        "[]",
        "[0]",
        "{}",
        "{\"\":0}",
        "{\"\":[]}",
        "{\"\":{}}",
        "[[[[[[0]]]]]]"
      }) {
        HeapCost.print(list("json"), element);
        HeapCost.print(list("any"), "{\"a\":" + element + "}");
      }
      HeapCost.print(list("json"), thousand, HeapCost.nested("[", "0", "]"));
      HeapCost.print(list("json"), HeapCost.nested("[", "", "]"));
      HeapCost.print(list("json"), HeapCost.nested("{\"\":", "0", "}"));
      HeapCost.print(
          list("any"),
          "{\"a\":" + thousand + "}",
          "{\"a\":" + HeapCost.nested("[", "0", "]") + "}");
      HeapCost.print(list("any"), "{\"a\":" + HeapCost.nested("{\"\":", "0", "}") + "}");
      HeapCost.print(
          list("nodes"),
          "{\"a\":[" + "null,".repeat(999) + "null]}",
          HeapCost.nested("{\"a\":[", "", "]}"));
      HeapCost.print(list("nodes"), "{}");
      HeapCost.print(list("nodes"), "{\"a\":[]}");
      HeapCost.print(list("sets"), "{\"a\":[]}");
      HeapCost.print(list("sets"), HeapCost.nested("{\"a\":[", "", "]}"));
      HeapCost.print(list("numbers"), "{\"a\":[" + "17,".repeat(999) + "17]}");
      HeapCost.print(list("numbers"), "{\"a\":[" + "1e308,".repeat(999) + "17]}");
      HeapCost.print(list("numbers"), "{\"b\":[" + "11,".repeat(999) + "17]}");
      HeapCost.print(list("values"), "{\"a\":[" + "0,".repeat(999) + "17]}");
      HeapCost.print(list("values"), "{\"b\":[" + "0,".repeat(999) + "17]}");
      HeapCost.print(list("days"), "\"MONDAY\"");
      for (String name :
          List.of("enumSets", "hashSets", "sortedSets", "linkedLists", "deques", "vectors")) {
        HeapCost.print(list(name), "[]");
      }
      for (String name : List.of("hashSets", "linkedLists", "deques", "vectors")) {
        HeapCost.print(list(name), "[0]");
      }
      HeapCost.print(list("enumSets"), "[\"MONDAY\"]");
      HeapCost.print(list("enumMaps"), "{\"MONDAY\":0}");
      HeapCost.print(list("sortedSets"), "[\"\"]");
      for (String name : List.of("enumMaps", "maps", "hashMaps", "sortedMaps", "concurrentMaps")) {
        HeapCost.print(list(name), "{}");
      }
      for (String name : List.of("maps", "hashMaps", "sortedMaps", "concurrentMaps")) {
        HeapCost.print(list(name), "{\"1\":0}");
      }
      HeapCost.print(list("identityMaps"), "{}");
      HeapCost.print(list("weakMaps"), "{}");
      HeapCost.print(list("linkedQueues"), "[]");
      HeapCost.print(list("priorityQueues"), "[]");
      HeapCost.print(list("arrayQueues"), "[]");
      HeapCost.print(list("patterns"), "\"http:a\"");
      HeapCost.print(list("instants"), "\"2026-01-31T12:00:00Z\"");
      HeapCost.print(list("dates"), "\"2026-01-31\"");
      HeapCost.print(list("offsetTimes"), "\"2026-01-31T12:00:00Z\"");
      HeapCost.print(list("zonedTimes"), "\"2026-01-31T12:00:00Z\"");
      HeapCost.print(list("oldDates"), "\"2026-01-31T12:00:00Z\"");
      HeapCost.print(list("durations"), "\"PT1S\"");
      HeapCost.print(list("ids"), "\"00000000-0000-0000-0000-000000000000\"");
      HeapCost.print(list("uris"), "\"a\"");
    }

    private static Type list(String name) {
      return HeapCost.type(Lists.class, name);
    }
  }

  @Test
  void valuesReadByJacksonTakeNoMoreThanSixtyTimesTheBytesOfTheMessage() throws Exception {
    Map<String, Double> costs = HeapCost.measuredBy(Program.class);
    assertThat(costs).hasSizeGreaterThan(60);
    assertThat(costs).allSatisfy((name, cost) -> assertThat(cost).as(name).isLessThan(most(name)));
  }

  /** Returns the limit that docs/security.md gives for a type. */
  private static double most(String name) {
    boolean large = LARGE_WHEN_EMPTY.stream().anyMatch(type -> name.contains(type.getSimpleName()));
    return large ? 120 : 60;
  }
}
