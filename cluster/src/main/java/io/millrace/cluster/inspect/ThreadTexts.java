package io.millrace.cluster.inspect;

import io.millrace.protocol.ProcessGateway.ThreadDump;
import io.millrace.protocol.ProcessGateway.ThreadText;
import java.lang.management.LockInfo;
import java.lang.management.ManagementFactory;
import java.lang.management.MonitorInfo;
import java.lang.management.ThreadInfo;
import java.util.ArrayList;
import java.util.List;

/** The threads of this process as text, in the form of {@link ThreadInfo#toString}. */
final class ThreadTexts {
  /** A character has up to three bytes in a message, which has at most 1 MiB. */
  private static final int MAX_CHARACTERS = 300 * 1024;

  private ThreadTexts() {}

  /**
   * @param locks whether to show the locks that each thread holds
   * @param depth the maximum number of frames of a thread
   */
  static ThreadDump dump(boolean locks, int depth) {
    ThreadInfo[] threads = ManagementFactory.getThreadMXBean().dumpAllThreads(locks, locks, depth);
    return bounded(threads, MAX_CHARACTERS);
  }

  /** Threads that do not fit are counted in a last entry. */
  static ThreadDump bounded(ThreadInfo[] threads, int characters) {
    List<ThreadText> texts = new ArrayList<>();
    int left = characters;
    for (ThreadInfo thread : threads) {
      String text = text(thread);
      left -= thread.getThreadName().length() + text.length();
      if (left < 0) {
        int missing = threads.length - texts.size();
        texts.add(
            new ThreadText(
                missing + " more threads",
                missing + " of " + threads.length + " threads are not shown: there are too many."));
        break;
      }
      texts.add(new ThreadText(thread.getThreadName(), text));
    }
    return new ThreadDump(texts);
  }

  private static String text(ThreadInfo thread) {
    StringBuilder text = new StringBuilder();
    text.append('"').append(thread.getThreadName()).append('"');
    text.append(thread.isDaemon() ? " daemon" : "");
    text.append(" prio=").append(thread.getPriority());
    text.append(" Id=").append(thread.getThreadId()).append(' ').append(thread.getThreadState());
    if (thread.getLockName() != null) {
      text.append(" on ").append(thread.getLockName());
    }
    if (thread.getLockOwnerName() != null) {
      text.append(" owned by \"").append(thread.getLockOwnerName());
      text.append("\" Id=").append(thread.getLockOwnerId());
    }
    text.append(thread.isSuspended() ? " (suspended)" : "");
    text.append(thread.isInNative() ? " (in native)" : "").append('\n');
    StackTraceElement[] stack = thread.getStackTrace();
    for (int i = 0; i < stack.length; i++) {
      text.append("\tat ").append(stack[i]).append('\n');
      if (i == 0 && thread.getLockInfo() != null) {
        waitsFor(thread, text);
      }
      for (MonitorInfo monitor : thread.getLockedMonitors()) {
        if (monitor.getLockedStackDepth() == i) {
          text.append("\t-  locked ").append(monitor).append('\n');
        }
      }
    }
    LockInfo[] locks = thread.getLockedSynchronizers();
    if (locks.length > 0) {
      text.append("\n\tNumber of locked synchronizers = ").append(locks.length).append('\n');
      for (LockInfo lock : locks) {
        text.append("\t- ").append(lock).append('\n');
      }
    }
    return text.append('\n').toString();
  }

  private static void waitsFor(ThreadInfo thread, StringBuilder text) {
    switch (thread.getThreadState()) {
      case BLOCKED -> text.append("\t-  blocked on ").append(thread.getLockInfo()).append('\n');
      case WAITING, TIMED_WAITING ->
          text.append("\t-  waiting on ").append(thread.getLockInfo()).append('\n');
      case NEW, RUNNABLE, TERMINATED -> {
        // It waits for nothing.
      }
    }
  }
}
