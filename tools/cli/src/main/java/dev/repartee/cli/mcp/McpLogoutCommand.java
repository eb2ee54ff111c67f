package dev.repartee.cli.mcp;

import dev.repartee.cli.login.LoginOptions;
import dev.repartee.cli.login.TokenFolder;
import dev.repartee.cli.options.Subcommand;
import dev.repartee.cli.terminal.Exit;
import dev.repartee.transport.Endpoint;
import java.net.URI;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code repartee mcp logout}: deletes the tokens for a server. */
@Command(description = """
        Deletes the tokens for an MCP server that --login and --client-credentials have stored. \
        They are not revoked at the authorization server: a stolen token is valid until it \
        expires.""", footer = """
          repartee mcp logout https://example.com/mcp

        Exit codes: 0 no tokens are left, 2 usage, or they cannot be deleted.""")
final class McpLogoutCommand extends Subcommand {
  @Parameters(index = "0", paramLabel = "URI", description = "The endpoint of the MCP server.")
  String uri = "";

  @Override
  public Integer call() {
    URI server = LoginOptions.server(uri, "logout");
    boolean found = TokenFolder.ofUser().forget(server);
    stdio.note(
        found
            ? "The tokens for " + Endpoint.shown(server.toString()) + " are deleted."
            : "There were no tokens for " + Endpoint.shown(server.toString()));
    return Exit.OK;
  }
}
