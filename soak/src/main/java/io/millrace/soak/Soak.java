package io.millrace.soak;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** The command {@code tools/soak}. */
public final class Soak {
  private static final String USAGE =
      """
      Usage: tools/soak [--jobmanagers N] [--minutes M] [--each N] [--seed S] [--faults N]
                        [--backend hashmap|rocksdb] [--unaligned] [--adopt-tasks] [--rate R] [--dir DIR]
                        [-D KEY=VALUE]...
      Runs a job with state on a cluster of processes and kills, freezes and disconnects them, fills the
      disk of the checkpoints, and stops and resumes the job. Then verifies each result of the job.
      With more than one JobManager it starts three ZooKeeper servers, and kills, freezes and cuts off
      leaders, loses ZooKeeper servers, ends sessions, and takes away the recovery storage.
        --jobmanagers N
                      Number of JobManagers. Default: 1.
        --minutes M   How long faults are injected. Default: 2.
        --each N      Injects each kind of fault N times, in random order, however long it takes. The
                      input of the job lasts for --minutes, by default 6 times N.
        --seed S      Decides the faults. Default: the time.
        --faults N    Ends after this many faults, too.
        --backend B   State backend of the job. Default: that of the engine.
        --unaligned   Barriers overtake records.
        --adopt-tasks Tasks run on while their JobManager changes.
        --rate R      Generated records per second. Default: 2000.
        --dir DIR     Where everything is written. Default: a new temporary directory. It is deleted
                      unless something is wrong. Create a file `stop` in it to end the faults early.
        -D KEY=VALUE  Further options of the cluster and of the job.
      Exit code: 0 if each result is right, 1 if not, 2 for a wrong command line.""";

  private Soak() {}

  public static void main(String[] args) throws IOException, InterruptedException {
    if (List.of(args).contains("--help") || List.of(args).contains("-h")) {
      System.out.println(USAGE);
      return;
    }
    SoakSettings settings;
    try {
      settings =
          SoakArguments.parse(args, Path.of(System.getProperty("soak.home")).toAbsolutePath());
    } catch (IllegalArgumentException e) {
      System.err.println("soak: " + e.getMessage());
      System.err.println(USAGE);
      System.exit(2);
      return;
    }
    int code = 0;
    SoakRun run = new SoakRun(settings, System.out);
    Thread abort = new Thread(() -> abort(run), "abort");
    Runtime.getRuntime().addShutdownHook(abort);
    try {
      run.run();
      SoakRun.delete(settings.directory());
    } catch (SoakException e) {
      System.out.println("WRONG: " + e.getMessage());
      System.out.println(
          "Seed " + settings.budget().seed() + "; evidence is in " + settings.directory());
      code = 1;
    }
    Runtime.getRuntime().removeShutdownHook(abort);
    System.exit(code);
  }

  private static void abort(SoakRun run) {
    try {
      run.abort();
    } catch (IOException | InterruptedException e) {
      System.err.println("soak: processes or mounts may be left: " + e);
    }
  }
}
