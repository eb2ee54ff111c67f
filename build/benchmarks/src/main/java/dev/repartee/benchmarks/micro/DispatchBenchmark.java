package dev.repartee.benchmarks.micro;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.Lane;
import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.Rpc;
import dev.repartee.Service;
import java.lang.reflect.Method;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;

/**
 * From the name of a method to its result, with calls of one method or of eight methods at random.
 * For Repartee this is a complete call with the smallest possible messages.
 */
public class DispatchBenchmark extends Measured {
  private static final int CALLS = 1 << 10;

  /** The number of methods that are called. */
  @Param({"1", "8"})
  public int methods = 8;

  private final Eight served = new Eight();
  private final BenchChannel channel = new BenchChannel();
  private final Map<String, Method> byName = new HashMap<>();
  private final byte[][] names = new byte[CALLS][];
  private final byte[][] requests = new byte[CALLS][];
  private int next;

  /** Opens a peer on a channel without a transport, and draws the methods to call. */
  @Setup
  public void open() {
    Peer.open(channel, Service.of(served), Options.DEFAULT);
    for (Method method : Eight.class.getDeclaredMethods()) {
      byName.put(method.getName(), method);
    }
    Random random = new Random(42);
    for (int i = 0; i < CALLS; i++) {
      String name = "method" + (1 + random.nextInt(methods));
      names[i] = name.getBytes(UTF_8);
      requests[i] = ("{\"jsonrpc\":\"2.0\",\"method\":\"" + name + "\",\"id\":1}").getBytes(UTF_8);
    }
  }

  /** Repartee, with decoding and encoding. */
  @Benchmark
  public int repartee() {
    return channel.answer(requests[next++ & CALLS - 1]);
  }

  /** A table of strings and reflection, as in most libraries, without decoding and encoding. */
  @Benchmark
  public Object reflection() throws ReflectiveOperationException {
    String name = new String(names[next++ & CALLS - 1], UTF_8);
    return Objects.requireNonNull(byName.get(name)).invoke(served);
  }

  /** The methods. */
  public static final class Eight {
    @Rpc(lane = Lane.INLINE)
    public int method1() {
      return 1;
    }

    @Rpc(lane = Lane.INLINE)
    public int method2() {
      return 2;
    }

    @Rpc(lane = Lane.INLINE)
    public int method3() {
      return 3;
    }

    @Rpc(lane = Lane.INLINE)
    public int method4() {
      return 4;
    }

    @Rpc(lane = Lane.INLINE)
    public int method5() {
      return 5;
    }

    @Rpc(lane = Lane.INLINE)
    public int method6() {
      return 6;
    }

    @Rpc(lane = Lane.INLINE)
    public int method7() {
      return 7;
    }

    @Rpc(lane = Lane.INLINE)
    public int method8() {
      return 8;
    }
  }
}
