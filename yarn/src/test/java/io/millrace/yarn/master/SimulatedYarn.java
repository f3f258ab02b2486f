package io.millrace.yarn.master;

import io.millrace.control.driver.DriverTermination;
import io.millrace.rpc.Env;
import io.millrace.rpc.Mailbox;
import io.millrace.yarn.launch.ContainerLaunch;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import org.apache.hadoop.yarn.api.protocolrecords.AllocateResponse;
import org.apache.hadoop.yarn.api.protocolrecords.RegisterApplicationMasterResponse;
import org.apache.hadoop.yarn.api.records.ApplicationAttemptId;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.api.records.Container;
import org.apache.hadoop.yarn.api.records.ContainerExitStatus;
import org.apache.hadoop.yarn.api.records.ContainerId;
import org.apache.hadoop.yarn.api.records.ContainerLaunchContext;
import org.apache.hadoop.yarn.api.records.ContainerState;
import org.apache.hadoop.yarn.api.records.ContainerStatus;
import org.apache.hadoop.yarn.api.records.NodeId;
import org.apache.hadoop.yarn.api.records.NodeReport;
import org.apache.hadoop.yarn.api.records.NodeState;
import org.apache.hadoop.yarn.api.records.PreemptionContainer;
import org.apache.hadoop.yarn.api.records.PreemptionContract;
import org.apache.hadoop.yarn.api.records.PreemptionMessage;
import org.apache.hadoop.yarn.api.records.Resource;
import org.apache.hadoop.yarn.client.api.AMRMClient.ContainerRequest;
import org.apache.hadoop.yarn.exceptions.ApplicationAttemptNotFoundException;
import org.apache.hadoop.yarn.exceptions.InvalidResourceRequestException;
import org.apache.hadoop.yarn.exceptions.YarnException;

/**
 * YARN in one thread on virtual time. It allocates containers after random delays and, with the
 * given chances, does what a real YARN does under failures. Checks that the driver keeps the rules
 * of YARN, and remembers what became of each container.
 */
class SimulatedYarn implements YarnMasterClient {
  static final Resource LARGEST = Resource.newInstance(8192, 8);

  /**
   * Chances between 0 and 1.
   *
   * @param surplus of an allocation for a request that has been served
   * @param duplicate of a container that serves a request and is reported twice
   * @param launchFails of a NodeManager that does not start a container
   * @param prepareFails of a launch that cannot be prepared
   * @param ends of a running container, for each heartbeat
   * @param refuses of a heartbeat that YARN answers with a refusal of all requests
   * @param withoutNumber of a container without the number of its request
   */
  record Chances(
      double surplus,
      double duplicate,
      double launchFails,
      double prepareFails,
      double ends,
      double refuses,
      double withoutNumber) {
    static final Chances NONE = new Chances(0, 0, 0, 0, 0, 0, 0);
  }

  /** What became of a container; each goes through a part of these states in this order. */
  enum State {
    ALLOCATED,
    STARTED,
    RETURNED,
    COMPLETED
  }

  private final Random random;
  private final Mailbox events;
  private final int capacity;
  private final int nodes;

  /** What YARN's library counts: the requests of each batch. */
  private final Map<Long, Set<ContainerRequest>> requests = new TreeMap<>();

  /** Batches whose count goes to the ResourceManager with the next heartbeat. */
  private final Set<Long> changed = new LinkedHashSet<>();

  /** What YARN's ResourceManager counts: the containers to allocate for each batch. */
  private final Map<Long, Integer> counts = new TreeMap<>();

  private int sentRequests;
  private final Map<ContainerId, State> containers = new LinkedHashMap<>();
  private final Map<ContainerId, Container> launched = new LinkedHashMap<>();
  private final Set<ContainerId> returned = new LinkedHashSet<>();
  private final List<Container> allocations = new ArrayList<>();
  private final List<Container> previous = new ArrayList<>();
  private final List<NodeReport> decommissioning = new ArrayList<>();
  private final List<ContainerStatus> completions = new ArrayList<>();
  private final List<String> violations = new ArrayList<>();
  private final Set<String> blocked = new LinkedHashSet<>();
  private final List<NodeReport> updates = new ArrayList<>();
  private final Set<PreemptionContainer> preempted = new LinkedHashSet<>();
  private final List<Long> heartbeats = new ArrayList<>();
  private final Env env;
  private Chances chances = Chances.NONE;
  private BiConsumer<ContainerId, Throwable> notStarted = (id, cause) -> {};
  private Optional<DriverTermination.Over> outcome = Optional.empty();
  private Optional<Exception> nextFailure = Optional.empty();
  private final Map<ContainerId, ContainerStatus> endedAtNode = new LinkedHashMap<>();
  private boolean nodesUnreachable;
  private float progress;
  private int numbers;
  private int queries;
  private boolean closed;

