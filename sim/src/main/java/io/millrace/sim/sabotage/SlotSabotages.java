package io.millrace.sim.sabotage;

import io.millrace.core.id.AllocationId;
import io.millrace.protocol.JobMasterGateway.OfferReply;
import io.millrace.protocol.JobMasterGateway.OfferSlots;
import io.millrace.protocol.JobMasterGateway.RegisterAtJobMaster;
import io.millrace.protocol.JobMasterGateway.SlotOffer;
import io.millrace.protocol.JobMasterGateway.WorkerRegistered;
import io.millrace.protocol.JobMasterGateway.WorkerReply;
import io.millrace.protocol.ResourceManagerGateway.RegisterTaskManager;
import io.millrace.protocol.ResourceManagerGateway.ReportSlots;
import io.millrace.protocol.SlotReport;
import io.millrace.protocol.SlotReport.CarvedSlot;
import io.millrace.protocol.SlotReport.Occupant;
import io.millrace.protocol.SlotReport.SlotStatus;
import io.millrace.protocol.TaskManagerGateway.FreeSlot;
import io.millrace.protocol.TaskManagerGateway.JobEnded;
import io.millrace.protocol.TaskManagerGateway.JobMasterDrops;
import io.millrace.protocol.TaskManagerGateway.RequestSlot;
import io.millrace.protocol.TaskManagerGateway.WorkerReport;
import io.millrace.rpc.Envelope;
import io.millrace.rpc.Transport;
import io.millrace.rpc.registration.RegistrationStatus;
import io.millrace.sim.SimProcess;
import io.millrace.sim.cluster.SimWiring;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/** Sabotages of slots. */
final class SlotSabotages {
  private SlotSabotages() {}

  /** Releases an allocation that does not exist. */
  static final class SlotReleaseLost extends MessageForger {
    private static final AllocationId UNKNOWN = AllocationId.parse("0".repeat(32));

    @Override
    Record message(String from, String to, Record message) {
      return message instanceof FreeSlot free
          ? new FreeSlot(free.job(), free.jobMaster(), UNKNOWN, free.reason())
          : message;
    }
  }

  /** Changes slot reports of workers. */
  private abstract static class Reports extends MessageForger {
    abstract SlotReport instead(String worker, SlotReport report);

    @Override
    Record message(String from, String to, Record message) {
      return message instanceof ReportSlots report
          ? new ReportSlots(report.worker(), report.instance(), instead(from, report.report()))
          : message;
    }

    @Override
    Record answer(String from, String to, Envelope.Reply reply, Record message) {
      return message instanceof WorkerReport report
          ? new WorkerReport(instead(from, report.slots()), report.partitions(), report.metrics())
          : message;
    }
  }

  /** Repeats the first report of each worker. */
  static final class StaleReport extends Reports {
    private final Map<String, SlotReport> first = new LinkedHashMap<>();

    @Override
    SlotReport instead(String worker, SlotReport report) {
      return first.computeIfAbsent(worker, x -> report);
    }
  }

  /** Reports no slot of workers that are started on demand as allocated. */
  static final class AllocationIgnored extends Reports {
    @Override
    SlotReport instead(String worker, SlotReport report) {
      if (!worker.startsWith("elastic-")) {
        return report;
      }
      List<SlotStatus> free = new ArrayList<>();
      report
          .slots()
          .forEach(
              slot -> free.add(new SlotStatus(slot.index(), slot.profile(), Optional.empty())));
      return new SlotReport(free, List.of());
    }
  }

  /** Reports the slots that a worker had at its second registration from then on. */
  static final class OldSlotsKept extends Reports {
    private final Map<String, SlotReport> last = new LinkedHashMap<>();
    private final Map<String, SlotReport> kept = new LinkedHashMap<>();

    @Override
    Record message(String from, String to, Record message) {
      if (message instanceof RegisterTaskManager && last.containsKey(from)) {
        kept.put(from, last.get(from));
      }
      return super.message(from, to, message);
    }

    @Override
    SlotReport instead(String worker, SlotReport report) {
      last.put(worker, report);
      SlotReport old = kept.get(worker);
      if (old == null) {
        return report;
      }
      List<SlotStatus> slots = new ArrayList<>();
      for (SlotStatus slot : report.slots()) {
        Optional<Occupant> before =
            old.slots().stream()
                .filter(other -> other.index() == slot.index())
                .findFirst()
                .flatMap(SlotStatus::occupant);
        slots.add(new SlotStatus(slot.index(), slot.profile(), before.or(() -> slot.occupant())));
      }
      return new SlotReport(slots, report.carved());
    }
  }

