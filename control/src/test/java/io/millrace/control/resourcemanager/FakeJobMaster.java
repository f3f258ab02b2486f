package io.millrace.control.resourcemanager;

import io.millrace.core.ResourceProfile;
import io.millrace.core.config.Durations;
import io.millrace.core.config.JobManagerOptions;
import io.millrace.core.id.JobId;
import io.millrace.protocol.ResourceManagerGateway;
import io.millrace.protocol.ResourceManagerGateway.DeclareRequirements;
import io.millrace.protocol.ResourceManagerGateway.JobMasterReply;
import io.millrace.protocol.ResourceManagerGateway.RegisterJobMaster;
import io.millrace.protocol.ResourceManagerGateway.Requirement;
import io.millrace.protocol.testing.JobMasterStub;
import io.millrace.rpc.Acknowledge;
import io.millrace.rpc.Endpoint;
import io.millrace.rpc.LeaderToken;
import io.millrace.rpc.Rpc;
import io.millrace.rpc.leader.Leader;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** A JobMaster that records messages. */
final class FakeJobMaster extends Endpoint implements JobMasterStub {
  final JobId job;
  final LeaderToken leader;
  final List<RequirementsPending> pending = new ArrayList<>();
  final List<RequirementsFailed> failed = new ArrayList<>();
  final List<ResourceManagerForgets> forgets = new ArrayList<>();
  JobMasterReport report = new JobMasterReport(0, 0, 0);
  boolean answersHeartbeats = true;

  FakeJobMaster(Rpc rpc, JobId job, LeaderToken leader) {
    super(rpc, "jobmaster-" + leader.term(), Optional.of(leader));
    this.job = job;
    this.leader = leader;
    start();
  }

  ResourceManagerGateway at(Leader resourceManager) {
    return rpc.gateway(
        ResourceManagerGateway.class,
        resourceManager.address(),
        Optional.of(resourceManager.token()),
        mailbox);
  }

  CompletableFuture<JobMasterReply> register(Leader resourceManager) {
    return at(resourceManager).registerJobMaster(new RegisterJobMaster(job, leader, address()));
  }

  CompletableFuture<Acknowledge> declare(Leader resourceManager, int slots) {
    return declare(resourceManager, ResourceProfile.UNSPECIFIED, slots);
  }

  CompletableFuture<Acknowledge> declare(
      Leader resourceManager, ResourceProfile profile, int slots) {
    return at(resourceManager)
        .declareRequirements(
            new DeclareRequirements(
                job,
                leader,
                slots == 0 ? List.of() : List.of(new Requirement(profile, slots)),
                JobManagerOptions.SLOT_REQUEST_TIMEOUT
                    .defaultText()
                    .map(Durations::parse)
                    .orElseThrow()));
  }

  @Override
  public CompletableFuture<JobMasterReport> heartbeatFromResourceManager(AskJobMaster question) {
    return answersHeartbeats
        ? CompletableFuture.completedFuture(report)
        : new CompletableFuture<>();
  }

  @Override
  public void requirementsPending(RequirementsPending notice) {
    pending.add(notice);
  }

  @Override
  public void requirementsFailed(RequirementsFailed notice) {
    failed.add(notice);
  }

  @Override
  public void disconnectResourceManager(ResourceManagerForgets notice) {
    forgets.add(notice);
  }
}
