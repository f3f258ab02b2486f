package io.millrace.control.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.control.fleet.FleetAction.Cancel;
import io.millrace.control.fleet.FleetAction.Lost;
import io.millrace.control.fleet.FleetAction.Note;
import io.millrace.control.fleet.FleetAction.Release;
import io.millrace.control.fleet.FleetAction.Request;
import io.millrace.control.fleet.FleetEvent.Dismissed;
import io.millrace.control.fleet.FleetEvent.Ended;
import io.millrace.control.fleet.FleetEvent.Found;
import io.millrace.control.fleet.FleetEvent.Registered;
import io.millrace.control.fleet.FleetEvent.StartFailed;
import io.millrace.control.fleet.FleetEvent.Started;
import io.millrace.control.fleet.FleetEvent.Tick;
import io.millrace.control.fleet.FleetEvent.Wanted;
import io.millrace.core.config.Configuration;
import io.millrace.core.id.WorkerId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class FleetTest {
  private static final WorkerId A = new WorkerId("a");
  private static final WorkerId B = new WorkerId("b");

  private final Fleet fleet =
      new Fleet(
          new FleetSettings(
              Duration.ofMinutes(5), Duration.ofSeconds(30), Duration.ofSeconds(3), 10));
  private long now = 1_000;

  @Test
  void isPatientAsDocumentedUnlessConfigured() {
    assertThat(FleetSettings.from(Configuration.EMPTY))
        .isEqualTo(
            new FleetSettings(
                Duration.ofMinutes(5), Duration.ofSeconds(30), Duration.ofSeconds(3), 10));
  }

  @Test
  void asksForWhatIsMissingAndOnlyOnce() {
    assertThat(apply(new Wanted(2))).containsExactly(new Request(1), new Request(2));
    assertThat(apply(new Wanted(2))).isEmpty();
    assertThat(apply(new Started(1, A))).isEmpty();
    assertThat(apply(new Registered(A))).isEmpty();
    assertThat(apply(new Wanted(3))).containsExactly(new Request(3));
    assertThat(fleet.underWay()).isEqualTo(2);
  }

  @Test
  void takesBackWhatIsTooManyBeforeItHasCome() {
    apply(new Wanted(3));
    apply(new Started(1, A));
    assertThat(apply(new Wanted(1))).containsExactly(new Cancel(3), new Cancel(2));
    assertThat(apply(new Wanted(0))).containsExactly(new Release(A, "It is not needed any more."));
    // The driver was at it already.
    assertThat(apply(new Started(2, B)))
        .containsExactly(new Release(B, "it is not needed any more"));
    assertThat(fleet.knows(B)).isFalse();
  }

  @Test
  void neverTakesBackAWorkerThatHasCome() {
    apply(new Wanted(1));
    apply(new Started(1, A));
    apply(new Registered(A));
    assertThat(apply(new Wanted(0))).isEmpty();
    assertThat(apply(new Dismissed(A, "idle"))).containsExactly(new Release(A, "idle"));
    assertThat(fleet.knows(A)).isFalse();
  }

  @Test
  void triesAgainAfterAPauseWhereAStartFails() {
    apply(new Wanted(1));
    assertThat(apply(new StartFailed(1, "No such command."))).isEmpty();
    assertThat(fleet.nextWake()).hasValue(now + Duration.ofSeconds(3).toNanos());
    assertThat(fleet.standing(now)).contains("No such command.", "every 3 s");
    pass(Duration.ofSeconds(3));
    assertThat(apply(new Tick())).containsExactly(new Request(2));
  }

  @Test
  void earlyDeathCountsAsAFailedStart() {
    apply(new Wanted(1));
    apply(new Started(1, A));
    assertThat(apply(new Ended(A, "Exit code 1."))).isEmpty();
    assertThat(fleet.standing(now)).contains("a ended before it had registered: Exit code 1.");
    pass(Duration.ofSeconds(3));
    assertThat(apply(new Tick())).containsExactly(new Request(2));
  }

  @Test
  void deathOfARegisteredWorkerIsToldAndItIsReplacedWhenItsSlotsAreDismissed() {
    apply(new Wanted(1));
    apply(new Started(1, A));
    apply(new Registered(A));
    assertThat(apply(new Ended(A, "Killed."))).containsExactly(new Lost(A, "Killed."));
    assertThat(apply(new Dismissed(A, "Killed."))).containsExactly(new Request(2));
  }

  @Test
  void deadWorkerThatNobodyNeededIsNotReplaced() {
    apply(new Wanted(1));
    apply(new Started(1, A));
    apply(new Registered(A));
    apply(new Ended(A, "Killed."));
    assertThat(apply(new Wanted(0))).isEmpty();
    assertThat(apply(new Dismissed(A, "Killed."))).isEmpty();
  }

  @Test
  void workerThatDoesNotRegisterInTimeIsReplaced() {
    apply(new Wanted(1));
    apply(new Started(1, A));
    pass(Duration.ofMinutes(5));
    List<FleetAction> actions = apply(new Tick());
    assertThat(actions).hasSize(1);
    assertThat(((Release) actions.get(0)).reason())
        .contains("a did not register within 5 min")
        .contains("resourcemanager.taskmanager-registration.timeout");
    pass(Duration.ofSeconds(3));
    assertThat(apply(new Tick())).containsExactly(new Request(2));
  }

  @Test
  void pausesWhereStartsKeepFailingAndGoesOnByItself() {
    apply(new Wanted(1));
    long first = now;
    for (int i = 1; i <= 10; i++) {
      apply(new StartFailed(i, "It fails."));
      pass(Duration.ofSeconds(3));
      assertThat(apply(new Tick())).containsExactly(new Request(i + 1));
    }
    List<FleetAction> eleventh = all(new StartFailed(11, "It fails."));
    assertThat(eleventh)
        .filteredOn(Note.class::isInstance)
        .extracting(note -> ((Note) note).what())
        .contains("worker starts paused");
    assertThat(fleet.standing(now)).contains("11 starts having failed within a minute");
    assertThat(fleet.nextWake()).hasValue(first + Duration.ofMinutes(1).toNanos());
    pass(Duration.ofSeconds(29));
    assertThat(apply(new Tick())).isEmpty();
    pass(Duration.ofSeconds(1));
    assertThat(apply(new Tick())).containsExactly(new Request(12));
    apply(new Started(12, A));
    apply(new Registered(A));
    assertThat(fleet.standing(now)).isEmpty();
  }

  @Test
  void countsOnWorkersOfAnEarlierAttemptForAWhile() {
    apply(new Found(List.of(A, B)));
    assertThat(fleet.knows(A)).isTrue();
    assertThat(apply(new Wanted(2))).isEmpty();
    // Tasks may run there: they are not taken back before they have come.
    assertThat(apply(new Wanted(0))).isEmpty();
    assertThat(apply(new Wanted(2))).isEmpty();
    apply(new Registered(A));
    pass(Duration.ofSeconds(30));
    List<FleetAction> actions = apply(new Tick());
    assertThat(actions.get(0)).isInstanceOf(Release.class);
    assertThat(((Release) actions.get(0)).worker()).isEqualTo(B);
    assertThat(actions.get(1)).isEqualTo(new Request(1));
  }

  /** Whatever happens, no more is asked for than wanted, and at rest just as many are there. */
  @Test
  void keepsToWhatIsWantedInRandomRuns() {
    for (long seed = 0; seed < 300; seed++) {
      Random random = new Random(seed);
      Fleet any =
          new Fleet(
              new FleetSettings(
                  Duration.ofSeconds(60), Duration.ofSeconds(30), Duration.ofSeconds(3), 3));
      List<Long> asked = new ArrayList<>();
      List<WorkerId> alive = new ArrayList<>();
      List<WorkerId> registered = new ArrayList<>();
      int wanted = 0;
      long time = 0;
      for (int step = 0; step < 200; step++) {
        time += random.nextInt(2_000_000_000);
        FleetEvent event = new Tick();
        switch (random.nextInt(6)) {
          case 0 -> {
            wanted = registered.size() + random.nextInt(4);
            event = new Wanted(wanted);
          }
          case 1 -> {
            if (!asked.isEmpty()) {
              WorkerId worker = new WorkerId("w" + step);
              event = new Started(asked.remove(random.nextInt(asked.size())), worker);
              alive.add(worker);
            }
          }
          case 2 -> {
            if (!asked.isEmpty()) {
              event = new StartFailed(asked.remove(random.nextInt(asked.size())), "It fails.");
            }
          }
          case 3 -> {
            if (!alive.isEmpty()) {
              WorkerId worker = alive.get(random.nextInt(alive.size()));
              event = new Registered(worker);
              if (!registered.contains(worker)) {
                registered.add(worker);
              }
            }
          }
          case 4 -> {
            if (!alive.isEmpty()) {
              WorkerId worker = alive.remove(random.nextInt(alive.size()));
              registered.remove(worker);
              event = new Ended(worker, "Gone.");
            }
          }
          default -> {}
        }
        List<FleetAction> actions = new ArrayList<>(any.apply(event, time));
        for (FleetAction action : List.copyOf(actions)) {
          if (action instanceof Lost lost) {
            actions.addAll(any.apply(new Dismissed(lost.worker(), lost.reason()), time));
          }
        }
        for (FleetAction action : actions) {
          if (action instanceof Request request) {
            asked.add(request.request());
          } else if (action instanceof Cancel cancel) {
            assertThat(asked.remove((Long) cancel.request())).isTrue();
          } else if (action instanceof Release release) {
            assertThat(registered).as("seed %d", seed).doesNotContain(release.worker());
            assertThat(alive.remove(release.worker())).as("seed %d", seed).isTrue();
          }
        }
        assertThat(asked.size() + alive.size())
            .as("seed %d, step %d", seed, step)
            .isLessThanOrEqualTo(Math.max(wanted, registered.size()));
      }
      time += Duration.ofMinutes(2).toNanos();
      for (FleetAction action : any.apply(new Tick(), time)) {
        if (action instanceof Request request) {
          asked.add(request.request());
        } else if (action instanceof Release release) {
          alive.remove(release.worker());
        }
      }
      time += Duration.ofMinutes(2).toNanos();
      for (FleetAction action : any.apply(new Tick(), time)) {
        if (action instanceof Request request) {
          asked.add(request.request());
        }
      }
      assertThat(asked.size() + alive.size())
          .as("seed %d", seed)
          .isEqualTo(Math.max(wanted, registered.size()));
    }
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
