package dev.repartee;

import java.util.List;

final class TypedMethods {
  private TypedMethods() {}

  static List<RpcMethod> of(Object target, Class<?> type) {
    return List.of();
  }
}
