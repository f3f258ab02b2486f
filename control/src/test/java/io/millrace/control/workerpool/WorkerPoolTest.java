package io.millrace.control.workerpool;

import static io.millrace.control.Reasons.text;
import static io.millrace.control.Reasons.words;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.control.driver.DriverCapabilities.Startable;
import io.millrace.control.driver.ResourceLimits;
import io.millrace.control.driver.WorkerSpec;
import io.millrace.control.workerpool.WorkerPoolAction.Cancel;
import io.millrace.control.workerpool.WorkerPoolAction.Lost;
import io.millrace.control.workerpool.WorkerPoolAction.RecordEvent;
import io.millrace.control.workerpool.WorkerPoolAction.Release;
import io.millrace.control.workerpool.WorkerPoolAction.Request;
import io.millrace.control.workerpool.WorkerPoolEvent.Ended;
import io.millrace.control.workerpool.WorkerPoolEvent.Found;
import io.millrace.control.workerpool.WorkerPoolEvent.Limited;
import io.millrace.control.workerpool.WorkerPoolEvent.Registered;
import io.millrace.control.workerpool.WorkerPoolEvent.RegistrationLost;
import io.millrace.control.workerpool.WorkerPoolEvent.Released;
import io.millrace.control.workerpool.WorkerPoolEvent.StartFailed;
import io.millrace.control.workerpool.WorkerPoolEvent.Started;
import io.millrace.control.workerpool.WorkerPoolEvent.Tick;
import io.millrace.control.workerpool.WorkerPoolEvent.WorkersDeclared;
import io.millrace.core.ResourceProfile;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.ResourceManagerOptions;
import io.millrace.core.id.WorkerId;
import io.millrace.core.testing.Behaviour;
import io.millrace.protocol.journal.ResourceManagerEvent.WorkerStartsPaused;
import io.millrace.protocol.reason.WorkerReason.PreviousWorkersAwaited;
import io.millrace.protocol.reason.WorkerReason.WorkerNotNeeded;
import io.millrace.protocol.text.JournalText;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class WorkerPoolTest {
  private static final WorkerId A = new WorkerId("a");
  private static final WorkerId B = new WorkerId("b");

  private static final WorkerSpec SPEC = new WorkerSpec(new ResourceProfile(2, 200, 0, 0, 0), 2);
  private static final WorkerSpec LARGE =
      new WorkerSpec(new ResourceProfile(1, 900, 0, 500, 50), 1);
  private static final Startable STARTABLE = new Startable(SPEC, 100, "fake.max");
  private static final WorkerPoolSettings SETTINGS =
      WorkerPoolSettings.from(
          Configuration.EMPTY.with(ResourceManagerOptions.DRIVER, "fake"), STARTABLE);

  private final WorkerPool pool = new WorkerPool(SETTINGS);
  private long now = 1_000;

  @Test
  @Behaviour(
      "D11: while containers are pending, the reason shows the queue, its usage, the free and"
          + " reserved room and the age of YARN's answer")
  void reportsTheDriversDelayReasonUntilWorkersStart() {
    pool.apply(new WorkersDeclared(Map.of(SPEC, 1)), now);
    pool.apply(new WorkerPoolEvent.StartsDelayed(Optional.of(words("The queue is full."))), now);
    assertThat(text(pool.status(now).other())).isEqualTo("The queue is full.");
    pool.apply(new Started(1, A), now);
    assertThat(text(pool.status(now).other())).isEmpty();
  }

  @Test
  @Behaviour("D8: time-outs have the documented defaults")
  void usesDocumentedDefaultTimeouts() {
    assertThat(SETTINGS)
        .isEqualTo(
            new WorkerPoolSettings(
                "fake",
                SPEC,
                new ResourceLimits(
                    100, "fake.max", Integer.MAX_VALUE, Double.MAX_VALUE, Long.MAX_VALUE),
                Duration.ofMinutes(5),
                Duration.ofSeconds(30),
                Duration.ofMinutes(2),
                Duration.ofSeconds(3),
                10));
  }

  @Test
  @Behaviour("D8: the driver gets one request for each missing worker")
  void requestsEachMissingWorkerOnce() {
    assertThat(apply(declare(2))).containsExactly(new Request(1, SPEC), new Request(2, SPEC));
    assertThat(apply(declare(2))).isEmpty();
    assertThat(apply(new Started(1, A))).isEmpty();
    assertThat(apply(new Registered(A, SPEC))).isEmpty();
    assertThat(apply(declare(3))).containsExactly(new Request(3, SPEC));
    assertThat(requested()).containsOnly(Map.entry(SPEC, "Asked the driver 'fake' for 2 workers."));
  }

  @Test
  @Behaviour("D8: requests that are no longer needed are cancelled before the worker starts")
  void cancelsSurplusRequestsAndReleasesStartingWorkers() {
    apply(declare(3));
    apply(new Started(1, A));
    assertThat(apply(declare(1))).containsExactly(new Cancel(3), new Cancel(2));
    assertThat(apply(declare(0))).containsExactly(new Release(A, new WorkerNotNeeded()));
    // The driver had started the worker before the cancellation arrived.
    assertThat(apply(new Started(2, B))).containsExactly(new Release(B, new WorkerNotNeeded()));
    assertThat(pool.knows(B)).isFalse();
  }

  @Test
  void doesNotReleaseRegisteredWorkersByItself() {
    apply(declare(1));
    apply(new Started(1, A));
    apply(new Registered(A, SPEC));
    assertThat(apply(declare(0))).isEmpty();
    assertThat(apply(new Released(A, words("idle"))))
        .containsExactly(new Release(A, words("idle")));
    assertThat(pool.knows(A)).isFalse();
  }

  @Test
  @Behaviour("D8: failed starts and early deaths are retried after a pause")
  void retriesAFailedStartAfterAPause() {
    apply(declare(1));
    assertThat(apply(new StartFailed(1, words("No such command.")))).isEmpty();
    assertThat(pool.nextWake()).hasValue(now + Duration.ofSeconds(3).toNanos());
    assertThat(text(pool.status(now).other())).contains("No such command.", "every 3 s");
    pass(Duration.ofSeconds(3));
    assertThat(apply(new Tick())).containsExactly(new Request(2, SPEC));
  }

  @Test
  @Behaviour("D8: failed starts and early deaths are retried after a pause")
  void registrationOfAStartedWorkerEndsThePause() {
    apply(declare(2));
    assertThat(apply(new StartFailed(1, words("No room.")))).isEmpty();
    apply(new Started(2, A));
    assertThat(pool.nextWake()).as("the pause").hasValue(now + Duration.ofSeconds(3).toNanos());

    apply(new Registered(A, SPEC));

    assertThat(pool.nextWake()).hasValue(now);
    assertThat(apply(new Tick())).containsExactly(new Request(3, SPEC));
  }

  @Test
  @Behaviour("D8: failed starts and early deaths are retried after a pause")
  void endBeforeRegistrationCountsAsAFailedStart() {
    apply(declare(1));
    apply(new Started(1, A));
    assertThat(apply(new Ended(A, words("Exit code 1."))))
        .as("it may have registered without having reported its slots")
        .containsExactly(new Lost(A, words("Exit code 1.")));
    assertThat(text(pool.status(now).other()))
        .contains("it ended before it had registered: Exit code 1.");
    pass(Duration.ofSeconds(3));
    assertThat(apply(new Tick())).containsExactly(new Request(2, SPEC));
  }

  @Test
  void reportsTheEndOfARegisteredWorkerAndReplacesItWhenItsSlotsAreRemoved() {
    apply(declare(1));
    apply(new Started(1, A));
    apply(new Registered(A, SPEC));
    assertThat(apply(new Ended(A, words("Killed."))))
        .containsExactly(new Lost(A, words("Killed.")));
    assertThat(apply(new Released(A, words("Killed.")))).containsExactly(new Request(2, SPEC));
  }

  @Test
  @Behaviour("D8: a worker in excess of the requests is given back")
  void releasesASecondWorkerForTheSameRequest() {
    apply(declare(1));
    apply(new Started(1, A));
    assertThat(apply(new Started(1, B))).containsExactly(new Release(B, new WorkerNotNeeded()));
    apply(new Registered(A, SPEC));
    assertThat(pool.knows(A)).isTrue();
  }

  @Test
  void doesNotReplaceAnEndedWorkerThatIsNotNeeded() {
    apply(declare(1));
    apply(new Started(1, A));
    apply(new Registered(A, SPEC));
    apply(new Ended(A, words("Killed.")));
    assertThat(apply(declare(0))).isEmpty();
    assertThat(apply(new Released(A, words("Killed.")))).isEmpty();
  }

  @Test
  @Behaviour("D8: a started worker that does not register in time is stopped and replaced")
  void replacesAWorkerThatDoesNotRegisterInTime() {
    apply(declare(1));
    apply(new Started(1, A));
    pass(Duration.ofMinutes(5));
    List<WorkerPoolAction> actions = apply(new Tick());
    assertThat(actions).hasSize(1);
    assertThat(text(((Release) actions.get(0)).reason()))
        .contains("a did not register within 5 min")
        .contains("resourcemanager.taskmanager-registration.timeout");
    pass(Duration.ofSeconds(3));
    assertThat(apply(new Tick())).containsExactly(new Request(2, SPEC));
  }

  @Test
  void keepsAWorkerThatRegistersAtTheDeadline() {
    apply(declare(1));
    apply(new Started(1, A));
    pass(Duration.ofMinutes(5));
    assertThat(apply(new Registered(A, SPEC))).isEmpty();
    assertThat(apply(new Tick())).isEmpty();
  }

  @Test
  @Behaviour("D8: starting pauses above the failure rate and resumes by itself")
  void pausesAboveTheFailureRateAndResumes() {
    apply(declare(1));
    long first = now;
    for (int i = 1; i <= 10; i++) {
      apply(new StartFailed(i, words("It fails.")));
      pass(Duration.ofSeconds(3));
      assertThat(apply(new Tick())).containsExactly(new Request(i + 1, SPEC));
    }
    List<WorkerPoolAction> eleventh = all(new StartFailed(11, words("It fails.")));
    assertThat(eleventh)
        .filteredOn(RecordEvent.class::isInstance)
        .extracting(action -> ((RecordEvent) action).event())
        .hasAtLeastOneElementOfType(WorkerStartsPaused.class);
    assertThat(text(pool.status(now).other())).contains("11 starts failed within a minute");
    assertThat(pool.nextWake()).hasValue(first + Duration.ofMinutes(1).toNanos());
    pass(Duration.ofSeconds(29));
    assertThat(apply(new Tick())).isEmpty();
    pass(Duration.ofSeconds(1));
    assertThat(apply(new Tick())).containsExactly(new Request(12, SPEC));
    apply(new Started(12, A));
    apply(new Registered(A, SPEC));
    assertThat(pool.status(now)).isEqualTo(WorkerPoolStatus.EMPTY);
  }

  @Test
  @Behaviour("D8: workers of a previous attempt are recovered, waited for and reused")
  void waitsForWorkersOfAnEarlierAttemptUntilTheRecoveryTimeout() {
    apply(new Found(Map.of(A, SPEC, B, SPEC)));
    assertThat(pool.knows(A)).isTrue();
    assertThat(apply(declare(2))).isEmpty();
    // Tasks may run on them, so they are not released before they have registered.
    assertThat(apply(declare(0))).isEmpty();
    assertThat(apply(declare(2))).isEmpty();
    apply(new Registered(A, SPEC));
    pass(Duration.ofSeconds(30));
    List<WorkerPoolAction> actions = apply(new Tick());
    assertThat(actions.get(0)).isInstanceOf(Release.class);
    assertThat(((Release) actions.get(0)).worker()).isEqualTo(B);
    assertThat(actions.get(1)).isEqualTo(new Request(1, SPEC));
  }

  @Test
  @Behaviour("D8: requests, pending counts and cancellations are kept per worker spec")
  void requestsAndCancelsPerSpec() {
    assertThat(apply(new WorkersDeclared(Map.of(SPEC, 1, LARGE, 2))))
        .containsExactlyInAnyOrder(
            new Request(1, LARGE), new Request(2, LARGE), new Request(3, SPEC));
    assertThat(apply(new Started(1, A))).isEmpty();
    assertThat(apply(new Registered(A, LARGE))).isEmpty();
    assertThat(apply(new WorkersDeclared(Map.of(SPEC, 2, LARGE, 2))))
        .containsExactly(new Request(4, SPEC));
    // A surplus of one spec cancels only requests of that spec.
    assertThat(apply(new WorkersDeclared(Map.of(SPEC, 2, LARGE, 1))))
        .containsExactly(new Cancel(2));
    assertThat(apply(new WorkersDeclared(Map.of(SPEC, 1, LARGE, 1))))
        .containsExactly(new Cancel(4));
  }

  @Test
  @Behaviour(
      "D11: each unmet requirement has a current reason: what was requested of whom, the answer,"
          + " and what would help")
  void statusNamesRequestedAndStartingWorkersPerSpec() {
    apply(new WorkersDeclared(Map.of(SPEC, 2, LARGE, 1)));
    apply(new Started(2, A));
    apply(new Started(1, B));
    assertThat(requested())
        .containsOnly(
            Map.entry(
                LARGE,
                "Asked the driver 'fake' for 1 worker with 1.0 cpu, 900 bytes heap, 500 bytes"
                    + " managed, 50 bytes network; it is starting."),
            Map.entry(SPEC, "Asked the driver 'fake' for 2 workers; 1 of them is starting."));
  }

  @Test
  @Behaviour("D8: start failures slow down the starts of all worker specs")
  void failedStartOfOneSpecDelaysAllSpecs() {
    apply(new WorkersDeclared(Map.of(LARGE, 1)));
    apply(new StartFailed(1, words("No room.")));
    assertThat(apply(new WorkersDeclared(Map.of(SPEC, 1, LARGE, 1)))).isEmpty();
    pass(Duration.ofSeconds(3));
    assertThat(apply(new Tick())).hasSize(2);
  }

  @Test
  @Behaviour("D8: requests, pending counts and cancellations are kept per worker spec")
  void countsAWorkerUnderTheSpecItRegistersWith() {
    apply(new WorkersDeclared(Map.of(LARGE, 1)));
    apply(new Started(1, A));
    // The SlotManager usually declares a new target next; without one, the next tick decides.
    assertThat(apply(new Registered(A, SPEC))).isEmpty();
    assertThat(apply(new Registered(A, SPEC))).isEmpty();
    assertThat(pool.nextWake()).hasValue(now);
    assertThat(apply(new Tick())).containsExactly(new Request(2, LARGE));
    assertThat(apply(new WorkersDeclared(Map.of(SPEC, 1)))).containsExactly(new Cancel(2));
  }

  @Test
  @Behaviour("D8: a worker that is being released counts against the limits until it has ended")
  void countsAReleasedWorkerAgainstTheLimitsUntilItHasEnded() {
    apply(new Limited(1));
    apply(declare(1));
    apply(new Started(1, A));
    apply(new Registered(A, SPEC));
    assertThat(apply(new Released(A, words("silent"))))
        .containsExactly(new Release(A, words("silent")));
    assertThat(pool.nextWake()).hasValue(now + Duration.ofMinutes(2).toNanos());
    assertThat(text(pool.status(now).other()))
        .isEqualTo(
            "1 worker is ending and still counts until the driver 'fake' says that it is gone, for"
                + " up to 2 min (resourcemanager.taskmanager-release.timeout).");
    assertThat(apply(new Ended(A, words("It was released."))))
        .containsExactly(new Lost(A, words("It was released.")), new Request(2, SPEC));
    assertThat(text(pool.status(now).other())).isEmpty();
    assertThat(pool.nextWake()).isEmpty();
  }

  @Test
  @Behaviour(
      "D8: a released worker whose end is never reported counts as gone after"
          + " resourcemanager.taskmanager-release.timeout, with a warning")
  void assumesThatAReleasedWorkerHasEndedAfterTheReleaseTimeout() {
    apply(new Limited(1));
    apply(declare(1));
    apply(new Started(1, A));
    apply(new Registered(A, SPEC));
    apply(new Released(A, words("silent")));

    pass(Duration.ofMinutes(2).minusNanos(1));
    assertThat(apply(new Tick())).isEmpty();
    pass(Duration.ofNanos(1));
    List<WorkerPoolAction> actions = pool.apply(new Tick(), now);

    assertThat(actions).contains(new Request(2, SPEC));
    assertThat(actions)
        .filteredOn(action -> action instanceof RecordEvent event && event.warning())
        .singleElement()
        .satisfies(
            warning ->
                assertThat(JournalText.of(((RecordEvent) warning).event()))
                    .contains("Worker a was told to end 2 min ago", "taskmanager-release.timeout"));
    assertThat(pool.knows(A)).isFalse();
    assertThat(apply(new Ended(A, words("A late report.")))).isEmpty();
  }

  @Test
  void raisedLimitAllowsAWorkerBesideAReleasedOne() {
    apply(new Limited(1));
    apply(declare(1));
    apply(new Started(1, A));
    assertThat(apply(new WorkersDeclared(Map.of(LARGE, 1))))
        .hasSize(1)
        .first()
        .isInstanceOf(Release.class);
    assertThat(apply(new Limited(2))).containsExactly(new Request(2, LARGE));
  }

  @Test
  @Behaviour(
      "D8: a worker that has given up its registration is waited for as long, and replaced after"
          + " that")
  void waitsForAWorkerThatLostItsRegistrationUntilTheRecoveryTimeout() {
    apply(declare(1));
    apply(new Started(1, A));
    assertThat(apply(new RegistrationLost(A))).isEmpty();
    apply(new Registered(A, SPEC));

    assertThat(apply(new RegistrationLost(A))).isEmpty();
    assertThat(pool.knows(A)).isTrue();
    assertThat(text(pool.status(now).other()))
        .isEqualTo("Waits for 1 worker that was there before to register again.");
    apply(new Registered(A, SPEC));
    assertThat(pool.nextWake()).isEmpty();

    apply(new RegistrationLost(A));
    now += SETTINGS.recovery().toNanos();
    assertThat(apply(new Tick()))
        .extracting(Object::getClass)
        .startsWith(Release.class)
        .contains(Request.class);
  }

  @Test
  @Behaviour(
      "D11: each unmet requirement has a current reason: what was requested of whom, the answer,"
          + " and what would help")
  void statusNamesPreviousWorkersThatAreAwaited() {
    apply(new Found(Map.of(A, SPEC, B, LARGE)));
    assertThat(pool.status(now))
        .isEqualTo(new WorkerPoolStatus(Map.of(), List.of(new PreviousWorkersAwaited(2))));
    // Each previous worker counts for its own spec.
    assertThat(apply(new WorkersDeclared(Map.of(SPEC, 1, LARGE, 2))))
        .containsExactly(new Request(1, LARGE));
    apply(new Registered(A, SPEC));
    apply(new Registered(B, LARGE));
    assertThat(text(pool.status(now).other())).isEmpty();
  }

  /** Requests never exceed target and limits, and the target is reached in the end. */
  @Test
  @Behaviour("D8: the driver gets one request for each missing worker")
  @Behaviour("D8: requests, pending counts and cancellations are kept per worker spec")
  @Behaviour("D7: limits count workers of all specs; under a limit older jobs come first")
  void neverExceedsTargetOrLimitsInRandomRuns() {
    for (long seed = 0; seed < 300; seed++) {
      RandomWorkerPoolRun run = new RandomWorkerPoolRun(seed, SETTINGS, List.of(SPEC, LARGE));
      for (int step = 0; step < 200; step++) {
        run.step(step);
      }
      run.quiesce();
    }
  }

  private static WorkersDeclared declare(int workers) {
    return new WorkersDeclared(Map.of(SPEC, workers));
  }

  private void pass(Duration time) {
    now += time.toNanos();
  }

  /** The actions without {@link RecordEvent}. */
  private List<WorkerPoolAction> apply(WorkerPoolEvent event) {
    return all(event).stream().filter(action -> !(action instanceof RecordEvent)).toList();
  }

  private List<WorkerPoolAction> all(WorkerPoolEvent event) {
    return pool.apply(event, now);
  }

  private Map<WorkerSpec, String> requested() {
    Map<WorkerSpec, String> texts = new TreeMap<>();
    pool.status(now).requested().forEach((spec, reason) -> texts.put(spec, text(reason)));
    return texts;
  }
}