  /**
   * @param capacity the number of containers that can run at a time
   */
  SimulatedYarn(Env env, Random random, int capacity) {
    this(env, random, capacity, 4);
  }

  SimulatedYarn(Env env, Random random, int capacity, int nodes) {
    this.env = env;
    this.random = random;
    this.events = env.mailbox("yarn");
    this.capacity = capacity;
    this.nodes = nodes;
  }

  void chances(Chances now) {
    chances = now;
  }

  /** A container that an earlier attempt has started. */
  ContainerId startedBefore() {
    Container container = container(0, ContainerRequests.DEFAULT_PRIORITY, LARGEST);
    containers.put(container.getId(), State.STARTED);
    launched.put(container.getId(), container);
    previous.add(container);
    return container.getId();
  }

  /** The next heartbeat fails. */
  void failHeartbeat(Exception failure) {
    nextFailure = Optional.of(failure);
  }

  /** A node is lost, with its containers. */
  void loseNode(String host) {
    new ArrayList<>(launched.values())
        .stream()
            .filter(container -> container.getNodeId().getHost().equals(host))
            .forEach(container -> complete(container.getId(), ContainerExitStatus.ABORTED));
  }

  /** A node is decommissioned; its containers may run for this time. */
  void decommission(String host, int seconds) {
    updates.add(decommissionedBefore(host, seconds));
  }

  /** YARN has announced to an earlier attempt that it decommissions a node. */
  NodeReport decommissionedBefore(String host, int seconds) {
    NodeReport report =
        NodeReport.newInstance(
            NodeId.newInstance(host, 1), NodeState.DECOMMISSIONING, "", "", null, null, 0, "", 0);
    report.setDecommissioningTimeout(seconds);
    decommissioning.add(report);
    return report;
  }

  @Override
  public List<NodeReport> decommissioningNodes() {
    return List.copyOf(decommissioning);
  }

  private List<NodeReport> nodeReports() {
    List<NodeReport> reports = new ArrayList<>(updates);
    updates.clear();
    return reports;
  }

  /** Announces with each heartbeat that it takes the container back. */
  void preempt(ContainerId container) {
    preempted.add(PreemptionContainer.newInstance(container));
  }

  private PreemptionMessage preemption() {
    return preempted.isEmpty()
        ? null
        : PreemptionMessage.newInstance(
            null, PreemptionContract.newInstance(List.of(), new LinkedHashSet<>(preempted)));
  }

  void complete(ContainerId container, int exitStatus) {
    if (containers.put(container, State.COMPLETED) == State.COMPLETED) {
      return;
    }
    launched.remove(container);
    allocations.removeIf(allocation -> allocation.getId().equals(container));
    completions.add(
        ContainerStatus.newInstance(container, ContainerState.COMPLETE, "simulated", exitStatus));
  }

  // --- what a test looks at

  List<String> violations() {
    return violations;
  }

  Map<ContainerId, State> containers() {
    return containers;
  }

  List<ContainerId> running() {
    return new ArrayList<>(launched.keySet());
  }

  String hostOf(ContainerId container) {
    return launched.get(container).getNodeId().getHost();
  }

  /** The numbers of the batches that YARN's library counts. */
  Set<Long> pending() {
    return requests.keySet();
  }

  /** How many requests, each with a count, the heartbeats have brought. */
  int sentRequests() {
    return sentRequests;
  }

  Set<String> blocked() {
    return blocked;
  }

  /** The times of all heartbeats, in nanoseconds. */
  List<Long> heartbeats() {
    return heartbeats;
  }

