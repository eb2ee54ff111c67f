package dev.repartee.benchmarks.peers;

import dev.repartee.benchmarks.load.Address;
import dev.repartee.benchmarks.load.Contestant;
import dev.repartee.benchmarks.load.Document;
import dev.repartee.benchmarks.load.Driver;
import dev.repartee.benchmarks.load.Driver.Connection;
import dev.repartee.benchmarks.load.Driver.Done;
import dev.repartee.benchmarks.load.LoadClient;
import dev.repartee.benchmarks.load.Shape;
import dev.repartee.benchmarks.load.Workload;
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
public final class Grpc implements Contestant {
  private static final GrpcCodec.Operands OPERANDS = new GrpcCodec.Operands(42, 23);

  private final boolean streams;

  public Grpc(boolean streams) {
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
    return switch (workload) {
      case NOTIFY, PUSH -> streams;
      default -> workload == Workload.SUBTRACT || workload.isTyped();
    };
  }

  @Override
  public String limit() {
    return "raw-loop";
  }

  @Override
  public Address serve(Workload workload) throws IOException {
    return GrpcServer.listen();
  }

  @Override
  public LoadClient client() {
    return new Driver(this::connect);
  }

  private Connection connect(Address server, Workload workload) {
    ManagedChannel channel = NettyChannelBuilder.forAddress("127.0.0.1", server.port())
        .usePlaintext()
        .directExecutor()
        .build();
    return streams ? stream(channel, workload) : unary(channel, workload);
  }

  private static Connection unary(ManagedChannel channel, Workload workload) {
    if (workload == Workload.SUBTRACT) {
      return new Unary<>(channel, GrpcServer.SUBTRACT, OPERANDS, r -> r.minuend() == 19);
    }
    Document document = workload.document();
    int size = document.items().size();
    return new Unary<>(channel, GrpcServer.ECHO, document, d -> d.items().size() == size);
  }

  private static Connection stream(ManagedChannel channel, Workload workload) {
    int many = Workload.NOTIFICATIONS;
    return switch (workload) {
      case SUBTRACT ->
        new Stream<>(channel, GrpcServer.SUBTRACT_STREAM, OPERANDS, 1, 1, r -> r.minuend() == 19);
      case NOTIFY ->
        new Stream<>(channel, GrpcServer.NOTE_STREAM, OPERANDS, many, 1, r -> r.minuend() == many);
      case PUSH ->
        new Stream<>(channel, GrpcServer.PUSH_STREAM, OPERANDS, 1, many, r -> r.minuend() == 42);
      default -> {
        Document document = workload.document();
        int size = document.items().size();
        yield new Stream<>(
            channel, GrpcServer.ECHO_STREAM, document, 1, 1, d -> d.items().size() == size);
      }
    };
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

  /**
   * A bidirectional stream: answers arrive in the order of the requests. A call is a number of
   * messages in each direction.
   */
  private static final class Stream<T> implements Connection, StreamObserver<T> {
    private final ManagedChannel channel;
    private final T request;
    private final int there;
    private final int back;
    private final Predicate<T> expected;

    /** The number of messages received for the first pending call. */
    private int came;

    private final Queue<Done> waiting = new ConcurrentLinkedQueue<>();
    private final StreamObserver<T> requests;

    Stream(
        ManagedChannel channel,
        MethodDescriptor<T, T> method,
        T request,
        int there,
        int back,
        Predicate<T> expected) {
      this.channel = channel;
      this.request = request;
      this.there = there;
      this.back = back;
      this.expected = expected;
      requests =
          ClientCalls.asyncBidiStreamingCall(channel.newCall(method, CallOptions.DEFAULT), this);
    }

    @Override
    public synchronized void call(Done done) {
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
      // Only after close().
    }

    @Override
    public void close() {
      requests.onCompleted();
      shutDown(channel);
    }
  }
}
