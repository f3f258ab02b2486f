package io.millrace.protocol;

import io.millrace.core.Bytes;
import io.millrace.core.OrderedCopies;
import io.millrace.core.id.ExecutionId;
import io.millrace.rpc.Gateway;
import io.millrace.task.TaskStack.Activity;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Looks into a process: its configuration, files, threads, the stacks of its tasks and the levels
 * of its log. Not fenced: nothing here changes a job. Only the REST server of the JobManager calls
 * it. A JobManager has it without an endpoint, so that other processes cannot look into a
 * JobManager.
 */
public interface ProcessGateway extends Gateway {
  /** The name of the endpoint in a TaskManager process. */
  String NAME = "process";

  /** The maximum length of a part of a file in bytes. */
  int MAX_PART = 256 * 1024;

  /** The configuration and the JVM of the process, without secrets. */
  CompletableFuture<ProcessDescription> describeProcess(DescribeProcess request);

  /** The log files of the process, the one that changed last first. */
  CompletableFuture<LogFiles> listLogs(ListLogs request);

  /** Reads a part of a log file; no more than was asked for. */
  CompletableFuture<LogPart> readLog(ReadLog request);

  /** All threads with their stacks. */
  CompletableFuture<ThreadDump> dumpThreads(DumpThreads request);

  /** Samples what tasks do; answers when all samples are taken. Unknown tasks are ignored. */
  CompletableFuture<StackSamples> sampleStacks(SampleStacks request);

  /** The loggers with a level of their own. */
  CompletableFuture<LogLevels> listLogLevels(ListLogLevels request);

  /** Changes the level of a logger until the process ends; answers with all levels. */
  CompletableFuture<LogLevels> setLogLevel(SetLogLevel request);

  record DescribeProcess() {}

  /**
   * @param jvm name, vendor and version
   * @param options of the JVM
   */
  record ProcessDescription(
      List<ConfiguredValue> configuration,
      String jvm,
      String architecture,
      List<String> options,
      List<String> classPath) {
    public ProcessDescription {
      configuration = OrderedCopies.list(configuration);
      Objects.requireNonNull(jvm);
      Objects.requireNonNull(architecture);
      options = OrderedCopies.list(options);
      classPath = OrderedCopies.list(classPath);
    }
  }

  /** An option of the process as it may be shown. */
  record ConfiguredValue(String key, String value) {
    public ConfiguredValue {
      Objects.requireNonNull(key);
      Objects.requireNonNull(value);
    }
  }

  record ListLogs() {}

  /**
   * @param log the name of the file that the process logs to
   * @param output the name of the file with the standard output of the process
   */
  record LogFiles(List<LogFile> files, Optional<String> log, Optional<String> output) {
    public LogFiles {
      files = OrderedCopies.list(files);
      Objects.requireNonNull(log);
      Objects.requireNonNull(output);
    }
  }

  /**
   * @param changedAt in milliseconds since the epoch
   */
  record LogFile(String name, long size, long changedAt) {
    public LogFile {
      Objects.requireNonNull(name);
    }
  }

  /**
   * @param name the name of a file in the list of log files
   */
  record ReadLog(String name, long offset, int length) {
    public ReadLog {
      Objects.requireNonNull(name);
      if (offset < 0 || length < 0 || length > MAX_PART) {
        throw new IllegalArgumentException(
            "A part has 0 to "
                + MAX_PART
                + " bytes from offset 0 on, not "
                + length
                + " from "
                + offset);
      }
    }
  }

  /**
   * @param file empty if there is no such log file
   */
  record LogPart(Optional<LogContent> file) {
    public LogPart {
      Objects.requireNonNull(file);
    }
  }

  /**
   * @param identity differs for the file that gets the name after the file was renamed
   * @param size of the whole file
   */
  record LogContent(Bytes content, String identity, long size) {
    public LogContent {
      Objects.requireNonNull(content);
      Objects.requireNonNull(identity);
    }
  }

  /**
   * @param locks whether to show the locks that each thread holds
   */
  record DumpThreads(boolean locks) {}

  record ThreadDump(List<ThreadText> threads) {
    public ThreadDump {
      threads = OrderedCopies.list(threads);
    }
  }

  /** A thread with its state and stack as text. */
  record ThreadText(String name, String text) {
    public ThreadText {
      Objects.requireNonNull(name);
      Objects.requireNonNull(text);
    }
  }

  record ListLogLevels() {}

  /**
   * @param level empty to restore the level that the logger had at the start of the process
   */
  record SetLogLevel(String logger, Optional<LogLevel> level) {
    private static final int MAX_NAME = 200;

    public SetLogLevel {
      Objects.requireNonNull(level);
      if (logger.isBlank() || logger.length() > MAX_NAME) {
        throw new IllegalArgumentException(
            "The name of a logger has 1 to " + MAX_NAME + " characters");
      }
    }
  }

  /** From which severity on a logger writes lines. */
  enum LogLevel {
    TRACE,
    DEBUG,
    INFO,
    WARN,
    ERROR,
    OFF
  }

  record LogLevels(List<LoggerLevel> loggers) {
    public LogLevels {
      loggers = OrderedCopies.list(loggers);
    }
  }

  record LoggerLevel(String logger, LogLevel level) {
    public LoggerLevel {
      Objects.requireNonNull(logger);
      Objects.requireNonNull(level);
    }
  }

  /**
   * @param depth how many frames of a stack are kept, from its outer end on
   */
  record SampleStacks(List<ExecutionId> tasks, int samples, Duration interval, int depth) {
    private static final int MAX_SAMPLES = 10_000;
    private static final int MAX_DEPTH = 1_000;
    private static final Duration MAX_INTERVAL = Duration.ofSeconds(10);

    public SampleStacks {
      tasks = OrderedCopies.list(tasks);
      if (samples < 1 || samples > MAX_SAMPLES) {
        throw new IllegalArgumentException(
            samples + " samples; 1 to " + MAX_SAMPLES + " are taken");
      }
      if (depth < 1 || depth > MAX_DEPTH) {
        throw new IllegalArgumentException(depth + " frames; 1 to " + MAX_DEPTH + " are kept");
      }
      if (interval.isNegative() || interval.compareTo(MAX_INTERVAL) > 0) {
        throw new IllegalArgumentException("The interval is at most " + MAX_INTERVAL);
      }
    }
  }

  /**
   * Sampled stacks, equal ones together.
   *
   * @param frames the frames of all stacks
   * @param dropped the number of samples whose stacks are left out, because the message would be
   *     too large
   */
  record StackSamples(List<String> frames, List<SampledStack> stacks, int dropped) {
    public StackSamples {
      frames = OrderedCopies.list(frames);
      stacks = OrderedCopies.list(stacks);
      for (SampledStack stack : stacks) {
        for (int frame : stack.frames()) {
          if (frame < 0 || frame >= frames.size()) {
            throw new IllegalArgumentException(
                "Frame " + frame + " of " + frames.size() + " does not exist");
          }
        }
      }
    }
  }

  /**
   * @param frames indexes into the frames of the message, from the outer end of the stack on
   * @param count the number of samples with this stack
   */
  record SampledStack(ExecutionId task, Activity activity, List<Integer> frames, int count) {
    public SampledStack {
      Objects.requireNonNull(task);
      Objects.requireNonNull(activity);
      frames = OrderedCopies.list(frames);
      if (frames.size() > SampleStacks.MAX_DEPTH) {
        throw new IllegalArgumentException("A stack has " + frames.size() + " frames");
      }
    }
  }
}
