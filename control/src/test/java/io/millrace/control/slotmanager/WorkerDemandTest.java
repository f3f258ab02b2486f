package io.millrace.control.slotmanager;

import static io.millrace.control.Reasons.text;
import static io.millrace.control.Reasons.words;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.control.driver.DriverCapabilities.Startable;
import io.millrace.control.driver.WorkerSpec;
import io.millrace.control.slotmanager.SlotAction.DeclareWorkers;
import io.millrace.control.slotmanager.SlotAction.FailRequirements;
import io.millrace.control.slotmanager.SlotAction.NotifyPending;
import io.millrace.control.slotmanager.SlotAction.ReleaseWorker;
import io.millrace.control.slotmanager.SlotAction.RequestSlot;
import io.millrace.control.slotmanager.SlotEvent.DataHeld;
import io.millrace.control.slotmanager.SlotEvent.JobForgotten;
import io.millrace.control.slotmanager.SlotEvent.RequirementsDeclared;
import io.millrace.control.slotmanager.SlotEvent.SlotFreed;
import io.millrace.control.slotmanager.SlotEvent.SlotGranted;
import io.millrace.control.slotmanager.SlotEvent.SlotsReported;
import io.millrace.control.slotmanager.SlotEvent.SupplyStatus;
import io.millrace.control.slotmanager.SlotEvent.Tick;
import io.millrace.control.slotmanager.SlotEvent.WorkerDraining;
import io.millrace.control.slotmanager.SlotEvent.WorkerLost;
import io.millrace.control.slotmanager.SlotEvent.WorkersBlocked;
import io.millrace.control.slotmanager.SlotEvent.WorkersLimited;
import io.millrace.core.ResourceProfile;
import io.millrace.core.id.Id128;
import io.millrace.core.id.InstanceId;
import io.millrace.core.id.JobId;
import io.millrace.core.id.WorkerId;
import io.millrace.core.testing.Behaviour;
import io.millrace.protocol.ResourceManagerGateway.Requirement;
import io.millrace.protocol.SlotReport;
import io.millrace.protocol.SlotReport.SlotStatus;
import io.millrace.protocol.reason.WorkerReason.WorkerIdle;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The workers that the SlotManager declares and releases. */
class WorkerDemandTest {
  private static final ResourceProfile SLOT = new ResourceProfile(1, 100, 0, 0, 0);
  private static final WorkerSpec SPEC = new WorkerSpec(SLOT.times(2), 2);
  private static final ResourceProfile ANY = ResourceProfile.UNSPECIFIED;
  private static final Duration IDLE = Duration.ofSeconds(30);
  private static final Duration TIMEOUT = Duration.ofMinutes(5);
  private static final JobId JOB = new JobId(new Id128(1, 1));

  private long now = 1_000;
  private SlotManager slots = manager(4, 0, 0);

  static SlotSettings standalone(Duration startUp, boolean spread) {
    return new SlotSettings(
        startUp, spread, words("Start more TaskManagers."), Optional.empty(), bounds(0, 0));
  }

  private static SlotSettings.Bounds bounds(int minSlots, int spares) {
    return new SlotSettings.Bounds(
        minSlots, Integer.MAX_VALUE, 0, Double.MAX_VALUE, 0, Long.MAX_VALUE, spares, IDLE);
  }

  private SlotManager manager(int most, int minSlots, int spares) {
    Startable startable = new Startable(SPEC, most, "process.max-taskmanagers");
    return new SlotManager(
        new SlotSettings(
            Duration.ZERO,
            false,
            words("Lower the parallelism."),
            Optional.of(startable),
            bounds(minSlots, spares)),
        new Random(1),
        now);
  }

  @Test
  @Behaviour("D7: pending slots and workers count before new workers are requested")
  void declaresTheWorkersThatMissingSlotsNeed() {
    assertThat(declare(7)).contains(target(4));
    assertThat(register("a")).doesNotHaveAnyElementsOfTypes(DeclareWorkers.class);
    assertThat(declare(5)).contains(target(3));
    assertThat(declare(0)).contains(target(1));
  }

  @Test
  @Behaviour("D4: a free slot consumes the pending slot of the same profile")
  void declaresAnotherWorkerIfOneRegistersWithFewerSlots() {
    assertThat(declare(2)).contains(target(1));
    // One slot is registered where two are needed, so another worker is declared.
    assertThat(register("a", 1))
        .contains(new DeclareWorkers(Map.of(new WorkerSpec(SLOT, 1), 1, SPEC, 1)));
    assertThat(register("b", 2)).doesNotHaveAnyElementsOfTypes(DeclareWorkers.class);
  }

