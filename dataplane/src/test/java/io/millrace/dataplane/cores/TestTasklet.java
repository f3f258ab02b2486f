package io.millrace.dataplane.cores;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;

/** Remembers what it was told. */
abstract class TestTasklet extends Tasklet {
  final List<Throwable> failCauses = new CopyOnWriteArrayList<>();
  final CountDownLatch endCalled = new CountDownLatch(1);

  TestTasklet(CoreScheduler cores, ClassLoader contextClasses) {
    super(cores, contextClasses);
  }

  @Override
  protected void fail(Throwable cause) {
    failCauses.add(cause);
    wake();
  }

  @Override
  protected void end() {
    endCalled.countDown();
  }
}
