package io.millrace.yarn.client;

import io.millrace.client.Progress;
import io.millrace.core.config.ClientOptions;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.HighAvailabilityOptions;
import io.millrace.yarn.YarnOptions;
import io.millrace.yarn.launch.ContainerLaunch;
import io.millrace.yarn.launch.ContainerLayout;
import io.millrace.yarn.launch.StagedFile;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.api.records.ApplicationReport;
import org.apache.hadoop.yarn.api.records.ApplicationSubmissionContext;
import org.apache.hadoop.yarn.api.records.LocalResourceType;
import org.apache.hadoop.yarn.api.records.LogAggregationContext;
import org.apache.hadoop.yarn.api.records.Priority;
import org.apache.hadoop.yarn.api.records.Resource;
import org.apache.hadoop.yarn.client.api.YarnClientApplication;

/** Starts clusters on YARN. */
final class YarnClusterDeployer {
  private final HadoopContext hadoop;
  private final YarnResourceManagerClient yarn;
  private final EngineArchive engine;
  private final RestTokenStore tokens;
  private final Progress progress;

  YarnClusterDeployer(
      HadoopContext hadoop,
      YarnResourceManagerClient yarn,
      EngineArchive engine,
      RestTokenStore tokens,
      Progress progress) {
    this.hadoop = hadoop;
    this.yarn = yarn;
    this.engine = engine;
    this.tokens = tokens;
    this.progress = progress;
  }

  /** Starts a cluster and returns when its JobManager runs. After a failure nothing is left. */
  YarnApplication deploy(DeploymentSpec plan) {
    long startedAt = System.nanoTime();
    Configuration configuration = plan.configuration();
    // Errors are reported before the upload, as far as they can be known.
    ApplicationRequirements requirements = ApplicationRequirements.of(configuration);
    if (!requirements.externals().isEmpty()) {
      yarn.learnResources();
    }
    YarnClientApplication application = yarn.newApplication();
    YarnClusterLimits limits =
        yarn.limits(
            application.getNewApplicationResponse().getMaximumResourceCapability(),
            requirements.queue());
    limits.check(requirements).forEach(progress::report);
    ShippedFiles shipped = ShippedFiles.of(plan, hadoop.settings());
    ApplicationId id = application.getNewApplicationResponse().getApplicationId();
    StagingDirectory staging = StagingDirectory.of(configuration, hadoop.settings(), id.toString());
    try (DeploymentRollback rollback =
        new DeploymentRollback(yarn, id, staging, tokens, progress)) {
      ClusterSecrets secrets = new ClusterSecrets(id.toString());
      secrets.prepare(configuration);
      rollback.createStagingDirectory();
      Configuration effective = effective(plan, id, staging, secrets);
      ApplicationArchive archive =
          ApplicationArchive.of(plan, effective, secrets.ofProcesses(), hadoop);
      List<StagedFile> files = stage(configuration, staging, shipped, archive, secrets.restToken());
      ApplicationMasterLaunch master =
          new ApplicationMasterLaunch(
              plan, effective, files, engine, archive.logging(), hadoop.user());
      int attempts = requirements.attempts().orElse(limits.maxAttempts());
      ApplicationSubmissionContext context = application.getApplicationSubmissionContext();
      describe(context, plan, requirements, attempts);
      ContainerLaunch launch =
          master
              .launch(
                  staging.directory().toString(), Duration.ofNanos(System.nanoTime() - startedAt))
              .with(secrets.ofMaster(configuration));
      context.setAMContainerSpec(
          launch.context(hadoop.tokens(configuration, staging.directory(), yarn)));
      TokenRenewalSettings.of(configuration, hadoop)
          .ifPresent(context.getAMContainerSpec()::setTokensConf);
      // Before the submission: commands can then stop a cluster whose client was killed.
      tokens.keep(id.toString(), secrets.restToken());
      rollback.submit(() -> yarn.submit(context));
      progress.report(
          "Submitted application " + id + " '" + context.getApplicationName() + "' to YARN");
      new StagingCleaner(yarn, hadoop, configuration, tokens).removeInBackground(Optional.of(id));
      ApplicationReport running =
          new ApplicationStartMonitor(
                  yarn, progress, requirements, configuration.get(ClientOptions.CLIENT_TIMEOUT))
              .untilRunning(id);
      rollback.complete();
      return new YarnApplication(yarn, id, staging, tokens, running);
    }
  }

