package dev.repartee.mcp.wire;

/** The members of {@code _meta} in which a stateless request describes itself (2026-07-28). */
public final class RequestMeta {
  private static final String PREFIX = "io.modelcontextprotocol/";

  public static final String VERSION = PREFIX + "protocolVersion";
  public static final String CLIENT = PREFIX + "clientInfo";
  public static final String CAPABILITIES = PREFIX + "clientCapabilities";
  public static final String LEVEL = PREFIX + "logLevel";

  private RequestMeta() {}

  /** Returns the revision in the metadata; throws -32602 if a required member is missing. */
  public static String requireVersion(JsonObjectReader meta) {
    String version = meta.string(VERSION);
    meta.object(CAPABILITIES);
    return version;
  }
}
