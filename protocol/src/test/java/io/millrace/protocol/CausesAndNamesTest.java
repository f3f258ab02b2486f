package io.millrace.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.id.AllocationId;
import io.millrace.core.id.InstanceId;
import io.millrace.core.id.JobId;
import io.millrace.core.id.WorkerId;
import io.millrace.protocol.JobMasterGateway.WorkerRegistered;
import io.millrace.protocol.JobMasterGateway.WorkerReply;
import io.millrace.protocol.ResourceManagerGateway.JobMasterRegistered;
import io.millrace.protocol.ResourceManagerGateway.JobMasterReply;
import io.millrace.protocol.ResourceManagerGateway.TaskManagerRegistered;
import io.millrace.protocol.ResourceManagerGateway.TaskManagerReply;
import io.millrace.protocol.journal.JournalEvent;
import io.millrace.protocol.reason.ErrorReason;
import io.millrace.protocol.reason.JobReason.WorkerConnectionLost;
import io.millrace.protocol.reason.Reason;
import io.millrace.protocol.text.JournalText;
import io.millrace.protocol.text.ReasonText;
import io.millrace.rpc.Address;
import io.millrace.rpc.registration.RegistrationReply;
import io.millrace.rpc.registration.RegistrationStatus;
import io.millrace.rpc.registration.RetryingRegistration.Answer;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Whoever reads a sentence can act on it only if it has what the value has: no cause is left out,
 * and everything with a name is named.
 */
class CausesAndNamesTest {
  private static final Reason CAUSE = new ErrorReason("the cause of it all");

  /** The components of reasons and events, one by one. */
  record Part(Class<? extends Record> holder, RecordComponent component) {
    int index() {
      return Arrays.stream(holder.getRecordComponents())
          .map(RecordComponent::getName)
          .toList()
          .indexOf(component.getName());
    }

    @Override
    public String toString() {
      return holder.getSimpleName() + "." + component.getName();
    }
  }

  private static Stream<Part> parts() {
    return Stream.concat(
            RecordGenerator.leaves(Reason.class), RecordGenerator.leaves(JournalEvent.class))
        .flatMap(
            holder ->
                Arrays.stream(holder.getRecordComponents())
                    .map(component -> new Part(holder, component)));
  }

  private static String textOf(Record value) {
    if (value instanceof Reason reason) {
      return ReasonText.of(reason);
    } else if (value instanceof JournalEvent event) {
      return JournalText.of(event);
    }
    throw new AssertionError("Neither a reason nor an event: " + value);
  }

  /** Values of the holder in which the component is replaced, as far as there are any. */
  private static List<Record> with(Part part, Object replaced) {
    List<Record> values = new ArrayList<>();
    for (int seed = 0; seed < 30; seed++) {
      Object[] components = RecordGenerator.plain(seed).components(part.holder());
      components[part.index()] = replaced;
      try {
        values.add((Record) RecordGenerator.construct(part.holder(), components));
      } catch (IllegalArgumentException refused) {
        // Others follow.
      }
    }
    assertThat(values).as("%s", part).isNotEmpty();
    return values;
  }

  // --- causes

  private static boolean isReason(Type type) {
    return type instanceof Class<?> plain && Reason.class.isAssignableFrom(plain);
  }

  static Stream<Part> causes() {
    return parts()
        .filter(
            part ->
                part.component().getType() == Reason.class
                    || part.component().getGenericType() instanceof ParameterizedType generic
                        && isReason(generic.getActualTypeArguments()[0]));
  }

  @ParameterizedTest
  @MethodSource("causes")
  void causeIsPartOfTheSentence(Part part) {
    Class<?> type = part.component().getType();
    Object cause =
        type == Optional.class ? Optional.of(CAUSE) : type == List.class ? List.of(CAUSE) : CAUSE;

    assertThat(with(part, cause))
        .allSatisfy(value -> assertThat(textOf(value)).contains("the cause of it all"));
  }

  @Test
  void chainOfCausesIsToldToItsEnd() {
    Reason reason = CAUSE;
    for (int i = 0; i < 20; i++) {
      reason = new WorkerConnectionLost(new WorkerId("tm-" + i), reason);
    }

    assertThat(ReasonText.of(reason)).contains("tm-19", "tm-0", "the cause of it all");
    JobMasterGateway.WorkerLeaves message =
        new JobMasterGateway.WorkerLeaves(new WorkerId("tm"), reason);
    assertThat(Messages.codec().decode(Messages.codec().encode(message))).isEqualTo(message);
  }

  // --- names

  private static final Set<Class<?>> NAMES =
      Set.of(
          String.class,
          WorkerId.class,
          JobId.class,
          AllocationId.class,
          InstanceId.class,
          Address.class);

  /**
   * Names that sentences leave out on purpose: the kind of a reason of a driver is for programs,
   * the place of leaders is told if no address was tried, a graph without vertices has no element
   * to name, and the message of a failure that is explained later identifies that failure for
   * programs.
   */
  private static final Set<String> UNNAMED =
      Set.of(
          "DriverReason.kind",
          "ResourceManagerNotFound.leaders",
          "GraphInvalid.element",
          "WorkerLossExplained.message");

  static Stream<Part> names() {
    return parts()
        .filter(
            part ->
                NAMES.contains(part.component().getType()) && !UNNAMED.contains(part.toString()));
  }

  @ParameterizedTest
  @MethodSource("names")
  void nameIsPartOfTheSentence(Part part) {
    Object[] drawn = RecordGenerator.plain(99).components(part.holder());
    Object name = drawn[part.index()];

    assertThat(with(part, name))
        .allSatisfy(value -> assertThat(textOf(value)).containsIgnoringCase(String.valueOf(name)));
  }

  // --- registrations

  @ParameterizedTest
  @EnumSource(RegistrationStatus.class)
  void repliesOfAllComponentsAreUnderstoodByTheRegisteringSide(RegistrationStatus verdict) {
    RecordGenerator generator = RecordGenerator.filled();
    boolean accepted = verdict == RegistrationStatus.ACCEPTED;
    Optional<Reason> reason = accepted ? Optional.empty() : Optional.of(CAUSE);
    WorkerRegistered worker = generator.record(WorkerRegistered.class);
    JobMasterRegistered jobMaster = generator.record(JobMasterRegistered.class);
    TaskManagerRegistered taskManager = generator.record(TaskManagerRegistered.class);

    check(verdict, new WorkerReply(verdict, reason, success(accepted, worker)), worker);
    check(verdict, new JobMasterReply(verdict, reason, success(accepted, jobMaster)), jobMaster);
    check(
        verdict,
        new TaskManagerReply(verdict, reason, success(accepted, taskManager)),
        taskManager);
  }

  private static <S> Optional<S> success(boolean accepted, S success) {
    return accepted ? Optional.of(success) : Optional.empty();
  }

  private static <S extends Record> void check(
      RegistrationStatus verdict, RegistrationReply<S, Reason> reply, S success) {
    assertThat(Answer.of(reply))
        .isEqualTo(
            switch (verdict) {
              case ACCEPTED -> new Answer.Accepted<S, Reason>(success);
              case REFUSED -> new Answer.Refused<S, Reason>(CAUSE);
              case REJECTED -> new Answer.Rejected<S, Reason>(CAUSE);
            });
  }
}
