package io.millrace.control.slotmanager;

import io.millrace.core.ResourceProfile;
import io.millrace.core.id.InstanceId;
import io.millrace.core.id.WorkerId;
import java.util.Comparator;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/** A registered worker with its slots. */
final class Worker {
  /** Workers in use first, the fullest of them first: others stay empty and can be given back. */
  static final Comparator<Worker> PACKING =
      Comparator.comparing((Worker worker) -> worker.used == 0)
          .thenComparingInt(worker -> worker.slots.size() - worker.used)
          .thenComparing(worker -> worker.id);

  /** The least used first, by the part of its slots that is in use. */
  static final Comparator<Worker> SPREADING =
      Comparator.comparingDouble((Worker worker) -> (double) worker.used / worker.slots.size())
          .thenComparing(worker -> worker.id);

  final WorkerId id;
  final InstanceId instance;
  final Map<Integer, Slot> slots = new TreeMap<>();

  /** Its free slots by profile. */
  final Map<ResourceProfile, TreeSet<Slot>> free = new TreeMap<>(Profiles.BY_SIZE);

  /** Slots that somebody has or is to get. */
  int used;

  Worker(WorkerId id, InstanceId instance) {
    this.id = id;
    this.instance = instance;
  }
}
