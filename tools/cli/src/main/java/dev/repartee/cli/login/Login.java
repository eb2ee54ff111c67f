package dev.repartee.cli.login;

import dev.repartee.cli.options.Connection;
import dev.repartee.cli.terminal.Failure;
import dev.repartee.cli.terminal.Stdio;
import dev.repartee.mcp.auth.HttpAuthorization;
import dev.repartee.mcp.oauth.AuthorizationException;
import dev.repartee.mcp.oauth.Browser;
import dev.repartee.mcp.oauth.OAuthClient;
import dev.repartee.mcp.oauth.Registration;
import dev.repartee.transport.Endpoint;
import java.net.URI;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The login of one command at one server. The time limit of the command is paused while the user
 * logs in.
 */
public final class Login {
  private final LoginOptions options;
  private final URI server;
  private final String shown;
  private final Stdio stdio;
  private final Connection connection;

  /** Whether the user was asked to log in. */
  private volatile boolean asked;

  /** Whether the last login ended without an answer from the browser. */
  private volatile boolean unanswered;

  Login(LoginOptions options, URI server, Stdio stdio, Connection connection) {
    this.options = options;
    this.server = server;
    this.shown = Endpoint.shown(server.toString());
    this.stdio = stdio;
    this.connection = connection;
  }

  /** Returns the authorization of the requests. */
  public HttpAuthorization authorization() {
    ClientEnvironment client = new ClientEnvironment(System::getenv);
    Registration registration = client.registration();
    OAuthClient.Builder oauth = OAuthClient.builder("repartee");
    oauth.scopes(options.scopes.stream()
        .flatMap(scopes -> Stream.of(scopes.split("\\s+")))
        .filter(scope -> !scope.isEmpty())
        .toArray(String[]::new));
    if (options.timeout != null) {
      oauth.userTimeout(options.timeout);
    }
    if (registration != null) {
      String issuer = client.issuer();
      if (issuer == null) {
        oauth.registeredFor(server, registration);
      } else {
        oauth.registered(issuer, registration);
      }
    }
    TokenFolder folder = TokenFolder.ofUser();
    if (options.clientCredentials) {
      oauth.clientCredentials().store(folder.ofClient(client.requireId("--client-credentials")));
    } else {
      Browser loopback = Browser.loopback(options.port, this::show);
      oauth.browser(() -> new Visit(loopback.visit())).store(folder.ofUsers());
    }
    return oauth.build();
  }

  /** Returns the failure of a command that was not authorized, with the remedy. */
  public Failure failure(AuthorizationException refusal) {
    String reason = Failure.reason(refusal)
        .replace("set its id with 'registered'", "set its id as " + ClientEnvironment.ID);
    return Failure.cannotConnect("no access to " + shown + ": " + reason + remedy(refusal));
  }

  private String remedy(AuthorizationException refusal) {
    String error = refusal.error();
    if (unanswered) {
      return "; raise the limit with --login-timeout";
    } else if ("access_denied".equals(error)) {
      return "; run the command again and allow the access";
    } else if ("invalid_client".equals(error) || "unauthorized_client".equals(error)) {
      return "; check " + ClientEnvironment.ID + " and its secret or key";
    } else if ("invalid_scope".equals(error)) {
      return "; choose other scopes with --scope";
    } else if (error == null && !asked) {
      return "; if the server accepts a token without a login, pass it with --auth bearer:@FILE";
    }
    return "";
  }

  private void show(URI page) {
    asked = true;
    stdio.note("Log in at " + page.getScheme() + "://" + page.getRawAuthority() + " for " + shown
        + ". The page is:");
    stdio.note(page.toASCIIString());
    if (!options.noBrowser) {
      WebBrowser.ofSystem()
          .open(
              page,
              reason ->
                  stdio.say("no browser was opened (" + reason + "); open the page yourself"));
    }
  }

  /** A visit to the page. The time limit of the command is paused meanwhile. */
  private final class Visit implements Browser.Visit {
    private final Browser.Visit visit;

    Visit(Browser.Visit visit) {
      this.visit = visit;
    }

    @Override
    public URI redirect() {
      return visit.redirect();
    }

    @Override
    public CompletionStage<URI> open(URI page) {
      connection.pause();
      try {
        return visit.open(page).whenComplete(this::ended);
      } catch (RuntimeException e) {
        connection.resume();
        throw e;
      }
    }

    private void ended(@Nullable URI back, @Nullable Throwable failure) {
      unanswered = failure != null;
      connection.resume();
    }

    @Override
    public void close() {
      visit.close();
    }
  }
}
