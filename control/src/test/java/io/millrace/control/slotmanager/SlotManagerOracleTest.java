package io.millrace.control.slotmanager;

import static io.millrace.control.Reasons.words;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.control.driver.CustomWorkerSizes;
import io.millrace.control.driver.DriverCapabilities.Startable;
import io.millrace.control.driver.WorkerSpec;
import io.millrace.control.slotmanager.SlotAction.DeclareWorkers;
import io.millrace.control.slotmanager.SlotAction.FailRequirements;
import io.millrace.control.slotmanager.SlotAction.NotifyPending;
import io.millrace.control.slotmanager.SlotAction.RecordEvent;
import io.millrace.control.slotmanager.SlotAction.RequestSlot;
import io.millrace.control.slotmanager.SlotEvent.JobEnded;
import io.millrace.control.slotmanager.SlotEvent.JobForgotten;
import io.millrace.control.slotmanager.SlotEvent.RequirementsDeclared;
import io.millrace.control.slotmanager.SlotEvent.SlotFreed;
import io.millrace.control.slotmanager.SlotEvent.SlotGranted;
import io.millrace.control.slotmanager.SlotEvent.SlotRefused;
import io.millrace.control.slotmanager.SlotEvent.SlotsReported;
import io.millrace.control.slotmanager.SlotEvent.Tick;
import io.millrace.control.slotmanager.SlotEvent.WorkerLost;
import io.millrace.control.slotmanager.SlotEvent.WorkersBlocked;
import io.millrace.control.slotmanager.SlotEvent.WorkersLimited;
import io.millrace.core.MemorySize;
import io.millrace.core.ResourceProfile;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.ExternalResourceOptions;
import io.millrace.core.config.MemoryOptions;
import io.millrace.core.id.AllocationId;
import io.millrace.core.id.Id128;
import io.millrace.core.id.InstanceId;
import io.millrace.core.id.JobId;
import io.millrace.core.id.WorkerId;
import io.millrace.core.memory.DefaultProcessSizes;
import io.millrace.core.testing.Behaviour;
import io.millrace.protocol.ResourceManagerGateway.Requirement;
import io.millrace.protocol.SlotReport;
import io.millrace.protocol.SlotReport.CarvedSlot;
import io.millrace.protocol.SlotReport.Occupant;
import io.millrace.protocol.SlotReport.SlotStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Applies random events to the SlotManager and to its oracle and compares their actions. */
class SlotManagerOracleTest {
  private static final List<ResourceProfile> SIZES =
      List.of(
          new ResourceProfile(1, 100, 0, 0, 0),
          new ResourceProfile(2, 50, 0, 0, 0),
          new ResourceProfile(2, 200, 0, 0, 0));
  private static final List<ResourceProfile> NEEDS =
      List.of(
          ResourceProfile.UNSPECIFIED,
          SIZES.get(0),
          SIZES.get(1),
          SIZES.get(2),
          new ResourceProfile(0.5, 30, 0, 0, 0),
          new ResourceProfile(4, 100, 0, 0, 0, Map.of("gpu", 1L)),
          new ResourceProfile(3, 250, 0, 0, 0),
          new ResourceProfile(3, 150, 0, 20, 0),
          new ResourceProfile(9, 100, 0, 0, 0));

  /** The configuration of custom workers: with GPUs and a fixed network memory. */
  private static final Configuration CUSTOM =
      DefaultProcessSizes.in(Configuration.EMPTY)
          .with(ExternalResourceOptions.EXTERNAL_RESOURCE_LIST, "gpu")
          .with(ExternalResourceOptions.EXTERNAL_RESOURCE_AMOUNT.named("gpu"), 1)
          .with(MemoryOptions.NETWORK_MIN, new MemorySize(5))
          .with(MemoryOptions.NETWORK_MAX, new MemorySize(5));

  /** Generates events, among them answers to the slot requests so far. */
  private static final class RandomEvents {
    final Random random;
    final boolean oneSize;
    final Map<WorkerId, InstanceId> instances = new TreeMap<>();
    final Map<WorkerId, List<SlotStatus>> slots = new TreeMap<>();
    final Map<WorkerId, ResourceProfile> totals = new TreeMap<>();
    final List<RequestSlot> requested = new ArrayList<>();
    final List<RequestSlot> granted = new ArrayList<>();
    List<WorkerSpec> declared = List.of();
    long now = 1_000_000;

    RandomEvents(long seed) {
      this.random = new Random(seed);
      this.oneSize = seed % 3 == 0;
    }

    SlotEvent next() {
      now += random.nextInt(400_000_000);
      if (random.nextInt(60) == 0) {
        now += 20_000_000_000L;
      }
      return switch (random.nextInt(12)) {
        case 0 -> register(worker());
        case 1 -> lose(worker());
        case 2, 3 -> declare();
        case 4 ->
            switch (random.nextInt(7)) {
              case 0 -> new JobForgotten(job());
              case 1 -> new JobEnded(job());
              case 2 -> new WorkersLimited(random.nextInt(8));
              case 3 -> new WorkersBlocked(random.nextBoolean() ? List.of() : List.of(worker()));
              default -> new Tick();
            };
        case 5, 6, 7 -> granted();
        case 8 -> refused();
        case 9 -> freed();
        case 10 -> reportAgain();
        default -> new Tick();
      };
    }

