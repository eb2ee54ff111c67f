package dev.repartee;

/**
 * What one side of a connection may say to the other (JSON-RPC 2.0 sections 4 and 5); the set is
 * closed. For tools that look at messages one by one: {@link JsonRpc#read} and {@link JsonRpc#write}.
 */
public sealed interface Message permits Request, Notification, Response {}