  @Test
  @Behaviour(
      "D4: a new slot serves the requirement it was requested for first; each change leads to a"
          + " new plan, older jobs first")
  void registeredWorkerServesTheJobItWasRequestedFor() {
    slots = manager(1, 0, 0);
    declare(2);
    // The limit allows no worker for this job.
    JobId later = new JobId(new Id128(0, 1));
    assertThat(apply(new RequirementsDeclared(later, List.of(new Requirement(ANY, 1)), TIMEOUT)))
        .doesNotHaveAnyElementsOfTypes(DeclareWorkers.class);
    assertThat(requests(register("a"))).extracting(RequestSlot::job).containsExactly(JOB, JOB);
  }

  @Test
  void countsCarvedSlotsPerDeclaredWorker() {
    ResourceProfile half = new ResourceProfile(0.5, 10, 0, 0, 0);
    assertThat(
            apply(
                new RequirementsDeclared(
                    JOB, List.of(new Requirement(half, 5), new Requirement(SLOT, 1)), TIMEOUT)))
        .contains(target(2));
  }

  @Test
  @Behaviour(
      "D7: a profile that no worker could ever fit fails at once, or after the start-up time where"
          + " workers come by themselves")
  void unfulfillableProfileFailsAtOnce() {
    List<SlotAction> actions =
        apply(new RequirementsDeclared(JOB, List.of(new Requirement(SLOT.times(3), 1)), TIMEOUT));
    assertThat(actions).hasSize(1);
    assertThat(text(((FailRequirements) actions.get(0)).reason()))
        .contains("A TaskManager that is started here has only 2.0 cpu");
  }

  @Test
  @Behaviour(
      "D7: a shortage in number waits with its reason shown, also if a configured limit causes it")
  @Behaviour("D7: configured minimum and maximum hold, and the maximum can be changed at run time")
  void reasonNamesTheLimit() {
    for (String name : List.of("a", "b", "c", "d")) {
      register(name);
    }
    List<SlotAction> actions = declare(9);
    assertThat(reason(actions))
        .isEqualTo(
            "The job needs 9 slots and has 8; 8 are registered by 4 TaskManagers, 0 of them free."
                + " It takes a 5th worker, and process.max-taskmanagers allows 4. Raise that or"
                + " lower the parallelism.");
    assertThat(actions).doesNotHaveAnyElementsOfTypes(FailRequirements.class);
    assertThat(apply(new WorkersLimited(5))).contains(target(5));
  }

  @Test
  void reasonNamesStartingWorkers() {
    declare(2);
    apply(new SupplyStatus(Map.of(SPEC, words("1 worker is starting.")), List.of()));
    now += SlotShortages.REFRESH.toNanos();
    assertThat(reason(apply(new Tick())))
        .isEqualTo(
            "The job needs 2 slots and has 0; no TaskManager is registered. 1 worker is starting.");
  }

  @Test
  void reasonNamesTheLimitAndFailedStarts() {
    declare(9);
    apply(
        new SupplyStatus(Map.of(), List.of(words("The last start of a worker failed: no java."))));
    now += SlotShortages.REFRESH.toNanos();
    assertThat(reason(apply(new Tick())))
        .contains("process.max-taskmanagers allows 4. Raise that or lower the parallelism.")
        .endsWith(" The last start of a worker failed: no java.");
  }

  @Test
  void declaresAReplacementForALostWorker() {
    declare(4);
    register("a");
    register("b");
    assertThat(apply(new WorkerLost(new WorkerId("a"), instance("a"))))
        .doesNotHaveAnyElementsOfTypes(DeclareWorkers.class);
    // The target stays the same, and the pool requests a worker for the lost one.
    assertThat(declare(2)).contains(target(1));
  }

  @Test
  @Behaviour("D7: an idle worker is released after resourcemanager.taskmanager-timeout")
  void releasesAWorkerAfterTheIdleTimeout() {
    declare(2);
    List<RequestSlot> requests = requests(register("a"));
    requests.forEach(r -> apply(new SlotGranted(r.worker(), r.instance(), r.allocation())));
    now += Duration.ofHours(1).toNanos();
    assertThat(apply(new Tick())).isEmpty();
    apply(new JobForgotten(JOB));
    requests.forEach(r -> apply(new SlotFreed(r.worker(), r.instance(), r.allocation())));
    assertThat(slots.nextWake()).hasValue(now + IDLE.toNanos());
    now += IDLE.toNanos() - 1;
    assertThat(apply(new Tick())).isEmpty();
    now += 1;
    assertThat(apply(new Tick()))
        .contains(
            new ReleaseWorker(new WorkerId("a"), instance("a"), new WorkerIdle(IDLE)), target(0));
    assertThat(slots.usage(new WorkerId("a"))).isEmpty();
    assertThat(slots.nextWake()).isEmpty();
  }

