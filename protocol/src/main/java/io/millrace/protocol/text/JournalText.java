package io.millrace.protocol.text;

import io.millrace.protocol.journal.ClientEvent;
import io.millrace.protocol.journal.ClientEvent.JobSent;
import io.millrace.protocol.journal.DispatcherEvent;
import io.millrace.protocol.journal.DispatcherEvent.CancellationStored;
import io.millrace.protocol.journal.DispatcherEvent.ClientLost;
import io.millrace.protocol.journal.DispatcherEvent.JobArchived;
import io.millrace.protocol.journal.DispatcherEvent.JobEnded;
import io.millrace.protocol.journal.DispatcherEvent.JobRecovered;
import io.millrace.protocol.journal.DispatcherEvent.JobSubmitted;
import io.millrace.protocol.journal.DispatcherEvent.ShutdownRequested;
import io.millrace.protocol.journal.JobMasterEvent;
import io.millrace.protocol.journal.JobMasterEvent.StatusChanged;
import io.millrace.protocol.journal.JournalEvent;
import io.millrace.protocol.journal.ResourceManagerEvent;
import io.millrace.protocol.journal.ResourceManagerEvent.SlotsRequested;
import io.millrace.protocol.journal.TaskExecutorEvent;
import io.millrace.rpc.journal.JournalEntry;
import java.util.Locale;

/** Renders journal events for people. */
public final class JournalText {
  private JournalText() {}

  /** The component that made the decision. */
  public static String component(JournalEvent event) {
    if (event instanceof ClientEvent) {
      return "client";
    } else if (event instanceof DispatcherEvent) {
      return "dispatcher";
    } else if (event instanceof ResourceManagerEvent) {
      return "resourcemanager";
    } else if (event instanceof JobMasterEvent) {
      return "jobmaster";
    } else if (event instanceof TaskExecutorEvent) {
      return "taskmanager";
    } else {
      throw new IllegalArgumentException("No component for " + event.getClass());
    }
  }

  /** The title of the event: {@code slots declared}, {@code job FINISHED}. */
  public static String title(JournalEvent event) {
    if (event instanceof StatusChanged changed) {
      return "job " + changed.status();
    } else if (event instanceof JobEnded ended) {
      return "job " + ended.status();
    }
    return event
        .getClass()
        .getSimpleName()
        .replaceAll("(?<=[a-z])(?=[A-Z])", " ")
        .toLowerCase(Locale.ROOT);
  }

  /** The event of an entry as a sentence. */
  public static String of(JournalEntry entry) {
    return of(JournalEvent.of(entry));
  }

  public static String of(JournalEvent event) {
    if (event instanceof ClientEvent client) {
      return client(client);
    } else if (event instanceof DispatcherEvent dispatcher) {
      return dispatcher(dispatcher);
    } else if (event instanceof ResourceManagerEvent resourceManager) {
      return ResourceManagerEventText.of(resourceManager);
    } else if (event instanceof JobMasterEvent jobMaster) {
      return JobMasterEventText.of(jobMaster);
    } else if (event instanceof TaskExecutorEvent taskExecutor) {
      return TaskExecutorEventText.of(taskExecutor);
    } else {
      throw new IllegalArgumentException("No text for " + event.getClass());
    }
  }

  /** How the workers of a request were chosen, and the option that decides it. */
  public static String choice(SlotsRequested requested) {
    return ResourceManagerEventText.choice(requested);
  }

  private static String client(ClientEvent event) {
    if (event instanceof JobSent sent) {
      return sent.application()
          ? "The files are staged and the application is submitted."
          : "The graph and the jars are uploaded and the job is submitted.";
    } else {
      throw new IllegalArgumentException("No text for " + event.getClass());
    }
  }

  private static String dispatcher(DispatcherEvent event) {
    if (event instanceof JobSubmitted submitted) {
      return "'" + submitted.name() + "' is stored and accepted.";
    } else if (event instanceof JobRecovered) {
      return "The job was found in the store of the previous leader.";
    } else if (event instanceof ClientLost lost) {
      return ReasonText.of(lost.reason());
    } else if (event instanceof JobEnded ended) {
      return ReasonText.of(ended.reason());
    } else if (event instanceof CancellationStored) {
      return "The cancellation is stored; the job ends under any leader.";
    } else if (event instanceof JobArchived archived) {
      return "The job ended as " + archived.status() + ".";
    } else if (event instanceof ShutdownRequested) {
      return "The user ends the cluster.";
    } else {
      throw new IllegalArgumentException("No text for " + event.getClass());
    }
  }
}
