package io.millrace.rpc;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/** The methods of an endpoint, by the class of the message that they take. */
final class MessageHandlers {
  private static final Map<Class<?>, MessageHandlers> BY_ENDPOINT = new ConcurrentHashMap<>();
  private static final CompletableFuture<Acknowledge> DONE =
      CompletableFuture.completedFuture(Acknowledge.INSTANCE);

  private final Map<Class<?>, Method> byMessage;

  private MessageHandlers(Map<Class<?>, Method> byMessage) {
    this.byMessage = byMessage;
  }

  static MessageHandlers of(Class<? extends Endpoint> endpoint) {
    return BY_ENDPOINT.computeIfAbsent(endpoint, MessageHandlers::scan);
  }

  /** Executes the message. An exception of the method is rethrown unwrapped. */
  CompletableFuture<? extends Record> invoke(Endpoint endpoint, Record message) throws Exception {
    Method method = byMessage.get(message.getClass());
    if (method == null) {
      throw new IllegalArgumentException(
          "Endpoint "
              + endpoint.name()
              + " has no method for "
              + message.getClass().getSimpleName());
    }
    Object result;
    try {
      result = method.invoke(endpoint, message);
    } catch (InvocationTargetException e) {
      if (e.getCause() instanceof Exception inner) {
        throw inner;
      }
      throw (Error) e.getCause();
    }
    if (result == null && method.getReturnType() != void.class) {
      throw new NullPointerException("Endpoint " + endpoint.name() + " returned no future");
    }
    return result == null ? DONE : future(result);
  }

  @SuppressWarnings("unchecked") // messageOf has checked that gateway methods return futures
  private static CompletableFuture<? extends Record> future(Object result) {
    return (CompletableFuture<? extends Record>) result;
  }

  private static MessageHandlers scan(Class<?> endpoint) {
    Map<Class<?>, Method> methods = new LinkedHashMap<>();
    Deque<Class<?>> open = new ArrayDeque<>();
    for (Class<?> type = endpoint; type != null; type = type.getSuperclass()) {
      open.addAll(java.util.Arrays.asList(type.getInterfaces()));
    }
    while (!open.isEmpty()) {
      Class<?> type = open.poll();
      open.addAll(java.util.Arrays.asList(type.getInterfaces()));
      if (Gateway.class.isAssignableFrom(type)) {
        for (Method method : type.getDeclaredMethods()) {
          if (method.isDefault() || method.isSynthetic()) {
            continue;
          }
          Method before = methods.put(messageOf(method), method);
          if (before != null && !before.equals(method)) {
            throw new IllegalStateException(before + " and " + method + " take the same message");
          }
          method.setAccessible(true);
        }
      }
    }
    return new MessageHandlers(methods);
  }

  /** The message class of a gateway method. */
  static Class<?> messageOf(Method method) {
    Class<?>[] parameters = method.getParameterTypes();
    boolean returnsFuture = method.getReturnType() == CompletableFuture.class;
    if (parameters.length != 1
        || !parameters[0].isRecord()
        || !(returnsFuture || method.getReturnType() == void.class)) {
      throw new IllegalStateException(
          method
              + " is not a gateway method: it must take one record and return CompletableFuture or void");
    }
    return parameters[0];
  }
}
