package io.millrace.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.execution.JobClient;
import io.millrace.api.execution.JobExecutionListener;
import io.millrace.api.execution.JobExecutionResult;
import io.millrace.api.execution.JobStatus;
import io.millrace.api.execution.ProgramContext;
import io.millrace.api.operator.OperatorSpec;
import io.millrace.api.program.CachedFile;
import io.millrace.api.program.Transformation;
import io.millrace.core.config.Configuration;
import io.millrace.core.error.MillraceException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;

/** Listeners of jobs, records that are collected from later jobs, and cached files. */
@ResourceLock("bound program context")
class JobObservationTest {
  private final RecordingExecutor executor = new RecordingExecutor();
  private final List<String> heard = new ArrayList<>();

  private void run(Consumer<StreamEnvironment> main) throws Exception {
    new ProgramContext(executor, Configuration.EMPTY)
        .during(
            () -> {
              main.accept(StreamEnvironment.current());
              return true;
            });
  }

  private final class Listener implements JobExecutionListener {
    @Override
    public void submitted(JobClient client) {
      heard.add("submitted " + client.id().value().low());
    }

    @Override
    public void submissionFailed(Throwable cause) {
      heard.add("failed: " + cause.getMessage());
    }

    @Override
    public void executed(JobExecutionResult result) {
      heard.add(result.name() + " " + result.status());
    }
  }

  @Test
  void listenersHearOfSubmissionsAndOfTheEndOfJobsThatExecuteWaitsFor() throws Exception {
    run(
        env -> {
          env.registerJobListener(new Listener());
          env.fromElements(1).print();
          env.execute("first");
          env.fromElements(1).print();
          env.executeAsync("second");
          executor.end = JobStatus.FAILED;
          env.fromElements(1).print();
          assertThatThrownBy(() -> env.execute("third")).hasMessageContaining("the map threw");
          assertThatThrownBy(() -> env.execute("fourth")).isInstanceOf(MillraceException.class);
        });
    assertThat(heard.subList(0, 5))
        .containsExactly(
            "submitted 1", "first FINISHED", "submitted 2", "submitted 3", "third FAILED");
    assertThat(heard.get(5)).startsWith("failed: Job 'fourth' has nothing to execute");
  }

  @Test
  void recordsOfSeveralStreamsAreCollectedFromTheNextJob() throws Exception {
    executor.records = List.of("a", "b");
    run(
        env -> {
          DataStream<String> words = env.fromElements("a");
          CollectedRecords<String> first = words.collectAsync();
          CollectedRecords<String> second = words.map(word -> word).collectAsync();
          assertThatThrownBy(first::hasNext)
              .isInstanceOf(MillraceException.class)
              .hasMessageContaining("Call executeAsync");
          first.close();
          JobClient client = env.executeAsync("both");
          assertThat(first.job()).isSameAs(client);
          assertThat(first.toList()).containsExactly("a", "b");
          assertThat(second.toList()).containsExactly("a", "b");

          words.print();
          env.execute("next");
          assertThat(first.job()).isSameAs(client);
        });
    assertThat(executor.programs.get(0).transformations())
        .filteredOn(
            one ->
                one instanceof Transformation.Operator operator
                    && operator.spec() instanceof OperatorSpec.Collect)
        .extracting(one -> ((Transformation.Operator) one).spec())
        .doesNotHaveDuplicates()
        .hasSize(2);
  }

  @Test
  void cachedFilesAreInTheProgramWithAbsolutePaths(@TempDir Path directory) throws Exception {
    Path file = Files.writeString(directory.resolve("rates"), "1");
    run(
        env -> {
          env.registerCachedFile(file.toUri().toString(), "rates", true)
              .registerCachedFile("hdfs://host/model", "model")
              .registerCachedArchive(file.toString(), "archive")
              .registerCachedArchive(file.toString(), "archive");
          assertThatThrownBy(() -> env.registerCachedFile(file.toString(), "archive"))
              .hasMessageContaining("two cached files 'archive'");
          assertThatThrownBy(() -> env.registerCachedFile(file + "-none", "none"))
              .hasMessageContaining("'none' does not exist")
              .hasMessageContaining("rates-none");
          env.fromElements(1).print();
          env.execute();
        });
    assertThat(executor.programs.get(0).files())
        .containsExactly(
            new CachedFile("rates", file.toString(), false, true),
            new CachedFile("model", "hdfs://host/model", false, false),
            new CachedFile("archive", file.toString(), true, false));
  }
}
