package dev.repartee.testkit.examples;

import dev.repartee.Call;
import dev.repartee.Lane;
import dev.repartee.Rpc;
import dev.repartee.Service;
import dev.repartee.json.Json;
import java.util.Arrays;
import java.util.List;

/**
 * The methods that {@link WorkedExamples} and {@link ClassificationTable} call, and two methods for
 * tests of connections: {@code echo} and {@code ask}. A test with its own methods extends this
 * class.
 */
public class ExampleMethods {
  /** Creates the methods. They have no state; one object can serve all connections. */
  public ExampleMethods() {}

  /** Returns a service of these methods and those of the subclass. */
  public final Service service() {
    return Service.of(this);
  }

  /** Returns the difference of two numbers. */
  @Rpc(lane = Lane.INLINE)
  public int subtract(int minuend, int subtrahend) {
    return minuend - subtrahend;
  }

  /** Returns the sum of any number of numbers. */
  @Rpc(lane = Lane.INLINE)
  public long sum(long... values) {
    return Arrays.stream(values).sum();
  }

  /** Does nothing: a notification of the specification's examples. */
  @Rpc
  public void update(int... values) {}

  /** Does nothing: a notification of the specification's examples. */
  @Rpc("notify_hello")
  public void notifyHello(int value) {}

  /** Does nothing: a notification of the specification's examples. */
  @Rpc("notify_sum")
  public void notifySum(int... values) {}

  /** Returns {@code ["hello",5]}. */
  @Rpc("get_data")
  public List<Object> data() {
    return List.of("hello", 5);
  }

  /** Returns the value, byte for byte. */
  @Rpc(lane = Lane.INLINE)
  public Json echo(Json value) {
    return value;
  }

  /**
   * Calls a method of the caller over the same connection, without arguments; returns its result.
   */
  @Rpc
  public Json ask(String method, Call call) {
    return call.peer().call(method, Json.class);
  }
}
