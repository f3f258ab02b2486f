package io.millrace.soak;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.soak.zookeeper.ZooKeeperEnsemble;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** Faults of a cluster with standbys: of its leader, of ZooKeeper, and of the recovery storage. */
final class LeadershipFaultInjector implements FaultInjector {
  private static final int SERVERS = 3;
  private static final int TASKMANAGERS = 3;
  private static final int SLOTS = 2;
  private static final int DISK_MEGABYTES = 256;
  private static final int FREEZE_MILLIS = 30_000;
  private static final int MAJORITY_MILLIS = 20_000;
  private static final int STORAGE_MILLIS = 10_000;
  private static final String ROOT = "/millrace";
  private static final Duration CALM_BOUND = Duration.ofMinutes(3);

  private final FaultTargets targets;
  private final SoakCluster cluster;
  private final Random random;
  private final SoakSettings settings;
  private final PrintStream out;
  private final ZooKeeperEnsemble ensemble;
  private final FaultyDisk storage;
  private final SideJobs sideJobs;

  /** When the fault began, in milliseconds since the epoch. */
  private long began;

  private LeadershipFaultInjector(
      FaultTargets targets,
      SoakSettings settings,
      PrintStream out,
      ZooKeeperEnsemble ensemble,
      FaultyDisk storage) {
    this.targets = targets;
    this.cluster = targets.cluster();
    this.random = targets.random();
    this.settings = settings;
    this.out = out;
    this.ensemble = ensemble;
    this.storage = storage;
    this.sideJobs =
        new SideJobs(
            cluster, settings.directory(), targets.checkpoints().directory(), settings.options());
  }

  /** Starts the servers and mounts the storage. */
  static LeadershipFaultInjector start(FaultTargets targets, SoakSettings settings, PrintStream out)
      throws IOException, InterruptedException {
    ZooKeeperEnsemble ensemble =
        ZooKeeperEnsemble.start(settings.directory().resolve("zookeeper"), SERVERS);
    try {
      FaultyDisk storage = FaultyDisk.mount(settings.directory(), "recovery", DISK_MEGABYTES);
      return new LeadershipFaultInjector(targets, settings, out, ensemble, storage);
    } catch (IOException | InterruptedException | RuntimeException e) {
      ensemble.close();
      throw e;
    }
  }

  @Override
  public List<FaultKind> kinds() {
    return FaultKind.of(true, storage.isMounted());
  }

  @Override
  public List<String> clusterOptions() {
    List<String> line = new ArrayList<>();
    line.addAll(List.of("--jobmanagers", String.valueOf(settings.jobManagers())));
    line.addAll(List.of("--taskmanagers", String.valueOf(TASKMANAGERS)));
    line.addAll(List.of("--slots", String.valueOf(SLOTS)));
    List<String> options = new ArrayList<>();
    options.add("high-availability.type=zookeeper");
    options.add("high-availability.zookeeper.quorum=" + ensemble.quorum());
    options.add("high-availability.zookeeper.client.session-timeout=10 s");
    // It would find the servers behind the proxies.
    options.add("high-availability.zookeeper.client.ensemble-tracker=false");
    options.add("high-availability.zookeeper.path.root=" + ROOT);
    options.add("high-availability.storageDir=" + storage.directory());
    // Longer than tasks are without a JobManager in any fault, for tasks that run on.
    options.add("taskmanager.slot.timeout=90 s");
    // A job that got slots twice returns them soon, so that all slots are accounted for.
    options.add("slot.idle.timeout=5 s");
    options.add("jobstore.expiration-time=1 d");
    settings.options().forEach((key, value) -> options.add(key + "=" + value));
    options.forEach(option -> line.addAll(List.of("-D", option)));
    return line;
  }

  @Override
  public InjectedFault inject(FaultKind kind) throws IOException, InterruptedException {
    String leader = awaitLeader();
    if (random.nextInt(3) == 0) {
      sideJobs.start();
      Thread.sleep(random.nextInt(3_000));
    }
    began = System.currentTimeMillis();
    String description = carryOut(kind, leader);
    long ended = System.currentTimeMillis();
    // A supervisor restarts JobManagers that have ended.
    cluster.replaceDead();
    return new InjectedFault(description, began, ended);
  }

  private String awaitLeader() throws IOException, InterruptedException {
    long end = System.nanoTime() + CALM_BOUND.toNanos();
    while (System.nanoTime() < end) {
      Optional<String> leader = cluster.leader();
      if (leader.isPresent()) {
        return leader.get();
      }
      Thread.sleep(100);
    }
    throw new SoakException("No JobManager leads within " + CALM_BOUND);
  }

