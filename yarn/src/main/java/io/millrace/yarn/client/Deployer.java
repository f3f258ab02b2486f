package io.millrace.yarn.client;

import io.millrace.client.Progress;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.HighAvailability;
import io.millrace.core.config.Options;
import io.millrace.core.config.YarnOptions;
import io.millrace.yarn.launch.Launch;
import io.millrace.yarn.launch.Layout;
import io.millrace.yarn.launch.StagedFile;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.api.records.ApplicationReport;
import org.apache.hadoop.yarn.api.records.ApplicationSubmissionContext;
import org.apache.hadoop.yarn.api.records.LocalResourceType;
import org.apache.hadoop.yarn.api.records.Priority;
import org.apache.hadoop.yarn.api.records.Resource;
import org.apache.hadoop.yarn.client.api.YarnClientApplication;

/** Starts clusters on YARN. */
final class Deployer {
  private final HadoopAccess hadoop;
  private final Yarn yarn;
  private final Engine engine;
  private final LocalTokens tokens;
  private final Progress progress;

  Deployer(HadoopAccess hadoop, Yarn yarn, Engine engine, LocalTokens tokens, Progress progress) {
    this.hadoop = hadoop;
    this.yarn = yarn;
    this.engine = engine;
    this.tokens = tokens;
    this.progress = progress;
  }

  /** Starts a cluster. Returns when its JobManager runs; where it fails, nothing is left of it. */
  YarnApplication deploy(ClusterPlan plan) {
    long since = System.nanoTime();
    Configuration configuration = plan.configuration();
    // All that can be known to be wrong is told before a byte is sent.
    Demand demand = Demand.of(configuration);
    if (!demand.externals().isEmpty()) {
      yarn.learnResources();
    }
    YarnClientApplication fresh = yarn.newApplication();
    Limits limits = yarn.limits(fresh.getNewApplicationResponse().getMaximumResourceCapability());
    limits.check(demand).forEach(progress::told);
    Shipping shipping = Shipping.of(plan, hadoop.settings());
    ApplicationId id = fresh.getNewApplicationResponse().getApplicationId();
    Staging staging = Staging.of(configuration, hadoop.settings(), id.toString());
    try (Unfinished unfinished = new Unfinished(yarn, id, staging, tokens, progress)) {
      unfinished.makeDirectory();
      Secrets secrets = new Secrets(id.toString());
      Configuration effective = effective(plan, id, staging, secrets);
      ApplicationArchive archive =
          ApplicationArchive.of(plan, effective, secrets.ofProcesses(), hadoop.environment());
      List<StagedFile> files =
          stage(configuration, staging, shipping, archive, secrets.restToken());
      MasterLaunch master =
          new MasterLaunch(plan, effective, files, engine, archive.logging(), hadoop.user());
      int attempts = demand.attempts().orElse(limits.mostAttempts());
      ApplicationSubmissionContext context = fresh.getApplicationSubmissionContext();
      describe(context, plan, demand, attempts);
      Launch launch =
          master
              .launch(staging.directory().toString(), Duration.ofNanos(System.nanoTime() - since))
              .with(secrets.ofMaster(configuration));
      context.setAMContainerSpec(
          launch.context(hadoop.tokens(configuration, staging.directory(), yarn)));
      // First, so that a cluster whose client is killed can still be told to end.
      tokens.keep(id.toString(), secrets.restToken());
      unfinished.submit(() -> yarn.submit(context));
      progress.told(
          "Submitted application " + id + " '" + context.getApplicationName() + "' to YARN");
      new Leftovers(yarn, hadoop, configuration, tokens).removeBeside(id);
      ApplicationReport running =
          new Waiting(yarn, progress, demand, configuration.get(Options.CLIENT_TIMEOUT))
              .untilRunning(id);
      unfinished.handOver();
      return new YarnApplication(yarn, id, staging, tokens, running);
    }
  }

  private List<StagedFile> stage(
      Configuration configuration,
      Staging staging,
      Shipping shipping,
      ApplicationArchive application,
      String token) {
    SharedLibraries shared = SharedLibraries.of(configuration, hadoop.settings());
    List<StagedFile> files = new ArrayList<>();
    if (shared.isUsed()) {
      files.add(shared.archive(engine, progress));
      files.addAll(shared.furtherJars());
    }
    try {
      Uploads uploads = new Uploads(progress);
      if (!shared.isUsed()) {
        staging.add(
            uploads,
            engine.archiveName(),
            engine.archiveLength(),
            out -> new TarWriter(out).write(engine.files()));
      }
      byte[] own = application.bytes();
      staging.add(uploads, ApplicationArchive.NAME, own.length, out -> out.write(own));
      staging.addToken(uploads, token);
      shipping.send(staging, uploads);
      uploads.await(staging.directory().toString());
      if (!shared.isUsed()) {
        files.add(
            staging.staged(engine.archiveName(), Layout.HOME, LocalResourceType.ARCHIVE, true));
      }
      files.add(
          staging.staged(
              ApplicationArchive.NAME, Layout.APPLICATION, LocalResourceType.ARCHIVE, true));
      files.addAll(shipping.staged(staging));
      return files;
    } catch (IOException e) {
      throw staging.failed("write files to", e);
    }
  }

  /** What the cluster's processes are configured with. */
  private Configuration effective(
      ClusterPlan plan, ApplicationId id, Staging staging, Secrets secrets) {
    Configuration effective = hadoop.in(Shipping.in(secrets.in(plan.configuration())));
    // Where a cluster on this machine would be says nothing about one elsewhere.
    effective = effective.with(Options.REST_PORT, 0);
    if (!effective.contains(Options.CLUSTER_ID)) {
      effective = effective.with(Options.CLUSTER_ID, id.toString());
    }
    if (effective.get(Options.HA_TYPE) == HighAvailability.FILE
        && Demand.text(effective, Options.HA_STORAGE_DIR).isEmpty()) {
      effective =
          effective.with(
              Options.HA_STORAGE_DIR, new Path(staging.directory(), "recovery").toString());
    }
    return effective;
  }

  private void describe(
      ApplicationSubmissionContext context, ClusterPlan plan, Demand demand, int attempts) {
    Configuration configuration = plan.configuration();
    context.setApplicationName(
        Demand.text(configuration, YarnOptions.APPLICATION_NAME).orElse(plan.name()));
    context.setApplicationType(configuration.get(YarnOptions.APPLICATION_TYPE));
    demand.queue().ifPresent(context::setQueue);
    context.setResource(
        Resource.newInstance(demand.master().megabytes(), demand.master().vcores()));
    Set<String> tags = new LinkedHashSet<>(configuration.get(YarnOptions.TAGS));
    tags.add(plan.mode().tag());
    context.setApplicationTags(tags);
    int priority = configuration.get(YarnOptions.PRIORITY);
    if (priority >= 0) {
      context.setPriority(Priority.newInstance(priority));
    }
    Demand.text(configuration, YarnOptions.NODE_LABEL).ifPresent(context::setNodeLabelExpression);
    context.setMaxAppAttempts(attempts);
    if (attempts > 1) {
      context.setKeepContainersAcrossApplicationAttempts(true);
      context.setAttemptFailuresValidityInterval(
          configuration.get(YarnOptions.ATTEMPT_WINDOW).toMillis());
    }
  }
}
