package dev.repartee.mcp.oauth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** The servers of a test, and a client with a user that grants everything. */
abstract class BrowsingTest {
  ScriptedServers servers;
  OAuthClient client;

  @BeforeEach
  void start() throws Exception {
    servers = new ScriptedServers();
    client = ScriptedServers.browsing().build();
  }

  @AfterEach
  void stop() {
    servers.close();
  }

  /** Calls the MCP server; the call must fail with these parts in the message. */
  void fails(String... parts) {
    assertThatThrownBy(() -> servers.call(client))
        .isInstanceOf(AuthorizationException.class)
        .message()
        .contains(parts);
  }

  /** Calls the MCP server; the call must fail before a code or secret is sent for a token. */
  void failsEarly(String... parts) {
    fails(parts);
    assertThat(servers.heard("/token")).isEmpty();
  }
}
