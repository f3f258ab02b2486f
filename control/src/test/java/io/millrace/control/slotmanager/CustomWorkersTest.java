package io.millrace.control.slotmanager;

import static io.millrace.control.Reasons.text;
import static io.millrace.control.Reasons.words;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.control.driver.CustomWorkerSizes;
import io.millrace.control.driver.DriverCapabilities.Startable;
import io.millrace.control.driver.WorkerSpec;
import io.millrace.control.slotmanager.SlotAction.DeclareWorkers;
import io.millrace.control.slotmanager.SlotAction.FailRequirements;
import io.millrace.control.slotmanager.SlotAction.NotifyPending;
import io.millrace.control.slotmanager.SlotAction.ReleaseWorker;
import io.millrace.control.slotmanager.SlotAction.RequestSlot;
import io.millrace.control.slotmanager.SlotEvent.DataHeld;
import io.millrace.control.slotmanager.SlotEvent.RequirementsDeclared;
import io.millrace.control.slotmanager.SlotEvent.SlotsReported;
import io.millrace.control.slotmanager.SlotEvent.SupplyStatus;
import io.millrace.control.slotmanager.SlotEvent.Tick;
import io.millrace.control.slotmanager.SlotEvent.WorkersLimited;
import io.millrace.core.MemorySize;
import io.millrace.core.ResourceProfile;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.MemoryOptions;
import io.millrace.core.id.Id128;
import io.millrace.core.id.InstanceId;
import io.millrace.core.id.JobId;
import io.millrace.core.id.WorkerId;
import io.millrace.core.memory.DefaultProcessSizes;
import io.millrace.core.testing.Behaviour;
import io.millrace.protocol.ResourceManagerGateway.Requirement;
import io.millrace.protocol.SlotReport;
import io.millrace.protocol.SlotReport.SlotStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Declared profiles that do not fit the default spec. */
class CustomWorkersTest {
  private static final ResourceProfile ANY = ResourceProfile.UNSPECIFIED;
  private static final WorkerSpec DEFAULT = new WorkerSpec(new ResourceProfile(2, 200, 0, 0, 0), 2);
  private static final ResourceProfile LARGE = new ResourceProfile(1, 900, 0, 0, 0);
  private static final ResourceProfile LARGEST = new ResourceProfile(3, 950, 0, 0, 0);

  /** Custom workers also have network memory. */
  private static final WorkerSpec FOR_LARGE =
      new WorkerSpec(new ResourceProfile(1, 900, 0, 0, 7), 1);

  private static final WorkerSpec FOR_LARGEST =
      new WorkerSpec(new ResourceProfile(3, 950, 0, 0, 7), 1);
  private static final Duration IDLE = Duration.ofSeconds(30);
  private static final Duration TIMEOUT = Duration.ofMinutes(5);

  private long now = 1_000;
  private SlotManager slots = manager(4, 0);

  private SlotManager manager(int most, int spares) {
    return manager(most, spares, 0);
  }

  private SlotManager manager(int most, int spares, int minSlots) {
    Configuration configuration =
        DefaultProcessSizes.in(Configuration.EMPTY)
            .with(MemoryOptions.NETWORK_MIN, new MemorySize(7))
            .with(MemoryOptions.NETWORK_MAX, new MemorySize(7));
    CustomWorkerSizes larger = new CustomWorkerSizes(configuration, 3, 2L << 30, "this machine");
    return new SlotManager(
        new SlotSettings(
            Duration.ZERO,
            false,
            words("Lower the parallelism."),
            Optional.of(
                new Startable(DEFAULT, most, "process.max-taskmanagers", Optional.of(larger))),
            new SlotSettings.Bounds(
                minSlots, Integer.MAX_VALUE, 0, Double.MAX_VALUE, 0, Long.MAX_VALUE, spares, IDLE)),
        new Random(1),
        now);
  }

