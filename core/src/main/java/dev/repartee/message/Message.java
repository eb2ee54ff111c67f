package dev.repartee.message;

/**
 * A JSON-RPC 2.0 message: a request, a notification or a response (sections 4 and 5). For tools
 * that process single messages, see {@link JsonRpc#read} and {@link JsonRpc#write}.
 */
public sealed interface Message permits Request, Notification, Response {}
