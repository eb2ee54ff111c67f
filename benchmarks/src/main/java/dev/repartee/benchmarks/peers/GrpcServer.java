package dev.repartee.benchmarks.peers;

import dev.repartee.benchmarks.load.Address;
import dev.repartee.benchmarks.load.Document;
import dev.repartee.benchmarks.load.Workload;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.Marshaller;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.Server;
import io.grpc.ServerCallHandler;
import io.grpc.ServerServiceDefinition;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/** The grpc-java server: each method once as a unary call and once as a stream of calls. */
final class GrpcServer {
  static final MethodDescriptor<GrpcCodec.Operands, GrpcCodec.Operands> SUBTRACT =
      method("subtract", MethodType.UNARY, GrpcCodec.OPERANDS);
  static final MethodDescriptor<GrpcCodec.Operands, GrpcCodec.Operands> SUBTRACT_STREAM =
      method("subtractStream", MethodType.BIDI_STREAMING, GrpcCodec.OPERANDS);
  static final MethodDescriptor<GrpcCodec.Operands, GrpcCodec.Operands> NOTE_STREAM =
      method("noteStream", MethodType.BIDI_STREAMING, GrpcCodec.OPERANDS);
  static final MethodDescriptor<GrpcCodec.Operands, GrpcCodec.Operands> PUSH_STREAM =
      method("pushStream", MethodType.BIDI_STREAMING, GrpcCodec.OPERANDS);
  static final MethodDescriptor<Document, Document> ECHO =
      method("echo", MethodType.UNARY, GrpcCodec.DOCUMENT);
  static final MethodDescriptor<Document, Document> ECHO_STREAM =
      method("echoStream", MethodType.BIDI_STREAMING, GrpcCodec.DOCUMENT);

  private GrpcServer() {}

  private static <T> MethodDescriptor<T, T> method(
      String name, MethodType type, Marshaller<T> marshaller) {
    return MethodDescriptor.newBuilder(marshaller, marshaller)
        .setType(type)
        .setFullMethodName(MethodDescriptor.generateFullMethodName("benchmark.Calls", name))
        .build();
  }

  /**
   * Starts the server; handlers run on the reading thread, as advised for non-blocking handlers.
   */
  static Address listen() throws IOException {
    Server server = NettyServerBuilder.forAddress(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
        .directExecutor()
        .addService(ServerServiceDefinition.builder("benchmark.Calls")
            .addMethod(SUBTRACT, unary(GrpcServer::subtract))
            .addMethod(
                SUBTRACT_STREAM, stream(answers -> new Answering<>(GrpcServer::subtract, answers)))
            .addMethod(NOTE_STREAM, stream(Noting::new))
            .addMethod(PUSH_STREAM, stream(Pushing::new))
            .addMethod(ECHO, unary(document -> document))
            .addMethod(
                ECHO_STREAM, stream(answers -> new Answering<>(document -> document, answers)))
            .build())
        .build()
        .start();
    return Address.port(server.getPort());
  }

  private static GrpcCodec.Operands subtract(GrpcCodec.Operands operands) {
    return new GrpcCodec.Operands(operands.minuend() - operands.subtrahend(), 0);
  }

  private interface Function<T> {
    T apply(T request);
  }

  private static <T> ServerCallHandler<T, T> unary(Function<T> function) {
    ServerCalls.UnaryMethod<T, T> method = (request, answers) -> {
      answers.onNext(function.apply(request));
      answers.onCompleted();
    };
    return ServerCalls.asyncUnaryCall(method);
  }

  private static <T> ServerCallHandler<T, T> stream(ServerCalls.BidiStreamingMethod<T, T> method) {
    return ServerCalls.asyncBidiStreamingCall(method);
  }

  /** One side of a stream. */
  private abstract static class Taking<T> implements StreamObserver<T> {
    final StreamObserver<T> answers;

    Taking(StreamObserver<T> answers) {
      this.answers = answers;
    }

    @Override
    public void onError(Throwable cause) {
      // The client has disconnected.
    }

    @Override
    public void onCompleted() {
      answers.onCompleted();
    }
  }

  /** Answers each message. */
  private static final class Answering<T> extends Taking<T> {
    private final Function<T> function;

    Answering(Function<T> function, StreamObserver<T> answers) {
      super(answers);
      this.function = function;
    }

    @Override
    public void onNext(T request) {
      answers.onNext(function.apply(request));
    }
  }

  /** Answers the last of a number of messages with that number. */
  private static final class Noting extends Taking<GrpcCodec.Operands> {
    private int taken;

    Noting(StreamObserver<GrpcCodec.Operands> answers) {
      super(answers);
    }

    @Override
    public void onNext(GrpcCodec.Operands note) {
      taken++;
      if (taken == Workload.NOTIFICATIONS) {
        answers.onNext(new GrpcCodec.Operands(taken, 0));
        taken = 0;
      }
    }
  }

  /** Sends a number of answers to one message. */
  private static final class Pushing extends Taking<GrpcCodec.Operands> {
    Pushing(StreamObserver<GrpcCodec.Operands> answers) {
      super(answers);
    }

    @Override
    public void onNext(GrpcCodec.Operands request) {
      for (int i = 0; i < Workload.NOTIFICATIONS; i++) {
        answers.onNext(request);
      }
    }
  }
}
