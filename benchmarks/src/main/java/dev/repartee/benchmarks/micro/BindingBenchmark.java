package dev.repartee.benchmarks.micro;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.alibaba.fastjson2.JSON;
import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.benchmarks.load.Document;
import dev.repartee.benchmarks.load.Workload;
import dev.repartee.benchmarks.peers.Lsp4j;
import dev.repartee.benchmarks.peers.ReparteeMethods;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.eclipse.lsp4j.jsonrpc.Endpoint;
import org.eclipse.lsp4j.jsonrpc.json.MessageJsonHandler;
import org.eclipse.lsp4j.jsonrpc.messages.RequestMessage;
import org.eclipse.lsp4j.jsonrpc.messages.ResponseMessage;
import org.eclipse.lsp4j.jsonrpc.services.ServiceEndpoints;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;
import tools.jackson.databind.json.JsonMapper;

/**
 * One call that binds its params to records and writes these records as its result, from the bytes
 * of the request to the bytes of the answer.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
public class BindingBenchmark {
  /** The workload, which sets the size of the document. */
  @Param({"echo-1k", "echo-64k"})
  public String workload = "echo-1k";

  private final BenchChannel channel = new BenchChannel();
  private final JsonMapper mapper = new JsonMapper();
  private final MessageJsonHandler gson =
      new MessageJsonHandler(ServiceEndpoints.getSupportedMethods(Lsp4j.Calls.class));
  private final Endpoint lsp4j = ServiceEndpoints.toEndpoint(new Lsp4j.Served());
  private byte[] request = {};

  /** A request for libraries that only bind. */
  public record Request(String jsonrpc, String method, List<Document> params, int id) {}

  /** The response for libraries that only bind. */
  public record Answer(String jsonrpc, Document result, int id) {
    Answer(Request request) {
      this(request.jsonrpc(), request.params().get(0), request.id());
    }
  }

  /** Makes the request, and opens a peer on a channel without a transport. */
  @Setup
  public void open() {
    request = Workload.of(workload).request(0);
    Peer.open(channel, ReparteeMethods.inline(), Options.DEFAULT);
  }

  /** Repartee: a peer, from the received frame to the sent frame. */
  @Benchmark
  public int repartee() {
    return channel.answer(request);
  }

  /** Jackson 3. */
  @Benchmark
  public byte[] jackson() {
    return mapper.writeValueAsBytes(new Answer(mapper.readValue(request, Request.class)));
  }

  /** fastjson2. */
  @Benchmark
  public byte[] fastjson() {
    return JSON.toJSONBytes(new Answer(JSON.parseObject(request, Request.class)));
  }

  /** Gson, configured like LSP4J. */
  @Benchmark
  public byte[] lsp4j() {
    RequestMessage bound = (RequestMessage) gson.parseMessage(new String(request, UTF_8));
    ResponseMessage answer = new ResponseMessage();
    answer.setRawId(bound.getRawId());
    answer.setResult(lsp4j.request(bound.getMethod(), bound.getParams()).join());
    return gson.serialize(answer).getBytes(UTF_8);
  }
}
