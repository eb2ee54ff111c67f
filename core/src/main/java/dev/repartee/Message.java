package dev.repartee;

/** What one side of a connection may say to the other; the set is closed. */
public sealed interface Message permits Request, Notification, Response {}
