package io.millrace.control.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.control.driver.Ceiling;
import io.millrace.control.driver.Supply.Startable;
import io.millrace.control.driver.WorkerSpec;
import io.millrace.control.fleet.FleetAction.Cancel;
import io.millrace.control.fleet.FleetAction.Lost;
import io.millrace.control.fleet.FleetAction.Note;
import io.millrace.control.fleet.FleetAction.Release;
import io.millrace.control.fleet.FleetAction.Request;
import io.millrace.control.fleet.FleetEvent.Astray;
import io.millrace.control.fleet.FleetEvent.Dismissed;
import io.millrace.control.fleet.FleetEvent.Ended;
import io.millrace.control.fleet.FleetEvent.Found;
import io.millrace.control.fleet.FleetEvent.Limited;
import io.millrace.control.fleet.FleetEvent.Registered;
import io.millrace.control.fleet.FleetEvent.StartFailed;
import io.millrace.control.fleet.FleetEvent.Started;
import io.millrace.control.fleet.FleetEvent.Tick;
import io.millrace.control.fleet.FleetEvent.Wanted;
import io.millrace.core.ResourceProfile;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.Options;
import io.millrace.core.id.WorkerId;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class FleetTest {
  private static final WorkerId A = new WorkerId("a");
  private static final WorkerId B = new WorkerId("b");

  private static final WorkerSpec SPEC = new WorkerSpec(new ResourceProfile(2, 200, 0, 0, 0), 2);
  private static final WorkerSpec LARGE =
      new WorkerSpec(new ResourceProfile(1, 900, 0, 500, 50), 1);
  private static final Startable STARTABLE = new Startable(SPEC, 100, "fake.max");
  private static final FleetSettings SETTINGS =
      FleetSettings.from(Configuration.EMPTY.with(Options.DRIVER, "fake"), STARTABLE);

  private final Fleet fleet = new Fleet(SETTINGS);
  private long now = 1_000;

  @Test
  void repeatsWhyTheDriverSaysThatWorkersDoNotComeUntilTheyHave() {
    fleet.apply(new Wanted(Map.of(SPEC, 1)), now);
    fleet.apply(new FleetEvent.Waits("The queue is full."), now);
    assertThat(fleet.standing(now).other()).isEqualTo("The queue is full.");
    fleet.apply(new Started(1, A), now);
    assertThat(fleet.standing(now).other()).isEmpty();
  }

  @Test
  void isPatientAsDocumentedUnlessConfigured() {
    assertThat(SETTINGS)
        .isEqualTo(
            new FleetSettings(
                "fake",
                SPEC,
                new Ceiling(100, "fake.max", Integer.MAX_VALUE, Double.MAX_VALUE, Long.MAX_VALUE),
                Duration.ofMinutes(5),
                Duration.ofSeconds(30),
                Duration.ofMinutes(2),
                Duration.ofSeconds(3),
                10));
  }

  @Test
  void asksForWhatIsMissingAndOnlyOnce() {
    assertThat(apply(want(2))).containsExactly(new Request(1, SPEC), new Request(2, SPEC));
    assertThat(apply(want(2))).isEmpty();
    assertThat(apply(new Started(1, A))).isEmpty();
    assertThat(apply(new Registered(A, SPEC))).isEmpty();
    assertThat(apply(want(3))).containsExactly(new Request(3, SPEC));
    assertThat(fleet.standing(now).asked())
        .containsOnly(Map.entry(SPEC, "Asked the driver 'fake' for 2 workers."));
  }

  @Test
  void takesBackWhatIsTooManyBeforeItHasCome() {
    apply(want(3));
    apply(new Started(1, A));
    assertThat(apply(want(1))).containsExactly(new Cancel(3), new Cancel(2));
    assertThat(apply(want(0))).containsExactly(new Release(A, "It is not needed any more."));
    // The driver was at it already.
    assertThat(apply(new Started(2, B)))
        .containsExactly(new Release(B, "It is not needed any more."));
    assertThat(fleet.knows(B)).isFalse();
  }

  @Test
  void neverTakesBackAWorkerThatHasCome() {
    apply(want(1));
    apply(new Started(1, A));
    apply(new Registered(A, SPEC));
    assertThat(apply(want(0))).isEmpty();
    assertThat(apply(new Dismissed(A, "idle"))).containsExactly(new Release(A, "idle"));
    assertThat(fleet.knows(A)).isFalse();
  }

  @Test
  void triesAgainAfterAPauseWhereAStartFails() {
    apply(want(1));
    assertThat(apply(new StartFailed(1, "No such command."))).isEmpty();
    assertThat(fleet.nextWake()).hasValue(now + Duration.ofSeconds(3).toNanos());
    assertThat(fleet.standing(now).other()).contains("No such command.", "every 3 s");
    pass(Duration.ofSeconds(3));
    assertThat(apply(new Tick())).containsExactly(new Request(2, SPEC));
  }

  @Test
  void workerThatComesEndsThePauseAfterAFailedStart() {
    apply(want(2));
    assertThat(apply(new StartFailed(1, "No room."))).isEmpty();
    apply(new Started(2, A));
    assertThat(fleet.nextWake()).as("the pause").hasValue(now + Duration.ofSeconds(3).toNanos());

    apply(new Registered(A, SPEC));

    assertThat(fleet.nextWake()).hasValue(now);
    assertThat(apply(new Tick())).containsExactly(new Request(3, SPEC));
  }

  @Test
  void earlyDeathCountsAsAFailedStart() {
    apply(want(1));
    apply(new Started(1, A));
    assertThat(apply(new Ended(A, "Exit code 1."))).isEmpty();
    assertThat(fleet.standing(now).other())
        .contains("a ended before it had registered: Exit code 1.");
    pass(Duration.ofSeconds(3));
    assertThat(apply(new Tick())).containsExactly(new Request(2, SPEC));
  }

  @Test
  void deathOfARegisteredWorkerIsToldAndItIsReplacedWhenItsSlotsAreDismissed() {
    apply(want(1));
    apply(new Started(1, A));
    apply(new Registered(A, SPEC));
    assertThat(apply(new Ended(A, "Killed."))).containsExactly(new Lost(A, "Killed."));
    assertThat(apply(new Dismissed(A, "Killed."))).containsExactly(new Request(2, SPEC));
  }

  @Test
  void secondWorkerForTheSameRequestIsGivenBackAndTheFirstStays() {
    apply(want(1));
    apply(new Started(1, A));
    assertThat(apply(new Started(1, B)))
        .containsExactly(new Release(B, "It is not needed any more."));
    apply(new Registered(A, SPEC));
    assertThat(fleet.knows(A)).isTrue();
  }

  @Test
  void deadWorkerThatNobodyNeededIsNotReplaced() {
    apply(want(1));
    apply(new Started(1, A));
    apply(new Registered(A, SPEC));
    apply(new Ended(A, "Killed."));
    assertThat(apply(want(0))).isEmpty();
    assertThat(apply(new Dismissed(A, "Killed."))).isEmpty();
  }

  @Test
  void workerThatDoesNotRegisterInTimeIsReplaced() {
    apply(want(1));
    apply(new Started(1, A));
    pass(Duration.ofMinutes(5));
    List<FleetAction> actions = apply(new Tick());
    assertThat(actions).hasSize(1);
    assertThat(((Release) actions.get(0)).reason())
        .contains("a did not register within 5 min")
        .contains("resourcemanager.taskmanager-registration.timeout");
    pass(Duration.ofSeconds(3));
    assertThat(apply(new Tick())).containsExactly(new Request(2, SPEC));
  }

  @Test
  void workerThatRegistersInTheLastMomentStays() {
    apply(want(1));
    apply(new Started(1, A));
    pass(Duration.ofMinutes(5));
    assertThat(apply(new Registered(A, SPEC))).isEmpty();
    assertThat(apply(new Tick())).isEmpty();
  }

  @Test
  void pausesWhereStartsKeepFailingAndGoesOnByItself() {
    apply(want(1));
    long first = now;
    for (int i = 1; i <= 10; i++) {
      apply(new StartFailed(i, "It fails."));
      pass(Duration.ofSeconds(3));
      assertThat(apply(new Tick())).containsExactly(new Request(i + 1, SPEC));
    }
    List<FleetAction> eleventh = all(new StartFailed(11, "It fails."));
    assertThat(eleventh)
        .filteredOn(Note.class::isInstance)
        .extracting(note -> ((Note) note).what())
        .contains("worker starts paused");
    assertThat(fleet.standing(now).other()).contains("11 starts having failed within a minute");
    assertThat(fleet.nextWake()).hasValue(first + Duration.ofMinutes(1).toNanos());
    pass(Duration.ofSeconds(29));
    assertThat(apply(new Tick())).isEmpty();
    pass(Duration.ofSeconds(1));
    assertThat(apply(new Tick())).containsExactly(new Request(12, SPEC));
    apply(new Started(12, A));
    apply(new Registered(A, SPEC));
    assertThat(fleet.standing(now)).isEqualTo(Standing.NOTHING);
  }

  @Test
  void countsOnWorkersOfAnEarlierAttemptForAWhile() {
    apply(new Found(Map.of(A, SPEC, B, SPEC)));
    assertThat(fleet.knows(A)).isTrue();
    assertThat(apply(want(2))).isEmpty();
    // Tasks may run there: they are not taken back before they have come.
    assertThat(apply(want(0))).isEmpty();
    assertThat(apply(want(2))).isEmpty();
    apply(new Registered(A, SPEC));
    pass(Duration.ofSeconds(30));
    List<FleetAction> actions = apply(new Tick());
    assertThat(actions.get(0)).isInstanceOf(Release.class);
    assertThat(((Release) actions.get(0)).worker()).isEqualTo(B);
    assertThat(actions.get(1)).isEqualTo(new Request(1, SPEC));
  }

  @Test
  void asksForEachSpecByItself() {
    assertThat(apply(new Wanted(Map.of(SPEC, 1, LARGE, 2))))
        .containsExactlyInAnyOrder(
            new Request(1, LARGE), new Request(2, LARGE), new Request(3, SPEC));
    assertThat(apply(new Started(1, A))).isEmpty();
    assertThat(apply(new Registered(A, LARGE))).isEmpty();
    assertThat(apply(new Wanted(Map.of(SPEC, 2, LARGE, 2)))).containsExactly(new Request(4, SPEC));
    // What is not needed of one is no reason to take back another.
    assertThat(apply(new Wanted(Map.of(SPEC, 2, LARGE, 1)))).containsExactly(new Cancel(2));
    assertThat(apply(new Wanted(Map.of(SPEC, 1, LARGE, 1)))).containsExactly(new Cancel(4));
  }

  @Test
  void saysWhatWasAskedForAndHowFarItIs() {
    apply(new Wanted(Map.of(SPEC, 2, LARGE, 1)));
    apply(new Started(2, A));
    apply(new Started(1, B));
    assertThat(fleet.standing(now).asked())
        .containsOnly(
            Map.entry(
                LARGE,
                "Asked the driver 'fake' for 1 worker with 1.0 cpu, 900 bytes heap, 500 bytes"
                    + " managed, 50 bytes network; it is starting."),
            Map.entry(SPEC, "Asked the driver 'fake' for 2 workers; 1 of them is starting."));
  }

  @Test
  void failureOfOneSpecSlowsDownAll() {
    apply(new Wanted(Map.of(LARGE, 1)));
    apply(new StartFailed(1, "No room."));
    assertThat(apply(new Wanted(Map.of(SPEC, 1, LARGE, 1)))).isEmpty();
    pass(Duration.ofSeconds(3));
    assertThat(apply(new Tick())).hasSize(2);
  }

  @Test
  void workerThatIsNotWhatWasAskedForCountsAsWhatItIs() {
    apply(new Wanted(Map.of(LARGE, 1)));
    apply(new Started(1, A));
    // What is wanted beside it is told next; only where nothing is, is this looked at again.
    assertThat(apply(new Registered(A, SPEC))).isEmpty();
    assertThat(apply(new Registered(A, SPEC))).isEmpty();
    assertThat(fleet.nextWake()).hasValue(now);
    assertThat(apply(new Tick())).containsExactly(new Request(2, LARGE));
    assertThat(apply(new Wanted(Map.of(SPEC, 1)))).containsExactly(new Cancel(2));
  }

  @Test
  void workerOnItsWayOutCountsUntilItIsGone() {
    apply(new Limited(1));
    apply(want(1));
    apply(new Started(1, A));
    apply(new Registered(A, SPEC));
    assertThat(apply(new Dismissed(A, "silent"))).containsExactly(new Release(A, "silent"));
    assertThat(fleet.nextWake()).hasValue(now + Duration.ofMinutes(2).toNanos());
    assertThat(fleet.standing(now).other())
        .isEqualTo(
            "1 worker is ending and still counts until the driver 'fake' says that it is gone, for"
                + " up to 2 min (resourcemanager.taskmanager-release.timeout).");
    assertThat(apply(new Ended(A, "It was released.")))
        .containsExactly(new Lost(A, "It was released."), new Request(2, SPEC));
    assertThat(fleet.standing(now).other()).isEmpty();
    assertThat(fleet.nextWake()).isEmpty();
  }

  @Test
  void workerWhoseEndIsNeverToldCountsAsGoneAfterAWhile() {
    apply(new Limited(1));
    apply(want(1));
    apply(new Started(1, A));
    apply(new Registered(A, SPEC));
    apply(new Dismissed(A, "silent"));

    pass(Duration.ofMinutes(2).minusNanos(1));
    assertThat(apply(new Tick())).isEmpty();
    pass(Duration.ofNanos(1));
    List<FleetAction> actions = fleet.apply(new Tick(), now);

    assertThat(actions).contains(new Request(2, SPEC));
    assertThat(actions)
        .filteredOn(action -> action instanceof Note note && note.trouble())
        .singleElement()
        .satisfies(
            note ->
                assertThat(((Note) note).detail())
                    .contains("Worker a was told to end 2 min ago", "taskmanager-release.timeout"));
    assertThat(fleet.knows(A)).isFalse();
    assertThat(apply(new Ended(A, "Now it is told."))).isEmpty();
  }

  @Test
  void raisedLimitNeedNotWaitForAWorkerOnItsWayOut() {
    apply(new Limited(1));
    apply(want(1));
    apply(new Started(1, A));
    assertThat(apply(new Wanted(Map.of(LARGE, 1)))).hasSize(1).first().isInstanceOf(Release.class);
    assertThat(apply(new Limited(2))).containsExactly(new Request(2, LARGE));
  }

  @Test
  void workerThatHasGivenUpItsRegistrationCountsUntilItIsBackOrTooLate() {
    apply(want(1));
    apply(new Started(1, A));
    assertThat(apply(new Astray(A))).isEmpty();
    apply(new Registered(A, SPEC));

    assertThat(apply(new Astray(A))).isEmpty();
    assertThat(fleet.knows(A)).isTrue();
    assertThat(fleet.standing(now).other())
        .isEqualTo("Waits for 1 worker that was there before to register again.");
    apply(new Registered(A, SPEC));
    assertThat(fleet.nextWake()).isEmpty();

    apply(new Astray(A));
    now += SETTINGS.recovery().toNanos();
    assertThat(apply(new Tick()))
        .extracting(Object::getClass)
        .startsWith(Release.class)
        .contains(Request.class);
  }

  @Test
  void saysThatItWaitsForWorkersOfBeforeTheRestart() {
    apply(new Found(Map.of(A, SPEC, B, LARGE)));
    assertThat(fleet.standing(now))
        .isEqualTo(
            new Standing(
                Map.of(), "Waits for 2 workers that were there before to register again."));
    // Each counts for its own spec.
    assertThat(apply(new Wanted(Map.of(SPEC, 1, LARGE, 2)))).containsExactly(new Request(1, LARGE));
    apply(new Registered(A, SPEC));
    apply(new Registered(B, LARGE));
    assertThat(fleet.standing(now).other()).isEmpty();
  }

  /** Whatever happens, no more is asked for than wanted and allowed, and at rest all are there. */
  @Test
  void keepsToWhatIsWantedInRandomRuns() {
    for (long seed = 0; seed < 300; seed++) {
      FleetWorld world = new FleetWorld(seed, SETTINGS, List.of(SPEC, LARGE));
      for (int step = 0; step < 200; step++) {
        world.step(step);
      }
      world.rest();
    }
  }

  private static Wanted want(int usual) {
    return new Wanted(Map.of(SPEC, usual));
  }

  private void pass(Duration time) {
    now += time.toNanos();
  }

  /** What is to be done, without what is only to be noted. */
  private List<FleetAction> apply(FleetEvent event) {
    return all(event).stream().filter(action -> !(action instanceof Note)).toList();
  }

  private List<FleetAction> all(FleetEvent event) {
    return fleet.apply(event, now);
  }
}
