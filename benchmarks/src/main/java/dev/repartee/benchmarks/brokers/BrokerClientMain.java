package dev.repartee.benchmarks.brokers;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.benchmarks.load.Address;
import dev.repartee.benchmarks.load.Driver;
import dev.repartee.benchmarks.load.Sample;
import dev.repartee.benchmarks.load.Shape;
import dev.repartee.benchmarks.load.Workload;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/**
 * The process of a client: {@code BrokerClientMain CONTESTANT}. Each line of its input has the URI
 * of a service, the number of calls in flight, and the milliseconds of a sample, which it prints;
 * ends with its standard input.
 */
final class BrokerClientMain {
  private BrokerClientMain() {}

  public static void main(String[] args) {
    try {
      Library library = Contestant.valueOf(args[0]).library;
      Map<String, Library.Caller> callers = new HashMap<>();
      BufferedReader in = new BufferedReader(new InputStreamReader(System.in, UTF_8));
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        String[] words = line.split(" ");
        Library.Caller caller = callers.get(words[0]);
        if (caller == null) {
          caller = library.connect(words[0]);
          callers.put(words[0], caller);
        }
        Duration time = Duration.ofMillis(Long.parseLong(words[2]));
        System.out.println(run(caller, Integer.parseInt(words[1]), time).line());
      }
      System.exit(0);
    } catch (Throwable e) { // threads of the libraries would keep the process alive
      e.printStackTrace();
      System.exit(1);
    }
  }

  /**
   * Calls for that time, with that number of calls in flight. A single call at a time waits for its
   * result.
   */
  static Sample run(Library.Caller caller, int inFlight, Duration time) throws Exception {
    Driver.Connection calls = new Driver.Connection() {
      @Override
      public void call(Driver.Done done) throws Exception {
        if (blocks()) {
          done.done(caller.call());
        } else {
          caller.call(done);
        }
      }

      @Override
      public boolean blocks() {
        return inFlight == 1;
      }

      @Override
      public void close() {} // the client stays open for the next sample
    };
    return new Driver((server, workload) -> calls)
        .timed()
        .run(Address.port(0), Workload.SUBTRACT, new Shape(1, inFlight), time);
  }
}