    /** In two of three seeds a driver starts workers, with random limits. */
    SlotSettings settings(long seed) {
      Duration startUp = Duration.ofSeconds(random.nextInt(60));
      boolean spread = seed % 2 == 0;
      if (seed % 3 == 1) {
        return WorkerDemandTest.standalone(startUp, spread);
      }
      ResourceProfile slot = SIZES.get(oneSize ? 0 : random.nextInt(SIZES.size()));
      int slots = 1 + random.nextInt(3);
      WorkerSpec spec = new WorkerSpec(slot.times(slots), slots);
      int minimum = random.nextInt(3);
      SlotSettings.Bounds bounds =
          new SlotSettings.Bounds(
              random.nextInt(2) * minimum,
              random.nextBoolean() ? 9 : Integer.MAX_VALUE,
              random.nextInt(2) * minimum,
              random.nextBoolean() ? 12 : Double.MAX_VALUE,
              90L * random.nextInt(2) * minimum,
              random.nextBoolean() ? 1000 : Long.MAX_VALUE,
              random.nextInt(3),
              Duration.ofMillis(random.nextInt(5_000)));
      Optional<CustomWorkerSizes> larger =
          random.nextInt(3) == 0
              ? Optional.empty()
              : Optional.of(new CustomWorkerSizes(CUSTOM, 6, Long.MAX_VALUE, "here"));
      Startable startable = new Startable(spec, 1 + random.nextInt(8), "limit", larger);
      return new SlotSettings(startUp, spread, words("Wait."), Optional.of(startable), bounds);
    }

    private SlotEvent lose(WorkerId worker) {
      return new WorkerLost(worker, instance(worker));
    }

    private SlotEvent register(WorkerId worker) {
      List<SlotStatus> statuses = new ArrayList<>();
      ResourceProfile size = SIZES.get(oneSize ? 0 : random.nextInt(SIZES.size()));
      int count = 1 + random.nextInt(4);
      for (int i = 0; i < count; i++) {
        statuses.add(new SlotStatus(i, size, occupant(5)));
      }
      ResourceProfile total = size.times(count);
      if (!declared.isEmpty() && random.nextInt(3) > 0) {
        WorkerSpec spec = declared.get(random.nextInt(declared.size()));
        total = spec.total();
        statuses.clear();
        for (int i = 0; i < spec.slots(); i++) {
          statuses.add(new SlotStatus(i, spec.slot(), occupant(5)));
        }
      } else if (random.nextInt(3) == 0) {
        total = total.plus(new ResourceProfile(0, 50, 0, 0, 0, Map.of("gpu", 2L)));
      }
      instances.put(worker, InstanceId.random(random));
      slots.put(worker, statuses);
      totals.put(worker, total);
      List<CarvedSlot> carved = new ArrayList<>();
      if (!oneSize && random.nextInt(3) == 0) {
        occupant(1)
            .ifPresent(
                occupant ->
                    carved.add(new CarvedSlot(new ResourceProfile(1, 1, 0, 0, 0), occupant)));
      }
      return new SlotsReported(
          worker, instance(worker), total, new SlotReport(statuses, carved), now);
    }

    private SlotEvent reportAgain() {
      WorkerId worker = worker();
      if (!instances.containsKey(worker)) {
        return new Tick();
      }
      List<SlotStatus> statuses = new ArrayList<>();
      for (SlotStatus status : slots.get(worker)) {
        Optional<Occupant> occupant =
            granted.stream()
                .filter(g -> g.worker().equals(worker))
                .filter(g -> g.slot().equals(Optional.of(status.index())))
                .reduce((first, last) -> last)
                .map(g -> new Occupant(g.allocation(), g.job()));
        statuses.add(
            new SlotStatus(
                status.index(), status.profile(), random.nextInt(4) == 0 ? occupant(2) : occupant));
      }
      List<CarvedSlot> carved = new ArrayList<>();
      for (RequestSlot request : granted) {
        if (request.instance().equals(instance(worker))
            && request.slot().isEmpty()
            && random.nextInt(4) > 0) {
          Occupant occupant = new Occupant(request.allocation(), request.job());
          carved.add(new CarvedSlot(request.profile(), occupant));
        }
      }
      if (!oneSize && random.nextInt(6) == 0) {
        occupant(1).ifPresent(occupant -> carved.add(new CarvedSlot(SIZES.get(0), occupant)));
      }
      long asOf = now - random.nextInt(1_000_000_000);
      return new SlotsReported(
          worker, instance(worker), totals.get(worker), new SlotReport(statuses, carved), asOf);
    }

    private SlotEvent declare() {
      List<Requirement> requirements = new ArrayList<>();
      int kinds = oneSize ? 1 : random.nextInt(3);
      for (int i = 0; i < kinds; i++) {
        ResourceProfile need = NEEDS.get(oneSize ? 0 : random.nextInt(NEEDS.size()));
        requirements.add(new Requirement(need, 1 + random.nextInt(6)));
      }
      Duration timeout = Duration.ofSeconds(5 + random.nextInt(20));
      return new RequirementsDeclared(job(), requirements, timeout);
    }

