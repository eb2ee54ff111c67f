package dev.repartee.cli.openrpc;

import dev.repartee.CallTimeoutException;
import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.ProtocolException;
import dev.repartee.RpcException;
import dev.repartee.Service;
import dev.repartee.cli.options.Connection;
import dev.repartee.cli.terminal.Failure;
import dev.repartee.cli.terminal.InputFile;
import dev.repartee.cli.terminal.Stdio;
import dev.repartee.json.Json;
import dev.repartee.json.JsonException;
import dev.repartee.openrpc.OpenRpc;
import dev.repartee.openrpc.OpenRpcException;
import dev.repartee.transport.DisconnectedException;
import dev.repartee.transport.Endpoint;
import dev.repartee.transport.Lenience;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Gets the OpenRPC document of a server or from a file. */
public final class DocumentOptions {
  /** The description of the argument that names the source. */
  static final String SOURCE = """
          A server: its endpoint, as for call. It is asked for its document (rpc.discover). A server \
          without discovery may speak MCP, LSP or A2A: its handshake is described instead.
          Or a file with an OpenRPC document; - is standard input.""";

  /** At least two letters, since a single one is a drive of Windows. */
  private static final Pattern SCHEME = Pattern.compile("[A-Za-z][A-Za-z0-9+.-]+:.*");

  /** The number of bytes at which a file is refused. */
  static final int MOST = 64 << 20;

  static final String TOO_LARGE = "is larger than 64 MiB";

  @Mixin
  final Connection connection;

  @Mixin
  final Connection.First first = new Connection.First();

  @Option(names = "--refs", paramLabel = "DIR", description = """
          Follow references to other files in this folder. Those of a document of a server are \
          relative to it.""")
  @Nullable Path refs;

  @Option(names = "--allow-remote", description = """
          Follow references to other documents at http: and https: addresses.""")
  boolean allowRemote;

  /** Creates the options of a command that only calls. */
  public DocumentOptions() {
    this(new Connection());
  }

  /** Creates the options of a command with another option for its credentials. */
  DocumentOptions(Connection connection) {
    this.connection = connection;
  }

  /**
   * Returns the document of a source.
   *
   * @throws Failure if it cannot be read, or is not a valid document
   */
  public OpenRpc document(String source, Stdio stdio) {
    try {
      Json json = isFile(source) ? OpenRpc.json(bytes(source, stdio)) : discovered(source, stdio);
      return refs == null && !allowRemote
          ? OpenRpc.of(json)
          : OpenRpc.bundle(
              json, base(source), new OtherDocuments(refs, allowRemote, connection.timeout));
    } catch (OpenRpcException e) {
      throw unusable(source, e);
    }
  }

  private URI base(String source) {
    if (isFile(source) && !source.equals("-")) {
      return Path.of(source).toAbsolutePath().toUri();
    }
    return (refs == null ? Path.of("") : refs).toAbsolutePath().toUri().resolve("./");
  }

  /** Returns the failure of a document with a fault. Its message has no secrets of a URI. */
  static Failure unusable(String source, OpenRpcException e) {
    String name = isFile(source) ? source : Endpoint.shown(source);
    String pointer = e.pointer();
    return Failure.usage(name + ": " + (pointer.isEmpty() ? "" : pointer + ": ") + e.reason());
  }

  static boolean isFile(String source) {
    if (source.equals("-") || !SCHEME.matcher(source).matches()) {
      return true;
    }
    try {
      return Files.exists(Path.of(source));
    } catch (InvalidPathException e) {
      return false;
    }
  }

  private static byte[] bytes(String file, Stdio stdio) {
    if (!file.equals("-")) {
      return InputFile.bytes(file, MOST, TOO_LARGE, "");
    }
    try {
      byte[] text = stdio.in().readNBytes(MOST);
      if (text.length == MOST) {
        throw Failure.usage("the document at standard input " + TOO_LARGE);
      }
      return text;
    } catch (IOException e) {
      throw Failure.usage("standard input cannot be read: " + Failure.reason(e));
    }
  }

  private Json discovered(String uri, Stdio stdio) {
    connection.begin(stdio);
    Options options =
        Options.builder().lenience(Lenience.NULL_ID_FAILS_LONE_CALL).build();
    Peer peer = connection.open(uri, Service.NONE, options, first, stdio);
    try {
      return discovered(peer, uri, stdio);
    } catch (CallTimeoutException | DisconnectedException | ProtocolException | JsonException e) {
      throw Failure.unanswered("rpc.discover", uri, connection.timeout, e, null, true);
    } finally {
      connection.close(peer);
    }
  }

  private Json discovered(Peer peer, String uri, Stdio stdio) {
    RuntimeException refusal;
    try {
      return peer.request("rpc.discover").timeout(connection.left()).call(Json.class);
    } catch (RpcException | ProtocolException e) {
      refusal = e;
    }
    Json document = new Handshake(connection, stdio).document(peer, uri);
    if (document == null && refusal instanceof ProtocolException) {
      throw refusal; // such as HTTP without JSON-RPC
    } else if (document == null) {
      String shown = Endpoint.shown(uri);
      throw Failure.usage(shown + " does not describe its methods (rpc.discover: "
          + Failure.reason(refusal)
          + "), and speaks neither MCP, LSP nor A2A; infer a document from a recording with"
          + " 'repartee openrpc --from FILE'");
    }
    return document;
  }
}
