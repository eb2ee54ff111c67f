package dev.repartee.benchmarks.micro;

import com.alibaba.fastjson2.JSON;
import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.benchmarks.load.Document;
import dev.repartee.benchmarks.load.Workload;
import dev.repartee.benchmarks.peers.Lsp4j;
import dev.repartee.benchmarks.peers.ReparteeMethods;
import java.util.List;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;
import tools.jackson.databind.json.JsonMapper;

/**
 * One call that binds its params to records and writes these records as its result, from the bytes
 * of the request to the bytes of the answer.
 */
public class BindingBenchmark extends Measured {
  /** The workload, which sets the size of the document. */
  @Param({"echo-1k", "echo-64k"})
  public String workload = "echo-1k";

  private final BenchChannel channel = new BenchChannel();
  private final JsonMapper mapper = new JsonMapper();
  private final Lsp4j.WithoutTransport lsp4j = new Lsp4j.WithoutTransport();
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
    return lsp4j.answer(request);
  }
}