  /** Reports the carved slots of the previous report. */
  static final class CarvedSlotsReportedLate extends Reports {
    private final Map<String, List<CarvedSlot>> last = new LinkedHashMap<>();

    @Override
    SlotReport instead(String worker, SlotReport report) {
      List<CarvedSlot> before = last.put(worker, report.carved());
      return new SlotReport(report.slots(), before == null ? report.carved() : before);
    }
  }

  /** Reports each slot to the ResourceManager under another allocation id. */
  static final class AllocationIdsChanged extends Reports {
    @Override
    SlotReport instead(String worker, SlotReport report) {
      List<SlotStatus> slots = new ArrayList<>();
      for (SlotStatus slot : report.slots()) {
        slots.add(
            new SlotStatus(
                slot.index(), slot.profile(), slot.occupant().map(AllocationIdsChanged::mistaken)));
      }
      return new SlotReport(
          slots,
          report.carved().stream()
              .map(slot -> new CarvedSlot(slot.profile(), mistaken(slot.occupant())))
              .toList());
    }

    private static Occupant mistaken(Occupant occupant) {
      String reversed = new StringBuilder(occupant.allocation().toString()).reverse().toString();
      return new Occupant(AllocationId.parse(reversed), occupant.job());
    }
  }

  /** Grants the next slot together with the requested one. */
  static final class SlotRequestGrantedTwice extends SimWiring {
    @Override
    public List<Envelope> sends(String from, String to, Envelope envelope) {
      if (envelope instanceof Envelope.Call call
          && call.message() instanceof RequestSlot request
          && request.slot().isPresent()) {
        RequestSlot again =
            new RequestSlot(
                request.resourceManager(),
                request.instance(),
                request.slot().map(slot -> slot + 1),
                request.job(),
                AllocationId.parse(flipped(request.allocation())),
                request.profile());
        return List.of(envelope, MessageForger.with(call, again));
      }
      return List.of(envelope);
    }

    private static String flipped(AllocationId allocation) {
      return new StringBuilder(allocation.toString()).reverse().toString();
    }
  }

  /** Does not notify workers of the end of a job. */
  static final class JobEndNotSent extends MessageForger {
    @Override
    Optional<Envelope.Call> call(String from, String to, Envelope.Call call) {
      if (call.message() instanceof JobEnded
          || (call.message() instanceof JobMasterDrops drops && drops.ended())) {
        return Optional.empty();
      }
      return Optional.of(call);
    }
  }

  /** Registers no worker at a JobMaster and accepts all of its offers. */
  static final class OffersOfUnregisteredWorkers extends SimWiring {
    @Override
    public Transport transport(SimProcess process, Transport real) {
      return new DelegatingTransport(real) {
        @Override
        void called(Inbound inbound, String peer, Envelope.Call call, Consumer<Envelope> reply) {
          if (call.message() instanceof RegisterAtJobMaster && call.token().isPresent()) {
            WorkerRegistered welcome = new WorkerRegistered(call.token().get());
            reply.accept(
                new Envelope.Reply(
                    call.correlation(),
                    new WorkerReply(
                        RegistrationStatus.ACCEPTED, Optional.empty(), Optional.of(welcome))));
          } else if (call.message() instanceof OfferSlots offer) {
            inbound.called(peer, call, answer -> reply.accept(taken(offer, answer)));
          } else {
            inbound.called(peer, call, reply);
          }
        }
      };
    }

    private static Envelope taken(OfferSlots offer, Envelope answer) {
      return answer instanceof Envelope.Reply reply
              && reply.message() instanceof OfferReply verdict
              && !verdict.registered()
          ? new Envelope.Reply(
              reply.correlation(),
              new OfferReply(true, offer.offers().stream().map(SlotOffer::allocation).toList()))
          : answer;
    }
  }

  /** Delays slot offers. */
  static final class OffersDelayed extends SimWiring {
    private static final Duration LATE = Duration.ofSeconds(90);

    @Override
    public Transport transport(SimProcess process, Transport real) {
      return new DelegatingTransport(real) {
        @Override
        public void send(String peer, Envelope.Call call) {
          if (call.message() instanceof OfferSlots) {
            process.schedule(LATE, "late offer", () -> super.send(peer, call));
          } else {
            super.send(peer, call);
          }
        }
      };
    }
  }
}
