package dev.repartee.resilience;

import dev.repartee.Call;
import dev.repartee.ClockOptions;
import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.internal.FakeClock;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;

/** A server over TCP whose answers a test chooses, and clients on a clock of the test. */
@NullMarked
final class Later implements AutoCloseable {
  /** A call that waits for its answer. */
  record Waiting(Call call, CompletableFuture<@Nullable Object> answer) {}

  final FakeClock clock = new FakeClock();

  /** The calls of the method {@code later}, in the order of their arrival. */
  final BlockingQueue<Waiting> waiting = new LinkedBlockingQueue<>();

  private final List<CompletableFuture<@Nullable Object>> answers = new CopyOnWriteArrayList<>();
  private final Map<String, AtomicInteger> served = new ConcurrentHashMap<>();
  private final Server server;

  Later() throws Exception {
    Service service = Service.builder()
        .method("one", call -> count(call, 1))
        .method("two", call -> count(call, 2))
        .method("later", this::later)
        .method("slow", this::later)
        .build();
    server = Repartee.listen("tcp://127.0.0.1:0", service);
  }

  private Object count(Call call, int result) {
    served.computeIfAbsent(call.method(), added -> new AtomicInteger()).incrementAndGet();
    return result;
  }

  private Object later(Call call) {
    CompletableFuture<@Nullable Object> answer = new CompletableFuture<>();
    answers.add(answer);
    waiting.add(new Waiting(call, answer));
    return answer;
  }

  /** Returns how often a method was served. */
  int served(String method) {
    AtomicInteger number = served.get(method);
    return number == null ? 0 : number.get();
  }

  /** Returns the next call that has arrived. */
  Waiting next() throws InterruptedException {
    Waiting next = waiting.poll(60, TimeUnit.SECONDS);
    if (next == null) {
      throw new AssertionError("no call has arrived");
    }
    return next;
  }

  String uri() {
    return server.endpoint().toString();
  }

  Peer connect(Resilience resilience) throws Exception {
    return connect(resilience.instrument(ClockOptions.builder(clock).build()));
  }

  Peer connect(Options options) throws Exception {
    return Repartee.connect(uri(), Service.NONE, options);
  }

  @Override
  public void close() {
    answers.forEach(each -> each.complete(0));
    server.close();
  }
}
