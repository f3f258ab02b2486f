package io.millrace.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.execution.JobClient;
import io.millrace.api.execution.JobExecutionResult;
import io.millrace.api.execution.JobStatus;
import io.millrace.api.execution.ProgramContext;
import io.millrace.api.operator.OperatorSpec;
import io.millrace.api.program.Program;
import io.millrace.api.program.Routing;
import io.millrace.api.program.Transformation;
import io.millrace.api.resource.SlotSharingGroup;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.CoreOptions;
import io.millrace.core.config.DeploymentOptions;
import io.millrace.core.config.PipelineOptions;
import io.millrace.core.config.RestartStrategyOptions;
import io.millrace.core.config.RuntimeMode;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.testing.Behaviour;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;

@ResourceLock("bound program context")
class StreamEnvironmentTest {
  private final RecordingExecutor executor = new RecordingExecutor();
  private Configuration given = Configuration.EMPTY;

  @Test
  void cachedStreamHasOneDataSetInAllJobsThatUseIt() throws Exception {
    run(
        env -> {
          CachedStream<Integer> cached = env.fromElements(1, 2).cache();
          CachedStream<Integer> unused = env.fromElements(3).cache();
          cached.invalidate();
          assertThat(executor.released).as("no job has kept it yet").isEmpty();
          cached.print();
          env.execute("first");
          cached.map(number -> number).print();
          env.execute("second");
          assertThat(executor.programs.get(0).dataSets())
              .containsExactly(cached.dataSet(), unused.dataSet());
          assertThat(executor.programs.get(1).dataSets()).containsExactly(cached.dataSet());

          cached.invalidate();
          assertThat(executor.released).containsExactly(cached.dataSet());
          env.close();
          assertThat(executor.released).containsExactly(cached.dataSet(), unused.dataSet());
        });
  }

  @Test
  @Behaviour("A6: each API call adds one transformation")
  void everyCallAddsOneTransformation() throws Exception {
    run(
        env -> {
          DataStream<Integer> numbers = env.fromElements(1, 2, 3);
          numbers
              .map(number -> number + 1)
              .union(numbers)
              .filter(number -> number > 1)
              .rebalance()
              .print();
          env.execute("six");
        });
    List<Transformation> transformations = onlyProgram().transformations();
    assertThat(transformations).hasSize(6);
    assertThat(transformations)
        .extracting(Transformation::inputs)
        .containsExactly(List.of(), List.of(0), List.of(1, 0), List.of(2), List.of(3), List.of(4));
    assertThat(transformations.get(2)).isInstanceOf(Transformation.Union.class);
    assertThat(((Transformation.Route) transformations.get(4)).routing())
        .isEqualTo(new Routing.Rebalance());
    assertThat(operator(5).name()).isEqualTo("print");
  }

  @Test
  @Behaviour(
      "A6: execute clears the collected transformations, so that one main can run several jobs")
  void executeClearsWhatWasCollected() throws Exception {
    run(
        env -> {
          env.fromElements("a").print();
          env.execute("first");
          env.fromElements("b").map(text -> text).print();
          env.execute("second");
          assertThatThrownBy(() -> env.execute("third")).hasMessageContaining("nothing to execute");
        });
    assertThat(executor.programs).extracting(Program::name).containsExactly("first", "second");
    assertThat(executor.programs.get(0).transformations()).hasSize(2);
    assertThat(executor.programs.get(1).transformations()).hasSize(3);
  }

  @Test
  void aStreamOfAnEarlierJobBringsItsSourceAgain() throws Exception {
    run(
        env -> {
          DataStream<String> words = env.fromElements("a");
          words.print();
          env.execute("first");
          words.filter(word -> true).print();
          env.execute("second");
        });
    assertThat(executor.programs.get(1).transformations()).hasSize(3);
    assertThat(((Transformation.Operator) executor.programs.get(1).transformations().get(0)).spec())
        .isInstanceOf(OperatorSpec.Source.class);
  }

  @Test
  @Behaviour("A6: executeAsync returns a job client; executing nothing and a null name are errors")
  void executingNothingIsAnError() throws Exception {
    run(
        env ->
            assertThatThrownBy(() -> env.execute("empty"))
                .isInstanceOf(MillraceException.class)
                .hasMessageContaining("'empty' has nothing to execute"));
    assertThat(executor.programs).isEmpty();
  }

  @Test
  @Behaviour("A6: executeAsync returns a job client; executing nothing and a null name are errors")
  void aNullNameIsAnErrorThatClearsNothing() throws Exception {
    run(
        env -> {
          env.fromElements(1).print();
          assertThatThrownBy(() -> env.execute(null)).hasMessageContaining("name is null");
          env.execute();
        });
    assertThat(onlyProgram().transformations()).hasSize(2);
    assertThat(onlyProgram().name()).isNotBlank();
  }

  @Test
  void aFailedJobThrowsItsFailure() throws Exception {
    executor.end = JobStatus.FAILED;
    run(
        env -> {
          env.fromElements(1).print();
          assertThatThrownBy(() -> env.execute("fails"))
              .isInstanceOf(MillraceException.class)
              .hasMessage("the map threw");
        });
  }

