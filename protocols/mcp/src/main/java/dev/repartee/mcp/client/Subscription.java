package dev.repartee.mcp.client;

/** A subscription to changes at a server; see {@link McpClient#listen}. Thread-safe. */
public interface Subscription extends AutoCloseable {
  /** Returns the changes that the server reports: at most those that were asked for. */
  ChangeFilter honoured();

  /** Returns whether changes still arrive, or the subscription is being opened again. */
  boolean isOpen();

  /** Ends the subscription. Does not wait for the server. */
  @Override
  void close();
}
