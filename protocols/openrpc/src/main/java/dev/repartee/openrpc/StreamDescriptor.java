package dev.repartee.openrpc;

import org.jspecify.annotations.Nullable;

/**
 * The form of a streamed result ({@code x-stream}, an extension of this library). The result of the
 * method describes an item.
 *
 * @param form {@code call}, {@code partialResults} or {@code subscription}
 * @param notification the notification with an item; only for subscriptions
 * @param unsubscribe the method that ends a subscription; only for subscriptions
 */
public record StreamDescriptor(
    String form, @Nullable String notification, @Nullable String unsubscribe) {
  static StreamDescriptor of(Node node) {
    return new StreamDescriptor(
        node.string("form"),
        node.optionalString("notification"),
        node.optionalString("unsubscribe"));
  }
}
