package dev.repartee.benchmarks.process;

/** Patterns for the class path entries that a program with a library needs. */
public final class Libraries {
  /** The classes of this module. */
  public static final String OWN = ".*/benchmarks/target/classes/?";

  public static final String CORE = ".*/core/target/classes/?";
  public static final String MCP =
      CORE + "|.*/mcp/target/classes/?|.*/dev/harrel/.*|.*/org/jspecify/.*";
  public static final String AGENTS =
      MCP + "|.*/(agents|a2a|acp)/target/classes/?|.*/org/snakeyaml/.*";
  public static final String NETTY = ".*/netty/target/classes/?|.*/io/netty/.*";
  public static final String MCP_SDK = ".*/(io/modelcontextprotocol|io/projectreactor"
      + "|org/reactivestreams|org/slf4j|org/snakeyaml|com/ethlo|com/networknt|tools/jackson"
      + "|com/fasterxml/jackson/core/jackson-annotations)/.*";

  /** The driver of calls, with its workloads and latencies. */
  public static final String DRIVER = OWN + "|" + CORE + "|.*/org/hdrhistogram/.*";

  public static final String ALL = ".*";

  private Libraries() {}
}
