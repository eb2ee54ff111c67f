package foreign;

import dev.repartee.Call;
import dev.repartee.Rpc;
import dev.repartee.json.Json;
import dev.repartee.spring.RpcService;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.springframework.stereotype.Component;

/** A bean without aspects, with the methods that {@code repartee check} calls. */
@Component
@RpcService("/rpc")
public class Calculator {
  @Rpc
  public int subtract(int minuend, int subtrahend) {
    return minuend - subtrahend;
  }

  @Rpc
  public long sum(long... values) {
    return Arrays.stream(values).sum();
  }

  @Rpc
  public void update(int... values) {}

  @Rpc("notify_hello")
  public void notifyHello(int value) {}

  @Rpc("notify_sum")
  public void notifySum(int... values) {}

  @Rpc("get_data")
  public List<Object> data() {
    return List.of("hello", 5);
  }

  @Rpc
  public Json echo(Json value) {
    return value;
  }

  @Rpc
  public long sleep(long millis, Call call) throws InterruptedException {
    call.cancellation().sleep(Duration.ofMillis(millis));
    return millis;
  }

  /** Prints that a call has begun, and returns its number after 20 ms. */
  @Rpc
  public int work(int number) throws InterruptedException {
    System.out.println("begin " + number);
    Thread.sleep(20);
    return number;
  }
}
