package dev.repartee.testkit;

import dev.repartee.Call;
import dev.repartee.Json;
import dev.repartee.Lane;
import dev.repartee.Repartee;
import dev.repartee.Rpc;
import dev.repartee.Server;
import dev.repartee.Service;
import java.time.Duration;
import java.util.List;

/** The methods that the worked examples of the specification call, and some more. */
public final class Demo {
  /** The methods. */
  public static final Service SERVICE = Service.of(new Demo());

  /** Serves standard input, as a child process of a test. */
  public static void main(String[] args) throws Exception {
    try (Server server = Repartee.listen(args.length == 0 ? "stdio:" : args[0], SERVICE)) {
      server.join();
    }
  }

  /** The command that runs {@link #main} in another process, as a URI. */
  static String exec(String listen) {
    List<String> command = List.of(
        System.getProperty("java.home") + "/bin/java",
        "-XX:TieredStopAtLevel=1",
        "-cp",
        System.getProperty("java.class.path"),
        Demo.class.getName(),
        listen);
    return "exec:" + Json.of(command);
  }

  @Rpc(lane = Lane.INLINE)
  public int subtract(int minuend, int subtrahend) {
    return minuend - subtrahend;
  }

  @Rpc(lane = Lane.INLINE)
  public long sum(long... values) {
    return java.util.Arrays.stream(values).sum();
  }

  @Rpc
  public void update(int... values) {}

  @Rpc("notify_hello")
  public void notifyHello(int value) {}

  @Rpc("notify_sum")
  public void notifySum(int... values) {}

  @Rpc("get_data")
  public List<Object> getData() {
    return List.of("hello", 5);
  }

  @Rpc(lane = Lane.INLINE)
  public Json echo(Json value) {
    return value;
  }

  @Rpc
  public long sleep(long millis, Call call) throws InterruptedException {
    call.cancellation().sleep(Duration.ofMillis(millis));
    return millis;
  }

  @Rpc
  public Json ask(String method, Call call) {
    return call.peer().call(method, Json.class);
  }
}