  @Test
  void aCancelledJobThrows() throws Exception {
    executor.end = JobStatus.CANCELED;
    run(
        env -> {
          env.fromElements(1).print();
          assertThatThrownBy(() -> env.execute("stopped")).hasMessageContaining("was cancelled");
        });
  }

  @Test
  @Behaviour("A6: executeAsync returns a job client; executing nothing and a null name are errors")
  void executeAsyncReturnsAClientBeforeTheEnd() throws Exception {
    executor.end = JobStatus.RUNNING;
    run(
        env -> {
          env.fromElements(1).print();
          JobClient client = env.executeAsync("runs");
          assertThat(client.result()).isNotDone();
          assertThat(client.status().join()).isEqualTo(JobStatus.RUNNING);
        });
  }

  @Test
  void aDetachedProgramDoesNotWait() throws Exception {
    given = Configuration.EMPTY.with(DeploymentOptions.ATTACHED, false);
    executor.end = JobStatus.RUNNING;
    run(
        env -> {
          env.fromElements(1).print();
          JobExecutionResult result = env.execute("detached");
          assertThat(result.status().isTerminal()).isFalse();
        });
  }

  @Test
  void whatTheProgramSetsWinsOverWhatItIsRunWith() throws Exception {
    given =
        Configuration.EMPTY
            .with(CoreOptions.DEFAULT_PARALLELISM, 8)
            .with(RestartStrategyOptions.FIXED_DELAY_ATTEMPTS, 7);
    run(
        env -> {
          env.parallelism(3).disableChaining().configure("restart-strategy.type", "fixed-delay");
          env.fromElements(1).print();
          env.execute("set");
        });
    Configuration configuration = onlyProgram().configuration();
    assertThat(configuration.get(CoreOptions.DEFAULT_PARALLELISM)).isEqualTo(3);
    assertThat(configuration.get(PipelineOptions.OPERATOR_CHAINING)).isFalse();
    assertThat(configuration.get(RestartStrategyOptions.FIXED_DELAY_ATTEMPTS)).isEqualTo(7);
  }

  @Test
  void anUnknownOptionIsRefusedWithASuggestion() throws Exception {
    run(
        env ->
            assertThatThrownBy(() -> env.configure("parallelism.defualt", "2"))
                .hasMessageContaining("parallelism.default"));
  }

  @Test
  void keysOfTheProgramsOwnCanBeSetAndRead() throws Exception {
    given =
        Configuration.EMPTY
            .with(PipelineOptions.GLOBAL_JOB_PARAMETERS, "mine")
            .with("mine.rate", "2");
    run(
        env -> {
          env.configure("mine.limit", "3").configure("user.name", "me");
          assertThat(env.configuration().entries())
              .containsEntry("mine.rate", "2")
              .containsEntry("mine.limit", "3")
              .containsEntry("user.name", "me");
          assertThatThrownBy(() -> env.configure("rest.port", "99999"))
              .hasMessageContaining("0 to 65535");
        });
  }

  @Test
  void batchModeMakesAggregationsFinal() throws Exception {
    run(
        env -> {
          env.fromElements("a").keyBy(word -> word).count().print();
          env.runtimeMode(RuntimeMode.BATCH);
          env.execute("batch");
          env.fromElements("a").keyBy(word -> word).reduce((left, right) -> left).print();
          env.runtimeMode(RuntimeMode.STREAMING);
          env.execute("streaming");
        });
    assertThat(((OperatorSpec.Aggregate) operator(2).spec()).finalOnly()).isTrue();
    Transformation reduce = executor.programs.get(1).transformations().get(2);
    assertThat(((OperatorSpec.Reduce) ((Transformation.Operator) reduce).spec()).finalOnly())
        .isFalse();
  }

