package dev.repartee.a2a.types;

/** The answer to a message: a task, or a message if the agent needs no task (section 3.1.1). */
public sealed interface SendMessageResponse extends StreamResponse permits Task, Message {}
