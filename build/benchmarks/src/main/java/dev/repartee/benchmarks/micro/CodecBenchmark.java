package dev.repartee.benchmarks.micro;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.alibaba.fastjson2.JSON;
import com.alibaba.fastjson2.JSONArray;
import com.alibaba.fastjson2.JSONObject;
import com.github.arteam.simplejsonrpc.core.annotation.JsonRpcMethod;
import com.github.arteam.simplejsonrpc.core.annotation.JsonRpcParam;
import com.github.arteam.simplejsonrpc.core.annotation.JsonRpcService;
import com.googlecode.jsonrpc4j.JsonRpcServer;
import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.benchmarks.peers.JsonRpc4j;
import dev.repartee.benchmarks.peers.Lsp4j;
import dev.repartee.benchmarks.peers.ReparteeMethods;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.function.IntBinaryOperator;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * One call of {@code subtract} without a transport, from the bytes of the request to the bytes of
 * the answer: decoding, dispatch by name and a typed method. The operands cover the whole range of
 * an int: a cache of small numbers does not help.
 */
public class CodecBenchmark extends Measured {
  private static final int REQUESTS = 1 << 10;

  private final byte[][] requests = new byte[REQUESTS][];
  private final BenchChannel channel = new BenchChannel();
  private final JsonMapper mapper = new JsonMapper();
  private final Map<String, IntBinaryOperator> methods = Map.of("subtract", (a, b) -> a - b);
  private final Lsp4j.WithoutTransport lsp4j = new Lsp4j.WithoutTransport();
  private final JsonRpcServer jsonrpc4j = JsonRpc4j.methods();
  private final com.github.arteam.simplejsonrpc.server.JsonRpcServer simpleJsonRpc =
      new com.github.arteam.simplejsonrpc.server.JsonRpcServer();
  private final SimpleCalls simpleCalls = new SimpleCalls();
  private int next;

  /** The methods for simple-json-rpc, in the form that it requires. */
  @JsonRpcService
  public static final class SimpleCalls {
    /** Returns the difference of two numbers. */
    @JsonRpcMethod
    public int subtract(
        @JsonRpcParam("minuend") int minuend, @JsonRpcParam("subtrahend") int subtrahend) {
      return minuend - subtrahend;
    }
  }

  /** Opens a peer on a channel without a transport. */
  public CodecBenchmark() {
    Random random = new Random(42);
    for (int i = 0; i < REQUESTS; i++) {
      requests[i] = "{\"jsonrpc\":\"2.0\",\"method\":\"subtract\",\"params\":[%d,%d],\"id\":%d}"
          .formatted(random.nextInt(), random.nextInt(), i)
          .getBytes(UTF_8);
    }
    Peer.open(channel, ReparteeMethods.inline(), Options.DEFAULT);
  }

  private byte[] request() {
    return requests[next++ & REQUESTS - 1];
  }

  private IntBinaryOperator method(String name) {
    return Objects.requireNonNull(methods.get(name), name);
  }

  /** Repartee: a peer, from the received frame to the sent frame. */
  @Benchmark
  public int repartee() {
    return channel.answer(request());
  }

  /** Jackson 3 with trees. */
  @Benchmark
  public byte[] jacksonTree() {
    JsonNode request = mapper.readTree(request());
    IntBinaryOperator method = method(request.get("method").stringValue());
    JsonNode params = request.get("params");
    ObjectNode answer = mapper.createObjectNode();
    answer.put("jsonrpc", "2.0");
    answer.put(
        "result", method.applyAsInt(params.get(0).intValue(), params.get(1).intValue()));
    answer.set("id", request.get("id"));
    return mapper.writeValueAsBytes(answer);
  }

  /** Jackson 3, token by token. */
  @Benchmark
  public byte[] jacksonStreaming() {
    String name = "";
    int minuend = 0;
    int subtrahend = 0;
    long id = 0;
    try (JsonParser in = mapper.createParser(request())) {
      in.nextToken();
      for (String member = in.nextName(); member != null; member = in.nextName()) {
        JsonToken token = in.nextToken();
        switch (member) {
          case "method" -> name = in.getString();
          case "params" -> {
            minuend = in.nextIntValue(0);
            subtrahend = in.nextIntValue(0);
            in.nextToken();
          }
          case "id" -> id = in.getLongValue();
          default -> check(token);
        }
      }
    }
    ByteArrayOutputStream answer = new ByteArrayOutputStream(64);
    try (JsonGenerator out = mapper.createGenerator(answer)) {
      out.writeStartObject();
      out.writeStringProperty("jsonrpc", "2.0");
      out.writeNumberProperty("result", method(name).applyAsInt(minuend, subtrahend));
      out.writeNumberProperty("id", id);
      out.writeEndObject();
    }
    return answer.toByteArray();
  }

  private static void check(@Nullable JsonToken token) {
    if (token == null) {
      throw new IllegalStateException("the request ends early");
    }
  }

  /** fastjson2 with its objects. */
  @Benchmark
  public byte[] fastjson() {
    JSONObject request = JSON.parseObject(request());
    IntBinaryOperator method = method(request.getString("method"));
    JSONArray params = request.getJSONArray("params");
    JSONObject answer = new JSONObject(4);
    answer.put("jsonrpc", "2.0");
    answer.put("result", method.applyAsInt(params.getIntValue(0), params.getIntValue(1)));
    answer.put("id", request.get("id"));
    return JSON.toJSONBytes(answer);
  }

  /** LSP4J, which binds with Gson and dispatches by reflection. */
  @Benchmark
  public byte[] lsp4j() {
    return lsp4j.answer(request());
  }

  /** jsonrpc4j without a transport. */
  @Benchmark
  public byte[] jsonrpc4j() throws IOException {
    ByteArrayOutputStream answer = new ByteArrayOutputStream(64);
    jsonrpc4j.handleRequest(new ByteArrayInputStream(request()), answer);
    return answer.toByteArray();
  }

  /** simple-json-rpc, which has no transport. */
  @Benchmark
  public byte[] simpleJsonRpc() {
    return simpleJsonRpc.handle(request(), simpleCalls);
  }
}
