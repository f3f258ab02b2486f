package io.millrace.cluster.inspect;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.protocol.ProcessGateway.ThreadDump;
import io.millrace.protocol.ProcessGateway.ThreadText;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import org.junit.jupiter.api.Test;

class ThreadTextsTest {
  private static ThreadText own(ThreadDump dump) {
    return dump.threads().stream()
        .filter(thread -> thread.name().equals(Thread.currentThread().getName()))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void showsStateAndStack() {
    assertThat(own(ThreadTexts.dump(false, 1000)).text())
        .contains("Id=" + Thread.currentThread().getId() + " RUNNABLE")
        .contains("\tat app//" + ThreadTextsTest.class.getName() + ".showsStateAndStack")
        .endsWith("\n\n");
  }

  @Test
  void showsHeldLocksIfAsked() {
    synchronized (this) {
      String lock = "\t-  locked " + ThreadTextsTest.class.getName() + "@";
      assertThat(own(ThreadTexts.dump(true, 1000)).text()).contains(lock);
      assertThat(own(ThreadTexts.dump(false, 1000)).text()).doesNotContain(lock);
    }
  }

  @Test
  void showsAtMostSoManyFrames() {
    assertThat(
            own(ThreadTexts.dump(false, 3)).text().lines().filter(line -> line.startsWith("\tat")))
        .hasSize(3);
  }

  @Test
  void countsThreadsThatDoNotFit() {
    ThreadInfo[] threads = ManagementFactory.getThreadMXBean().dumpAllThreads(false, false, 5);
    ThreadDump dump = ThreadTexts.bounded(threads, 0);
    assertThat(dump.threads()).hasSize(1);
    assertThat(dump.threads().get(0).name()).isEqualTo(threads.length + " more threads");
  }
}
