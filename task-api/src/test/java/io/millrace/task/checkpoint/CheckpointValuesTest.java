package io.millrace.task.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.millrace.core.Bytes;
import io.millrace.core.config.Configuration;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.error.MillraceException;
import io.millrace.core.id.Id128;
import io.millrace.core.id.JobId;
import io.millrace.core.id.OperatorId;
import io.millrace.core.id.VertexId;
import io.millrace.graph.ChainedOperator;
import io.millrace.graph.JobGraph;
import io.millrace.graph.JobType;
import io.millrace.graph.JobVertex;
import io.millrace.task.checkpoint.CheckpointMetadata.OperatorInfo;
import io.millrace.task.checkpoint.CheckpointMetadata.SubtaskState;
import io.millrace.task.checkpoint.CheckpointMetadata.VertexState;
import io.millrace.task.checkpoint.CheckpointRequest.Barriers;
import io.millrace.task.checkpoint.OperatorSnapshot.Keyed;
import io.millrace.task.checkpoint.OperatorSnapshot.ListState;
import io.millrace.task.checkpoint.OperatorSnapshot.Redistribution;
import io.millrace.task.checkpoint.StateAssignment.Misfit;
import io.millrace.task.checkpoint.TaskRestore.InFlightRestore;
import io.millrace.task.checkpoint.TaskRestore.Slice;
import io.millrace.task.store.StateBackends;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Kinds of checkpoints, which values their parts have, and which checkpoints a job can use. */
class CheckpointValuesTest {

  // --- kinds

  private static Set<CheckpointRequest.Type> all(Predicate<CheckpointRequest.Type> property) {
    return Arrays.stream(CheckpointRequest.Type.values())
        .filter(property)
        .collect(Collectors.toCollection(() -> EnumSet.noneOf(CheckpointRequest.Type.class)));
  }

  @Test
  void propertiesOfTheKindsOfCheckpointsAreThoseOfTheirNames() {
    assertThat(all(CheckpointRequest.Type::isSavepoint))
        .isEqualTo(all(type -> type.name().contains("SAVEPOINT")));
    assertThat(all(CheckpointRequest.Type::isNativeSavepoint))
        .isEqualTo(all(type -> type.name().startsWith("NATIVE_")));
    assertThat(all(CheckpointRequest.Type::drains))
        .isEqualTo(all(type -> type.name().endsWith("_DRAIN")));
    assertThat(all(CheckpointRequest.Type::stops))
        .isEqualTo(all(type -> type.name().endsWith("_SUSPEND") || type.name().endsWith("_DRAIN")));
  }

  @ParameterizedTest
  @EnumSource(
      value = CheckpointRequest.Type.class,
      mode = EnumSource.Mode.EXCLUDE,
      names = "CHECKPOINT")
  void nativeFormatKeepsWhatHappensToTheJob(CheckpointRequest.Type type) {
    CheckpointRequest.Type converted = type.inNativeFormat();

    assertThat(converted.isNativeSavepoint()).isTrue();
    assertThat(converted.stops()).isEqualTo(type.stops());
    assertThat(converted.drains()).isEqualTo(type.drains());
    assertThat(converted.inNativeFormat()).isEqualTo(converted);
  }

  @Test
  void checkpointHasNoOtherFormat() {
    assertThatThrownBy(CheckpointRequest.Type.CHECKPOINT::inNativeFormat)
        .isInstanceOf(IllegalStateException.class);
  }

  private static CheckpointRequest request(long checkpoint, int inlineThreshold) {
    return new CheckpointRequest(
        checkpoint,
        5,
        CheckpointRequest.Type.CHECKPOINT,
        new Barriers(true, Duration.ofSeconds(1)),
        "/chk",
        "/shared",
        inlineThreshold);
  }

  @Test
  void overtakingRequestDiffersInItsBarriersOnly() {
    CheckpointRequest aligned = request(7, 100);

    assertThat(aligned.overtaking())
        .isEqualTo(
            new CheckpointRequest(
                7,
                5,
                CheckpointRequest.Type.CHECKPOINT,
                Barriers.UNALIGNED,
                "/chk",
                "/shared",
                100));
    assertThat(aligned.overtaking().overtaking()).isEqualTo(aligned.overtaking());
  }

