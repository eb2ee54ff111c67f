package dev.repartee.cli.login;

import dev.repartee.cli.options.Connection;
import dev.repartee.cli.terminal.Failure;
import dev.repartee.cli.terminal.Stdio;
import dev.repartee.transport.Endpoint;
import java.net.URI;
import java.net.URISyntaxException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/**
 * The options for obtaining access tokens. The classes of the OAuth library are loaded only if
 * these options are used, because loading them delays the start.
 */
public final class LoginOptions {
  @Option(names = "--login", description = """
          Log in with OAuth if the server requires it: the login page opens in your browser, and \
          its address is shown on standard error. The tokens are stored for the next command with \
          this option; 'repartee mcp logout URI' deletes them.""")
  boolean login;

  @Option(names = "--no-browser", description = "With --login, only show the address of the page.")
  boolean noBrowser;

  @Option(names = "--client-credentials", description = """
          Obtain a token without a user, as the client with the id in the environment variable \
          REPARTEE_CLIENT_ID, and its secret in REPARTEE_CLIENT_SECRET or the PEM file of its \
          private key in REPARTEE_CLIENT_KEY. With REPARTEE_CLIENT_ISSUER only that authorization \
          server is used. These variables work with --login too.""")
  boolean clientCredentials;

  @Option(names = "--scope", paramLabel = "SCOPE", description = """
          A scope to request at a login, instead of all scopes that the server lists; may be \
          repeated.""")
  List<String> scopes = new ArrayList<>();

  @Option(names = "--redirect-port", paramLabel = "PORT", description = """
          The port of 127.0.0.1 that the browser is redirected to, for a client that is \
          registered with it, or for a tunnel. Default: any free port.""")
  int port;

  @Option(names = "--login-timeout", paramLabel = "TIME", description = """
          The time limit of a login. --timeout is suspended during the login. Default: 5m.""")
  @Nullable Duration timeout;

  /** Returns whether a user may be asked to log in. */
  public boolean isInteractive() {
    return login;
  }

  /** Returns the login that the options request, or null. */
  public @Nullable Login login(String uri, Stdio stdio, Connection connection) {
    if (login && clientCredentials) {
      throw Failure.usage(
          "give --login for a user, or --client-credentials for a program, not both");
    }
    if (!login && (noBrowser || port != 0 || timeout != null)) {
      throw Failure.usage(
          (noBrowser ? "--no-browser" : port != 0 ? "--redirect-port" : "--login-timeout")
              + " needs --login");
    }
    if (!login && !clientCredentials) {
      if (!scopes.isEmpty()) {
        throw Failure.usage("--scope needs --login or --client-credentials");
      }
      return null;
    }
    if (connection.hasCredentials()) {
      throw Failure.usage("give " + (login ? "--login" : "--client-credentials")
          + ", or the credentials themselves with --auth or --netrc, not both");
    }
    if (port < 0 || port > 0xFFFF) {
      throw Failure.usage("--redirect-port has to be from 1 to 65535, not " + port);
    }
    String option = login ? "--login" : "--client-credentials";
    return new Login(this, server(uri, option), stdio, connection);
  }

  /**
   * Returns the address of a server that may ask for tokens.
   *
   * @param user the option or command that needs it, for the message
   */
  public static URI server(String uri, String user) {
    try {
      Endpoint endpoint = Endpoint.parse(uri);
      URI server = new URI(endpoint.bare().toString());
      if (WebBrowser.isWeb(server)) {
        return server;
      }
    } catch (URISyntaxException e) {
      // The message would contain the whole URI.
    } catch (IllegalArgumentException e) {
      throw Failure.usage(Failure.reason(e));
    }
    throw Failure.usage(user + " needs the URI of a server at http: or https:");
  }
}
