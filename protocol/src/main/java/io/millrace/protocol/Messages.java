package io.millrace.protocol;

import io.millrace.core.codec.RecordCodec;
import io.millrace.graph.JobGraph;
import io.millrace.protocol.journal.JournalEvent;
import io.millrace.rpc.Acknowledge;
import io.millrace.rpc.Envelope;
import io.millrace.rpc.Gateway;
import io.millrace.rpc.leader.LeaderDirectoryGateway;
import java.lang.reflect.Method;
import java.lang.reflect.ParameterizedType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The table of all classes that cross a process boundary or are stored by the control plane. The
 * position of a class in the table is its number on the wire: all processes of a cluster run the
 * same version.
 */
public final class Messages {
  /**
   * The size limit of a stored graph in bytes. Graphs are blobs, so the limit of messages does not
   * apply.
   */
  private static final int MAX_GRAPH = 256 << 20;

  /** The size limit of an archived job in bytes. */
  public static final int MAX_ARCHIVED = 64 << 20;

  private static final List<Class<? extends Gateway>> GATEWAYS =
      List.of(
          LeaderDirectoryGateway.class,
          DispatcherGateway.class,
          ResourceManagerGateway.class,
          JobMasterGateway.class,
          TaskManagerGateway.class,
          BlobGateway.class,
          ProcessGateway.class);

  private static final List<Class<? extends Record>> STORED =
      List.of(
          JobGraph.class,
          JobResult.class,
          EndedJob.class,
          StoredJob.class,
          StoredCheckpoints.class,
          StoredDeployment.class);

  private Messages() {}

  /** Whether a message is a heartbeat, which must not wait behind other messages. */
  public static boolean isHeartbeat(Class<? extends Record> message) {
    return message == TaskManagerGateway.AskWorker.class
        || message == TaskManagerGateway.AskTasks.class
        || message == JobMasterGateway.AskJobMaster.class;
  }

  // Each codec is created on first use: a table loads a hundred classes, and an embedded cluster
  // sends no messages.

  private static final class MessageCodec {
    static final RecordCodec INSTANCE = RecordCodec.of(table());
  }

  private static final class GraphCodec {
    static final RecordCodec INSTANCE = RecordCodec.of(STORED, MAX_GRAPH);
  }

  private static final class ArchiveCodec {
    static final RecordCodec INSTANCE = RecordCodec.of(archiveTable(), MAX_ARCHIVED);
  }

  /** The codec of messages between processes, which are small. */
  public static RecordCodec codec() {
    return MessageCodec.INSTANCE;
  }

  /**
   * The codec of graphs, which are stored as blobs and may be larger than a message, and of the
   * entries of the recovery store.
   */
  public static RecordCodec graphCodec() {
    return GraphCodec.INSTANCE;
  }

  /** The codec of archived jobs. It has its own table, because archive files outlive a release. */
  public static RecordCodec archiveCodec() {
    return ArchiveCodec.INSTANCE;
  }

  /** An archived job contains its journal. */
  private static List<Class<? extends Record>> archiveTable() {
    Set<Class<? extends Record>> table = new LinkedHashSet<>();
    table.add(ArchivedJob.class);
    addEvents(JournalEvent.class, table);
    return new ArrayList<>(table);
  }

  /** Adds all events: journal entries refer to events by their numbers in the table. */
  private static void addEvents(Class<?> type, Set<Class<? extends Record>> table) {
    if (type.isRecord()) {
      table.add(type.asSubclass(Record.class));
    } else {
      for (Class<?> kind : type.getPermittedSubclasses()) {
        addEvents(kind, table);
      }
    }
  }

  /** The table for {@link io.millrace.core.codec.RecordCodec}. */
  public static List<Class<? extends Record>> table() {
    // Stored classes first, so that they have the same numbers in both codecs.
    Set<Class<? extends Record>> table = new LinkedHashSet<>(STORED);
    table.add(Envelope.Call.class);
    table.add(Envelope.Reply.class);
    table.add(Envelope.Failed.class);
    table.add(Acknowledge.class);
    for (Class<? extends Gateway> gateway : GATEWAYS) {
      List<Method> methods = new ArrayList<>(Arrays.asList(gateway.getDeclaredMethods()));
      methods.sort(Comparator.comparing(Method::getName));
      for (Method method : methods) {
        table.add(method.getParameterTypes()[0].asSubclass(Record.class));
        if (method.getGenericReturnType() instanceof ParameterizedType answer) {
          table.add(((Class<?>) answer.getActualTypeArguments()[0]).asSubclass(Record.class));
        }
      }
    }
    addEvents(JournalEvent.class, table);
    return new ArrayList<>(table);
  }
}
