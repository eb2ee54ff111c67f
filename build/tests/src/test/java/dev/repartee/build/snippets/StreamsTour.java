package dev.repartee.build.snippets;

import dev.repartee.*;
import dev.repartee.stream.*;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Flow;
import java.util.concurrent.SubmissionPublisher;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** The code of docs/streams.md. */
final class StreamsTour {
  private StreamsTour() {}

  public record Row(int id, String name) {}

  public static class Table {
    private final SubmissionPublisher<Row> changes = new SubmissionPublisher<>();

    public Stream<Row> rows(int count) { // or Iterator<Row>; closed at the end
      return IntStream.range(0, count).mapToObj(i -> new Row(i, "row " + i));
    }

    @Streamed(overflow = Overflow.DROP_OLDEST, buffer = 100)
    public Flow.Publisher<Row> changes() {
      return changes;
    }
  }

  public interface RemoteTable {
    RemoteStream<Row> rows(int count); // or Flow.Publisher<Row>

    RemoteStream<Row> changes();
  }

  public record Range(int from, int to) {}

  static Service numbers() {
    return Service.builder().stream(
            "numbers",
            Range.class,
            Integer.class,
            (range, call) -> IntStream.range(range.from(), range.to()).boxed())
        .build();
  }

  public static class Node {
    final SubmissionPublisher<String> heads = new SubmissionPublisher<>();

    @Rpc("eth_subscribe")
    @Streamed(subscription = "eth_subscription", unsubscribe = "eth_unsubscribe")
    public Flow.Publisher<String> subscribe(String what) {
      return heads;
    }
  }

  public record Query(String text) {}

  public static class Symbols {
    @Rpc(value = "workspace/symbol", paramsObject = true)
    @Streamed(partialResults = true)
    public Stream<String> find(Query query) {
      return Stream.of(query.text() + "1", query.text() + "2");
    }
  }

  static List<Object> read(String uri) throws Exception {
    List<Object> all = new ArrayList<>();
    try (Peer peer = Repartee.connect(uri)) {
      RemoteTable table = peer.proxy(RemoteTable.class);
      CompletableFuture<Void> done = table.rows(3).forEach(row -> all.add(row.name()));
      done.get(); // done.cancel(true) would end the stream

      RemoteStream<Integer> numbers =
          peer.request("numbers").params(new Range(3, 5)).stream(int.class);
      numbers.forEach(all::add).get();

      Streaming partial = Streaming.partialResults();
      peer.request("workspace/symbol").params(new Query("s")).streaming(partial).stream(
              String.class)
          .forEach(all::add)
          .get();
    }
    return all;
  }

  static String firstHead(String uri, Node node) throws Exception {
    try (Peer peer = Repartee.connect(uri)) {
      Streaming eth = Streaming.subscription("eth_subscription", "eth_unsubscribe");
      RemoteStream<String> heads =
          peer.request("eth_subscribe").args("newHeads").streaming(eth).stream(String.class);

      CompletableFuture<String> first = new CompletableFuture<>();
      CompletableFuture<Void> subscription = heads.forEach(first::complete);
      while (!node.heads.hasSubscribers()) {
        Thread.onSpinWait();
      }
      node.heads.submit("0x1");
      String head = first.get();
      subscription.cancel(true); // calls eth_unsubscribe
      return head;
    }
  }

  static int announce(String uri, CountDownLatch heard) throws IOException, InterruptedException {
    Service listener = Service.builder()
        .method("maintenance", call -> {
          heard.countDown();
          return null;
        })
        .build();
    try (Server server = Repartee.listen(uri, Service.NONE);
        Peer peer = Repartee.connect(server.endpoint(), listener, Options.DEFAULT)) {
      peer.call("rpc.ping", String.class);
      int missed = server.broadcast("maintenance", "22:00");
      heard.await();
      return missed;
    }
  }
}
