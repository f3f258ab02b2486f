package io.millrace.core.plugin;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;

/**
 * Calls a plugin with its class loader as the context class loader, because many libraries search
 * classes and services there. Streams that a plugin returns are wrapped likewise.
 */
final class PluginCalls implements InvocationHandler {
  private final Object service;
  private final ClassLoader loader;

  private PluginCalls(Object service, ClassLoader loader) {
    this.service = service;
    this.loader = loader;
  }

  static <S> S of(Class<S> type, S service, ClassLoader loader) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(), new Class<?>[] {type}, new PluginCalls(service, loader)));
  }

  @Override
  public Object invoke(Object proxy, Method method, Object[] arguments) throws Throwable {
    ClassLoader before = enter(loader);
    try {
      Object result = method.invoke(service, arguments);
      if (result instanceof InputStream in) {
        return new Input(in, loader);
      }
      if (result instanceof OutputStream out) {
        return new Output(out, loader);
      }
      return result;
    } catch (InvocationTargetException e) {
      throw e.getCause();
    } finally {
      leave(before);
    }
  }

  private static ClassLoader enter(ClassLoader loader) {
    ClassLoader before = Thread.currentThread().getContextClassLoader();
    Thread.currentThread().setContextClassLoader(loader);
    return before;
  }

  private static void leave(ClassLoader before) {
    Thread.currentThread().setContextClassLoader(before);
  }

  private static final class Input extends InputStream {
    private final InputStream in;
    private final ClassLoader loader;

    Input(InputStream in, ClassLoader loader) {
      this.in = in;
      this.loader = loader;
    }

    @Override
    public int read() throws IOException {
      ClassLoader before = enter(loader);
      try {
        return in.read();
      } finally {
        leave(before);
      }
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
      ClassLoader before = enter(loader);
      try {
        return in.read(target, offset, length);
      } finally {
        leave(before);
      }
    }

    @Override
    public void close() throws IOException {
      ClassLoader before = enter(loader);
      try {
        in.close();
      } finally {
        leave(before);
      }
    }
  }

  private static final class Output extends OutputStream {
    private final OutputStream out;
    private final ClassLoader loader;

    Output(OutputStream out, ClassLoader loader) {
      this.out = out;
      this.loader = loader;
    }

    @Override
    public void write(int value) throws IOException {
      ClassLoader before = enter(loader);
      try {
        out.write(value);
      } finally {
        leave(before);
      }
    }

    @Override
    public void write(byte[] source, int offset, int length) throws IOException {
      ClassLoader before = enter(loader);
      try {
        out.write(source, offset, length);
      } finally {
        leave(before);
      }
    }

    @Override
    public void flush() throws IOException {
      ClassLoader before = enter(loader);
      try {
        out.flush();
      } finally {
        leave(before);
      }
    }

    @Override
    public void close() throws IOException {
      ClassLoader before = enter(loader);
      try {
        out.close();
      } finally {
        leave(before);
      }
    }
  }
}
