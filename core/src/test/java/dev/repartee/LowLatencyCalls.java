package dev.repartee;

/**
 * A process that calls itself in low-latency mode, from threads that wait for the responses, and
 * then exits.
 */
public final class LowLatencyCalls {
  private static final int CALLS = 2_000;

  private LowLatencyCalls() {}

  public static void main(String[] args) throws Exception {
    Service service =
        Service.builder().method("last", Lane.INLINE, call -> call.params()).build();
    try (Server server = Repartee.listen("tcp://127.0.0.1:0#latency=low", service);
        Peer peer = Repartee.connect(server.endpoint())) {
      Thread[] callers = {new Thread(() -> call(peer)), new Thread(() -> call(peer))};
      for (Thread caller : callers) {
        caller.start();
      }
      for (Thread caller : callers) {
        caller.join();
      }
    }
    System.out.println("done");
  }

  private static void call(Peer peer) {
    for (int i = 0; i < CALLS; i++) {
      int[] answer = peer.call("last", int[].class, i);
      if (answer[0] != i) {
        throw new IllegalStateException("asked for " + i + ", got " + answer[0]);
      }
    }
  }
}
