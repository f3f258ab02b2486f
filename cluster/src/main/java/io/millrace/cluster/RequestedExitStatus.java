package io.millrace.cluster;

import java.lang.StackWalker.StackFrame;
import java.lang.reflect.InaccessibleObjectException;
import java.lang.reflect.Method;
import java.util.Optional;
import java.util.OptionalInt;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the status with which the JVM is going to end. Java has no API for it: only the thread that
 * ends the JVM has it, as the argument of {@code java.lang.Shutdown.exit}, while it runs the hooks.
 * This class reads the argument from the stack of that thread, which requires {@link
 * ShutdownHooks#OPTION}.
 */
final class RequestedExitStatus {
  private static final Logger LOG = LoggerFactory.getLogger(RequestedExitStatus.class);

  private RequestedExitStatus() {}

  /** To be called by the thread that ends the JVM; empty if its stack cannot be read. */
  static OptionalInt ofThisThread() {
    try {
      Class<?> live = Class.forName("java.lang.LiveStackFrame");
      Method walker = accessible(live, "getStackWalker");
      Optional<StackFrame> exit =
          ((StackWalker) walker.invoke(null))
              .walk(frames -> frames.filter(RequestedExitStatus::isExit).findFirst());
      if (exit.isEmpty()) {
        return OptionalInt.empty();
      }
      Object[] locals = (Object[]) accessible(live, "getLocals").invoke(exit.get());
      // The method is static, so the first local variable is its argument. A slot has 64 bits, and
      // those above an int are not defined.
      Class<?> slot = Class.forName("java.lang.LiveStackFrame$PrimitiveSlot");
      return OptionalInt.of((int) (long) accessible(slot, "longValue").invoke(locals[0]));
    } catch (ReflectiveOperationException | InaccessibleObjectException | ClassCastException e) {
      LOG.debug("The exit status cannot be read without {}", ShutdownHooks.OPTION, e);
      return OptionalInt.empty();
    }
  }

  private static boolean isExit(StackFrame frame) {
    return frame.getClassName().equals("java.lang.Shutdown")
        && frame.getMethodName().equals("exit");
  }

  private static Method accessible(Class<?> type, String name) throws NoSuchMethodException {
    Method method = type.getDeclaredMethod(name);
    method.setAccessible(true);
    return method;
  }
}
