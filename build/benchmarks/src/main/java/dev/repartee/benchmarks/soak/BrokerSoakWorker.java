package dev.repartee.benchmarks.soak;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.Listener;
import dev.repartee.Options;
import dev.repartee.Repartee;
import dev.repartee.Rpc;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.benchmarks.process.Child;
import dev.repartee.benchmarks.process.Jvm;
import dev.repartee.transport.ChannelInfo;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The process of a worker behind a broker, and its handle in the soak. It writes the key of each call
 * to a file before it runs the call; the file survives the end of the process.
 */
final class BrokerSoakWorker {
  private static final int WORK_MILLIS = 2;
  private static final Duration CLOSING = Duration.ofSeconds(5);

  private final Child child;

  private BrokerSoakWorker(Child child) {
    this.child = child;
  }

  /** Starts a worker; returns when it accepts calls. */
  static BrokerSoakWorker start(String uri, Path file, Path log) throws IOException {
    List<String> options = List.of("-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1");
    Child child =
        new Child(Jvm.own().unpinned(options, BrokerSoakWorker.class, uri, file.toString()), log);
    child.hear();
    return new BrokerSoakWorker(child);
  }

  /** Kills the process, like a system that has run out of memory. */
  void kill() {
    child.kill();
  }

  /** Ends the process in order. */
  void close() throws IOException {
    child.ask("close");
    child.close();
  }

  // ---------------------------------------------------------------- in the process

  /** The methods, one of which is idempotent. */
  public static final class Methods {
    private final FileChannel file;

    Methods(FileChannel file) {
      this.file = file;
    }

    @Rpc
    public String once(String key) throws Exception {
      return work(key);
    }

    @Rpc(idempotent = true)
    public String again(String key) throws Exception {
      return work(key);
    }

    private String work(String key) throws Exception {
      file.write(ByteBuffer.wrap((key + "\n").getBytes(UTF_8)));
      TimeUnit.MILLISECONDS.sleep(WORK_MILLIS);
      return key;
    }
  }

  /** Serves a URI until a line or the end of the standard input. */
  public static void main(String[] args) throws Exception {
    FileChannel file =
        FileChannel.open(Path.of(args[1]), StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    Server server = Repartee.listen(args[0], Service.of(new Methods(file)), quiet());
    System.out.println("ready");
    if (System.in.read() >= 0) {
      server.close(CLOSING);
      System.out.println("closed");
    }
    System.exit(0);
  }

  /** Returns options without a log: losses are the purpose. */
  static Options quiet() {
    return Options.builder()
        .listener(new Listener() {
          @Override
          public void violation(ChannelInfo channel, String what) {}
        })
        .build();
  }
}
