package dev.repartee.mcp.client;

/** A subscription to changes at a server; see {@link McpClient#listen}. Thread-safe. */
public interface Subscription extends AutoCloseable {
  /** Returns the changes that the server has agreed to report; at most the requested changes. */
  ChangeFilter honoured();

  /** Returns whether the subscription is open or is being opened again. */
  boolean isOpen();

  /** Ends the subscription. Does not wait for the server. */
  @Override
  void close();
}
