package dev.repartee.a2a.wire;

import org.jspecify.annotations.Nullable;

/** The operations of the protocol with their method names (section 5.3). */
public enum Operation {
  SEND_MESSAGE("SendMessage", "message/send"),
  SEND_STREAMING_MESSAGE("SendStreamingMessage", "message/stream"),
  GET_TASK("GetTask", "tasks/get"),
  /** In version 0.3 only the other bindings have this operation. */
  LIST_TASKS("ListTasks", null),
  CANCEL_TASK("CancelTask", "tasks/cancel"),
  SUBSCRIBE_TO_TASK("SubscribeToTask", "tasks/resubscribe"),
  CREATE_PUSH_CONFIG("CreateTaskPushNotificationConfig", "tasks/pushNotificationConfig/set"),
  GET_PUSH_CONFIG("GetTaskPushNotificationConfig", "tasks/pushNotificationConfig/get"),
  LIST_PUSH_CONFIGS("ListTaskPushNotificationConfigs", "tasks/pushNotificationConfig/list"),
  DELETE_PUSH_CONFIG("DeleteTaskPushNotificationConfig", "tasks/pushNotificationConfig/delete"),
  GET_EXTENDED_CARD("GetExtendedAgentCard", "agent/getAuthenticatedExtendedCard");

  private final String name;
  private final @Nullable String oldName;

  Operation(String name, @Nullable String oldName) {
    this.name = name;
    this.oldName = oldName;
  }

  /** Returns the name of the method, or null if the version does not have it. */
  public @Nullable String method(ProtocolVersion version) {
    return version == ProtocolVersion.V1_0 ? name : oldName;
  }
}
