package dev.repartee.benchmarks;

import dev.repartee.benchmarks.Driver.Connection;
import dev.repartee.benchmarks.Driver.Done;
import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** grpc-java on both sides, with its epoll transport, plaintext, and direct executors. */
final class Grpc implements Contestant {
  private final boolean streams;

  Grpc(boolean streams) {
    this.streams = streams;
  }

  @Override
  public String name() {
    return streams ? "grpc-bidi" : "grpc-unary";
  }

  @Override
  public String about() {
    return "grpc-java on both sides, "
        + (streams ? "one stream a connection" : "unary calls")
        + ", protobuf, direct executors";
  }

  @Override
  public boolean plays(Workload workload, Shape shape) {
    return workload == Workload.SUBTRACT || workload.isTyped();
  }

  @Override
  public String limit() {
    return "raw-loop";
  }

  @Override
  public int warmUps() {
    return 4; // it has far more code to compile than any other
  }

  @Override
  public Address serve(Workload workload) throws IOException {
    return GrpcServer.listen();
  }

  @Override
  public Client client() {
    return new Driver(this::connect);
  }

  private Connection connect(Address server, Workload workload) {
    ManagedChannel channel = NettyChannelBuilder.forAddress("127.0.0.1", server.port())
        .usePlaintext()
        .directExecutor()
        .build();
    if (workload == Workload.SUBTRACT) {
      GrpcCodec.Operands request = new GrpcCodec.Operands(42, 23);
      return streams
          ? new Stream<>(channel, GrpcServer.SUBTRACT_STREAM, request, r -> r.minuend() == 19)
          : new Unary<>(channel, GrpcServer.SUBTRACT, request, r -> r.minuend() == 19);
    }
    Document document = workload.document();
    int size = document.items().size();
    return streams
        ? new Stream<>(channel, GrpcServer.ECHO_STREAM, document, d -> d.items().size() == size)
        : new Unary<>(channel, GrpcServer.ECHO, document, d -> d.items().size() == size);
  }

  private static void shutDown(ManagedChannel channel) {
    try {
      channel.shutdownNow().awaitTermination(10, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private record Unary<T>(
      ManagedChannel channel, MethodDescriptor<T, T> method, T request, Predicate<T> expected)
      implements Connection {
    @Override
    public void call(Done done) {
      ClientCalls.asyncUnaryCall(
          channel.newCall(method, CallOptions.DEFAULT), request, new StreamObserver<T>() {
            private @Nullable T answer;

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
          });
    }

    @Override
    public void close() {
      shutDown(channel);
    }
  }

  /** One stream: answers come in the order of the requests. */
  private static final class Stream<T> implements Connection, StreamObserver<T> {
    private final ManagedChannel channel;
    private final T request;
    private final Predicate<T> expected;
    private final Queue<Done> waiting = new ConcurrentLinkedQueue<>();
    private final StreamObserver<T> requests;

    Stream(
        ManagedChannel channel, MethodDescriptor<T, T> method, T request, Predicate<T> expected) {
      this.channel = channel;
      this.request = request;
      this.expected = expected;
      requests =
          ClientCalls.asyncBidiStreamingCall(channel.newCall(method, CallOptions.DEFAULT), this);
    }

    @Override
    public synchronized void call(Done done) {
      waiting.add(done);
      requests.onNext(request);
    }

    @Override
    public void onNext(T answer) {
      Done first = waiting.remove();
      first.done(expected.test(answer));
    }

    @Override
    public void onError(Throwable cause) {
      for (Done done = waiting.poll(); done != null; done = waiting.poll()) {
        done.done(cause);
      }
    }

    @Override
    public void onCompleted() {
      // Only after close().
    }

    @Override
    public void close() {
      requests.onCompleted();
      shutDown(channel);
    }
  }
}