  @Test
  void requestHasANumberAThresholdAndATimeoutThatExist() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> request(0, 1))
        .withMessageContaining("checkpoint must be >= 1, not 0");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> request(1, -1))
        .withMessageContaining("not -1");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Barriers(true, Duration.ofMillis(-5)))
        .withMessageContaining("alignmentTimeout must be >= 0");
    assertThat(request(1, 0).inlineThreshold()).isZero();
  }

  // --- parts

  @ParameterizedTest
  @ValueSource(
      strings = {"", " ", "a/b", "/a", "a/", "..", ".", ".hidden", "a\\b", "../up", "..\\up"})
  void pieceOfStateIsInAFileOfItsDirectory(String name) {
    assertThatIllegalArgumentException()
        .isThrownBy(
            () -> new StateHandle.FileSegment(StateHandle.Directory.EXCLUSIVE, name, 0, 0, 0))
        .withMessageContaining("'" + name + "'");
  }

  @ParameterizedTest
  @CsvSource({"-1, 0", "0, -1", "-9223372036854775808, 5"})
  void pieceOfStateHasAPlaceInItsFile(long offset, long size) {
    assertThatIllegalArgumentException()
        .isThrownBy(
            () -> new StateHandle.FileSegment(StateHandle.Directory.SHARED, "f", offset, size, 0))
        .withMessageContaining(offset + " and " + size);
  }

  @ParameterizedTest
  @CsvSource({"0, 16, 0", "-1, 16, 0", "17, 16, 0", "2, 16, 3"})
  void vertexHasNoMoreSubtasksThanItsParallelismAllows(int parallelism, int most, int subtasks) {
    List<SubtaskState> states =
        IntStream.range(0, subtasks).mapToObj(i -> SubtaskState.FINISHED).toList();
    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                new VertexState(
                    new VertexId(new Id128(0, 1)), "v", parallelism, most, List.of(), states))
        .withMessageContaining("parallelism " + parallelism);
  }

  @ParameterizedTest
  @CsvSource({"-1, 0", "3, 2", "0, -1"})
  void sliceEndsNotBeforeItBegins(int from, int to) {
    StateHandle handle = new StateHandle.Inline(Bytes.EMPTY);
    assertThatIllegalArgumentException().isThrownBy(() -> new Slice(handle, from, to));
    assertThatIllegalArgumentException().isThrownBy(() -> new KeyGroupRange(from, to));
  }

  @ParameterizedTest
  @CsvSource({"16, 4, -1", "16, 4, 4", "4, 5, 0", "4, 0, 0"})
  void keyGroupsBelongToSubtasksThatExist(int most, int parallelism, int subtask) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> KeyGroupRange.of(most, parallelism, subtask));
  }

  @Test
  void shareOfRecordsInFlightIsARangeOfConsumers() {
    InFlightRestore share = new InFlightRestore(0, 2, 3, 5, false, false, List.of());

    assertThat(IntStream.range(0, 8).filter(share::contains)).containsExactly(3, 4);
  }

  // --- which checkpoints a job can use

  private static OperatorId operator(int number) {
    return new OperatorId(new Id128(1, number));
  }

  private static JobGraph job(int maxParallelism, int... operators) {
    List<ChainedOperator> chain = new ArrayList<>();
    for (int number : operators) {
      chain.add(new ChainedOperator(operator(number), "op", chain.size() - 1, Bytes.EMPTY));
    }
    return new JobGraph(
        new JobId(new Id128(3, 9)),
        "job",
        JobType.STREAMING,
        List.of(
            new JobVertex(
                new VertexId(new Id128(2, 1)), "now", 1, maxParallelism, "default", chain)),
        List.of(),
        List.of(),
        Configuration.EMPTY);
  }

  /** A piece of five bytes. */
  private static final StateHandle FIVE = new StateHandle.Inline(Bytes.utf8("state"));

  private static OperatorSnapshot keyed(int number) {
    return new OperatorSnapshot(
        operator(number),
        List.of(new Keyed(new KeyGroupRange(0, 16), Keyed.CANONICAL, FIVE)),
        List.of());
  }

  private static OperatorSnapshot listed(int number) {
    return new OperatorSnapshot(
        operator(number), List.of(), List.of(new ListState("list", Redistribution.SPLIT, 1, FIVE)));
  }

  private static OperatorSnapshot empty(int number) {
    return new OperatorSnapshot(operator(number), List.of(), List.of());
  }

  /** A checkpoint of one vertex with max parallelism 16. */
  private static StateAssignment checkpoint(OperatorSnapshot... states) {
    return new StateAssignment(
        new CheckpointMetadata(
            new JobId(new Id128(3, 3)),
            5,
            0,
            CheckpointRequest.Type.SAVEPOINT,
            List.of(
                new VertexState(
                    new VertexId(new Id128(2, 1)),
                    "before",
                    1,
                    16,
                    Arrays.stream(states)
                        .map(state -> new OperatorInfo(state.operator(), "op"))
                        .toList(),
                    List.of(new SubtaskState(false, List.of(states), List.of()))))),
        "/chk",
        "/shared");
  }

  private static Misfit unclaimed(int number) {
    return new Misfit.UnclaimedState(new OperatorInfo(operator(number), "op"), "before", 5);
  }

  static Stream<Arguments> checkpointsAndJobs() {
    return Stream.of(
        arguments("the same operators", checkpoint(keyed(1), listed(2)), job(16, 1, 2), List.of()),
        arguments("a new operator", checkpoint(keyed(1)), job(16, 1, 2), List.of()),
        arguments(
            "an operator without state is gone",
            checkpoint(keyed(1), empty(2)),
            job(16, 1),
            List.of()),
        arguments(
            "an operator with state is gone",
            checkpoint(keyed(1), listed(2)),
            job(16, 1),
            List.of(unclaimed(2))),
        arguments(
            "the only operator with state is gone",
            checkpoint(empty(1), listed(2)),
            job(16, 1),
            List.of(unclaimed(2))),
        arguments(
            "all operators with state are gone",
            checkpoint(keyed(1), listed(2), empty(3)),
            job(16, 3, 4),
            List.of(new Misfit.OtherProgram(new JobId(new Id128(3, 3)), 2))),
        arguments(
            "key groups have changed",
            checkpoint(keyed(1), keyed(2)),
            job(32, 1, 2),
            List.of(new Misfit.MaxParallelismChanged("now", 16, 32))),
        arguments(
            "key groups have changed, no keyed state",
            checkpoint(listed(1)),
            job(32, 1),
            List.of()),
        arguments(
            "two misfits",
            checkpoint(keyed(1), listed(2)),
            job(32, 1),
            List.of(new Misfit.MaxParallelismChanged("now", 16, 32), unclaimed(2))));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("checkpointsAndJobs")
  void tellsWhyAJobCannotStartWithACheckpoint(
      String name, StateAssignment checkpoint, JobGraph job, List<Misfit> misfits) {
    assertThat(checkpoint.check(job, false)).isEqualTo(misfits);
    assertThat(checkpoint.check(job, true))
        .as("state may be dropped, and the number of key groups may not change")
        .isEqualTo(
            misfits.stream().filter(Misfit.MaxParallelismChanged.class::isInstance).toList());
  }

  /** Elements are counted in int numbers, and those of many subtasks may be more. */
  @Test
  void moreElementsThanAnIntCountsAreSplit() {
    int many = Integer.MAX_VALUE;
    List<SubtaskState> subtasks = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      subtasks.add(
          new SubtaskState(
              false,
              List.of(
                  new OperatorSnapshot(
                      operator(1),
                      List.of(),
                      List.of(
                          new ListState(
                              "list",
                              Redistribution.SPLIT,
                              many,
                              new StateHandle.FileSegment(
                                  StateHandle.Directory.EXCLUSIVE, "f" + i, 0, 1, 0))))),
              List.of()));
    }
    StateAssignment checkpoint =
        new StateAssignment(
            new CheckpointMetadata(
                new JobId(new Id128(3, 3)),
                5,
                0,
                CheckpointRequest.Type.CHECKPOINT,
                List.of(
                    new VertexState(
                        new VertexId(new Id128(2, 1)),
                        "before",
                        5,
                        16,
                        List.of(new OperatorInfo(operator(1), "op")),
                        subtasks))),
            "/chk",
            "/shared");
    JobVertex now =
        new JobVertex(
            new VertexId(new Id128(2, 1)),
            "now",
            3,
            16,
            "default",
            List.of(new ChainedOperator(operator(1), "op", -1, Bytes.EMPTY)));
    JobGraph job = job(16, 1);
    long elements = 0;
    for (int subtask = 0; subtask < 3; subtask++) {
      List<Slice> slices =
          checkpoint.of(job, now, subtask).orElseThrow().operators().get(0).lists().get(0).slices();
      elements += slices.stream().mapToLong(slice -> (long) slice.to() - slice.from()).sum();
    }

    assertThat(elements).isEqualTo(5L * many);
  }

  @Test
  void subtaskOfAVertexThatHadFinishedGetsNoElements() {
    VertexState finished =
        new VertexState(
            new VertexId(new Id128(2, 1)),
            "before",
            2,
            16,
            List.of(new OperatorInfo(operator(1), "op")),
            List.of(new SubtaskState(true, List.of(listed(1)), List.of())));
    StateAssignment checkpoint =
        new StateAssignment(
            new CheckpointMetadata(
                new JobId(new Id128(3, 3)),
                5,
                0,
                CheckpointRequest.Type.CHECKPOINT,
                List.of(finished)),
            "/chk",
            "/shared");
    JobVertex now =
        new JobVertex(
            new VertexId(new Id128(2, 1)),
            "now",
            2,
            16,
            "default",
            List.of(new ChainedOperator(operator(1), "op", -1, Bytes.EMPTY)));

    TaskRestore second = checkpoint.of(job(16, 1), now, 1).orElseThrow();

    assertThat(second.finished()).isTrue();
    assertThat(second.operators().get(0).lists().get(0).slices()).isEmpty();
  }

  // --- errors

  /** The JobManager gets the failures of tasks as messages, without their classes. */
  @Test
  void failuresThatARestartCannotMendAreKnownByTheirType() {
    Failure unusable =
        Failure.of(
            new CompletionException(
                new UnusableStateException(
                    ErrorKind.EXTERNAL, "A file is gone.", new IllegalStateException("x"))),
            ErrorKind.BUG);
    Failure unclaimed =
        Failure.briefly(new UnclaimedStateException("count", List.of("a"), 5), ErrorKind.BUG);
    Failure other = Failure.of(new MillraceException(ErrorKind.USER, "no"), ErrorKind.BUG);

    assertThat(Stream.of(unusable, unclaimed, other).map(UnusableStateException::caused))
        .containsExactly(true, false, false);
    assertThat(Stream.of(unusable, unclaimed, other).map(UnclaimedStateException::caused))
        .containsExactly(false, true, false);
  }

  @Test
  void errorAboutUnusedStateNamesItAndTheOption() {
    assertThat(new UnclaimedStateException("count", List.of("total", "last"), 5))
        .hasMessage(
            "Checkpoint 5 has state of operator 'count' that the operator does not use any more:"
                + " total, last. Let the function ask for the state again, or start the job with"
                + " -n (execution.state-recovery.ignore-unclaimed-state), which drops it.");
  }

  @Test
  void declineOfATaskHasTheMessageOfItsFailure() {
    assertThat(
            new DeclineCause.SnapshotNotStored(Failure.of(ErrorKind.EXTERNAL, "The disk is full."))
                .message())
        .isEqualTo("The disk is full.");
  }

  @Test
  void unknownBackendIsRefusedWithTheOptionAndTheKnownOnes() {
    StateBackends backends = StateBackends.withoutPlugins();

    assertThat(backends.find("hashmap")).isEmpty();
    assertThatThrownBy(() -> backends.find("rocksbd"))
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.USER))
        .hasMessageStartingWith(
            "No state backend 'rocksbd' (state.backend.type); known are hashmap. ");
  }

  @Test
  void readerOfStateThatIsNotThereIsNamed() {
    assertThatThrownBy(StoredStateReader::onClassPath)
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("millrace-dataplane is not on the class path");
  }
}
