package dev.repartee.benchmarks.soak;

import dev.repartee.CallBuilder;
import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.benchmarks.soak.StreamAccount.Kind;
import dev.repartee.benchmarks.soak.StreamAccount.Subscriber;
import dev.repartee.reconnect.Backoff;
import dev.repartee.reconnect.ReconnectListener;
import dev.repartee.reconnect.Reconnecting;
import dev.repartee.stream.Streaming;
import dev.repartee.transport.Endpoint;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/** A client of a soak with streams: opens several at a time, and closes connections in between. */
final class StreamClient extends SoakThread {
  /** The number of streams at a time. */
  private static final int STREAMS = 6;

  /** The pause before an attempt to connect again. */
  private static final Duration PAUSE = Duration.ofMillis(20);

  private static final int[] SIZES = {0, 0, 0, 100, 5_000};

  private static final Streaming SUBSCRIPTION = Streaming.subscription("row", "leave");

  private final Endpoint endpoint;
  private final boolean reconnects;
  private final Options options;
  private final StreamAccount streams;
  private final LongAdder connections;
  private final Random random;

  /**
   * @param reconnects whether one peer lives for the whole time, and connects again by itself
   */
  StreamClient(
      Endpoint endpoint,
      boolean reconnects,
      Options options,
      StreamAccount account,
      LongAdder connections,
      Random random) {
    super("soak-" + endpoint.scheme(), account);
    this.endpoint = endpoint;
    this.reconnects = reconnects;
    this.options = options;
    this.streams = account;
    this.connections = connections;
    this.random = random;
  }

  @Override
  void step() throws InterruptedException {
    try {
      if (reconnects) {
        reconnecting();
      } else {
        connected();
      }
    } catch (IOException e) { // a proxy has severed the connection while it was opened
      Thread.sleep(PAUSE.toMillis());
    }
  }

  private void connected() throws IOException, InterruptedException {
    try (Peer peer = Repartee.connect(endpoint.toString(), options)) {
      connections.increment();
      rounds(peer);
    }
  }

  private void reconnecting() throws IOException, InterruptedException {
    AtomicReference<@Nullable Peer> current = new AtomicReference<>();
    try (Peer whole = Reconnecting.to(endpoint.toString())
        .backoff(Backoff.DEFAULT.initial(PAUSE).max(PAUSE))
        .listener(ReconnectListener.NONE)
        .onConnected(peer -> {
          connections.increment();
          current.set(peer);
        })
        .connect()) {
      while (!isOver() && whole.isOpen()) {
        Peer peer = current.get();
        if (peer != null && peer.isOpen()) {
          rounds(peer);
        } else {
          Thread.sleep(5);
        }
      }
    }
  }

  private void rounds(Peer peer) throws InterruptedException {
    int rounds = 1 + random.nextInt(10);
    for (int i = 0; i < rounds && !isOver() && peer.isOpen(); i++) {
      List<Subscriber> opened = new ArrayList<>();
      int count = 1 + random.nextInt(STREAMS);
      for (int k = 0; k < count; k++) {
        opened.add(open(peer));
      }
      if (random.nextInt(20) == 0) {
        Thread.sleep(random.nextInt(5));
        peer.close(Duration.ZERO);
      }
      for (Subscriber stream : opened) {
        stream.await();
      }
    }
  }

  private Subscriber open(Peer peer) throws InterruptedException {
    Kind[] kinds = Kind.values();
    Kind kind = kinds[random.nextInt(kinds.length - (isHttp() ? 1 : 0))];
    int size = SIZES[random.nextInt(SIZES.length)];
    int count = count(kind);
    Subscriber subscriber = streams.subscriber(kind, count, size);
    request(peer, kind, count, size).stream(String.class).subscribe(subscriber);
    if (kind == Kind.CANCELLED) {
      if (random.nextBoolean()) {
        Thread.sleep(random.nextInt(3));
      }
      subscriber.cancel();
    }
    return subscriber;
  }

  private int count(Kind kind) {
    return switch (kind) {
      case SLOW -> random.nextInt(300);
      case CANCELS -> 1 + random.nextInt(2_000);
      case CANCELLED -> Integer.MAX_VALUE;
      default -> random.nextInt(random.nextInt(10) == 0 ? 10_000 : 800);
    };
  }

  private CallBuilder request(Peer peer, Kind kind, int count, int size) {
    return switch (kind) {
      case SUBSCRIPTION -> peer.request("enter").args(count, size).streaming(SUBSCRIPTION);
      case BROKEN -> peer.request("broken").args(count, size);
      case CANCELS -> peer.request("rows").args(Integer.MAX_VALUE, size);
      default -> {
        Streaming small = Streaming.DEFAULT.buffer(1 + random.nextInt(256));
        yield peer.request("rows").args(count, size).streaming(small);
      }
    };
  }

  private boolean isHttp() {
    return endpoint.scheme().equals("http");
  }
}