  @Test
  @Behaviour(
      "D8: a declared profile that does not fit a default worker gets a worker of the exact size")
  void declaresOneCustomWorkerPerSlotOfALargeProfile() {
    assertThat(
            apply(
                new RequirementsDeclared(
                    job(1), List.of(new Requirement(LARGE, 2), new Requirement(ANY, 1)), TIMEOUT)))
        .contains(new DeclareWorkers(Map.of(FOR_LARGE, 2, DEFAULT, 1)));
    assertThat(register("a", FOR_LARGE)).doesNotHaveAnyElementsOfTypes(DeclareWorkers.class);
    assertThat(declare(1, LARGE, 1)).contains(new DeclareWorkers(Map.of(FOR_LARGE, 1)));
  }

  @Test
  void declaresDefaultWorkersForProfilesThatFitThem() {
    assertThat(declare(1, new ResourceProfile(1, 150, 0, 0, 0), 2))
        .contains(new DeclareWorkers(Map.of(DEFAULT, 2)));
  }

  @Test
  @Behaviour(
      "D8: a worker of a custom size serves the requirement it was started for before older jobs")
  void customWorkerServesItsProfileBeforeOlderJobs() {
    declare(1, ANY, 1);
    declare(2, LARGE, 1);
    declare(3, LARGEST, 1);
    // The profile of the second job would also fit, and the job is older.
    assertThat(requests(register("a", FOR_LARGEST)))
        .singleElement()
        .satisfies(
            request -> {
              assertThat(request.job()).isEqualTo(job(3));
              assertThat(request.profile()).isEqualTo(LARGEST);
              assertThat(request.slot()).isEmpty();
            });
    assertThat(requests(register("b", FOR_LARGE)))
        .extracting(RequestSlot::job)
        .containsExactly(job(2));
  }

  @Test
  void prefersDefaultWorkersToCustomOnes() {
    register("a", FOR_LARGE);
    register("b", DEFAULT);
    assertThat(requests(declare(1, ANY, 1)))
        .extracting(request -> request.worker().toString())
        .containsExactly("b");
  }

  @Test
  @Behaviour("D8: a worker of a custom size is released when idle and is no spare")
  void releasesAnIdleCustomWorkerAndDoesNotCountItAsSpare() {
    slots = manager(4, 1);
    register("a", FOR_LARGE);
    register("b", DEFAULT);
    assertThat(declare(1, ANY, 1)).contains(new DeclareWorkers(Map.of(FOR_LARGE, 1, DEFAULT, 2)));
    register("c", DEFAULT);
    now += IDLE.toNanos();
    assertThat(apply(new Tick()))
        .filteredOn(ReleaseWorker.class::isInstance)
        .extracting(action -> ((ReleaseWorker) action).worker().toString())
        .containsExactly("a");
  }

  @Test
  @Behaviour("D7: limits count workers of all specs; under a limit older jobs come first")
  void limitCountsWorkersOfAllSpecs() {
    slots = manager(2, 0);
    register("a", DEFAULT);
    register("b", DEFAULT);
    declare(2, ANY, 3);
    List<SlotAction> actions = declare(1, LARGE, 1);
    assertThat(actions).doesNotHaveAnyElementsOfTypes(FailRequirements.class, ReleaseWorker.class);
    assertThat(reason(actions, 1))
        .contains("It takes a 3rd worker, and process.max-taskmanagers allows 2.");
    assertThat(apply(new WorkersLimited(3)))
        .contains(new DeclareWorkers(Map.of(FOR_LARGE, 1, DEFAULT, 2)));
  }

