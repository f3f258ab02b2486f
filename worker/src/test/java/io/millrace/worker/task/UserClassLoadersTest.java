package io.millrace.worker.task;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.id.Id128;
import io.millrace.core.id.JobId;
import java.util.List;
import org.junit.jupiter.api.Test;

class UserClassLoadersTest {
  private static final ClassLoader ENGINE = UserClassLoadersTest.class.getClassLoader();
  private static final JobId JOB = new JobId(new Id128(1, 1));

  @Test
  void eachJobHasItsOwnLoaderThatCanBeClosed() throws Exception {
    UserClassLoaders classes = UserClassLoaders.childFirst(ENGINE, List.of());
    ClassLoader first = classes.load(JOB, List.of());
    ClassLoader second = classes.load(new JobId(new Id128(2, 2)), List.of());
    assertThat(first).isInstanceOf(AutoCloseable.class).isNotSameAs(second);
    assertThat(first.getName()).contains(JOB.toString());
    ((AutoCloseable) first).close();
    ((AutoCloseable) second).close();
  }

  @Test
  void sharedClassesAreNotClosedWithTheJob() throws Exception {
    ClassLoader loader = UserClassLoaders.shared(ENGINE).load(JOB, List.of());
    assertThat(loader).isNotInstanceOf(AutoCloseable.class);
    assertThat(loader.loadClass(getClass().getName())).isSameAs(getClass());
  }
}