  private List<StagedFile> stage(
      Configuration configuration,
      StagingDirectory staging,
      ShippedFiles shipped,
      ApplicationArchive archive,
      String token) {
    ProvidedLibraries shared = ProvidedLibraries.of(configuration, hadoop.settings());
    List<StagedFile> files = new ArrayList<>();
    if (shared.isUsed()) {
      files.add(shared.archive(engine, progress));
      files.addAll(shared.furtherJars());
    }
    try {
      ParallelUpload uploads = new ParallelUpload(progress);
      if (!shared.isUsed()) {
        staging.add(
            uploads,
            engine.archiveName(),
            engine.archiveLength(),
            out -> new TarWriter(out).write(engine.files()));
      }
      byte[] own = archive.bytes();
      staging.add(uploads, ContainerLayout.APPLICATION_ARCHIVE, own.length, out -> out.write(own));
      staging.addToken(uploads, token);
      shipped.send(staging, uploads);
      uploads.await(staging.directory().toString());
      if (!shared.isUsed()) {
        files.add(
            staging.staged(
                engine.archiveName(), ContainerLayout.HOME, LocalResourceType.ARCHIVE, true));
      }
      files.add(
          staging.staged(
              ContainerLayout.APPLICATION_ARCHIVE,
              ContainerLayout.APPLICATION_ARCHIVE,
              LocalResourceType.FILE,
              true));
      files.addAll(shipped.staged(staging));
      return files;
    } catch (IOException e) {
      throw staging.failed("write files to", e);
    }
  }

  /** The configuration of the cluster's processes. */
  private Configuration effective(
      DeploymentSpec plan, ApplicationId id, StagingDirectory staging, ClusterSecrets secrets) {
    Configuration effective = hadoop.in(ShippedFiles.in(secrets.in(plan.configuration())));
    if (!effective.contains(HighAvailabilityOptions.HA_CLUSTER_ID)) {
      effective = effective.with(HighAvailabilityOptions.HA_CLUSTER_ID, id.toString());
    }
    if (!HighAvailabilityOptions.type(effective).equals(HighAvailabilityOptions.NONE)
        && ApplicationRequirements.text(effective, HighAvailabilityOptions.HA_STORAGE_PATH)
            .isEmpty()) {
      effective =
          effective.with(
              HighAvailabilityOptions.HA_STORAGE_PATH,
              new Path(staging.directory(), "recovery").toString());
    }
    return effective;
  }

  private void describe(
      ApplicationSubmissionContext context,
      DeploymentSpec plan,
      ApplicationRequirements requirements,
      int attempts) {
    Configuration configuration = plan.configuration();
    context.setApplicationName(
        ApplicationRequirements.text(configuration, YarnOptions.APPLICATION_NAME)
            .orElse(plan.name()));
    context.setApplicationType(configuration.get(YarnOptions.APPLICATION_TYPE));
    requirements.queue().ifPresent(context::setQueue);
    context.setResource(
        Resource.newInstance(requirements.master().megabytes(), requirements.master().vcores()));
    Set<String> tags = new LinkedHashSet<>(configuration.get(YarnOptions.TAGS));
    tags.add(plan.mode().tag());
    if (ProvidedLibraries.of(configuration, hadoop.settings()).isUsed()) {
      tags.add(ProvidedLibraries.tag(engine.archiveName()));
    }
    context.setApplicationTags(tags);
    int priority = configuration.get(YarnOptions.PRIORITY);
    if (priority >= 0) {
      context.setPriority(Priority.newInstance(priority));
    }
    ApplicationRequirements.text(configuration, YarnOptions.NODE_LABEL)
        .ifPresent(context::setNodeLabelExpression);
    if (configuration.contains(YarnOptions.ROLLED_LOGS_INCLUDE)) {
      context.setLogAggregationContext(
          LogAggregationContext.newInstance(
              null,
              null,
              configuration.get(YarnOptions.ROLLED_LOGS_INCLUDE).pattern(),
              configuration
                  .find(YarnOptions.ROLLED_LOGS_EXCLUDE)
                  .map(Pattern::pattern)
                  .orElse(null)));
    }
    context.setMaxAppAttempts(attempts);
    if (attempts > 1) {
      context.setKeepContainersAcrossApplicationAttempts(true);
      context.setAttemptFailuresValidityInterval(
          configuration.get(YarnOptions.ATTEMPT_WINDOW).toMillis());
    }
  }
}
