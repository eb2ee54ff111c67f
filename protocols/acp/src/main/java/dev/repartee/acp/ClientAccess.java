package dev.repartee.acp;

import dev.repartee.CallBuilder;
import dev.repartee.acp.types.ClientCapabilities;
import dev.repartee.acp.types.CreateElicitationRequest;
import dev.repartee.acp.types.CreateElicitationResponse;
import dev.repartee.acp.types.CreateTerminalRequest;
import dev.repartee.acp.types.CreateTerminalResponse;
import dev.repartee.acp.types.ElicitationCapabilities;
import dev.repartee.acp.types.FileSystemCapabilities;
import dev.repartee.acp.types.Implementation;
import dev.repartee.acp.types.ReadTextFileRequest;
import dev.repartee.acp.types.ReadTextFileResponse;
import dev.repartee.acp.types.RequestPermissionOutcome;
import dev.repartee.acp.types.RequestPermissionRequest;
import dev.repartee.acp.types.RequestPermissionResponse;
import dev.repartee.acp.types.WriteTextFileRequest;
import dev.repartee.acp.types.WriteTextFileResponse;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Sends the requests of an agent to its client, for one session. Thread-safe.
 *
 * <p>A request waits for its answer for {@code callTimeout}. Questions to the user and waits for a
 * command have no time limit. In a {@link Turn}, a cancellation of the turn ends the wait with
 * {@link TurnCancelledException}.
 *
 * <p>A request that the client has not announced is not sent, and fails with {@link
 * UnsupportedOperationException}. An error response of the client is thrown as {@link
 * dev.repartee.RemoteRpcException}.
 */
public final class ClientAccess {
  private final AgentConnection connection;
  private final String session;
  private final @Nullable TurnState turn;

  ClientAccess(AgentConnection connection, String session, @Nullable TurnState turn) {
    this.connection = connection;
    this.session = session;
    this.turn = turn;
  }

  /** Returns the capabilities of the client. */
  public ClientCapabilities capabilities() {
    return connection.client();
  }

  /** Returns the name and version of the client, or null if it did not send them. */
  public @Nullable Implementation info() {
    return connection.clientInfo();
  }

  // ---------------------------------------------------------------- files

  /**
   * Reads a text file, including unsaved changes of the editor.
   *
   * @param path the absolute path
   * @throws UnsupportedOperationException if the client does not read files
   */
  public String readTextFile(String path) {
    return read(new ReadTextFileRequest(session, AbsolutePaths.require(path)));
  }

  /**
   * Reads lines of a text file.
   *
   * @param path the absolute path
   * @param line the first line, from 1
   * @param limit the maximum number of lines
   * @throws UnsupportedOperationException if the client does not read files
   * @throws IllegalArgumentException if the line is less than 1, or the limit negative
   */
  public String readTextFile(String path, int line, int limit) {
    if (line < 1 || limit < 0) {
      throw new IllegalArgumentException(
          "the first line is 1, and the limit is not negative: line " + line + ", limit " + limit);
    }
    return read(new ReadTextFileRequest(session, AbsolutePaths.require(path))
        .withLine(line)
        .withLimit(limit));
  }

  private String read(ReadTextFileRequest request) {
    FileSystemCapabilities files = capabilities().fs();
    require(files != null && Boolean.TRUE.equals(files.readTextFile()), "fs.readTextFile");
    return send("fs/read_text_file", request, ReadTextFileResponse.class).content();
  }

  /**
   * Writes a text file. Creates a missing file.
   *
   * @param path the absolute path
   * @throws UnsupportedOperationException if the client does not write files
   */
  public void writeTextFile(String path, String content) {
    FileSystemCapabilities files = capabilities().fs();
    require(files != null && Boolean.TRUE.equals(files.writeTextFile()), "fs.writeTextFile");
    send(
        "fs/write_text_file",
        new WriteTextFileRequest(session, AbsolutePaths.require(path), content),
        WriteTextFileResponse.class);
  }

  // ---------------------------------------------------------------- terminals

  /**
   * Starts a command in the working directory of the session.
   *
   * @throws UnsupportedOperationException if the client has no terminals
   */
  public AgentTerminal startTerminal(String command, String... args) {
    return startTerminal(new CreateTerminalRequest(session, command).withArgs(List.of(args)));
  }

  /**
   * Starts a command with further settings, such as a folder or an output limit.
   *
   * @throws UnsupportedOperationException if the client has no terminals
   */
  public AgentTerminal startTerminal(CreateTerminalRequest request) {
    require(Boolean.TRUE.equals(capabilities().terminal()), "terminal");
    CreateTerminalResponse created = send("terminal/create", request, CreateTerminalResponse.class);
    return new AgentTerminal(this, request.sessionId(), created.terminalId());
  }

  // ---------------------------------------------------------------- the user

  /**
   * Asks the user for permission, and waits for the choice without a time limit. For a tool call of
   * a turn use {@link TurnTool#ask}.
   */
  public RequestPermissionOutcome requestPermission(RequestPermissionRequest request) {
    return await(
            builder("session/request_permission", request).timeout(Duration.ZERO),
            RequestPermissionResponse.class)
        .outcome();
  }

  /**
   * Asks the user for data, in a form or on a web page. Waits for the answer without a time limit.
   *
   * @throws UnsupportedOperationException if the client does not support this kind of question
   */
  public CreateElicitationResponse elicit(CreateElicitationRequest request) {
    ElicitationCapabilities shows = capabilities().elicitation();
    boolean shown = shows != null
        && (request.mode().equals("url") ? shows.url() != null : shows.form() != null);
    require(shown, "elicitation." + request.mode());
    return await(
        builder("elicitation/create", request).timeout(Duration.ZERO),
        CreateElicitationResponse.class);
  }

  /**
   * Sends a request of an extension.
   *
   * @param method a name that starts with an underscore
   * @param params an object
   * @throws IllegalArgumentException if the name does not start with an underscore
   */
  public <T> T request(String method, Object params, Class<T> result) {
    Extensions.require(method);
    return send(method, params, result);
  }

  /**
   * Sends a notification of an extension.
   *
   * @param method a name that starts with an underscore
   * @param params an object
   * @throws IllegalArgumentException if the name does not start with an underscore
   */
  public void notify(String method, Object params) {
    Extensions.require(method);
    builder(method, params).sendNotification();
  }

  // ---------------------------------------------------------------- sending

  static void require(boolean announced, String capability) {
    if (!announced) {
      throw new UnsupportedOperationException(
          "the client has not announced the capability '" + capability + "'");
    }
  }

  /** Returns a request. Fails in a cancelled turn. */
  CallBuilder builder(String method, Object params) {
    if (turn != null) {
      turn.throwIfCancelled();
    }
    return connection.peer().request(method).params(params);
  }

  /** Returns a request that is also sent in a cancelled turn, to release a resource. */
  CallBuilder last(String method, Object params) {
    return connection.peer().request(method).params(params);
  }

  private <T> T send(String method, Object params, Class<T> result) {
    return await(builder(method, params), result);
  }

  <T> T await(CallBuilder request, Class<T> result) {
    return turn == null ? request.call(result) : turn.await(request.send(result));
  }
}