  /** The progress in the last heartbeat. */
  float progress() {
    return progress;
  }

  int queries() {
    return queries;
  }

  Optional<DriverTermination.Over> outcome() {
    return outcome;
  }

  boolean isClosed() {
    return closed;
  }

  // --- the protocol

  @Override
  public RegisterApplicationMasterResponse register(
      ApplicationMasterAddress address, BiConsumer<ContainerId, Throwable> callback) {
    notStarted = callback;
    return RegisterApplicationMasterResponse.newInstance(
        Resource.newInstance(1, 1),
        LARGEST,
        Map.of(),
        null,
        List.copyOf(previous),
        "root.default",
        List.of());
  }

  @Override
  public AllocateResponse allocate(float share) throws YarnException, IOException {
    heartbeats.add(env.nanos());
    progress = share;
    check(outcome.isEmpty(), "a heartbeat after the end of the application");
    if (nextFailure.isPresent()) {
      Exception failure = nextFailure.get();
      nextFailure = Optional.empty();
      if (failure instanceof YarnException refusal) {
        throw refusal;
      }
      throw new IOException(failure);
    }
    if (!requests.isEmpty() && happens(chances.refuses())) {
      throw new InvalidResourceRequestException("simulated refusal");
    }
    receive();
    new ArrayList<>(returned).forEach(id -> complete(id, ContainerExitStatus.ABORTED));
    returned.clear();
    for (ContainerId id : running()) {
      if (happens(chances.ends())) {
        complete(id, random.nextBoolean() ? ContainerExitStatus.PREEMPTED : 137);
      }
    }
    List<Container> allocated = new ArrayList<>(allocations);
    allocations.clear();
    for (Container container : new ArrayList<>(allocated)) {
      if (requests.containsKey(container.getAllocationRequestId())
          && happens(chances.duplicate())) {
        allocated.add(container);
      }
    }
    List<ContainerStatus> completed = new ArrayList<>(completions);
    completions.clear();
    return AllocateResponse.newBuilder()
        .allocatedContainers(allocated)
        .completedContainersStatuses(completed)
        .availableResources(Resource.newInstance(1024, 1))
        .containersFromPreviousAttempt(List.of())
        .updatedNodes(nodeReports())
        .numClusterNodes(nodes)
        .preemptionMessage(preemption())
        .build();
  }

  /** The ResourceManager replaces its counts by those of the library. */
  private void receive() {
    for (long batch : changed) {
      sentRequests++;
      int count = requests.getOrDefault(batch, Set.of()).size();
      int before = counts.getOrDefault(batch, 0);
      counts.put(batch, count);
      ContainerRequest any =
          requests.containsKey(batch) ? requests.get(batch).iterator().next() : null;
      for (int i = before; i < count; i++) {
        allocateLater(any, random.nextInt(3_000));
      }
    }
    changed.clear();
  }

  @Override
  public void addRequest(ContainerRequest request) {
    check(
        requests
            .computeIfAbsent(request.getAllocationRequestId(), batch -> new LinkedHashSet<>())
            .add(request),
        "request " + request.getAllocationRequestId() + " twice");
    changed.add(request.getAllocationRequestId());
  }

  private void allocateLater(ContainerRequest request, int millis) {
    events.after(Duration.ofMillis(millis), () -> allocate(request));
  }

  private void allocate(ContainerRequest request) {
    long number = request.getAllocationRequestId();
    boolean stillPending = counts.getOrDefault(number, 0) > 0;
    if (!stillPending && !happens(chances.surplus())) {
      return;
    }
    if (containers.size() >= capacity
        && containers.values().stream().filter(state -> state != State.COMPLETED).count()
            >= capacity) {
      allocateLater(request, 500);
      return;
    }
    if (happens(chances.withoutNumber())) {
      // The container may serve an older request; this one then needs another container.
      number = 0;
      allocateLater(request, 2_000);
    } else if (stillPending) {
      counts.merge(number, -1, Integer::sum);
    }
    Container container =
        container(number, request.getPriority().getPriority(), request.getCapability());
    containers.put(container.getId(), State.ALLOCATED);
    allocations.add(container);
  }