  @Test
  @Behaviour("D7: spares are kept only while some slot is in use")
  void keepsSparesOnlyWhileAWorkerIsInUse() {
    slots = manager(10, 0, 2);
    assertThat(apply(new Tick())).isEmpty();
    assertThat(declare(3)).contains(target(4));
    List<RequestSlot> requests = new ArrayList<>();
    for (String name : List.of("a", "b", "c", "d")) {
      requests.addAll(requests(register(name)));
    }
    requests.forEach(r -> apply(new SlotGranted(r.worker(), r.instance(), r.allocation())));
    now += Duration.ofHours(1).toNanos();
    // Three slots are in use and five are free. Without one of the workers three would be free,
    // which is less than two spares have.
    assertThat(apply(new Tick())).isEmpty();
    apply(new JobForgotten(JOB));
    requests.forEach(r -> apply(new SlotFreed(r.worker(), r.instance(), r.allocation())));
    now += IDLE.toNanos();
    assertThat(apply(new Tick()))
        .filteredOn(ReleaseWorker.class::isInstance)
        .extracting(action -> ((ReleaseWorker) action).worker().toString())
        .containsExactlyInAnyOrder("a", "b");
  }

  @Test
  @Behaviour("D7: slots that a job is about to return count as spares")
  void surplusSlotsOfJobsCountAsSpares() {
    slots = manager(10, 0, 1);
    declare(2);
    register("a");
    register("b");
    assertThat(declare(4)).contains(target(3));
    assertThat(declare(2)).contains(target(2));
    assertThat(apply(new JobForgotten(JOB))).doesNotHaveAnyElementsOfTypes(DeclareWorkers.class);
  }

  @Test
  @Behaviour("D7: configured minimum and maximum hold, and the maximum can be changed at run time")
  void declaresAndKeepsTheConfiguredMinimum() {
    slots = manager(4, 3, 0);
    assertThat(apply(new Tick())).containsExactly(target(2));
    register("a");
    register("b");
    now += Duration.ofHours(1).toNanos();
    assertThat(apply(new Tick())).isEmpty();
    assertThat(slots.nextWake()).isEmpty();
  }

  @Test
  @Behaviour(
      "D10: blocked nodes and workers get no new allocation until the block expires; running tasks"
          + " stay")
  void allocatesNoSlotsOfABlockedWorker() {
    apply(new WorkersBlocked(List.of(new WorkerId("a"))));
    register("a");
    List<SlotAction> actions = declare(2);
    assertThat(requests(actions)).isEmpty();
    assertThat(actions).contains(target(2));
    assertThat(reason(actions))
        .contains("2 are registered by 1 TaskManager, 0 of them free.")
        .contains("2 more would be free, but their TaskManagers are blocked");
    assertThat(requests(apply(new WorkersBlocked(List.of())))).hasSize(2);
  }

  @Test
  @Behaviour("D10: a worker that is taken away is replaced before it is released, if there is time")
  void drainingWorkerIsReleasedWhenAnotherOneHasItsSlots() {
    declare(2);
    register("a").forEach(this::grant);
    List<SlotAction> actions = drain("a", Duration.ofMinutes(5));
    assertThat(actions).contains(target(2));
    assertThat(released(actions)).isEmpty();
    actions = register("b");
    assertThat(released(actions)).containsExactly(new WorkerId("a"));
    assertThat(requests(actions)).extracting(RequestSlot::worker).containsOnly(new WorkerId("b"));
    assertThat(actions.indexOf(target(1))).isNotNegative().isLessThan(actions.size() - 1);
    requests(actions).forEach(this::grant);
    now += Duration.ofMinutes(6).toNanos();
    assertThat(released(apply(new Tick()))).isEmpty();
  }

