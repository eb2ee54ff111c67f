package dev.repartee.a2a.types;

/** An event of a stream, and the content of a push notification (section 3.2.3). */
public sealed interface StreamResponse
    permits SendMessageResponse, TaskStatusUpdateEvent, TaskArtifactUpdateEvent {}
