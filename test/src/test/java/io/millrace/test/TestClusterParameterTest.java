package io.millrace.test;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Clusters as parameters of tests and in fields of instances. */
@Timeout(value = 3, unit = TimeUnit.MINUTES)
class TestClusterParameterTest {
  static class OfEachTest {
    @RegisterExtension final TestCluster cluster = TestCluster.of(1, 1);

    @Test
    void runsJobs() {
      assertThat(cluster.taskManagers()).containsExactly("taskmanager-1");
      assertThat(cluster.environment().fromElements(1).collect().toList()).containsExactly(1);
    }

    @Test
    void isAnotherOneInTheNextTest() {
      assertThat(cluster.taskManagers()).containsExactly("taskmanager-1");
      cluster.startTaskManager();
      assertThat(cluster.taskManagers()).hasSize(2);
    }
  }

  @org.junit.jupiter.api.Nested
  class InstanceField extends OfEachTest {}

  @org.junit.jupiter.api.Nested
  @ExtendWith(TestCluster.class)
  class Parameter {
    @Test
    void clusterIsAParameter(TestCluster cluster) {
      assertThat(cluster.taskManagers()).hasSize(2);
      assertThat(cluster.environment().fromElements(1).collect().toList()).containsExactly(1);
    }
  }
}
