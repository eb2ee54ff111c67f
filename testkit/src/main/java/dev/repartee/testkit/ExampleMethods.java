package dev.repartee.testkit;

import dev.repartee.Call;
import dev.repartee.Json;
import dev.repartee.Lane;
import dev.repartee.Rpc;
import dev.repartee.Service;
import java.util.Arrays;
import java.util.List;

/**
 * The methods that {@link WorkedExamples} and {@link ClassificationTable} call, and two that tests of a
 * connection need: {@code echo} and {@code ask}. Tests with methods of their own extend it.
 */
public class ExampleMethods {
  /** Methods without state: one may serve all connections. */
  public ExampleMethods() {}

  /** These methods, and those of whoever extends this, as a service. */
  public final Service service() {
    return Service.of(this);
  }

  /** The difference of two numbers. */
  @Rpc(lane = Lane.INLINE)
  public int subtract(int minuend, int subtrahend) {
    return minuend - subtrahend;
  }

  /** The sum of any number of numbers. */
  @Rpc(lane = Lane.INLINE)
  public long sum(long... values) {
    return Arrays.stream(values).sum();
  }

  /** A notification of the specification. */
  @Rpc
  public void update(int... values) {}

  /** A notification of the specification. */
  @Rpc("notify_hello")
  public void notifyHello(int value) {}

  /** A notification of the specification. */
  @Rpc("notify_sum")
  public void notifySum(int... values) {}

  /** {@code ["hello",5]}. */
  @Rpc("get_data")
  public List<Object> data() {
    return List.of("hello", 5);
  }

  /** The value, byte for byte. */
  @Rpc(lane = Lane.INLINE)
  public Json echo(Json value) {
    return value;
  }

  /** Calls the caller back over the same connection, without arguments, and returns its answer. */
  @Rpc
  public Json ask(String method, Call call) {
    return call.peer().call(method, Json.class);
  }
}
