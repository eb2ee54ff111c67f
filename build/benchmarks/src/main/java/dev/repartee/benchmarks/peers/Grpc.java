package dev.repartee.benchmarks.peers;

import dev.repartee.benchmarks.load.Address;
import dev.repartee.benchmarks.load.Document;
import dev.repartee.benchmarks.load.Driver.Connection;
import dev.repartee.benchmarks.load.Driver.Done;
import dev.repartee.benchmarks.load.Workload;
import dev.repartee.benchmarks.peers.GrpcCodec.Operands;
import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The clients of grpc-java, with its epoll transport, plaintext, and direct executors. */
final class Grpc {
  private static final Operands OPERANDS = new Operands(42, 23);

  private Grpc() {}

  private static ManagedChannel channel(Address server) {
    return NettyChannelBuilder.forAddress("127.0.0.1", server.port())
        .usePlaintext()
        .directExecutor()
        .build();
  }

  private static void shutDown(ManagedChannel channel) {
    try {
      channel.shutdownNow().awaitTermination(10, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Connects for calls that are requests of HTTP/2. */
  static Connection unary(Address server, Workload workload) {
    ManagedChannel channel = channel(server);
    if (workload == Workload.SUBTRACT) {
      return unary(channel, GrpcServer.SUBTRACT, OPERANDS, answer -> answer.minuend() == 19);
    }
    Document document = workload.document();
    return unary(channel, GrpcServer.ECHO, document, document::isAsLongAs);
  }

  private static <T> Connection unary(
      ManagedChannel channel, MethodDescriptor<T, T> method, T request, Predicate<T> expected) {
    return Connection.of(
        () -> shutDown(channel),
        done -> ClientCalls.asyncUnaryCall(
            channel.newCall(method, CallOptions.DEFAULT), request, new Answer<>(done, expected)));
  }

  private static final class Answer<T> implements StreamObserver<T> {
    private final Done done;
    private final Predicate<T> expected;
    private @Nullable T answer;

    Answer(Done done, Predicate<T> expected) {
      this.done = done;
      this.expected = expected;
    }

    @Override
    public void onNext(T value) {
      answer = value;
    }

    @Override
    public void onError(Throwable cause) {
      done.done(cause);
    }

    @Override
    public void onCompleted() {
      done.done(answer != null && expected.test(answer));
    }
  }

  /** Connects for calls that are messages of one bidirectional stream. */
  static Connection stream(Address server, Workload workload) {
    ManagedChannel channel = channel(server);
    int many = Workload.NOTIFICATIONS;
    return switch (workload) {
      case SUBTRACT ->
        new Stream<>(channel, OPERANDS, 1, 1, r -> r.minuend() == 19)
            .open(GrpcServer.SUBTRACT_STREAM);
      case NOTIFY ->
        new Stream<>(channel, OPERANDS, many, 1, r -> r.minuend() == many)
            .open(GrpcServer.NOTE_STREAM);
      case PUSH ->
        new Stream<>(channel, OPERANDS, 1, many, r -> r.minuend() == 42)
            .open(GrpcServer.PUSH_STREAM);
      default -> {
        Document document = workload.document();
        yield new Stream<>(channel, document, 1, 1, document::isAsLongAs)
            .open(GrpcServer.ECHO_STREAM);
      }
    };
  }

  /**
   * A bidirectional stream: answers arrive in the order of the requests. A call is a number of
   * messages in each direction.
   */
  private static final class Stream<T> implements StreamObserver<T> {
    private final ManagedChannel channel;
    private final T request;
    private final int there;
    private final int back;
    private final Predicate<T> expected;
    private final Queue<Done> waiting = new ConcurrentLinkedQueue<>();

    /** The number of messages received for the first pending call. */
    private int came;

    Stream(ManagedChannel channel, T request, int there, int back, Predicate<T> expected) {
      this.channel = channel;
      this.request = request;
      this.there = there;
      this.back = back;
      this.expected = expected;
    }

    Connection open(MethodDescriptor<T, T> method) {
      StreamObserver<T> requests =
          ClientCalls.asyncBidiStreamingCall(channel.newCall(method, CallOptions.DEFAULT), this);
      return Connection.of(
          () -> {
            requests.onCompleted();
            shutDown(channel);
          },
          done -> call(requests, done));
    }

    private synchronized void call(StreamObserver<T> requests, Done done) {
      waiting.add(done);
      for (int i = 0; i < there; i++) {
        requests.onNext(request);
      }
    }

    @Override
    public void onNext(T answer) {
      came++;
      boolean asExpected = expected.test(answer);
      if (came == back || !asExpected) {
        came = 0;
        waiting.remove().done(asExpected);
      }
    }

    @Override
    public void onError(Throwable cause) {
      for (Done done = waiting.poll(); done != null; done = waiting.poll()) {
        done.done(cause);
      }
    }

    @Override
    public void onCompleted() {
      // Only after the connection was closed.
    }
  }
}
