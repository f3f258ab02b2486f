package io.millrace.cluster;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs the signal that ends the process, and passes it on to the previous handler. The signal
 * classes of the JDK are not a supported API, so they are looked up by name. A JVM without them
 * ends without the log line.
 */
final class SignalHandler {
  private static final Logger LOG = LoggerFactory.getLogger(SignalHandler.class);
  private static final String[] SIGNALS = {"TERM", "INT", "HUP"};

  private final String process;
  private final AtomicReference<String> received = new AtomicReference<>();

  SignalHandler(String process) {
    this.process = process;
  }

  /** The received signal, for example {@code SIGTERM}. */
  Optional<String> received() {
    return Optional.ofNullable(received.get());
  }

  void install() {
    for (String name : SIGNALS) {
      try {
        install(name);
      } catch (ReflectiveOperationException | IllegalArgumentException e) {
        // For example with -Xrs, where the JVM leaves signals to the operating system.
        LOG.info("SIG{} ends the process without a line in the log: {}", name, e.toString());
      }
    }
  }

  private void install(String name) throws ReflectiveOperationException {
    Class<?> signals = Class.forName("sun.misc.Signal");
    Class<?> handlers = Class.forName("sun.misc.SignalHandler");
    Object signal = signals.getConstructor(String.class).newInstance(name);
    Method handle = handlers.getMethod("handle", signals);
    Method replace = signals.getMethod("handle", signals, handlers);
    AtomicReference<Object> previous = new AtomicReference<>();
    InvocationHandler logging =
        (proxy, method, arguments) -> {
          if (!method.equals(handle)) {
            return method.getName().equals("equals")
                ? (Object) (proxy == arguments[0])
                : method.getName().equals("hashCode")
                    ? (Object) System.identityHashCode(proxy)
                    : "log of SIG" + name;
          }
          received.compareAndSet(null, "SIG" + name);
          LOG.info("{} received SIG{} and shuts down", process, name);
          handle.invoke(previous.get(), arguments[0]);
          return null;
        };
    Object handler =
        Proxy.newProxyInstance(
            SignalHandler.class.getClassLoader(), new Class<?>[] {handlers}, logging);
    Object ignore = handlers.getField("SIG_IGN").get(null);
    // A signal may arrive before the previous handler is known.
    previous.set(handlers.getField("SIG_DFL").get(null));
    Object before = replace.invoke(null, signal, handler);
    if (before.equals(ignore)) {
      // For example SIGHUP under nohup.
      replace.invoke(null, signal, ignore);
    } else {
      previous.set(before);
    }
  }
}