  private String carryOut(FaultKind kind, String leader) throws IOException, InterruptedException {
    return switch (kind) {
      case KILL_LEADER -> {
        cluster.signal(leader, "KILL");
        Thread.sleep(random.nextInt(1_500));
        yield "SIGKILL of " + leader;
      }
      case FREEZE_LEADER -> freeze(leader);
      case LOSE_SERVER -> loseServers(1, 3_000 + random.nextInt(12_000));
      case LOSE_MAJORITY -> loseServers(SERVERS / 2 + 1, MAJORITY_MILLIS);
      case CUT_COORDINATOR -> cut(mostlyLeader(leader));
      case EXPIRE_SESSION -> expire(mostlyLeader(leader));
      case REMOVE_STORAGE -> removeStorage(leader);
      default -> throw new IllegalArgumentException(kind + " is of clusters without standbys");
    };
  }

  private String mostlyLeader(String leader) throws IOException {
    List<String> all = cluster.jobManagers();
    return random.nextInt(3) > 0 ? leader : all.get(random.nextInt(all.size()));
  }

  private String freeze(String leader) throws IOException, InterruptedException {
    cluster.signal(leader, "STOP");
    try {
      Thread.sleep(FREEZE_MILLIS);
    } finally {
      cluster.signal(leader, "CONT");
    }
    return "SIGSTOP of " + leader + " for " + FREEZE_MILLIS + " ms";
  }

  private String loseServers(int count, int millis) throws IOException, InterruptedException {
    int first = random.nextInt(SERVERS);
    for (int i = 0; i < count; i++) {
      ensemble.kill((first + i) % SERVERS);
    }
    Thread.sleep(millis);
    ensemble.restart();
    return "SIGKILL of " + count + " ZooKeeper servers for " + millis + " ms";
  }

  private String cut(String name) throws IOException, InterruptedException {
    int millis = 1_000 + random.nextInt(19_000);
    boolean silent = random.nextBoolean();
    ensemble.cut(portsOf(name), silent);
    began = System.currentTimeMillis();
    try {
      Thread.sleep(millis);
    } finally {
      ensemble.restore();
    }
    return name + " cut off from ZooKeeper for " + millis + " ms" + (silent ? ", silently" : "");
  }

  private String expire(String name) throws IOException, InterruptedException {
    began = ensemble.expire(portsOf(name));
    return "expired session of " + name;
  }

  private Supplier<Set<Integer>> portsOf(String name) throws IOException {
    long pid =
        cluster.process(name).orElseThrow(() -> new SoakException(name + " does not run")).pid();
    return () -> {
      try {
        return Connections.localPorts(pid);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new SoakException("Interrupted", e);
      }
    };
  }

  /** Half of the time the leader is killed, so that a standby has to read the storage. */
  private String removeStorage(String leader) throws IOException, InterruptedException {
    boolean kill = random.nextBoolean();
    storage.takeAway();
    try {
      int before = random.nextInt(STORAGE_MILLIS);
      Thread.sleep(before);
      if (kill) {
        cluster.signal(leader, "KILL");
      }
      Thread.sleep(STORAGE_MILLIS - before);
    } finally {
      storage.bringBack();
    }
    return "recovery storage gone for "
        + STORAGE_MILLIS
        + " ms"
        + (kill ? " with SIGKILL of " + leader : "");
  }

  /** One job runs, in as many slots as it needs. */
  @Override
  public void verifyRecovered() throws IOException, InterruptedException {
    sideJobs.await();
    long end = System.nanoTime() + CALM_BOUND.toNanos();
    String seen = "nothing";
    while (System.nanoTime() < end) {
      Optional<JsonNode> overview = cluster.get("/overview");
      if (overview.isPresent()) {
        int total = overview.get().path("slots-total").asInt();
        int used = total - overview.get().path("slots-available").asInt();
        int jobs = overview.get().path("jobs-running").asInt();
        if (total == TASKMANAGERS * SLOTS && used == SoakJob.MOST_PARALLELISM && jobs == 1) {
          return;
        }
        seen = jobs + " jobs run in " + used + " of " + total + " slots";
      }
      Thread.sleep(100);
    }
    throw new SoakException("One job must run, in " + SoakJob.MOST_PARALLELISM + " slots: " + seen);
  }

  @Override
  public void verifyFinished() throws IOException, InterruptedException {
    out.println(sideJobs.verify());
  }

  @Override
  public List<String> remains() throws IOException, InterruptedException {
    List<String> remains = new ArrayList<>(ensemble.nodesBelow(ROOT));
    remains.addAll(files(storage.directory()));
    remains.addAll(files(targets.checkpoints().directory()));
    return remains;
  }

  private static List<String> files(Path directory) throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      return files.filter(file -> !file.equals(directory)).map(Path::toString).sorted().toList();
    }
  }

  @Override
  public void close() throws IOException {
    ensemble.close();
    storage.close();
  }
}
