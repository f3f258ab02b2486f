package io.millrace.cluster.process;

import io.millrace.client.ConfigurationFile;
import io.millrace.control.driver.WorkerSpec;
import io.millrace.control.driver.process.ProcessHost;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.id.WorkerId;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.IntConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The worker processes of this machine and their files. */
final class LocalProcesses implements ProcessHost {
  private static final Logger LOG = LoggerFactory.getLogger(LocalProcesses.class);

  private final WorkerFiles files;
  private final WorkerProgram program;
  private Optional<DirectoryLock> lock = Optional.empty();

  LocalProcesses(WorkerFiles files, WorkerProgram program) {
    this.files = files;
    this.program = program;
  }

  @Override
  public void acquire() {
    lock = Optional.of(DirectoryLock.take(files.root()));
  }

  @Override
  public void release() {
    lock.ifPresent(DirectoryLock::release);
  }

  @Override
  public List<Found> find() throws IOException {
    List<Found> found = new ArrayList<>();
    for (WorkerId id : files.known()) {
      Optional<OsProcess> process = files.process(id);
      if (process.isPresent()) {
        LOG.info("Found worker {} (pid {})", id, process.get().pid());
        files.record(id, process.get());
        found.add(new Found(id, files.spec(id), new FoundProcess(process.get())));
      } else {
        files.remove(id);
      }
    }
    return found;
  }

  @Override
  public Prepared prepare(WorkerId id, WorkerSpec spec) throws IOException {
    WorkerFiles.WorkerPaths paths = files.create(id, spec);
    List<String> command = new ArrayList<>(program.prepare(id, spec, paths));
    Path executable = Path.of(command.get(0));
    if (!Files.isExecutable(executable)) {
      throw new MillraceException(
          ErrorKind.EXTERNAL,
          executable
              + (Files.exists(executable) ? " is not executable." : " does not exist.")
              + " The driver needs it to start workers.");
    }
    command.add(WorkerFiles.idArgument(id));
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(paths.work().toFile())
            .redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")))
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(paths.output().toFile()));
    builder.environment().put(ConfigurationFile.DIRECTORY_VARIABLE, paths.conf().toString());
    return exit -> start(id, builder, exit);
  }

  private WorkerProcess start(WorkerId id, ProcessBuilder builder, IntConsumer exit)
      throws IOException {
    Process process = builder.start();
    OsProcess identity = OsProcess.of(process.toHandle());
    LOG.info("Started worker {} (pid {})", id, identity.pid());
    try {
      files.record(id, identity);
    } catch (IOException e) {
      // A restarted JobManager finds the process by its argument.
      LOG.warn("The pid of worker {} cannot be written", id, e);
    }
    process.onExit().thenAccept(ended -> exit.accept(ended.exitValue()));
    return new StartedProcess(process);
  }

  @Override
  public void remove(WorkerId worker) throws IOException {
    files.remove(worker);
  }

  @Override
  public void removeLogs(WorkerId worker) throws IOException {
    files.removeLogs(worker);
  }

  @Override
  public void removeAll() throws IOException {
    files.removeAll();
  }

  @Override
  public String describeExit(WorkerId worker, OptionalInt code) throws IOException {
    return ProcessExit.of(code, files.paths(worker));
  }

  @Override
  public boolean isFailure(OptionalInt code) {
    return ProcessExit.isFailure(code);
  }

  @Override
  public String toString() {
    return files.root().toString();
  }

  /** A child of this process. */
  private record StartedProcess(Process process) implements WorkerProcess {
    @Override
    public boolean tellsItsExit() {
      return true;
    }

    @Override
    public boolean isAlive() {
      return process.isAlive();
    }

    @Override
    public void terminate() {
      process.destroy();
    }

    @Override
    public void kill() {
      process.destroyForcibly();
    }
  }

  /** A process of an earlier JobManager. The JDK polls such processes less and less often. */
  private record FoundProcess(OsProcess process) implements WorkerProcess {
    @Override
    public boolean tellsItsExit() {
      return false;
    }

    @Override
    public boolean isAlive() {
      return process.isAlive();
    }

    @Override
    public void terminate() {
      process.handle().ifPresent(ProcessHandle::destroy);
    }

    @Override
    public void kill() {
      process.handle().ifPresent(ProcessHandle::destroyForcibly);
    }
  }
}
