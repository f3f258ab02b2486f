package io.millrace.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.CachedStream;
import io.millrace.api.StreamEnvironment;
import io.millrace.api.execution.ProgramContext;
import io.millrace.client.testing.FakeClusterClient;
import io.millrace.client.testing.TestJobs;
import io.millrace.core.config.Configuration;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.id.DataSetId;
import io.millrace.core.id.Id128;
import io.millrace.core.id.JobId;
import io.millrace.core.testing.Behaviour;
import io.millrace.graph.CachedDataSet;
import io.millrace.protocol.JobOverview;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;

@ResourceLock("ProgramContext")
class ClusterJobExecutorTest {
  private static final List<Path> JARS = List.of(Path.of("/programs/a.jar"));

  private final FakeClusterClient cluster = new FakeClusterClient();
  private final List<String> events = new ArrayList<>();
  private final ClusterJobExecutor executor =
      new ClusterJobExecutor(
          cluster,
          JARS,
          RecordDecoder::onClassPath,
          new JobListener() {
            @Override
            public void submitted(JobId job, String name) {
              events.add(name + " " + cluster.submitted().size());
            }

            @Override
            public void changed(JobOverview job) {
              events.add("changed");
            }
          });

  @Test
  @Behaviour("A5: inside run the program is bound to the target")
  void submitsEachJobWithTheJarsOfTheProgram() {
    TestJobs.submit(executor, "first");
    TestJobs.submit(executor, "second");
    assertThat(cluster.submittedJars()).containsExactly(JARS, JARS);
    assertThat(executor.jobs()).extracting(SubmittedJob::name).containsExactly("first", "second");
  }

  @Test
  void reportsAJobAfterTheClusterHasAcceptedIt() {
    TestJobs.submit(executor, "first");
    assertThat(events).containsExactly("first 1");
  }

  @Test
  void refusedJobIsNeitherReportedNorListed() {
    cluster.onSubmit(
        graph -> {
          throw new MillraceException(ErrorKind.RESOURCE, "No room.");
        });
    assertThatThrownBy(() -> TestJobs.submit(executor, "first")).hasMessage("No room.");
    assertThat(events).isEmpty();
    assertThat(executor.jobs()).isEmpty();
  }

  @Test
  void jobsOfOneProgramHaveDifferentIds() {
    TestJobs.submit(executor, "same");
    TestJobs.submit(executor, "same");
    assertThat(cluster.submitted()).hasSize(2);
  }

  @Test
  void idsMayBeGivenByTheirNames() {
    JobId id = new JobId(new Id128(0, 7));
    ClusterJobExecutor fixed =
        new ClusterJobExecutor(
            cluster,
            List.of(),
            RecordDecoder::onClassPath,
            JobListener.NONE,
            name -> name.equals("seven") ? id : new JobId(new Id128(1, 1)));
    assertThat(TestJobs.submit(fixed, "seven").id()).isEqualTo(id);
  }

  @Test
  @Behaviour("A6: executeAsync returns a job client; executing nothing and a null name are errors")
  void programWithoutASinkIsRefusedBeforeTheSubmission() {
    assertThatThrownBy(
            () ->
                during(
                    () -> {
                      StreamEnvironment env = StreamEnvironment.current();
                      env.fromElements(1, 2);
                      return env.executeAsync("without a sink");
                    }))
        .isInstanceOf(MillraceException.class);
    assertThat(cluster.submitted()).isEmpty();
  }

  @Test
  void completeDataSetOfAnEarlierJobIsNotComputedAgain() throws Exception {
    during(
        () -> {
          StreamEnvironment env = StreamEnvironment.current();
          CachedStream<Integer> cached = env.fromElements(1, 2).map(x -> x + 1).cache();
          cached.print();
          env.execute("first");
          cached.print();
          env.execute("second");
          JobId producer = cluster.submitted().get(1).id();
          for (DataSetId id : computedBy(1)) {
            cluster.keep(new CachedDataSet(id, producer, 1, List.of("worker:1")));
          }
          cached.print();
          return env.execute("third");
        });
    assertThat(computedBy(0)).hasSize(1);
    assertThat(computedBy(1)).as("the cluster has no complete data set").isEqualTo(computedBy(0));
    assertThat(computedBy(2)).isEmpty();
  }

  @Test
  void dataSetsOfTheProgramAreReleasedOnce() throws Exception {
    during(
        () -> {
          StreamEnvironment env = StreamEnvironment.current();
          env.fromElements(1, 2).cache().print();
          return env.execute("first");
        });
    executor.releaseAll();
    executor.releaseAll();
    assertThat(cluster.released()).hasSize(1);
  }

  @Test
  void programWithoutCachedDataSetsReleasesNothing() {
    TestJobs.submit(executor, "first");
    executor.releaseAll();
    assertThat(cluster.released()).isEmpty();
  }

  private List<DataSetId> computedBy(int job) {
    return cluster.submitted().get(job).vertices().stream()
        .flatMap(vertex -> vertex.dataSets().stream())
        .toList();
  }

  private <T> T during(Callable<T> program) throws Exception {
    return new ProgramContext(executor, Configuration.EMPTY).during(program);
  }
}