    private SlotEvent granted() {
      if (requested.isEmpty()) {
        return new Tick();
      }
      RequestSlot request = requested.remove(random.nextInt(requested.size()));
      granted.add(request);
      return new SlotGranted(request.worker(), request.instance(), request.allocation());
    }

    private SlotEvent refused() {
      if (requested.isEmpty()) {
        return new Tick();
      }
      RequestSlot request = requested.remove(random.nextInt(requested.size()));
      return new SlotRefused(
          request.worker(), request.instance(), request.allocation(), words("random"), occupant(3));
    }

    private SlotEvent freed() {
      if (granted.isEmpty()) {
        return new Tick();
      }
      int index = random.nextInt(granted.size());
      // An older report may still contain it.
      RequestSlot request = random.nextInt(3) == 0 ? granted.get(index) : granted.remove(index);
      return new SlotFreed(request.worker(), request.instance(), request.allocation());
    }

    private Optional<Occupant> occupant(int oneIn) {
      return random.nextInt(oneIn) == 0
          ? Optional.of(new Occupant(AllocationId.random(random), job()))
          : Optional.empty();
    }

    private WorkerId worker() {
      return new WorkerId("w" + random.nextInt(5));
    }

    private InstanceId instance(WorkerId worker) {
      return instances.getOrDefault(worker, new InstanceId(new Id128(0, 0)));
    }

    private JobId job() {
      return new JobId(new Id128(0, random.nextInt(4)));
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3, 4, 5})
  @Behaviour("D6: the last declaration of requirements counts")
  @Behaviour(
      "D7: slots are matched by profile, and large slots are kept for requirements that need them")
  @Behaviour("D7: pending slots and workers count before new workers are requested")
  @Behaviour(
      "D8: a worker of a custom size serves the requirement it was started for before older jobs")
  void decidesLikeTheOracle(int group) {
    for (long seed = group * 12L; seed < group * 12L + 12; seed++) {
      run(seed);
    }
  }

  private static void run(long seed) {
    RandomEvents events = new RandomEvents(seed);
    SlotSettings settings = events.settings(seed);
    // Not the seed of the events, so that allocation ids differ.
    long idSeed = -1 - seed;
    SlotManager slots = new SlotManager(settings, new Random(idSeed), events.now);
    NaiveSlotManager oracle = new NaiveSlotManager(settings, new Random(idSeed), events.now);
    Map<JobId, Integer> notified = new TreeMap<>();
    int requests = 0;
    for (int step = 0; step < 300; step++) {
      SlotEvent event = events.next();
      List<SlotAction> expected = oracle.apply(event, events.now);
      List<SlotAction> actual = comparable(slots.apply(event, events.now), notified);
      String where = "seed " + seed + ", step " + step + ": " + event;
      assertThat(requests(actual)).as(where).isEqualTo(requests(expected));
      assertThat(others(actual)).as(where).isEqualTo(others(expected));
      for (int i = 0; i < 5; i++) {
        WorkerId worker = new WorkerId("w" + i);
        assertThat(slots.usage(worker)).as(where).isEqualTo(oracle.usage(worker));
      }
      slots.nextWake().ifPresent(wake -> assertThat(wake).as(where).isGreaterThan(events.now - 1));
      events.requested.addAll(requests(actual));
      requests += requests(actual).size();
      for (SlotAction action : actual) {
        if (action instanceof DeclareWorkers target) {
          events.declared = List.copyOf(target.workers().keySet());
        }
      }
    }
    assertThat(requests).as("slot requests of seed %s", seed).isGreaterThan(5);
  }

  private static List<RequestSlot> requests(List<SlotAction> actions) {
    return actions.stream()
        .filter(RequestSlot.class::isInstance)
        .map(RequestSlot.class::cast)
        .toList();
  }

  private static List<String> others(List<SlotAction> actions) {
    return actions.stream()
        .filter(action -> !(action instanceof RequestSlot))
        .map(SlotAction::toString)
        .sorted(Comparator.naturalOrder())
        .toList();
  }

  /** The actions without reasons and journal events, and without repeated notifications. */
  private static List<SlotAction> comparable(
      List<SlotAction> actions, Map<JobId, Integer> notified) {
    List<SlotAction> comparable = new ArrayList<>();
    for (SlotAction action : actions) {
      if (action instanceof NotifyPending pending) {
        Integer before = notified.put(pending.job(), pending.missing());
        if (pending.missing() != (before == null ? 0 : before)) {
          comparable.add(new NotifyPending(pending.job(), pending.missing(), Optional.empty()));
        }
      } else if (action instanceof FailRequirements failed) {
        notified.put(failed.job(), 0);
        comparable.add(new FailRequirements(failed.job(), words("")));
      } else if (!(action instanceof RecordEvent)) {
        comparable.add(action);
      }
    }
    return comparable;
  }
}