  @Test
  void batchModeRefusesAnUnboundedSourceByName() throws Exception {
    run(
        env -> {
          env.runtimeMode(RuntimeMode.BATCH).generate(index -> index).name("clock").print();
          assertThatThrownBy(() -> env.execute("endless"))
              .isInstanceOfSatisfying(
                  MillraceException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.USER))
              .hasMessageContaining("'clock'");
        });
    assertThat(executor.programs).isEmpty();
  }

  @Test
  void settingsGoToTheOperatorTheStreamComesOutOf() throws Exception {
    run(
        env -> {
          env.fromElements(1)
              .map(number -> number)
              .name("same")
              .uid("same-1")
              .parallelism(4)
              .maxParallelism(16)
              .slotSharingGroup("green")
              .sinkTo(context -> record -> {})
              .parallelism(2);
          env.execute("settings");
        });
    Transformation.Operator map = operator(1);
    assertThat(map.name()).isEqualTo("same");
    assertThat(map.settings().uid()).contains("same-1");
    assertThat(map.settings().parallelism()).hasValue(4);
    assertThat(map.settings().maxParallelism()).hasValue(16);
    assertThat(map.settings().slotSharingGroup()).contains(SlotSharingGroup.named("green"));
    assertThat(operator(2).settings().parallelism()).hasValue(2);
    assertThat(operator(2).name()).isEqualTo("sink");
  }

  @Test
  void routesHaveNoSettings() throws Exception {
    run(
        env ->
            assertThatThrownBy(() -> env.fromElements(1).rebalance().parallelism(2))
                .hasMessageContaining("'rebalance'")
                .hasMessageContaining("parallelism"));
  }

  @Test
  void streamsOfTwoEnvironmentsDoNotUnite() throws Exception {
    run(
        env -> {
          DataStream<Integer> other = StreamEnvironment.current().fromElements(2);
          assertThatThrownBy(() -> env.fromElements(1).union(other))
              .hasMessageContaining("two environments");
        });
  }

  @Test
  @Behaviour("H1: sources, sinks and settings refuse illegal arguments at the call")
  void parallelismOutOfRangeIsRefused() throws Exception {
    run(
        env -> {
          assertThatThrownBy(() -> env.parallelism(0)).hasMessageContaining("1 and 32768");
          assertThatThrownBy(() -> env.fromElements(1).parallelism(40_000))
              .hasMessageContaining("40000");
        });
  }

  @Test
  void collectRunsTheJobAndReadsItsRecords() throws Exception {
    executor.records = List.of(2, 4);
    run(
        env -> {
          List<Integer> records =
              env.fromElements(1, 2).map(number -> 2 * number).collect("doubled").toList();
          assertThat(records).containsExactly(2, 4);
        });
    assertThat(onlyProgram().name()).isEqualTo("doubled");
    assertThat(operator(2).spec()).isInstanceOf(OperatorSpec.Collect.class);
  }

  @Test
  void collectDoesNotPassAFailedJobAsAShortResult() throws Exception {
    executor.records = List.of(2);
    executor.end = JobStatus.FAILED;
    run(
        env -> {
          CollectedRecords<Integer> records = env.fromElements(1, 2).collect();
          assertThat(records.next()).isEqualTo(2);
          assertThatThrownBy(records::hasNext).hasMessage("the map threw");
        });
  }

  @Test
  void executeAndCollectReadsAFewRecordsAndCancelsTheJob() throws Exception {
    executor.records = List.of(1, 2, 3);
    executor.end = JobStatus.RUNNING;
    run(
        env -> {
          assertThat(env.fromElements(1).executeAndCollect(2)).containsExactly(1, 2);
          assertThat(executor.cancelled).hasSize(1);
          assertThatThrownBy(() -> env.fromElements(1).executeAndCollect(0))
              .isInstanceOf(MillraceException.class)
              .hasMessageContaining("1 or more");
          executor.end = JobStatus.FINISHED;
          assertThat(env.fromElements(1).executeAndCollect().toList()).containsExactly(1, 2, 3);
          assertThat(env.fromElements(1).executeAndCollect("named").toList()).hasSize(3);
          assertThat(executor.programs.get(executor.programs.size() - 1).name()).isEqualTo("named");
        });
  }

  @Test
  void closingCollectedRecordsCancelsARunningJob() throws Exception {
    executor.end = JobStatus.RUNNING;
    run(env -> env.fromElements(1).collect("read a little").close());
    assertThat(executor.cancelled).containsExactly("read a little");
  }

  @Test
  void aDetachedProgramCannotCollect() throws Exception {
    given = Configuration.EMPTY.with(DeploymentOptions.ATTACHED, false);
    run(
        env ->
            assertThatThrownBy(() -> env.fromElements(1).collect())
                .hasMessageContaining("detached"));
    assertThat(executor.programs).isEmpty();
  }

  @Test
  void countAndSumKeepTheKey() throws Exception {
    run(
        env -> {
          KeyedStream<String, Integer> byLength = env.fromElements("a", "bb").keyBy(String::length);
          byLength.count().print();
          byLength.sum(word -> 10L * word.length()).print();
          env.execute("aggregates");
        });
    assertThat(aggregated(2, "aa", "bb", "cc")).isEqualTo(new Counted<>(2, 3));
    assertThat(aggregated(4, "aa", "bb", "cc")).isEqualTo(new Summed<>(2, 60));
  }

  private Object aggregated(int position, Object... records) throws Exception {
    var function = ((OperatorSpec.Aggregate) operator(position).spec()).function();
    Object accumulator = function.create();
    for (Object record : records) {
      accumulator = function.add(accumulator, record);
    }
    return function.result(accumulator);
  }

  private void run(Consumer<StreamEnvironment> main) throws Exception {
    new ProgramContext(executor, given)
        .during(
            () -> {
              main.accept(StreamEnvironment.current());
              return true;
            });
  }

  private Program onlyProgram() {
    assertThat(executor.programs).hasSize(1);
    return executor.programs.get(0);
  }

  private Transformation.Operator operator(int position) {
    return (Transformation.Operator) executor.programs.get(0).transformations().get(position);
  }
}
