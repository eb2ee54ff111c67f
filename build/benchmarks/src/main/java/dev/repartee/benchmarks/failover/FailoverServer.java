package dev.repartee.benchmarks.failover;

import dev.repartee.Repartee;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.benchmarks.process.Replies;
import java.util.concurrent.TimeUnit;

/**
 * The process of a server that is killed: {@code FailoverServer URI NAME}. Answers any line of its
 * input with its address, and ends with its input.
 */
final class FailoverServer {
  static final int WORK_MILLIS = 5;

  private FailoverServer() {}

  public static void main(String[] args) throws Exception {
    String name = args[1];
    Service service = Service.builder()
        .method("work", call -> {
          TimeUnit.MILLISECONDS.sleep(WORK_MILLIS);
          return name;
        })
        .build();
    Server server = Repartee.listen(args[0], service);
    Replies.serve(words -> server.endpoint().toString());
  }
}
