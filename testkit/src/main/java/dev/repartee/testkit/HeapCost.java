package dev.repartee.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Json;
import java.lang.ref.Reference;
import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Measures how many bytes of heap the values take that JSON becomes, for each byte of its text. That is
 * only exact in a process that does nothing else: {@link #measuredBy} starts one, whose main method calls
 * {@link #print} for each type. Its heap is small, so that a reader which needs much more memory in
 * between than it leaves behind fails there.
 */
public final class HeapCost {
  /** The bytes of text that each value is read from. */
  public static final int TEXT = 128 << 10;

  private static final int DEEP = 200;
  private static final int WARM_UP = 4 << 10;
  private static final int SHOWN = 24;
  private static final int PATIENCE_SECONDS = 120;

  private HeapCost() {}

  /**
   * Runs the main method of a class in a process of its own, with a heap of 24 MiB.
   *
   * @return its figures: the bytes of heap per byte of text, by the name of the case
   */
  public static Map<String, Double> measuredBy(Class<?> main) throws Exception {
    Process process = new ProcessBuilder(
            System.getProperty("java.home") + "/bin/java",
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC",
            "-XX:MarkSweepAlwaysCompactCount=1", // or a collection leaves some garbage behind
            "-Xmx24m",
            "-cp",
            System.getProperty("java.class.path"),
            main.getName())
        .redirectErrorStream(true)
        .start();
    try {
      String said = new String(process.getInputStream().readAllBytes(), UTF_8);
      assertThat(process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)).as(said).isTrue();
      assertThat(process.exitValue()).as(said).isZero();
      Map<String, Double> costs = new LinkedHashMap<>();
      for (String line : said.split("\n")) {
        int tab = line.indexOf('\t');
        if (tab > 0) { // the JVM may have something to say, too
          costs.put(line.substring(0, tab), Double.valueOf(line.substring(tab + 1)));
        }
      }
      return costs;
    } finally {
      process.destroyForcibly();
    }
  }

  /** Returns the generic type that a method of an interface returns; a class cannot say it. */
  public static Type type(Class<?> methods, String name) {
    for (Method method : methods.getDeclaredMethods()) {
      if (method.getName().equals(name)) {
        return method.getGenericReturnType();
      }
    }
    throw new IllegalArgumentException(name);
  }

  /** Returns a text that is nested so deep that few others are. */
  public static String nested(String open, String inner, String close) {
    return open.repeat(DEEP) + inner + close.repeat(DEEP);
  }

  /** Prints the cost of an array in which these elements take turns, read as that type. */
  public static void print(Type type, String... elements) {
    print(type, elements[0], array(WARM_UP, elements), array(TEXT, elements));
  }

  /** Prints the cost of an object of very many members with that value, read as that type. */
  public static void printObject(Type type, String value) {
    print(type, "{..." + value, object(WARM_UP, value), object(TEXT, value));
  }

  private static void print(Type type, String shown, String first, String text) {
    Json.parse(first).as(type); // loads the classes
    Json json = Json.parse(text);
    long before = used();
    Object value = json.as(type);
    long cost = used() - before;
    Reference.reachabilityFence(value);
    String name = type.getTypeName().replaceAll("[a-z.]+\\.(\\w+\\$)?", "");
    String element = shown.length() <= SHOWN ? shown : shown.substring(0, SHOWN) + "...";
    System.out.println(name + " of " + element + "\t" + cost / (double) text.length());
  }

  private static String array(int size, String... elements) {
    StringBuilder text = new StringBuilder(size).append('[');
    for (int i = 0; text.length() < size; i++) {
      text.append(i == 0 ? "" : ",").append(elements[i % elements.length]);
    }
    return text.append(']').toString();
  }

  private static String object(int size, String value) {
    StringBuilder text = new StringBuilder(size).append('{');
    for (int i = 0; text.length() < size; i++) {
      text.append(i == 0 ? "" : ",")
          .append('"')
          .append(Integer.toString(i, Character.MAX_RADIX))
          .append("\":")
          .append(value);
    }
    return text.append('}').toString();
  }

  private static long used() {
    System.gc();
    Runtime runtime = Runtime.getRuntime();
    return runtime.totalMemory() - runtime.freeMemory();
  }
}
