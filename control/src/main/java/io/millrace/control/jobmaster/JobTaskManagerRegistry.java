package io.millrace.control.jobmaster;

import io.millrace.control.cluster.ClusterServices;
import io.millrace.core.config.HeartbeatManagerOptions;
import io.millrace.core.config.RpcOptions;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.id.WorkerId;
import io.millrace.protocol.JobMasterGateway.RegisterAtJobMaster;
import io.millrace.protocol.TaskManagerGateway;
import io.millrace.rpc.Address;
import io.millrace.rpc.Mailbox;
import io.millrace.rpc.RpcException;
import io.millrace.rpc.heartbeat.HeartbeatSettings;
import io.millrace.rpc.registration.FollowerRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** The TaskManagers registered at a JobMaster. Lives in the JobMaster's mailbox. */
final class JobTaskManagerRegistry {
  private final ClusterServices cluster;
  private final Mailbox mailbox;
  private final FollowerRegistry<WorkerId, Link> links;

  /** One registration of a TaskManager; a later one is another object. */
  static final class Link {
    final RegisterAtJobMaster registration;
    final TaskManagerGateway gateway;

    /**
     * For deployments: a worker may have to fetch the job's jars before it answers. And for
     * heartbeats: an answer is in time until the worker counts as silent.
     */
    final TaskManagerGateway longCalls;

    Link(
        RegisterAtJobMaster registration,
        TaskManagerGateway gateway,
        TaskManagerGateway longCalls) {
      this.registration = registration;
      this.gateway = gateway;
      this.longCalls = longCalls;
    }

    WorkerId worker() {
      return registration.worker();
    }
  }

  JobTaskManagerRegistry(
      ClusterServices cluster, Mailbox mailbox, FollowerRegistry.Leader<Link> jobMaster) {
    this.cluster = cluster;
    this.mailbox = mailbox;
    this.links =
        new FollowerRegistry<>(
            cluster.rpc(), mailbox, HeartbeatSettings.from(cluster.configuration()), jobMaster);
  }

  Optional<Link> find(WorkerId worker) {
    return links.get(worker);
  }

  int count() {
    return links.size();
  }

  List<Link> all() {
    return links.all();
  }

  void add(RegisterAtJobMaster registration) {
    Link link =
        new Link(
            registration,
            gateway(registration.address(), cluster.configuration().get(RpcOptions.ASK_TIMEOUT)),
            gateway(registration.address(), patience()));
    links.add(link.worker(), registration.address().process(), link);
  }

  void remove(Link link) {
    links.remove(link.worker(), link);
  }

  boolean has(Link link) {
    return links.has(link.worker(), link);
  }

  void close() {
    links.close();
  }

  /** What a worker said of a call that failed. */
  static Failure failureOf(Throwable thrown) {
    return Failure.unwrap(thrown) instanceof RpcException call
        ? call.failure()
        : Failure.of(thrown, ErrorKind.EXTERNAL);
  }

  private Duration patience() {
    Duration ask = cluster.configuration().get(RpcOptions.ASK_TIMEOUT);
    Duration heartbeat = cluster.configuration().get(HeartbeatManagerOptions.HEARTBEAT_TIMEOUT);
    return ask.compareTo(heartbeat) > 0 ? ask : heartbeat;
  }

  private TaskManagerGateway gateway(Address address, Duration timeout) {
    return cluster
        .rpc()
        .gateway(TaskManagerGateway.class, address, Optional.empty(), mailbox, timeout);
  }
}