  @Test
  @Behaviour(
      "D7: idle workers and spares are released for a worker of another size where limits leave no"
          + " room; the configured minimum stays")
  void releasesASpareForANeededWorkerUnderALimit() {
    slots = manager(2, 1);
    declare(1, ANY, 1);
    register("a", DEFAULT);
    register("b", DEFAULT);
    List<SlotAction> actions = declare(2, LARGE, 1);
    assertThat(released(actions)).containsExactly("b");
    assertThat(actions).contains(new DeclareWorkers(Map.of(FOR_LARGE, 1, DEFAULT, 1)));
    assertThat(reason(actions, 2)).doesNotContain("process.max-taskmanagers");
    // No slot is missing any more, and the limit does not allow the spare.
    assertThat(register("c", FOR_LARGE))
        .doesNotHaveAnyElementsOfTypes(ReleaseWorker.class, DeclareWorkers.class);
    assertThat(declare(2, LARGE, 0)).doesNotHaveAnyElementsOfTypes(ReleaseWorker.class);
  }

  @Test
  void releasesNoMoreIdleWorkersThanTheLimitRequires() {
    slots = manager(4, 3);
    declare(1, ANY, 1);
    List.of("a", "b", "c", "d").forEach(name -> register(name, DEFAULT));
    assertThat(released(declare(2, LARGE, 2))).containsExactly("b", "c");
  }

  @Test
  @Behaviour(
      "D7: idle workers and spares are released for a worker of another size where limits leave no"
          + " room; the configured minimum stays")
  void doesNotReleaseWorkersThatFitAreUsedOrHoldData() {
    slots = manager(2, 0);
    register("a", DEFAULT);
    register("b", FOR_LARGEST);
    declare(1, ANY, 2);
    // The custom worker is idle and fits the profile of the second job.
    assertThat(requests(declare(2, LARGE, 1)))
        .extracting(request -> request.worker().toString())
        .containsExactly("b");
    declare(2, LARGE, 0);

    slots = manager(1, 0);
    register("c", DEFAULT);
    apply(new DataHeld(new WorkerId("c"), new InstanceId(new Id128(0, 'c')), true));
    assertThat(released(declare(3, LARGE, 1))).isEmpty();
  }

  @Test
  @Behaviour(
      "D7: idle workers and spares are released for a worker of another size where limits leave no"
          + " room; the configured minimum stays")
  void doesNotReleaseTheConfiguredMinimum() {
    slots = manager(2, 0, 4);
    register("a", DEFAULT);
    register("b", DEFAULT);
    List<SlotAction> actions = declare(1, LARGE, 1);
    assertThat(released(actions)).isEmpty();
    assertThat(reason(actions, 1)).contains("process.max-taskmanagers allows 2");
  }

  private static List<String> released(List<SlotAction> actions) {
    return actions.stream()
        .filter(ReleaseWorker.class::isInstance)
        .map(action -> ((ReleaseWorker) action).worker().toString())
        .toList();
  }

  @Test
  @Behaviour("D7: limits count workers of all specs; under a limit older jobs come first")
  void declaresWorkersForOlderJobsFirstUnderALimit() {
    slots = manager(1, 0);
    assertThat(declare(1, LARGE, 1)).contains(new DeclareWorkers(Map.of(FOR_LARGE, 1)));
    assertThat(declare(2, ANY, 1)).doesNotHaveAnyElementsOfTypes(DeclareWorkers.class);
    assertThat(declare(1, ANY, 0)).contains(new DeclareWorkers(Map.of(DEFAULT, 1)));
    assertThat(declare(3, LARGE, 1)).doesNotHaveAnyElementsOfTypes(DeclareWorkers.class);
  }

  @Test
  void profileLargerThanAnyWorkerFailsAtOnce() {
    List<SlotAction> actions = declare(1, new ResourceProfile(1, 3L << 30, 0, 0, 0), 2);
    assertThat(actions).hasSize(1);
    assertThat(text(((FailRequirements) actions.get(0)).reason()))
        .isEqualTo(
            "The job needs 2 slots of 1.0 cpu, 3.00 gb heap. A TaskManager for one would take"
                + " 1.0 cpu and 3.89 gb of memory; this machine has 3.0 cpu and 2.00 gb. Lower the"
                + " resources the job declares.");
  }

