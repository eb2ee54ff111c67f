package dev.repartee.cli;

import dev.repartee.CallBuilder;
import dev.repartee.CallTimeoutException;
import dev.repartee.Listener;
import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.ProtocolException;
import dev.repartee.RpcError;
import dev.repartee.RpcException;
import dev.repartee.json.Json;
import dev.repartee.json.JsonException;
import dev.repartee.json.JsonWriter;
import dev.repartee.limits.LimitException;
import dev.repartee.transport.ChannelInfo;
import dev.repartee.transport.DisconnectedException;
import dev.repartee.transport.Lenience;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code repartee call}: makes one call and prints its result on standard output. */
@Command(
    name = "call",
    description = "Calls a method and prints its result as one JSON text on standard output.",
    footerHeading = "%nExamples:%n",
    footer = {
      "  repartee call http://127.0.0.1:8645/ subtract 42 23",
      "  repartee call unix:./app.sock subtract --named minuend=42 --named subtrahend=23",
      "  repartee call http://127.0.0.1:8645/ get_data --header 'Authorization: Bearer TOKEN'",
      "  repartee call ws://127.0.0.1:8645/ sleep 100 --timeout 2s",
      "  repartee call 'https://127.0.0.1:8643/#ca=cert.pem' whoami",
      "  repartee call http://127.0.0.1:8645/ rpc.discover      # lists the methods",
      "  echo '[{\"any\":\"value\"}]' | repartee call http://127.0.0.1:8645/ echo --params -",
      "  repartee call 'tcp://127.0.0.1:7001#framing=content-length' get_data",
      "  repartee call 'exec:clangd#framing=content-length' initialize \\",
      "      --params '{\"processId\":null,\"rootUri\":null,\"capabilities\":{}}'",
      "",
      "Exit codes: 0 result, 1 error response (the error object is on standard error), 2 usage,",
      "3 cannot connect, 4 timeout or connection lost, 5 the peer broke the protocol,",
      "6 out of memory."
    })
final class CallCommand extends Subcommand {
  @Mixin
  final Connection connection = new Connection();

  @Mixin
  final Arguments arguments = new Arguments();

  @Option(
      names = "--raw",
      description = "Print the whole response unchanged, result or error, on standard output.")
  boolean raw;

  @Spec
  CommandSpec spec = CommandSpec.create();

  private final Recorder recorder = new Recorder();
  private final Progress progress;
  private volatile @Nullable String violation;

  private CallCommand(Stdio stdio) {
    super(stdio);
    this.progress = new Progress(stdio);
  }

  static CommandLine line(Stdio stdio) {
    return Arguments.accept(new CommandLine(new CallCommand(stdio)));
  }

  @Override
  public Integer call() {
    arguments.check(spec);
    Json params = arguments.json(stdio.in());
    Stopwatch watch = connection.stopwatch(stdio);
    connection.begin();
    Peer peer = connection.open(arguments.uri, options());
    try {
      watch.lap("connected");
      CallBuilder call = peer.request(arguments.method).timeout(connection.left());
      if (params != null) {
        call.params(params);
      }
      return answer(call.onProgress(progress::show), watch);
    } finally {
      connection.close(peer);
    }
  }

  private Options options() {
    Options options = Options.builder()
        .lenience(Lenience.NULL_ID_FAILS_LONE_CALL)
        .listener(new FirstViolation())
        .build();
    return raw ? options.toBuilder().dialect(recorder).build() : options;
  }

  private int answer(CallBuilder call, Stopwatch watch) {
    try {
      Json result = call.call(Json.class);
      answered(watch);
      stdio.result(rawOr(result));
      return Exit.OK;
    } catch (RpcException e) {
      answered(watch);
      if (raw) {
        stdio.result(rawOr(error(e.error())));
      } else {
        stdio.note("", error(e.error()));
      }
      return Exit.ERROR_RESPONSE;
    } catch (LimitException e) {
      throw Failure.usage("the call is not sent because it is " + Failure.reason(e));
    } catch (CallTimeoutException | DisconnectedException | ProtocolException | JsonException e) {
      progress.end();
      throw Failure.unanswered(arguments.method, arguments.uri, connection.timeout, e, violation);
    }
  }

  private void answered(Stopwatch watch) {
    progress.end();
    watch.lap("answered");
  }

  private Json rawOr(Json otherwise) {
    Json response = recorder.response();
    return response == null ? otherwise : response;
  }

  /** Returns the error as a JSON object, with its data unchanged. */
  static Json error(RpcError error) {
    JsonWriter out = new JsonWriter().ascii("{\"code\":").number(error.code());
    out.ascii(",\"message\":").string(error.message());
    Json data = error.data();
    if (data != null) {
      out.ascii(",\"data\":").json(data);
    }
    return Json.parse(out.put('}').toBytes());
  }

  /** Keeps the first protocol violation, which explains a missing response. */
  private final class FirstViolation implements Listener {
    @Override
    public void violation(ChannelInfo channel, String what) {
      if (violation == null) {
        violation = what;
      }
    }
  }
}
