package io.millrace.control.slotmanager;

import static io.millrace.control.Reasons.words;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.control.slotmanager.SlotAction.FailRequirements;
import io.millrace.control.slotmanager.SlotAction.NotifyPending;
import io.millrace.control.slotmanager.SlotAction.RecordEvent;
import io.millrace.control.slotmanager.SlotAction.RequestSlot;
import io.millrace.control.slotmanager.SlotEvent.RequirementsDeclared;
import io.millrace.control.slotmanager.SlotEvent.SlotGranted;
import io.millrace.control.slotmanager.SlotEvent.SlotRefused;
import io.millrace.control.slotmanager.SlotEvent.SlotsReported;
import io.millrace.core.ResourceProfile;
import io.millrace.core.id.AllocationId;
import io.millrace.core.id.Id128;
import io.millrace.core.id.InstanceId;
import io.millrace.core.id.JobId;
import io.millrace.core.id.WorkerId;
import io.millrace.protocol.ResourceManagerGateway.Requirement;
import io.millrace.protocol.SlotReport;
import io.millrace.protocol.SlotReport.Occupant;
import io.millrace.protocol.SlotReport.SlotStatus;
import io.millrace.protocol.WorkerInfo.SlotInUse;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Random;

/** A SlotManager of a standalone cluster, and methods that apply events. */
abstract class SlotManagerTestBase {
  static final ResourceProfile SMALL = new ResourceProfile(1, 100 << 20, 0, 0, 0);
  static final ResourceProfile LARGE = new ResourceProfile(2, 400 << 20, 0, 0, 0);
  static final ResourceProfile HUGE = new ResourceProfile(8, 4000L << 20, 0, 0, 0);
  static final WorkerId A = new WorkerId("a");
  static final WorkerId B = new WorkerId("b");
  static final JobId JOB = new JobId(new Id128(0, 1));
  static final JobId OTHER = new JobId(new Id128(0, 2));
  static final Duration TIMEOUT = Duration.ofMinutes(5);
  static final Duration START_UP = Duration.ofMinutes(2);

  long now = 77;
  SlotManager slots = manager(false);

  SlotManager manager(boolean spread) {
    return new SlotManager(WorkerDemandTest.standalone(START_UP, spread), new Random(1), now);
  }

  List<SlotAction> apply(SlotEvent event) {
    return slots.apply(event, now);
  }

  void assertUsage(WorkerId worker, int total, int free, JobId... jobs) {
    SlotManager.Usage usage = slots.usage(worker).orElseThrow();
    assertThat(usage.slots()).isEqualTo(total);
    assertThat(usage.free()).isEqualTo(free);
    assertThat(usage.inUse()).extracting(SlotInUse::job).containsExactly(jobs);
  }

  List<SlotAction> register(WorkerId worker, long instance, ResourceProfile profile, int count) {
    SlotStatus[] statuses = new SlotStatus[count];
    for (int i = 0; i < count; i++) {
      statuses[i] = status(i, profile);
    }
    return report(worker, instance, statuses);
  }

  List<SlotAction> report(WorkerId worker, long instance, SlotStatus... statuses) {
    return apply(
        new SlotsReported(
            worker,
            instance(instance),
            statuses[0].profile().times(statuses.length),
            new SlotReport(List.of(statuses), List.of()),
            now));
  }

  List<SlotAction> declare(JobId job) {
    return apply(new RequirementsDeclared(job, List.of(), TIMEOUT));
  }

  List<SlotAction> declare(JobId job, ResourceProfile profile, int count) {
    return apply(new RequirementsDeclared(job, List.of(new Requirement(profile, count)), TIMEOUT));
  }

  List<SlotAction> grant(RequestSlot request) {
    return apply(new SlotGranted(request.worker(), request.instance(), request.allocation()));
  }

  void grantIfRequest(SlotAction action) {
    if (action instanceof RequestSlot request) {
      grant(request);
    }
  }

  List<SlotAction> refuse(RequestSlot request) {
    return apply(
        new SlotRefused(
            request.worker(),
            request.instance(),
            request.allocation(),
            words("no room"),
            Optional.empty()));
  }

  List<SlotAction> refuse(RequestSlot request, Occupant occupant) {
    return apply(
        new SlotRefused(
            request.worker(),
            request.instance(),
            request.allocation(),
            words("no room"),
            Optional.of(occupant)));
  }

  static InstanceId instance(long number) {
    return new InstanceId(new Id128(1, number));
  }

  static SlotStatus status(int index, ResourceProfile profile) {
    return new SlotStatus(index, profile, Optional.empty());
  }

  static SlotStatus status(int index, ResourceProfile profile, JobId job, AllocationId allocation) {
    return new SlotStatus(index, profile, Optional.of(new Occupant(allocation, job)));
  }

  static List<RequestSlot> requests(List<SlotAction> actions) {
    return only(actions, RequestSlot.class);
  }

  static List<FailRequirements> failures(List<SlotAction> actions) {
    return only(actions, FailRequirements.class);
  }

  static List<RecordEvent> recorded(List<SlotAction> actions) {
    return only(actions, RecordEvent.class);
  }

  static NotifyPending pending(List<SlotAction> actions) {
    List<NotifyPending> pending = only(actions, NotifyPending.class);
    assertThat(pending).hasSize(1);
    return pending.get(0);
  }

  static <T> List<T> only(List<SlotAction> actions, Class<T> type) {
    return actions.stream().filter(type::isInstance).map(type::cast).toList();
  }
}
