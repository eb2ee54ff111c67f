package dev.repartee.mcp.oauth;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * The tokens for one MCP server in the store, which other processes may share. Thread-safe.
 *
 * <p>Invalid tokens are kept until a login replaces them: another process may store new tokens at
 * any time, and removing the old ones could remove these.
 */
final class StoredTokens {
  private final TokenStore store;
  private final String server;

  /** Uses the entries of that MCP server. */
  StoredTokens(TokenStore store, String server) {
    this.store = store;
    this.server = server;
  }

  /** Returns the issuer of the last tokens, or null. */
  @Nullable String issuer() throws IOException {
    return store.read(entry());
  }

  /**
   * Returns the tokens. Returns null if they are missing, or cannot be read and sent. A login
   * replaces invalid tokens.
   */
  @Nullable Tokens read() throws IOException {
    String issuer = issuer();
    String text = issuer == null ? null : store.read(entry(issuer));
    if (text == null) {
      return null;
    }
    try {
      Tokens stored = Tokens.read(text);
      return Tokens.isSendable(stored.access()) ? stored : null;
    } catch (AuthorizationException e) {
      return null;
    }
  }

  /**
   * Returns the tokens if they have a different access token: in this case another process has
   * stored them.
   */
  @Nullable Tokens otherThan(@Nullable String access) throws IOException {
    Tokens stored = read();
    return stored == null || stored.access().equals(access) ? null : stored;
  }

  /** Saves tokens; replaces the earlier ones, which may have another issuer. */
  void save(Tokens next) throws IOException {
    String former = issuer();
    store.write(entry(next.issuer()), next.json().toString());
    store.write(entry(), next.issuer());
    if (former != null && !former.equals(next.issuer())) {
      store.remove(entry(former));
    }
  }

  /** Removes the tokens, and returns whether there were any. */
  boolean forget() throws IOException {
    String issuer = issuer();
    if (issuer != null) {
      store.remove(entry(issuer));
      store.remove(entry());
    }
    return issuer != null;
  }

  private String entry() {
    return "issuer for " + server;
  }

  private String entry(String issuer) {
    return "tokens for " + server + " from " + issuer;
  }
}