  private Container container(long request, int priority, Resource size) {
    ContainerId id =
        ContainerId.newContainerId(
            ApplicationAttemptId.newInstance(ApplicationId.newInstance(1, 1), 1), ++numbers);
    Container container =
        Container.newInstance(
            id,
            NodeId.newInstance("node" + numbers % nodes, 1),
            "node:8042",
            size,
            org.apache.hadoop.yarn.api.records.Priority.newInstance(priority),
            null);
    container.setAllocationRequestId(request);
    return container;
  }

  @Override
  public void removeRequest(ContainerRequest request) {
    long batch = request.getAllocationRequestId();
    Set<ContainerRequest> counted = requests.getOrDefault(batch, new LinkedHashSet<>());
    check(counted.remove(request), "request " + batch + " is removed and was not there");
    if (counted.isEmpty()) {
      requests.remove(batch);
    }
    changed.add(batch);
    if (happens(chances.surplus())) {
      allocateLater(request, random.nextInt(500));
    }
  }

  @Override
  public void returnContainer(ContainerId container) {
    State before = containers.get(container);
    check(before != null, container + " is returned and was never allocated");
    check(before != State.RETURNED, container + " is returned twice");
    if (before == State.ALLOCATED || before == State.STARTED) {
      containers.put(container, State.RETURNED);
      launched.remove(container);
      returned.add(container);
    }
  }

  @Override
  public void updateBlockedNodes(List<String> added, List<String> removed) {
    check(removed.isEmpty() || blocked.containsAll(removed), "unblocks what was not blocked");
    removed.forEach(blocked::remove);
    blocked.addAll(added);
  }

  @Override
  public String nodeName(NodeId node) {
    return node.getHost();
  }

  @Override
  public ContainerLaunchContext prepare(ContainerLaunch launch) {
    if (happens(chances.prepareFails())) {
      throw new IllegalStateException("simulated failure of the preparation");
    }
    return launch.context(java.nio.ByteBuffer.allocate(0));
  }

  @Override
  public void startContainer(Container container, ContainerLaunchContext context) {
    State before = containers.get(container.getId());
    check(
        before == State.ALLOCATED || before == State.COMPLETED,
        container.getId() + " is started and is " + before);
    check(context != null, container.getId() + " is started without a context");
    if (before == State.COMPLETED || happens(chances.launchFails())) {
      events.after(
          Duration.ofMillis(random.nextInt(200)),
          () -> notStarted.accept(container.getId(), new IOException("simulated launch failure")));
      return;
    }
    containers.put(container.getId(), State.STARTED);
    launched.put(container.getId(), container);
  }

  @Override
  public void stopContainer(ContainerId container, NodeId node) {
    if (containers.get(container) == State.STARTED) {
      check(
          launched.get(container).getNodeId().equals(node),
          container + " is stopped on the wrong node");
    }
  }

  @Override
  public ContainerStatus containerStatus(ContainerId container, NodeId node) throws IOException {
    if (nodesUnreachable) {
      throw new IOException("simulated node without an answer");
    }
    ContainerStatus ended = endedAtNode.get(container);
    return ended == null
        ? ContainerStatus.newInstance(container, ContainerState.RUNNING, "", -1000)
        : ended;
  }

  /** The process of a container has ended; only its node knows so far. */
  void endAtNode(ContainerId container, int exitStatus) {
    endedAtNode.put(
        container,
        ContainerStatus.newInstance(container, ContainerState.COMPLETE, "at node", exitStatus));
  }

  void nodesUnreachable() {
    nodesUnreachable = true;
  }

  @Override
  public Optional<String> query() {
    queries++;
    return Optional.of("simulated status");
  }

  @Override
  public void unregister(DriverTermination.Over over) {
    check(outcome.isEmpty(), "unregisters twice");
    outcome = Optional.of(over);
  }

  @Override
  public void close() {
    check(!closed, "closes twice");
    closed = true;
  }

  static ApplicationAttemptNotFoundException superseded() {
    return new ApplicationAttemptNotFoundException("simulated");
  }

  private boolean happens(double chance) {
    return random.nextDouble() < chance;
  }

  private void check(boolean condition, String violation) {
    if (!condition) {
      violations.add(violation);
    }
  }
}
