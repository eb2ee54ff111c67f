package dev.repartee.testkit.memory;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.json.Json;
import java.lang.ref.Reference;
import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Measures the heap size of values read from JSON, in bytes per byte of text. The measurement is
 * exact only in a process that does nothing else: {@link #measuredBy} starts one, and its main
 * method calls {@link #print} for each type. Its heap is small. A reader that needs much more
 * temporary memory than it retains fails there.
 */
public final class HeapCost {
  /** The size of the JSON text of each value, in bytes. */
  public static final int TEXT = 128 << 10;

  private static final int DEEP = 200;
  private static final int WARM_UP = 4 << 10;
  private static final int SHOWN = 24;
  private static final int PATIENCE_SECONDS = 120;

  private HeapCost() {}

  /**
   * Runs the main method of a class in a new process with a heap of 24 MiB. Fails the test if the
   * process fails or does not end within two minutes.
   *
   * @return the heap size per byte of text, by the name of the case
   */
  public static Map<String, Double> measuredBy(Class<?> main) throws Exception {
    Process process = new ProcessBuilder(
            System.getProperty("java.home") + "/bin/java",
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC",
            "-XX:MarkSweepAlwaysCompactCount=1", // otherwise a collection may keep garbage
            "-Xmx24m",
            "-cp",
            System.getProperty("java.class.path"),
            main.getName())
        .redirectErrorStream(true)
        .start();
    try {
      String said = new String(process.getInputStream().readAllBytes(), UTF_8);
      if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS) || process.exitValue() != 0) {
        throw new AssertionError("the measuring process has failed: " + said);
      }
      Map<String, Double> costs = new LinkedHashMap<>();
      for (String line : said.split("\n")) {
        int tab = line.indexOf('\t');
        if (tab > 0) { // other lines are messages of the JVM
          costs.put(line.substring(0, tab), Double.valueOf(line.substring(tab + 1)));
        }
      }
      return costs;
    } finally {
      process.destroyForcibly();
    }
  }

  /** Returns the generic return type of a method, which a class literal cannot express. */
  public static Type type(Class<?> methods, String name) {
    for (Method method : methods.getDeclaredMethods()) {
      if (method.getName().equals(name)) {
        return method.getGenericReturnType();
      }
    }
    throw new IllegalArgumentException(name);
  }

  /** Returns a deeply nested text, 200 levels deep. */
  public static String nested(String open, String inner, String close) {
    return open.repeat(DEEP) + inner + close.repeat(DEEP);
  }

  /** Prints the cost of an array with these elements in turn, read as the given type. */
  public static void print(Type type, String... elements) {
    print(type, elements[0], array(WARM_UP, elements), array(TEXT, elements));
  }

  /** Prints the cost of an object with many members of the given value, read as the given type. */
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
