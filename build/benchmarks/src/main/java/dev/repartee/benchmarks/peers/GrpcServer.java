package dev.repartee.benchmarks.peers;

import dev.repartee.benchmarks.load.Address;
import dev.repartee.benchmarks.load.Document;
import dev.repartee.benchmarks.load.Workload;
import dev.repartee.benchmarks.peers.GrpcCodec.Operands;
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
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/** The grpc-java server: each method once as a unary call and once as a stream of calls. */
final class GrpcServer {
  static final MethodDescriptor<Operands, Operands> SUBTRACT =
      method("subtract", MethodType.UNARY, GrpcCodec.OPERANDS);
  static final MethodDescriptor<Operands, Operands> SUBTRACT_STREAM =
      method("subtractStream", MethodType.BIDI_STREAMING, GrpcCodec.OPERANDS);
  static final MethodDescriptor<Operands, Operands> NOTE_STREAM =
      method("noteStream", MethodType.BIDI_STREAMING, GrpcCodec.OPERANDS);
  static final MethodDescriptor<Operands, Operands> PUSH_STREAM =
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
            .addMethod(SUBTRACT_STREAM, answering(GrpcServer::subtract))
            .addMethod(NOTE_STREAM, stream(GrpcServer::noting))
            .addMethod(PUSH_STREAM, stream(GrpcServer::pushing))
            .addMethod(ECHO, unary(document -> document))
            .addMethod(ECHO_STREAM, answering(document -> document))
            .build())
        .build()
        .start();
    return Address.port(server.getPort());
  }

  private static Operands subtract(Operands operands) {
    return new Operands(operands.minuend() - operands.subtrahend(), 0);
  }

  private static <T> ServerCallHandler<T, T> unary(UnaryOperator<T> function) {
    ServerCalls.UnaryMethod<T, T> method = (request, answers) -> {
      answers.onNext(function.apply(request));
      answers.onCompleted();
    };
    return ServerCalls.asyncUnaryCall(method);
  }

  private static <T> ServerCallHandler<T, T> answering(UnaryOperator<T> function) {
    return stream(answers -> request -> answers.onNext(function.apply(request)));
  }

  /** Answers the last of a number of messages with that number. */
  private static Consumer<Operands> noting(StreamObserver<Operands> answers) {
    AtomicInteger taken = new AtomicInteger();
    return note -> {
      if (taken.incrementAndGet() == Workload.NOTIFICATIONS) {
        answers.onNext(new Operands(taken.getAndSet(0), 0));
      }
    };
  }

  /** Sends a number of answers to one message. */
  private static Consumer<Operands> pushing(StreamObserver<Operands> answers) {
    return request -> {
      for (int i = 0; i < Workload.NOTIFICATIONS; i++) {
        answers.onNext(request);
      }
    };
  }

  /** Returns a stream with a receiver of messages for each client. */
  private static <T> ServerCallHandler<T, T> stream(
      Function<StreamObserver<T>, Consumer<T>> receivers) {
    ServerCalls.BidiStreamingMethod<T, T> method =
        answers -> new Receiving<>(answers, receivers.apply(answers));
    return ServerCalls.asyncBidiStreamingCall(method);
  }

  private record Receiving<T>(StreamObserver<T> answers, Consumer<T> receiver)
      implements StreamObserver<T> {
    @Override
    public void onNext(T message) {
      receiver.accept(message);
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
}