  @Test
  void declaresNoWorkersForAFailedJob() {
    List<SlotAction> actions =
        apply(
            new RequirementsDeclared(
                job(1),
                List.of(
                    new Requirement(new ResourceProfile(4, 1, 0, 0, 0), 1),
                    new Requirement(ANY, 1)),
                TIMEOUT));
    assertThat(actions).hasSize(1).first().isInstanceOf(FailRequirements.class);
    declare(2, LARGE, 1);
    now += TIMEOUT.toNanos();
    List<SlotAction> expired = apply(new Tick());
    assertThat(expired).hasAtLeastOneElementOfType(FailRequirements.class);
    assertThat(expired).contains(new DeclareWorkers(Map.of()));
  }

  @Test
  @Behaviour(
      "D11: each unmet requirement has a current reason: what was requested of whom, the answer,"
          + " and what would help")
  void reasonNamesTheWorkersOfThisJobAndOfOthers() {
    slots = manager(3, 0);
    declare(1, ANY, 8);
    assertThat(reason(declare(2, LARGE, 1), 2))
        .contains(
            "It takes 1 more worker and other jobs 4, 5 in all, and process.max-taskmanagers allows"
                + " 3.");
    now += SlotShortages.REFRESH.toNanos();
    assertThat(reason(apply(new Tick()), 1))
        .contains(
            "It takes 4 more workers, 4 in all, and process.max-taskmanagers allows 3. Raise that"
                + " or lower the parallelism. Other jobs wait for 1 more worker.");
  }

  @Test
  @Behaviour(
      "D11: each unmet requirement has a current reason: what was requested of whom, the answer,"
          + " and what would help")
  void reasonNamesTheRequestedWorkersOfTheJob() {
    declare(1, ANY, 1);
    declare(2, LARGE, 1);
    apply(
        new SupplyStatus(
            Map.of(
                DEFAULT,
                words("Asked for 1 worker."),
                FOR_LARGE,
                words("Asked for a large worker.")),
            List.of(words("The last start failed."))));
    now += SlotShortages.REFRESH.toNanos();
    List<SlotAction> notified = apply(new Tick());
    assertThat(reason(notified, 1)).endsWith(". Asked for 1 worker. The last start failed.");
    assertThat(reason(notified, 2)).endsWith(". Asked for a large worker. The last start failed.");
  }

  private List<SlotAction> declare(int job, ResourceProfile profile, int count) {
    List<Requirement> needs = count == 0 ? List.of() : List.of(new Requirement(profile, count));
    return apply(new RequirementsDeclared(job(job), needs, TIMEOUT));
  }

  private static JobId job(int number) {
    return new JobId(new Id128(0, number));
  }

  private List<SlotAction> register(String name, WorkerSpec spec) {
    List<SlotStatus> statuses = new ArrayList<>();
    for (int i = 0; i < spec.slots(); i++) {
      statuses.add(new SlotStatus(i, spec.slot(), Optional.empty()));
    }
    return apply(
        new SlotsReported(
            new WorkerId(name),
            new InstanceId(new Id128(0, name.charAt(0))),
            spec.total(),
            new SlotReport(statuses, List.of()),
            now));
  }

  private static List<RequestSlot> requests(List<SlotAction> actions) {
    return actions.stream()
        .filter(RequestSlot.class::isInstance)
        .map(RequestSlot.class::cast)
        .toList();
  }

  private static String reason(List<SlotAction> actions, int job) {
    return actions.stream()
        .filter(NotifyPending.class::isInstance)
        .map(NotifyPending.class::cast)
        .filter(pending -> pending.job().equals(job(job)))
        .map(pending -> text(pending.reason()))
        .findFirst()
        .orElseThrow();
  }

  private List<SlotAction> apply(SlotEvent event) {
    return slots.apply(event, now).stream()
        .filter(action -> !(action instanceof SlotAction.RecordEvent))
        .toList();
  }
}
