package dev.repartee.benchmarks.soak;

import dev.repartee.Call;
import dev.repartee.CallFuture;
import dev.repartee.Lane;
import dev.repartee.Rpc;
import dev.repartee.Service;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.LongAdder;

/** The methods that both sides of a soak serve. */
public final class SoakMethods {
  private static final Duration PATIENCE = Duration.ofSeconds(5);

  private final SoakAccount account;
  final LongAdder notes = new LongAdder();

  SoakMethods(SoakAccount account) {
    this.account = account;
  }

  Service service() {
    return Service.of(this);
  }

  /** Returns the answer of {@link #work}. */
  static String answer(int number, String load) {
    return number + ":" + load;
  }

  @Rpc
  public String work(int number, String load) {
    return answer(number, load);
  }

  @Rpc(lane = Lane.INLINE)
  public String quick(int number, String load) {
    return answer(number, load);
  }

  @Rpc
  public void note(int number) {
    notes.increment();
  }

  /** Reports progress several times, then answers. */
  @Rpc
  public String report(int number, String load, Call call) {
    for (int i = 0; i < 10; i++) {
      call.progress(i);
    }
    return answer(number, load);
  }

  /** Sleeps for a while before it answers, unless it is cancelled. */
  @Rpc
  public String sleep(int number, String load, Call call) throws InterruptedException {
    call.cancellation().sleep(Duration.ofMillis(100));
    return answer(number, load);
  }

  /** Calls the caller back, and returns the answer of that call. */
  @Rpc
  public CompletableFuture<String> ask(int number, String load, Call call) {
    CallFuture<String> asked = account.start(
        SoakAccount.Kind.CALL_BACK,
        () -> call.peer().request("work").args(number, load).timeout(PATIENCE).send(String.class),
        answer(number, load));
    return asked == null
        ? CompletableFuture.failedFuture(new IllegalStateException("cannot call back"))
        : asked;
  }
}