  @Test
  void drainingWorkerIsReleasedWhenItsTimeIsOverOrNoJobUsesIt() {
    slots = manager(1, 0, 0);
    declare(2);
    register("a").forEach(this::grant);
    // The limit allows no other worker.
    assertThat(released(drain("a", Duration.ofMinutes(5)))).isEmpty();
    assertThat(released(drain("a", Duration.ofMinutes(9)))).as("the earlier time counts").isEmpty();
    assertThat(slots.nextWake()).hasValue(now + Duration.ofMinutes(5).toNanos());
    now += Duration.ofMinutes(5).toNanos();
    assertThat(released(apply(new Tick()))).containsExactly(new WorkerId("a"));

    apply(new JobForgotten(JOB));
    register("b");
    assertThat(released(drain("b", Duration.ofMinutes(5)))).containsExactly(new WorkerId("b"));
  }

  @Test
  void workerThatDrainsBeforeItRegistersIsReleasedWhenItDoes() {
    drain("a", Duration.ofMinutes(5));
    apply(new WorkersBlocked(List.of(new WorkerId("a"))));
    assertThat(released(register("a"))).containsExactly(new WorkerId("a"));
    assertThat(slots.nextWake()).isEmpty();
  }

  @Test
  void drainingWorkerThatLostItsRegistrationIsReleasedWhenItRegistersAgain() {
    declare(2);
    register("a").forEach(this::grant);
    drain("a", Duration.ofMinutes(5));
    apply(new WorkerLost(new WorkerId("a"), instance("a")));
    assertThat(released(register("a"))).containsExactly(new WorkerId("a"));
  }

  private List<SlotAction> drain(String name, Duration time) {
    apply(new WorkersBlocked(List.of(new WorkerId(name))));
    return apply(
        new WorkerDraining(
            new WorkerId(name), words("Its node is shut down."), now + time.toNanos()));
  }

  private void grant(SlotAction action) {
    if (action instanceof RequestSlot request) {
      apply(new SlotGranted(request.worker(), request.instance(), request.allocation()));
    }
  }

  @Test
  @Behaviour(
      "D7: a worker that holds data that a job needs is not idle, also before its job has ended")
  void doesNotReleaseAWorkerThatHoldsData() {
    register("a");
    register("b");
    WorkerId a = new WorkerId("a");
    apply(new DataHeld(a, instance("a"), true));
    now += IDLE.toNanos();
    assertThat(released(apply(new Tick()))).containsExactly(new WorkerId("b"));
    now += 10 * IDLE.toNanos();
    assertThat(released(apply(new Tick()))).isEmpty();

    // An event of an instance that is not registered is ignored.
    apply(new DataHeld(a, instance("x"), false));
    now += IDLE.toNanos();
    assertThat(released(apply(new Tick()))).isEmpty();

    apply(new DataHeld(a, instance("a"), false));
    now += IDLE.toNanos() - 1;
    assertThat(released(apply(new Tick()))).as("its idle time has just started").isEmpty();
    now += 1;
    assertThat(released(apply(new Tick()))).containsExactly(a);
  }

  private static List<WorkerId> released(List<SlotAction> actions) {
    return actions.stream()
        .filter(ReleaseWorker.class::isInstance)
        .map(action -> ((ReleaseWorker) action).worker())
        .toList();
  }

  private static DeclareWorkers target(int workers) {
    return new DeclareWorkers(workers == 0 ? Map.of() : Map.of(SPEC, workers));
  }

  private List<SlotAction> declare(int count) {
    List<Requirement> needs = count == 0 ? List.of() : List.of(new Requirement(ANY, count));
    return apply(new RequirementsDeclared(JOB, needs, TIMEOUT));
  }

  private List<SlotAction> register(String name) {
    return register(name, 2);
  }

  private List<SlotAction> register(String name, int count) {
    List<SlotStatus> statuses = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      statuses.add(new SlotStatus(i, SLOT, Optional.empty()));
    }
    return apply(
        new SlotsReported(
            new WorkerId(name),
            instance(name),
            SLOT.times(count),
            new SlotReport(statuses, List.of()),
            now));
  }

  private static InstanceId instance(String name) {
    return new InstanceId(new Id128(0, name.charAt(0)));
  }

  private static List<RequestSlot> requests(List<SlotAction> actions) {
    return actions.stream()
        .filter(RequestSlot.class::isInstance)
        .map(RequestSlot.class::cast)
        .toList();
  }

  private static String reason(List<SlotAction> actions) {
    return actions.stream()
        .filter(NotifyPending.class::isInstance)
        .map(action -> text(((NotifyPending) action).reason()))
        .findFirst()
        .orElseThrow();
  }

  private List<SlotAction> apply(SlotEvent event) {
    return slots.apply(event, now).stream()
        .filter(action -> !(action instanceof SlotAction.RecordEvent))
        .toList();
  }
}
